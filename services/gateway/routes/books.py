"""The library: books, their documents, and the text of each."""

import hashlib
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from libs.rpc.readiness import CATALOGUE
from services.gateway.access import caller_of_request
from services.gateway.model.books import Book, Document, PageQuery
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Library, Probe
from services.gateway.routes.bodies import convert_query
from services.gateway.routes.document_parts import part_of
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    EDITION,
    PAGE,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    tagged_response,
    within,
)
from services.gateway.schemas import MAX_OFFSET, BookList, DocumentList

_OFFSET = {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET}
PATH = Parameter(
    "path", "path", "Path of the document inside the book; may hold slashes.", {"type": "string"}
)
BOOKS = Operation(
    "GET",
    "/v1/books",
    "listBooks",
    "List the books that can be asked.",
    BookList,
    access="read",
    parameters=(*PAGE, TIMEOUT),
    problems=("invalid_input", "overloaded", "unavailable", "deadline_exceeded"),
)
ONE_BOOK = Operation(
    "GET",
    "/v1/books/{book}",
    "getBook",
    "Show one book.",
    Book,
    access="read",
    parameters=(BOOK, TIMEOUT),
    problems=("invalid_input", *CALL_PROBLEMS),
)
DOCUMENTS = Operation(
    "GET",
    "/v1/books/{book}/documents",
    "listDocuments",
    "List the documents of a book in reading order.",
    DocumentList,
    access="read",
    description=(
        "Who goes on by `cursor` stays in the edition that the list began with, whatever readers see "
        "by then."
    ),
    parameters=(BOOK, EDITION, *PAGE, TIMEOUT),
    problems=("invalid_input", *CALL_PROBLEMS),
)
ONE_DOCUMENT = Operation(
    "GET",
    "/v1/books/{book}/documents/{path:path}",
    "getDocument",
    "Show a document: its canonical text, blocks and sections.",
    Document,
    access="read",
    description=(
        "A part of a long one has whole blocks and says where the next begins; the first has the "
        "whole heading tree, the others none. What is asked for by edition and content_hash may be "
        "cached for good."
    ),
    parameters=(
        BOOK,
        PATH,
        EDITION,
        Parameter("start", "query", "A character of the first block to show.", _OFFSET),
        Parameter(
            "length",
            "query",
            "Characters that a part has at least, unless the document ends. The default is all.",
            {**_OFFSET, "minimum": 1},
        ),
        Parameter(
            "content_hash",
            "query",
            "What the document's list of particulars says; another document is not found.",
            {"type": "string", "maxLength": 64},
        ),
        TIMEOUT,
    ),
    has_tag=True,
    problems=("invalid_input", *CALL_PROBLEMS),
)
_LASTING = {"Cache-Control": "private, max-age=31536000, immutable", "Vary": "Authorization"}
_ASKED_EACH_TIME = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
_ANOTHER = "The book has another document at that path by now."


FORGOTTEN = (
    "The index holds books that the database does not know: the database was lost, or is another one. "
    "Start with the database that belongs to the index, or ingest the books again."
)
_WARNING_S = 0.5


class EditionQuery(Struct, frozen=True):
    """Which edition is meant."""

    edition: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None


class DocumentQuery(EditionQuery, frozen=True):
    """Which part of a document of which edition is meant."""

    start: Annotated[int, Meta(ge=0, le=MAX_OFFSET)] = 0
    length: Annotated[int, Meta(ge=1, le=MAX_OFFSET)] | None = None
    content_hash: Annotated[str, Meta(max_length=64)] = ""


@dataclass(frozen=True)
class BookRoutes:
    """Serves the library."""

    library: Library
    ingest: Probe | None = None

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(BOOKS, self.books),
            Endpoint(ONE_BOOK, self.book),
            Endpoint(DOCUMENTS, self.documents),
            Endpoint(ONE_DOCUMENT, self.document),
        ]

    async def books(self, request: Request) -> Response:
        page = convert_query(request.query_params, PageQuery)
        left_s = start_budget(request).left_s()
        caller = caller_of_request(request)
        listing = self.library.list_books(caller.books, page, left_s)
        books, cursor = await within(left_s, listing)
        # An ingest service of the version before lists all of them.
        seen = [book for book in books if caller.may_see(book.slug)]
        is_bare = not (books or caller.books or page.cursor)
        return json_response(BookList(seen, await self._warnings() if is_bare else [], cursor))

    async def _warnings(self) -> list[str]:
        """Say what may be behind an empty shelf."""
        if self.ingest is None:
            return []
        return [FORGOTTEN] if await self.ingest.lacks(CATALOGUE, _WARNING_S) else []

    async def book(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        slug = request.path_params["book"]
        return json_response(await within(left_s, self.library.get_book(slug, left_s)))

    async def documents(self, request: Request) -> Response:
        edition = convert_query(request.query_params, EditionQuery).edition or 0
        page = convert_query(request.query_params, PageQuery)
        left_s = start_budget(request).left_s()
        slug = request.path_params["book"]
        listing = self.library.list_documents(slug, edition, page, left_s)
        return json_response(DocumentList(slug, *await within(left_s, listing)))

    async def document(self, request: Request) -> Response:
        query = convert_query(request.query_params, DocumentQuery)
        left_s = start_budget(request).left_s()
        slug, path = request.path_params["book"], request.path_params["path"]
        reading = self.library.get_document(slug, query.edition or 0, path, left_s)
        whole = await within(left_s, reading)
        if query.content_hash not in ("", whole.content_hash):
            raise NotFound(_ANOTHER)
        lasts = _LASTING if query.edition and query.content_hash else _ASKED_EACH_TIME
        body = msgspec.json.encode(part_of(whole, query.start, query.length))
        headers = {**lasts, "Content-Type": "application/json"}
        return tagged_response(request, body, hashlib.sha256(body).hexdigest(), headers)
