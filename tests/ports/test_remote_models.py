"""Models behind an API that make vectors and ratings: whatever a server does, the harm is bounded."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from libs import remote_model
from libs.circuit import MOST_FAILURES
from libs.embedding import Embedder, close_models
from libs.embedding.choice import Purpose, open_embedder
from libs.errors import Unavailable
from libs.remote_model import Refused, RemoteModel
from services.retrieval.adapters.cohere_reranker import CohereReranker
from tests.support.scripted_model import Exchange, fails, hangs, scripted_model, sends

Ask = Callable[[], Awaitable[object]]
Asker = Callable[..., Ask]
KINDS = ("openai", "cohere", "reranker")


@pytest.fixture
async def asker() -> AsyncIterator[Asker]:
    """Return what opens a model, which is closed after the test, and asks it."""
    opened: list[object] = []

    def ask(kind: str, url: str, cache_dir: Path, purpose: Purpose = "questions") -> Ask:
        model, asked = open_model(kind, url, cache_dir, purpose)
        opened.append(model)
        return asked

    yield ask
    await close_models(*opened)


def open_model(kind: str, url: str, cache_dir: Path, purpose: Purpose) -> tuple[object, Ask]:
    """Return a model, and what asks it a question, or for the vector of a document."""
    if kind == "reranker":
        reranker = CohereReranker(url=url, key="key-1", model="m")
        return reranker, lambda: reranker.rate("why?", ["a", "b"])
    environment = {
        "QUOTH_EMBEDDER": kind,
        "QUOTH_EMBEDDER_URL": url,
        "QUOTH_EMBEDDER_KEY": "key-1",
        "QUOTH_EMBEDDER_MODEL": "small",
        "QUOTH_EMBEDDER_DIMENSIONS": "3",
    }
    embedder: Embedder = open_embedder(cache_dir, purpose, environment)
    return embedder, lambda: embedder.embed(["why?"])


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


async def test_a_model_that_is_closed_leaves_no_connection_open(kind: str, tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        while await reader.read(4096):
            pass  # until the other side ends it
        ended.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    model, ask = open_model(kind, url, tmp_path, "questions")
    with pytest.raises(Unavailable):
        await ask()
    assert not ended.is_set()
    await close_models(model)
    await asyncio.wait_for(ended.wait(), 20)
    server.close()


@pytest.mark.control("V10")
async def test_no_redirect_is_followed(asker: Asker, kind: str, tmp_path: Path) -> None:
    async with scripted_model(fails("401 Unauthorized")) as elsewhere:
        moved = fails("307 Temporary Redirect", f"Location: {elsewhere.url}")
        async with scripted_model(moved) as model:
            with pytest.raises(Unavailable):
                await asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)()
    assert elsewhere.requests == []
    assert model.requests


@pytest.mark.fault("L1")
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("401 Unauthorized", "it refuses the key (status 401)"),
        ("403 Forbidden", "it refuses the key, or what the key may not use (status 403)"),
        ("404 Not Found", "it has not this address or this model (status 404)"),
        ("400 Bad Request", "it does not take the request (status 400)"),
        (
            "307 Temporary Redirect",
            "it sends requests elsewhere, which is not followed: is the URL right? (status 307)",
        ),
    ],
)
async def test_a_refusal_is_asked_once_and_told_apart_from_an_outage(
    asker: Asker, kind: str, tmp_path: Path, status: str, reason: str
) -> None:
    async with scripted_model(fails(status, "Location: http://elsewhere.example/")) as model:
        with pytest.raises(Refused, match="does not answer") as caught:
            await asker(kind, f"http://127.0.0.1:{model.port}", tmp_path, "documents")()
    assert caught.value.reason == reason
    assert len(model.requests) == 1


@pytest.mark.fault("L6")
@pytest.mark.parametrize("lies", ["endless", "packed"])
async def test_no_more_is_read_than_an_answer_has(
    asker: Asker, kind: str, tmp_path: Path, lies: str
) -> None:
    sent = 0

    async def endless(exchange: Exchange) -> None:
        nonlocal sent
        await exchange.head(
            "200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked"
        )
        while True:
            await exchange.chunk(b" " * 65536)
            sent += 65536

    packed = sends(b"\x1f\x8b\x08", "Content-Encoding: gzip", content_type="application/json")
    async with scripted_model(endless if lies == "endless" else packed) as model:
        with pytest.raises(Unavailable, match="rerank" if kind == "reranker" else "embedding"):
            await asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)()
        if lies == "endless":
            await asyncio.wait_for(model.abandoned.wait(), 20)
    assert sent < 16_000_000


@pytest.mark.fault("D5")
async def test_a_model_that_always_fails_is_left_alone(
    asker: Asker, kind: str, tmp_path: Path
) -> None:
    async with scripted_model(fails("401 Unauthorized")) as model:
        ask = asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)
        for _ in range(MOST_FAILURES + 5):
            with pytest.raises(Unavailable) as caught:
                await ask()
    assert len(model.requests) == MOST_FAILURES
    assert caught.value.retry_after_s


async def drips(exchange: Exchange) -> None:
    """A byte now and then."""
    await exchange.head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked")
    while True:
        await exchange.chunk(b" ")
        await asyncio.sleep(0.05)


@pytest.mark.fault("D5")
@pytest.mark.parametrize("script", [hangs, drips])
async def test_a_model_that_hangs_or_drips_counts_as_failed(
    asker: Asker, kind: str, tmp_path: Path, script: Callable[..., Any]
) -> None:
    async with scripted_model(script) as model:
        ask = asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)
        calls = [asyncio.ensure_future(ask()) for _ in range(MOST_FAILURES)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(error) for error in ended} == {Unavailable}
        asked = len(model.requests)
        with pytest.raises(Unavailable) as caught:
            await ask()
    assert len(model.requests) == asked
    assert caught.value.retry_after_s


@pytest.mark.fault("L2")
@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable", "529 Busy"])
@pytest.mark.parametrize("told", ["Retry-After: 20", "retry-after-ms: 20000", "date"])
async def test_a_provider_that_says_when_to_come_back_is_left_alone_and_quoted(
    asker: Asker, kind: str, tmp_path: Path, status: str, told: str
) -> None:
    if told == "date":
        later = datetime.now(UTC) + timedelta(seconds=20)
        told = f"Retry-After: {format_datetime(later, usegmt=True)}"
    async with scripted_model(fails(status, told)) as model:
        ask = asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)
        for _ in range(MOST_FAILURES + 1):
            with pytest.raises(Unavailable) as caught:
                await ask()
            assert caught.value.retry_after_s == pytest.approx(20, abs=2)
    assert len(model.requests) == 1


@pytest.mark.fault("L2")
async def test_a_wait_that_is_over_before_the_question_is_waited_for(
    asker: Asker, kind: str, tmp_path: Path
) -> None:
    busy = fails("429 Too Many Requests", "retry-after-ms: 50")
    async with scripted_model(busy, sends(b"{}", content_type="application/json")) as model:
        with pytest.raises(Unavailable, match="usable"):
            await asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)()
    assert len(model.requests) == 2


@pytest.mark.fault("L2")
@pytest.mark.parametrize("provider", ["openai", "cohere"])
async def test_documents_do_not_wait_longer_than_a_call_may_take(
    asker: Asker, provider: str, tmp_path: Path
) -> None:
    busy = fails("429 Too Many Requests", "Retry-After: 3600")
    async with scripted_model(busy) as model:
        with pytest.raises(Unavailable) as caught:
            await asyncio.wait_for(
                asker(provider, f"http://127.0.0.1:{model.port}", tmp_path, "documents")(), 80
            )
    assert caught.value.retry_after_s == 3600


_HUGE = 10**400
"""More than a float holds."""


@pytest.mark.fault("D5")
@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        "null",
        "{}",
        '{"embeddings": null, "data": null, "results": null}',
        '{"embeddings": [[0.1]], "data": [null], "results": [null]}',
        '{"embeddings": {"float": [null]}, "data": [{"index": 0, "embedding": null}]}',
        '{"embeddings": {"float": [["a"]]}, "data": [{"index": 0, "embedding": ["a"]}]}',
        '{"embeddings": {"float": [[[1]]]}, "data": [{"index": 0, "embedding": [[1]]}]}',
        f'{{"embeddings": {{"float": [[{_HUGE}]]}}, "data": [{{"index": 0, "embedding": [{_HUGE}]}}]}}',
    ],
    ids=["deep", "null", "empty", "nulls", "others", "no row", "words", "nested", "huge"],
)
async def test_a_malformed_reply_counts_as_failed(
    asker: Asker, kind: str, tmp_path: Path, body: str
) -> None:
    script = sends(body.encode(), content_type="application/json")
    async with scripted_model(script) as model:
        ask = asker(kind, f"http://127.0.0.1:{model.port}", tmp_path)
        for _ in range(MOST_FAILURES + 5):
            with pytest.raises(Unavailable) as caught:
                await ask()
    assert len(model.requests) <= MOST_FAILURES
    assert caught.value.retry_after_s


async def test_a_passing_failure_is_tried_once_more_and_no_other() -> None:
    tried: list[str] = []

    async def ask() -> None:
        tried.append("once")
        raise Unavailable("It is gone.") from ValueError("passing")

    patient = RemoteModel(
        "m", 1.0, "It is gone.", "What?", is_passing=lambda cause: isinstance(cause, ValueError)
    )
    for model, times in ((patient, 2), (RemoteModel("m", 1.0, "It is gone.", "What?"), 1)):
        tried.clear()
        with pytest.raises(Unavailable):
            await model.call(ask)
        assert len(tried) == times


@pytest.mark.fault("D5")
async def test_a_try_that_never_ends_leaves_time_for_the_next_one() -> None:
    tried: list[str] = []

    async def ask() -> str:
        tried.append("once")
        if len(tried) == 1:
            await asyncio.Event().wait()  # as one that is dripped at does
        return "answered"

    model = RemoteModel("m", 60.0, "It is gone.", "What?", try_s=0.05)
    async with asyncio.timeout(5):
        assert await model.call(ask) == "answered"
    assert len(tried) == 2


@pytest.mark.fault("D5")
async def test_whether_a_model_is_back_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_model, "_FIRST_WAIT_S", 0.0)
    tried: list[str] = []

    async def ask() -> None:
        tried.append("once")
        raise Unavailable("It is gone.") from ValueError("passing")

    model = RemoteModel("m", 60.0, "It is gone.", "What?", is_passing=bool)
    for _ in range(MOST_FAILURES):
        with pytest.raises(Unavailable):
            await model.call(ask)
    tried.clear()
    assert model.breaker.is_open
    with pytest.raises(Unavailable):
        await model.call(ask)
    assert len(tried) == 1


@pytest.mark.fault("L6")
@pytest.mark.parametrize(("indexes", "is_read"), [((1, 0), True), ((0, 0), False), ((0, 2), False)])
async def test_vectors_are_taken_only_where_it_is_told_whose_each_is(
    tmp_path: Path, indexes: tuple[int, int], *, is_read: bool
) -> None:
    data = ", ".join(f'{{"index": {one}, "embedding": [{one + 1}, 0, 1]}}' for one in indexes)
    reply = sends(f'{{"data": [{data}]}}'.encode(), content_type="application/json")
    async with scripted_model(reply) as model:
        environment = {
            "QUOTH_EMBEDDER": "openai",
            "QUOTH_EMBEDDER_URL": f"http://127.0.0.1:{model.port}",
            "QUOTH_EMBEDDER_MODEL": "small",
            "QUOTH_EMBEDDER_DIMENSIONS": "3",
            "QUOTH_EMBEDDER_KEY": "key-1",
        }
        embedder = open_embedder(tmp_path, "documents", environment)
        try:
            first, second = await embedder.embed(["one", "two"])
        except Unavailable:
            assert not is_read
        else:
            assert is_read
            assert first[0] < second[0]
        finally:
            await close_models(embedder)
