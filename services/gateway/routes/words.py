"""Exact words in the texts of a book, by section."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import InvalidInput
from services.gateway.model.exact_words import WordsAsked, WordsFound
from services.gateway.openapi import Operation
from services.gateway.ports import Library
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)
from services.gateway.routes.slots import Slots
from services.gateway.schemas import WordsRequest

WORDS = Operation(
    "POST",
    "/v1/books/{book}/words",
    "findWords",
    "Find exact words in a book, and count them by section.",
    WordsFound,
    access="read",
    description=(
        "Case, the space between the words, and the shapes of quotation marks, apostrophes and hyphens "
        "do not matter. Who goes on by `cursor` stays in the edition that was searched first."
    ),
    parameters=(BOOK, TIMEOUT),
    body=WordsRequest,
    body_example={"words": "passive compliance", "limit": 20},
    problems=(*POST_PROBLEMS, *CALL_PROBLEMS),
)
_AT_ONCE = 4
_BUSY = "Too many books are being searched for words. Try again in a moment."


@dataclass(frozen=True)
class WordRoutes:
    """Serves searches for exact words: each reads a book through."""

    library: Library
    bodies: JsonBodies
    slots: Slots

    @classmethod
    def of(cls, library: Library, bodies: JsonBodies) -> "WordRoutes":
        return cls(library, bodies, Slots(_AT_ONCE, _BUSY))

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(WORDS, self.find)]

    async def find(self, request: Request) -> Response:
        body = await self.bodies.read(request, WordsRequest)
        if not body.words.strip():
            raise InvalidInput("words: Say which words to look for.")
        left_s = start_budget(request).left_s()
        asked = WordsAsked(
            book=request.path_params["book"],
            edition=body.edition or 0,
            words=body.words,
            limit=body.limit or 0,
            cursor=body.cursor,
        )
        with self.slots.take():
            found = await within(left_s, self.library.find_words(asked, left_s))
        return json_response(found)
