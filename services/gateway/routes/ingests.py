"""Books in: upload a source, watch it become an edition."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from libs.budget.stages import TOTAL_S
from libs.errors import InvalidInput, NotFound, QuothError, Unavailable
from services.gateway.access import SOURCE_TYPES, caller_of_request, check_media_type
from services.gateway.errors import TooSlow
from services.gateway.model.ingests import IngestJob, Source
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Intake
from services.gateway.routes.bodies import convert_query, discard_body, read_parts
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    POST_PROBLEMS,
    REQUEST_KEY,
    TIMEOUT,
    Endpoint,
    json_response,
    read_request_key,
    start_budget,
)
from services.gateway.routes.slots import Slots
from services.gateway.routes.streams import EventStream, SendEvent, wants_events
from services.gateway.schemas import JobEnvelope, JobsEnvelope

WATCH_S = 3600.0
"""Seconds a job is watched at most; a client that is still interested asks again."""
_MOST_WATCHING, _MOST_WATCHING_EACH = 96, 64
_MOST_UPLOADING, _MOST_UPLOADING_EACH = 24, 16
"""Of all clients together, and of each: whoever takes all of theirs leaves some to the others."""
_TOO_MANY_WATCH = "Too many jobs are being watched. Ask for the state of the job from time to time."
_TOO_MANY_UPLOAD = "Too many sources are being sent at once. Send this one again in a moment."

JOB = Parameter("job_id", "path", "Id of the job.", {"type": "string"})
START = Operation(
    "POST",
    "/v1/books/{book}/ingests",
    "startIngest",
    "Send the source of a book: an archive or a single document.",
    JobEnvelope,
    access="ingest",
    description="Accepted means that the job ends published or failed, unless it is cancelled. "
    "Watch it at `Location`.",
    parameters=(
        Parameter(
            "book",
            "path",
            "Slug of the book: lower-case letters, digits and hyphens, at most 64.",
            {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"},
        ),
        Parameter(
            "file_name",
            "query",
            "Name of the file; its extension says the format: .zip, .tar, .tar.gz, .tgz, .tar.bz2, "
            ".tar.xz of several documents, or one of .md, .mdx, .markdown, .qmd, .rmd, .ipynb, .html, "
            ".htm, .xhtml, .rst, .adoc, .asciidoc, .docbook, .dbk, .xml, .page, .txt, .text, .epub, "
            ".pdf, .docx.",
            {"type": "string", "minLength": 1, "maxLength": 255},
            required=True,
        ),
        Parameter(
            "title",
            "query",
            "Title of the book. The default keeps the one it has.",
            {"type": "string", "maxLength": 500},
        ),
        Parameter(
            "language",
            "query",
            "Language of the text, a code of ISO 639 with script and region or without: `en`, `pt-BR` "
            "or `zh-Hans`; only the language is kept. By default it is found.",
            {"type": "string", "maxLength": 35},
        ),
        Parameter(
            "profile",
            "query",
            "Profile whose chunking applies.",
            {"type": "string", "maxLength": 40},
        ),
        Parameter(
            "dry_run",
            "query",
            "Only find out what would change; the job ends `checked`, with its report.",
            {"type": "boolean", "default": False},
        ),
        Parameter(
            "allow_partial",
            "query",
            "Leave out documents that can't be read, and name them in the report, instead of failing.",
            {"type": "boolean", "default": False},
        ),
        replace(
            REQUEST_KEY,
            description="Marks a source so that it is taken once: sent again with the same key within "
            "a day, it is the job that it became, unless that failed or was cancelled.",
        ),
    ),
    body_media=sorted(SOURCE_TYPES),
    status=202,
    headers={"Location": "Address of the job."},
    problems=(
        *(kind for kind in POST_PROBLEMS if kind != "malformed"),
        *CALL_PROBLEMS,
        "conflict",
        "wrong_index",
    ),
)
WATCH = Operation(
    "GET",
    "/v1/books/{book}/ingests/{job_id}",
    "watchIngest",
    "Show where a job stands, or stream its progress.",
    JobEnvelope,
    access="ingest",
    parameters=(BOOK, JOB),
    events={"progress": JobEnvelope, "done": JobEnvelope},
    problems=("invalid_input", *CALL_PROBLEMS),
)


LIST = Operation(
    "GET",
    "/v1/books/{book}/ingests",
    "listIngests",
    "List the jobs of a book that have not ended, at most 100.",
    JobsEnvelope,
    access="ingest",
    parameters=(BOOK, TIMEOUT),
    problems=("invalid_input", *CALL_PROBLEMS),
)
CANCEL = Operation(
    "DELETE",
    "/v1/books/{book}/ingests/{job_id}",
    "cancelIngest",
    "End a job that has not ended; readers see what they saw before.",
    JobEnvelope,
    access="ingest",
    parameters=(BOOK, JOB, TIMEOUT),
    problems=("foreign_origin", "invalid_input", *CALL_PROBLEMS),
)


class SourceQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """What the body holds."""

    file_name: Annotated[str, Meta(min_length=1, max_length=255)]
    title: Annotated[str, Meta(max_length=500)] = ""
    language: Annotated[str, Meta(max_length=35)] = ""
    profile: Annotated[str, Meta(max_length=40)] = ""
    dry_run: bool = False
    allow_partial: bool = False


def _broken_off() -> Unavailable:
    return Unavailable("The progress broke off. The job goes on; watch it again.")


class SlugPath(Struct, frozen=True):
    """The name a new book may have."""

    book: Annotated[str, Meta(pattern="^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]


@dataclass(frozen=True)
class IngestRoutes:
    """Serves ingests."""

    intake: Intake
    max_upload_bytes: int
    upload_timeout_s: float
    upload_pause_s: float
    # Each holds a call to ingest, which takes no more than 256, those of readers among them.
    watching: Slots = field(
        default_factory=lambda: Slots(_MOST_WATCHING, _TOO_MANY_WATCH, _MOST_WATCHING_EACH)
    )
    uploading: Slots = field(
        default_factory=lambda: Slots(_MOST_UPLOADING, _TOO_MANY_UPLOAD, _MOST_UPLOADING_EACH)
    )

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(START, self.start),
            Endpoint(LIST, self.show_unended),
            Endpoint(WATCH, self.watch),
            Endpoint(CANCEL, self.cancel),
        ]

    async def start(self, request: Request) -> Response:
        try:
            job = await self._start(request)
        except QuothError as error:
            if not isinstance(error, TooSlow):
                await discard_body(request)
            raise
        location = f"/v1/books/{quote(job.book, safe='')}/ingests/{quote(job.job_id, safe='')}"
        return json_response(JobEnvelope(job), 202, {"Location": location})

    async def _start(self, request: Request) -> IngestJob:
        check_media_type(request.headers, SOURCE_TYPES)
        slug = convert_query({"book": request.path_params["book"]}, SlugPath).book
        query = convert_query(request.query_params, SourceQuery)
        if "/" in query.file_name or "\\" in query.file_name:
            raise InvalidInput("file_name: Give the name of the file without its folder.")
        client = caller_of_request(request).client
        source = Source(
            book=slug,
            file_name=query.file_name,
            title=query.title,
            language=query.language,
            profile=query.profile,
            dry_run=query.dry_run,
            allow_partial=query.allow_partial,
            client=client,
            request_key=read_request_key(request),
        )
        parts = read_parts(
            request, self.max_upload_bytes, self.upload_timeout_s, self.upload_pause_s
        )
        with self.uploading.take(client):
            async with aclosing(parts):
                return await self.intake.start_ingest(
                    source, parts, self.upload_timeout_s + TOTAL_S
                )

    async def show_unended(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        jobs = await self.intake.list_ingests(request.path_params["book"], left_s)
        return json_response(JobsEnvelope(jobs))

    async def watch(self, request: Request) -> Response | EventStream:
        slug, job_id = request.path_params["book"], request.path_params["job_id"]
        if wants_events(request):
            client = caller_of_request(request).client
            return EventStream(
                lambda send: self._stream(slug, job_id, client, send), broken_off=_broken_off()
            )
        async with aclosing(self._states(slug, job_id, TOTAL_S)) as states:
            async for job in states:
                return json_response(JobEnvelope(job))
        raise Unavailable("The job can't be shown now. Ask again in a moment.")

    async def cancel(self, request: Request) -> Response:
        slug, job_id = request.path_params["book"], request.path_params["job_id"]
        left_s = start_budget(request).left_s()
        async with aclosing(self._states(slug, job_id, left_s)) as states:
            async for _ in states:
                break
        return json_response(JobEnvelope(await self.intake.cancel_ingest(job_id, left_s)))

    async def _stream(self, slug: str, job_id: str, client: str, send: SendEvent) -> None:
        with self.watching.take(client):
            async with aclosing(self._states(slug, job_id, WATCH_S)) as states:
                async for job in states:
                    if job.ended:
                        send("done", JobEnvelope(job))
                        return
                    send("progress", JobEnvelope(job))
        raise _broken_off()

    async def _states(
        self, slug: str, job_id: str, timeout_s: float
    ) -> AsyncGenerator[IngestJob, None]:
        async with aclosing(self.intake.watch_ingest(job_id, timeout_s)) as states:
            async for job in states:
                if job.book != slug:
                    raise NotFound("There is no job of that id for this book.")
                yield job
