"""Conversations that the service keeps: begun, read and ended by the client that owns them."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from services.gateway.access import caller_of_request
from services.gateway.model.answers import Session
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Library, Sessions
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)

# The very words of the generation service: whose a session is must not be learnt from them.
NO_SESSION = "There is no session of that id, or it has ended: 30 minutes after its last question."

_SESSION_ID = Parameter(
    "session_id", "path", "Id of a session of this client.", {"type": "string", "format": "uuid"}
)
BEGIN = Operation(
    "POST",
    "/v1/books/{book}/sessions",
    "beginSession",
    "Begin a conversation with a book that the service keeps.",
    Session,
    access="ask",
    description=(
        "Questions are asked in it by the member `session` of their bodies. It ends 30 minutes after "
        "the last of them, whichever gateway it came by."
    ),
    parameters=(BOOK, TIMEOUT),
    status=201,
    problems=("foreign_origin", "invalid_input", *CALL_PROBLEMS),
)
READ = Operation(
    "GET",
    "/v1/sessions/{session_id}",
    "getSession",
    "Read what was said in a session.",
    Session,
    access="ask",
    parameters=(_SESSION_ID, TIMEOUT),
    problems=("invalid_input", *CALL_PROBLEMS),
)
END = Operation(
    "DELETE",
    "/v1/sessions/{session_id}",
    "endSession",
    "End a session and forget what was said in it; what was answered stays recorded.",
    None,
    access="ask",
    parameters=(_SESSION_ID, TIMEOUT),
    status=204,
    problems=("foreign_origin", "invalid_input", *CALL_PROBLEMS),
)


@dataclass(frozen=True)
class SessionRoutes:
    """Serves the sessions of a client to that client."""

    library: Library
    sessions: Sessions

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(BEGIN, self.begin),
            Endpoint(READ, self.read),
            Endpoint(END, self.end),
        ]

    async def begin(self, request: Request) -> Response:
        book, client = request.path_params["book"], caller_of_request(request).client
        left_s = start_budget(request).left_s()
        await within(left_s, self.library.get_book(book, left_s))
        session = await within(left_s, self.sessions.begin_session(book, client, left_s))
        return json_response(session, 201)

    async def read(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        return json_response(await within(left_s, self._read(request, left_s)))

    async def end(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        session = await within(left_s, self._read(request, left_s))
        client = caller_of_request(request).client
        await within(left_s, self.sessions.end_session(session.session_id, client, left_s))
        return Response(status_code=204)

    async def _read(self, request: Request, left_s: float) -> Session:
        caller = caller_of_request(request)
        session_id = request.path_params["session_id"]
        session = await self.sessions.get_session(session_id, caller.client, left_s)
        if not caller.may_see(session.book):
            raise NotFound(NO_SESSION)
        return session
