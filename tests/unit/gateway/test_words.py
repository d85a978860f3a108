"""Exact words over REST: what is asked of ingest, what comes back, what is refused."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from services.gateway.bootstrap import bootstrap
from services.gateway.settings import Settings
from tests.support.gateway_fakes import DOCUMENTS, SLUG, FakeBackend

WORDS = f"/v1/books/{SLUG}/words"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
async def client(backend: FakeBackend) -> AsyncIterator[httpx.AsyncClient]:
    app = bootstrap(
        Settings(), library=backend, intake=backend, searcher=backend, answerer=backend, probes={}
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_words_are_counted_by_section_with_their_first_place(
    client: httpx.AsyncClient,
) -> None:
    found = (await client.post(WORDS, json={"words": "Sea Gate"})).json()
    assert (found["book"], found["edition"]) == (SLUG, 3)
    assert (found["total"], found["section_count"], found["next_cursor"]) == (25, 2, "")
    first = found["sections"][0]
    assert (first["document"], first["section_path"][-1], first["count"]) == (
        "keeping.md",
        "Winter",
        24,
    )
    text = DOCUMENTS["keeping.md"].text
    assert text[first["start"] : first["end"]] == "sea gate"
    assert first["excerpt"][first["excerpt_start"] : first["excerpt_end"]] == "sea gate"


async def test_a_page_of_sections_goes_on_where_the_one_before_ended(
    client: httpx.AsyncClient,
) -> None:
    first = (await client.post(WORDS, json={"words": "sea gate", "limit": 1})).json()
    assert len(first["sections"]) == 1
    rest = {"words": "sea gate", "edition": first["edition"], "cursor": first["next_cursor"]}
    second = (await client.post(WORDS, json=rest)).json()
    assert [one["count"] for one in second["sections"]] == [1]
    assert (second["total"], second["next_cursor"]) == (25, "")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"words": " "},
        {"words": "gate", "limit": 0},
        {"words": "gate", "limit": 1001},
        {"words": "gate", "edition": 0},
        {"words": "gate", "cursor": "elsewhere"},
        {"words": "gate", "depth": 2},
    ],
)
async def test_a_request_that_asks_for_what_there_is_not_is_refused(
    client: httpx.AsyncClient, body: dict[str, object]
) -> None:
    assert (await client.post(WORDS, json=body)).status_code == 422


async def test_another_book_is_not_found(client: httpx.AsyncClient) -> None:
    response = await client.post(WORDS.replace(SLUG, "other"), json={"words": "gate"})
    assert response.status_code == 404


async def test_a_fifth_search_at_once_is_refused_and_the_four_are_not(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.hang = asyncio.Event()
    four = [asyncio.create_task(client.post(WORDS, json={"words": "gate"})) for _ in range(4)]
    for _ in range(1000):
        await asyncio.sleep(0)
    assert len(backend.timeouts_s) == 4
    refused = await client.post(WORDS, json={"words": "gate"})
    assert (refused.status_code, refused.json()["code"]) == (429, "overloaded")
    backend.hang.set()
    assert {(await one).status_code for one in four} == {200}
