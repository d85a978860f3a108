"""The keys of clients: made, listed, rotated and revoked by who has the scope `admin` for all books."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import InvalidInput
from services.gateway.access import Guard, caller_of_request
from services.gateway.errors import Forbidden
from services.gateway.keys import ClientKey, make_key
from services.gateway.model.books import PageQuery
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import KeyStore
from services.gateway.routes.bodies import JsonBodies, convert_query
from services.gateway.routes.endpoint import (
    PAGE,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)
from services.gateway.schemas import KeyList, KeyMade, KeyRequest, RotateRequest, read_grant

_CALLS = ("unavailable", "no_room", "deadline_exceeded")
_FOR_ALL = "A key for some books manages no keys, which could be for others."
KEY_ID = Parameter("key_id", "path", "Id of the key, which is no secret.", {"type": "string"})
KEYS = Operation(
    "GET",
    "/v1/keys",
    "listKeys",
    "List the keys of clients, without their secrets.",
    KeyList,
    access="admin",
    parameters=(*PAGE, TIMEOUT),
    problems=("invalid_input", *_CALLS),
)
MAKE = Operation(
    "POST",
    "/v1/keys",
    "makeKey",
    "Make a key for a client.",
    KeyMade,
    access="admin",
    parameters=(TIMEOUT,),
    body=KeyRequest,
    body_example={"client": "reader-app", "scopes": ["ask", "read"], "books": ["physical-ai"]},
    status=201,
    problems=(*POST_PROBLEMS, "conflict", *_CALLS),
)
ROTATE = Operation(
    "POST",
    "/v1/keys/{key_id}/rotate",
    "rotateKey",
    "Make a key like an active one, which stays valid for a while.",
    KeyMade,
    access="admin",
    parameters=(KEY_ID, TIMEOUT),
    body=RotateRequest,
    body_example={"overlap_s": 86400},
    status=201,
    problems=(*POST_PROBLEMS, "not_found", *_CALLS),
)
REVOKE = Operation(
    "DELETE",
    "/v1/keys/{key_id}",
    "revokeKey",
    "End a key: here at once, on other gateways within 5 s.",
    ClientKey,
    access="admin",
    parameters=(KEY_ID, TIMEOUT),
    problems=("foreign_origin", "invalid_input", "not_found", *_CALLS),
)


@dataclass(frozen=True)
class KeyRoutes:
    """Serves the keys of clients. No budget may be less than what one question takes from it."""

    keys: KeyStore
    guard: Guard
    bodies: JsonBodies
    reserved_tokens: int

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(KEYS, self.all),
            Endpoint(MAKE, self.make),
            Endpoint(ROTATE, self.rotate),
            Endpoint(REVOKE, self.revoke),
        ]

    async def all(self, request: Request) -> Response:
        _require_all_books(request)
        page = convert_query(request.query_params, PageQuery)
        left_s = start_budget(request).left_s()
        return json_response(KeyList(*await within(left_s, self.keys.list_keys(page, left_s))))

    async def make(self, request: Request) -> Response:
        _require_all_books(request)
        body = await self.bodies.read(request, KeyRequest)
        if body.tokens_per_day is not None and body.tokens_per_day < self.reserved_tokens:
            raise InvalidInput(
                f"tokens_per_day: A question takes {self.reserved_tokens} until it is known what "
                "it has used; give at least as many."
            )
        grant = read_grant(body)
        new, left_s = make_key(), start_budget(request).left_s()
        key = await within(left_s, self.keys.add_key(grant, new, left_s))
        return json_response(KeyMade(key, new.text), 201)

    async def rotate(self, request: Request) -> Response:
        _require_all_books(request)
        body = await self.bodies.read(request, RotateRequest)
        key_id = request.path_params["key_id"]
        new, left_s = make_key(), start_budget(request).left_s()
        rotating = self.keys.rotate_key(key_id, new, body.overlap_s, left_s)
        key = await within(left_s, rotating)
        self.guard.forget(key_id)
        return json_response(KeyMade(key, new.text), 201)

    async def revoke(self, request: Request) -> Response:
        _require_all_books(request)
        key_id = request.path_params["key_id"]
        left_s = start_budget(request).left_s()
        key = await within(left_s, self.keys.revoke_key(key_id, left_s))
        self.guard.forget(key_id)
        return json_response(key)


def _require_all_books(request: Request) -> None:
    """Raise Forbidden for a key for some books: it could make itself, or rotate, one for all."""
    if caller_of_request(request).books:
        raise Forbidden(_FOR_ALL)
