"""Every route with the thing that it names, of the client's own and of another's.

What is another's is not there: the same words as for what there never was.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import msgspec
import pytest

from libs.errors import NotFound
from services.gateway.keys import SCOPES
from services.gateway.model.answers import Answer, Feedback, FeedbackRequest
from services.gateway.model.review import Grade, GradeRequest
from services.gateway.routes.records import NO_ANSWER
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import BOOK, FakeBackend, make_answer, make_job
from tests.support.key_fakes import FakeKeys
from tests.support.pictures import png
from tests.unit.gateway.test_access import RULES, bearer, connect

Named = Literal[
    "book",
    "book in the body",
    "client",
    "book of the answer",
    "all books",
    "all clients",
    "nothing",
]
NAMES: dict[tuple[str, str], Named] = {
    **{route: "book" for route in RULES if "{book}" in route[1]},
    ("POST", "/v1/chat/completions"): "book in the body",
    ("GET", "/v1/sessions/{session_id}"): "client",
    ("DELETE", "/v1/sessions/{session_id}"): "client",
    ("GET", "/v1/answers/{answer_id}"): "client",
    ("POST", "/v1/answers/{answer_id}/feedback"): "client",
    ("GET", "/v1/review/answers/{answer_id}"): "book of the answer",
    ("POST", "/v1/review/answers/{answer_id}/grade"): "book of the answer",
    ("GET", "/v1/books"): "all books",
    ("GET", "/v1/models"): "all books",
    ("GET", "/v1/review/answers"): "all books",
    **{route: "all clients" for route in RULES if route[1].startswith("/v1/keys")},
    **dict.fromkeys(
        [
            ("GET", "/"),
            ("GET", "/review"),
            ("GET", "/widget.js"),
            ("GET", "/bundle/{name}"),
            ("GET", "/openapi.json"),
            ("GET", "/docs"),
            ("GET", "/healthz"),
            ("GET", "/readyz"),
            ("POST", "/v1/formulas"),
            ("POST", "/v1/code"),
        ],
        "nothing",
    ),
}
"""What each route names that belongs to somebody."""
OF_NO_ONE = ("nothing", "all books", "all clients")
OWNER, OTHER = "owner", "other"
ANSWER = make_answer()
IMAGE = "0" * 64
BODIES: dict[str, Any] = {
    "words": {"words": "passive compliance"},
    "answers": {"question": "How?"},
    "search": {"question": "How?"},
    "completions": {"model": BOOK.slug, "messages": [{"role": "user", "content": "How?"}]},
    "query": {"query": "How?"},
    "feedback": {"rating": "up"},
    "grade": {"grade": "right"},
    "keys": {"client": "another"},
}


@dataclass
class OwnedBackend(FakeBackend):
    """Services that look things up with their owner, as the real ones do."""

    listed: list[Any] = field(default_factory=list)

    async def rate_answer(
        self, answer_id: str, client: str, said: FeedbackRequest, timeout_s: float
    ) -> Feedback:
        await self.get_answer(answer_id, client, timeout_s)
        return await super().rate_answer(answer_id, client, said, timeout_s)

    async def get_reviewed(self, answer_id: str, books: list[str], timeout_s: float) -> Answer:
        if answer_id != ANSWER.answer_id or (books and ANSWER.book not in books):
            raise NotFound(NO_ANSWER)
        return ANSWER

    async def grade_answer(
        self, answer_id: str, books: list[str], client: str, said: GradeRequest, timeout_s: float
    ) -> Grade:
        if answer_id != ANSWER.answer_id or (books and ANSWER.book not in books):
            raise NotFound(NO_ANSWER)
        return await super().grade_answer(answer_id, books, client, said, timeout_s)


def backend_of_owner() -> OwnedBackend:
    backend = OwnedBackend(
        states=[make_job(book=BOOK.slug, state="published")],
        images={IMAGE: ("image/png", png(2, 1))},
        pages={1: png(2, 1)},
    )
    backend.kept[OWNER, ANSWER.answer_id] = msgspec.structs.replace(ANSWER, book=BOOK.slug)
    return backend


async def call(
    client: httpx.AsyncClient, method: str, path: str, key: str, **names: str
) -> httpx.Response:
    for name, value in names.items():
        path = path.replace(f"{{{name}}}", value)
    path = path.replace("{path:path}", "keeping.md")
    content: dict[str, Any] = {}
    if path.endswith("/ingests"):
        content = {"content": b"# A", "params": {"file_name": "a.md"}}
    elif method in ("POST", "PATCH"):
        body = {"title": "Mills"} if method == "PATCH" else BODIES.get(path.rpartition("/")[2], {})
        if "model" in body:
            body = {**body, "model": names["book"]}
        content = {"json": body}
    elif "/pages/" in path:
        content = {"params": {"document": "a.pdf", "start": 0, "end": 1}}
    headers = bearer(key) | ({"Content-Type": "text/markdown"} if "content" in content else {})
    return await client.request(method, path, headers=headers, **content)


def told(response: httpx.Response) -> dict[str, Any]:
    return {**response.json(), "request_id": ""}


@pytest.mark.control("V3")
def test_every_route_is_listed_with_what_it_names() -> None:
    assert NAMES.keys() == RULES.keys()


@pytest.mark.control("V3", "V4")
@pytest.mark.parametrize(
    ("method", "path"),
    [route for route, named in NAMES.items() if named not in OF_NO_ONE],
    ids=str,
)
async def test_objects_of_another_client_are_not_found(method: str, path: str) -> None:
    backend, keys = backend_of_owner(), FakeKeys()
    own, others = keys.grant(OWNER, scopes=SCOPES), keys.grant(OTHER, scopes=SCOPES)
    elsewhere = keys.grant("elsewhere", scopes=SCOPES, books=("another",))
    session = await backend.begin_session(BOOK.slug, OWNER, 1.0)
    named = {
        "book": BOOK.slug,
        "edition": "3",
        "job_id": "job-1",
        "answer_id": ANSWER.answer_id,
        "session_id": session.session_id,
        "image": IMAGE,
        "page": "1",
    }
    missing = {**named, "book": "nowhere", "answer_id": "a-0", "session_id": "s-9"}
    async with connect(make_app(backend, keys, require_keys=True)) as client:
        stranger = others if NAMES[method, path] == "client" else elsewhere
        refused = await call(client, method, path, stranger, **named)
        never = await call(client, method, path, stranger, **missing)
        assert (refused.status_code, told(refused)) == (404, told(never))
        # Else it was refused for another reason.
        assert (await call(client, method, path, own, **named)).is_success


@pytest.mark.control("V3", "V4")
@pytest.mark.parametrize("path", [path for _, path in NAMES if NAMES[_, path] == "all books"])
async def test_a_list_holds_what_the_key_is_for_alone(path: str) -> None:
    backend, keys = backend_of_owner(), FakeKeys()
    elsewhere = keys.grant("elsewhere", scopes=SCOPES, books=("another",))
    everywhere = keys.grant("everywhere", scopes=SCOPES)
    async with connect(make_app(backend, keys, require_keys=True)) as client:
        seen = (await client.get(path, headers=bearer(elsewhere))).text
        whole = (await client.get(path, headers=bearer(everywhere))).text
    if path == "/v1/review/answers":
        (_, _, books), (_, _, none) = backend.asked
        assert (books, none) == (["another"], [])
    else:
        assert BOOK.slug in whole
        assert BOOK.slug not in seen


@pytest.mark.control("V3", "V12")
@pytest.mark.parametrize(
    ("method", "path"), [route for route in NAMES if NAMES[route] == "all clients"], ids=str
)
async def test_a_key_for_some_books_makes_itself_none_for_others(method: str, path: str) -> None:
    backend, keys = backend_of_owner(), FakeKeys()
    some = keys.grant("some", scopes=SCOPES, books=(BOOK.slug,))
    every = keys.grant("every", scopes=SCOPES)
    named = {"key_id": every.split("_")[1]}
    async with connect(make_app(backend, keys, require_keys=True)) as client:
        refused = await call(client, method, path, some, **named)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert len(keys.stored) == 2
        assert (await call(client, method, path, every, **named)).is_success
