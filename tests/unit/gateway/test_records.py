"""Answers by id and feedback: whose they are, over fakes."""

from collections.abc import AsyncIterator

import httpx
import pytest

from libs.errors import Unavailable
from services.gateway.bootstrap import bootstrap
from services.gateway.model import FeedbackRequest
from services.gateway.routes.records import NO_ANSWER
from services.gateway.settings import Exposure, Settings
from services.generation import recall
from tests.support.gateway_fakes import FakeBackend, make_answer
from tests.support.key_fakes import FakeKeys

MINE = make_answer()
PATH = f"/v1/answers/{MINE.answer_id}"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(kept={("reader", MINE.answer_id): MINE})


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
async def client(backend: FakeBackend, keys: FakeKeys) -> AsyncIterator[httpx.AsyncClient]:
    app = bootstrap(
        Settings(),
        exposure=Exposure(require_keys=True),
        library=backend,
        intake=backend,
        searcher=backend,
        answerer=backend,
        probes={},
        keys=keys,
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", trust_env=False
    ) as client:
        yield client


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_an_answer_is_read_again_as_it_was_given(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    response = await client.get(PATH, headers=bearer(keys.grant("reader")))
    assert response.status_code == 200
    assert response.json()["answer_id"] == MINE.answer_id
    assert [one["quote"] for one in response.json()["citations"]] == [
        citation.quote for citation in MINE.citations
    ]


@pytest.mark.control("V3")
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_another_s_answer_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, method: str
) -> None:
    path = PATH if method == "GET" else f"{PATH}/feedback"
    body = {"rating": "up"} if method == "POST" else None
    told = await client.request(method, path, headers=bearer(keys.grant("other")), json=body)
    nobodys = f"/v1/answers/none{path.removeprefix(PATH)}"
    unknown = await client.request(method, nobodys, headers=bearer(keys.grant("third")), json=body)
    assert told.status_code == unknown.status_code == 404
    assert told.json()["detail"] == unknown.json()["detail"] == NO_ANSWER
    assert not [asked for asked in backend.asked if asked[0] == "feedback"]


@pytest.mark.control("V3")
async def test_an_answer_of_a_book_that_a_key_is_no_longer_for_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant("reader", books=("another",))
    told = await client.get(PATH, headers=bearer(key))
    assert (told.status_code, told.json()["detail"]) == (404, NO_ANSWER)


def test_the_words_for_an_answer_that_is_not_there_are_those_of_generation() -> None:
    assert recall.NO_ANSWER == NO_ANSWER


async def test_feedback_is_kept_and_told_with_its_time(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    said = {"rating": "down", "reason": "incomplete", "comment": "Units?"}
    key = keys.grant("reader")
    response = await client.post(f"{PATH}/feedback", json=said, headers=bearer(key))
    assert response.json() == {**said, "create_time": "2026-01-02T00:00:00Z"}
    kept = FeedbackRequest("down", "incomplete", "Units?")
    assert backend.asked[-1] == ("feedback", MINE.answer_id, "reader", kept)


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rating": "sideways"},
        {"rating": "up", "reason": "because"},
        {"rating": "up", "comment": "x" * 2001},
        {"rating": "up", "stars": 5},
    ],
    ids=str,
)
async def test_feedback_outside_its_limits_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys, body: dict[str, object]
) -> None:
    key = keys.grant("reader")
    response = await client.post(f"{PATH}/feedback", json=body, headers=bearer(key))
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")


@pytest.mark.fault("D3")
async def test_without_the_records_it_is_unavailable(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    backend.failure = Unavailable("The database does not answer. Try again in a moment.")
    response = await client.get(PATH, headers=bearer(keys.grant("reader")))
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
