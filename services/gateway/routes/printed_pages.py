"""Pages of a document as its file has them, and where on them its text stands."""

import hashlib
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from services.gateway.model.printed_pages import PageOfDocument
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Library
from services.gateway.routes.bodies import convert_query
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    EDITION,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    tagged_response,
    within,
)
from services.gateway.routes.slots import Slots
from services.gateway.schemas import MAX_OFFSET, PlacesOnPage

_NUMBER = Parameter(
    "page", "path", "Page of the source, counted from 1.", {"type": "string", "pattern": "^[0-9]+$"}
)
_DOCUMENT = Parameter(
    "document",
    "query",
    "Path of the document inside the book.",
    {"type": "string", "minLength": 1, "maxLength": 1000},
    required=True,
)
_PAGE = (BOOK, _NUMBER, _DOCUMENT, EDITION)
_OFFSET = {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET}
IMAGE = Operation(
    "GET",
    "/v1/books/{book}/pages/{page}",
    "getPage",
    "Show a page of a PDF as it is printed.",
    None,
    access="read",
    description="A book keeps the file of each PDF that it was made of, in every edition that has it.",
    parameters=(*_PAGE, TIMEOUT),
    reply_media=("image/png",),
    has_tag=True,
    problems=("invalid_input", *CALL_PROBLEMS),
)
PLACES = Operation(
    "GET",
    "/v1/books/{book}/pages/{page}/places",
    "findOnPage",
    "Find where on a page of a PDF a range of its text stands.",
    PlacesOnPage,
    access="read",
    parameters=(
        *_PAGE,
        Parameter("start", "query", "First character, in code points.", _OFFSET, required=True),
        Parameter(
            "end", "query", "One past the last character, in code points.", _OFFSET, required=True
        ),
        TIMEOUT,
    ),
    problems=("invalid_input", *CALL_PROBLEMS),
)
_AT_ONCE = 4
_BUSY = "Too many pages are being drawn. Try again in a moment."
_MOST_DIGITS = 6
_NO_PAGE = "The document has no such page."
_CACHE = {"Cache-Control": "private, max-age=31536000, immutable", "Vary": "Authorization"}


class PageQuery(Struct, frozen=True):
    """Which document of which edition is meant."""

    document: Annotated[str, Meta(min_length=1, max_length=1000)]
    edition: Annotated[int, Meta(ge=1, le=MAX_OFFSET)] | None = None


class RangeQuery(PageQuery, frozen=True, kw_only=True):
    """Which range of it is looked for."""

    start: Annotated[int, Meta(ge=0, le=MAX_OFFSET)]
    end: Annotated[int, Meta(ge=0, le=MAX_OFFSET)]


@dataclass(frozen=True)
class PageRoutes:
    """Serves pages."""

    library: Library
    slots: Slots

    @classmethod
    def of(cls, library: Library) -> "PageRoutes":
        return cls(library, Slots(_AT_ONCE, _BUSY))

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(IMAGE, self.image), Endpoint(PLACES, self.find)]

    async def image(self, request: Request) -> Response:
        page = _page_of(request, convert_query(request.query_params, PageQuery))
        left_s = start_budget(request).left_s()
        with self.slots.take():
            drawn = await within(left_s, self.library.get_page_image(page, left_s))
        # An edition never changes: the page that one was asked for stays what it is.
        lasts = _CACHE if page.edition else {"Cache-Control": "no-store"}
        headers = {**lasts, "Content-Type": "image/png"}
        return tagged_response(request, drawn, hashlib.sha256(drawn).hexdigest(), headers)

    async def find(self, request: Request) -> Response:
        query = convert_query(request.query_params, RangeQuery)
        page = _page_of(request, query)
        left_s = start_budget(request).left_s()
        with self.slots.take():
            finding = self.library.find_on_page(page, query.start, query.end, left_s)
            boxes = await within(left_s, finding)
        return json_response(PlacesOnPage(boxes))


def _page_of(request: Request, query: PageQuery) -> PageOfDocument:
    digits = request.path_params["page"]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        raise NotFound(_NO_PAGE)
    book, edition = request.path_params["book"], query.edition or 0
    return PageOfDocument(book, edition, query.document, int(digits))
