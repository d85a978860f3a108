"""The editions of a book: their history, reports and differences; going back, and deleting."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from libs.errors import InvalidInput
from services.gateway.model.books import Book, PageQuery
from services.gateway.model.ingests import IngestJob, IngestReport
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Intake, Library
from services.gateway.routes.bodies import JsonBodies, convert_query
from services.gateway.routes.books import PATH
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    PAGE,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)
from services.gateway.schemas import BookIndexState, EditionList, JobEnvelope, RenameRequest

_READ = ("invalid_input", *CALL_PROBLEMS)
_CHANGE = ("foreign_origin", *_READ)
_LOCATION = {"Location": "Address of the job."}
_SAME = "Asked for again before it has ended, it is the same job. Watch it at `Location`."
_NUMBER = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}

EDITIONS = Operation(
    "GET",
    "/v1/books/{book}/editions",
    "listEditions",
    "List the editions of a book that are kept, newest first.",
    EditionList,
    access="read",
    parameters=(BOOK, *PAGE, TIMEOUT),
    problems=_READ,
)
STATE = Operation(
    "GET",
    "/v1/books/{book}/state",
    "getIndexState",
    "Say where a book and its documents stand between their source and the index.",
    BookIndexState,
    access="read",
    description="Of a book too that is indexed for the first time. What a source has otherwise than "
    "the index is seen when it is sent.",
    parameters=(BOOK, *PAGE, TIMEOUT),
    problems=_READ,
)
REPORT = Operation(
    "GET",
    "/v1/books/{book}/editions/{edition}/report",
    "getReport",
    "Show what ingest made of the source of an edition.",
    IngestReport,
    access="read",
    parameters=(
        BOOK,
        Parameter("edition", "path", "Number of the edition, or `current`.", {"type": "string"}),
        TIMEOUT,
    ),
    problems=_READ,
)
DIFF = Operation(
    "POST",
    "/v1/books/{book}/diff",
    "diffEditions",
    "Compare two editions: the job ends with their `difference`.",
    JobEnvelope,
    access="ingest",
    description="It is forgotten an hour after it has ended. " + _SAME,
    parameters=(
        BOOK,
        Parameter("from", "query", "The default is the edition before the other.", _NUMBER),
        Parameter("to", "query", "The default is the current edition.", _NUMBER),
        TIMEOUT,
    ),
    status=202,
    headers=_LOCATION,
    problems=_CHANGE,
)
ROLL_BACK = Operation(
    "POST",
    "/v1/books/{book}/rollback",
    "rollBack",
    "Show readers another edition that is kept, once all of its passages are found whole.",
    JobEnvelope,
    access="ingest",
    description="It waits for no ingest of the book. " + _SAME,
    parameters=(
        BOOK,
        Parameter("edition", "query", "The default is the newest before the current.", _NUMBER),
        TIMEOUT,
    ),
    status=202,
    headers=_LOCATION,
    problems=(*_CHANGE, "wrong_index"),
)
RENAME = Operation(
    "PATCH",
    "/v1/books/{book}",
    "renameBook",
    "Give a book another title; its slug and its addresses stay.",
    Book,
    access="ingest",
    parameters=(BOOK, TIMEOUT),
    body=RenameRequest,
    body_example={"title": "The Tide Mills of the Grey Coast"},
    problems=(*POST_PROBLEMS, *CALL_PROBLEMS),
)
VACUUM = Operation(
    "POST",
    "/v1/books/{book}/vacuum",
    "vacuumBook",
    "Delete what no kept edition holds: the job says what was `vacuumed`.",
    JobEnvelope,
    access="ingest",
    description="The current edition, and what readers left in the last minute, are always kept. "
    + _SAME,
    parameters=(
        BOOK,
        Parameter("keep", "query", "Newest editions that are kept. The default is 3.", _NUMBER),
        TIMEOUT,
    ),
    status=202,
    headers=_LOCATION,
    problems=_CHANGE,
)
DELETE_BOOK = Operation(
    "DELETE",
    "/v1/books/{book}",
    "deleteBook",
    "Delete a book: an edition without documents, which can be rolled back.",
    JobEnvelope,
    access="ingest",
    parameters=(BOOK, TIMEOUT),
    status=202,
    headers=_LOCATION,
    problems=_CHANGE,
)
DELETE_DOCUMENT = Operation(
    "DELETE",
    "/v1/books/{book}/documents/{path:path}",
    "deleteDocument",
    "Delete a document: an edition without it, which can be rolled back.",
    JobEnvelope,
    access="ingest",
    parameters=(BOOK, PATH, TIMEOUT),
    status=202,
    headers=_LOCATION,
    problems=_CHANGE,
)

Number = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class ReportPath(Struct, frozen=True):
    """Which edition is meant."""

    edition: Number


class DiffQuery(Struct, frozen=True, forbid_unknown_fields=True, rename={"before": "from"}):
    """Which editions are compared."""

    before: Number | None = None
    to: Number | None = None


class RollBackQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which edition readers should see."""

    edition: Number | None = None


class VacuumQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many editions are kept."""

    keep: Number | None = None


@dataclass(frozen=True)
class EditionRoutes:
    """Serves the history of books."""

    library: Library
    intake: Intake
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(EDITIONS, self.editions),
            Endpoint(STATE, self.state),
            Endpoint(REPORT, self.report),
            Endpoint(DIFF, self.diff),
            Endpoint(ROLL_BACK, self.roll_back),
            Endpoint(RENAME, self.rename),
            Endpoint(VACUUM, self.vacuum),
            Endpoint(DELETE_BOOK, self.delete_book),
            Endpoint(DELETE_DOCUMENT, self.delete_document),
        ]

    async def editions(self, request: Request) -> Response:
        page = convert_query(request.query_params, PageQuery)
        left_s = start_budget(request).left_s()
        slug = request.path_params["book"]
        listing = self.library.list_editions(slug, page, left_s)
        return json_response(EditionList(slug, *await within(left_s, listing)))

    async def state(self, request: Request) -> Response:
        page = convert_query(request.query_params, PageQuery)
        left_s = start_budget(request).left_s()
        slug = request.path_params["book"]
        asking = self.library.get_index_state(slug, page, left_s)
        return json_response(BookIndexState(slug, *await within(left_s, asking)))

    async def report(self, request: Request) -> Response:
        named = request.path_params["edition"]
        number = 0
        if named != "current":
            number = convert_query({"edition": named}, ReportPath).edition
        left_s = start_budget(request).left_s()
        slug = request.path_params["book"]
        return json_response(await within(left_s, self.library.get_report(slug, number, left_s)))

    async def diff(self, request: Request) -> Response:
        query = convert_query(request.query_params, DiffQuery)
        left_s = start_budget(request).left_s()
        comparing = self.intake.compare_editions(
            request.path_params["book"], query.before or 0, query.to or 0, left_s
        )
        return _accepted(await within(left_s, comparing))

    async def roll_back(self, request: Request) -> Response:
        number = convert_query(request.query_params, RollBackQuery).edition or 0
        left_s = start_budget(request).left_s()
        going = self.intake.roll_back(request.path_params["book"], number, left_s)
        return _accepted(await within(left_s, going))

    async def rename(self, request: Request) -> Response:
        title = (await self.bodies.read(request, RenameRequest)).title
        if not title.strip():
            raise InvalidInput("title: Say what the book is called.")
        left_s = start_budget(request).left_s()
        renaming = self.intake.rename_book(request.path_params["book"], title, left_s)
        return json_response(await within(left_s, renaming))

    async def vacuum(self, request: Request) -> Response:
        keep = convert_query(request.query_params, VacuumQuery).keep or 0
        left_s = start_budget(request).left_s()
        sweeping = self.intake.vacuum_book(request.path_params["book"], keep, left_s)
        return _accepted(await within(left_s, sweeping))

    async def delete_book(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        deleting = self.intake.delete_book(request.path_params["book"], left_s)
        return _accepted(await within(left_s, deleting))

    async def delete_document(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        slug, path = request.path_params["book"], request.path_params["path"]
        return _accepted(await within(left_s, self.intake.delete_document(slug, path, left_s)))


def _accepted(job: IngestJob) -> Response:
    location = f"/v1/books/{quote(job.book, safe='')}/ingests/{quote(job.job_id, safe='')}"
    return json_response(JobEnvelope(job), 202, {"Location": location})
