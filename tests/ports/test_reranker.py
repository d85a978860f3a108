"""The reranker behind an API: a number for each text in its place, or Unavailable."""

import sys
from collections.abc import Iterator

import pytest

from libs.errors import Unavailable
from libs.settings import SettingsError
from services.retrieval import bootstrap
from services.retrieval.adapters.cohere_reranker import CohereReranker
from services.retrieval.settings import Settings
from tests.support.embedding_server import EmbeddingServer, embedding_server

TEXTS = ["aa", "aaaa", "aaa"]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


def reranker_at(server: EmbeddingServer) -> CohereReranker:
    return CohereReranker(url=server.url, key="key-1", model="rerank-v3.5")


def rated(*scores: float | None) -> list[dict[str, float | None]]:
    return [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]


async def test_every_text_gets_its_number_whatever_the_order_they_come_in(
    server: EmbeddingServer,
) -> None:
    assert await reranker_at(server).rate("why?", TEXTS) == [1 - 1 / 2, 1 - 1 / 4, 1 - 1 / 3]
    [request] = server.requests
    assert (request["model"], request["query"]) == ("rerank-v3.5", "why?")
    assert (request["documents"], request["top_n"]) == (TEXTS, 3)
    assert server.keys == ["Bearer key-1"]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_passing_failure_is_tried_once_more(server: EmbeddingServer, status: int) -> None:
    server.statuses = [status]
    assert len(await reranker_at(server).rate("why?", TEXTS)) == 3
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 404, 500])
async def test_a_failure_that_stays_is_unavailable_and_tells_nothing_of_it(
    server: EmbeddingServer, status: int
) -> None:
    server.statuses = [status] * 2
    with pytest.raises(Unavailable) as caught:
        await reranker_at(server).rate("why?", TEXTS)
    assert "private" not in str(caught.value)
    assert "key-1" not in str(caught.value)


@pytest.mark.parametrize(
    "results",
    [
        [],
        rated(0.1, 0.2),
        rated(0.1, 0.2, 0.3, 0.4),
        rated(0.1, 0.2, float("nan")),
        rated(0.1, 0.2, None),
        [{"index": 0, "relevance_score": 0.1}] * 3,
        [{"index": -1, "relevance_score": 0.1}, *rated(0.1, 0.2)],
        ["nothing"],
    ],
)
async def test_a_reply_without_one_score_a_text_is_unavailable(
    server: EmbeddingServer, results: list[dict[str, float | None] | str]
) -> None:
    server.results = results
    with pytest.raises(Unavailable):
        await reranker_at(server).rate("why?", TEXTS)


async def test_a_reranker_that_is_not_there_is_unavailable(server: EmbeddingServer) -> None:
    gone = CohereReranker(url="http://127.0.0.1:1", key="key-1", model="m")
    with pytest.raises(Unavailable):
        await gone.rate("why?", TEXTS)


def test_without_the_sdk_a_configured_reranker_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert bootstrap._open_reranker(Settings()) is None
    assert isinstance(bootstrap._open_reranker(Settings(reranker_key="key-1")), CohereReranker)
    name = "services.retrieval.adapters.cohere_reranker"
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SettingsError, match=r"install quoth\[cohere\]"):
        bootstrap._open_reranker(Settings(reranker_key="key-1"))


@pytest.mark.control("V15")
def test_the_key_is_not_shown() -> None:
    assert "key-1" not in repr(Settings(reranker_key="key-1"))
