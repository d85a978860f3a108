"""What a question may cost: whatever is asked, a model is given and writes so much at most."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from quoth.common.v1 import locator_pb2
from quoth.generation.v1 import generation_service_pb2
from quoth.generation.v1.generation_service_pb2_grpc import GenerationServiceStub

from libs.tokens import TokenCounter
from services.generation.model import Passage, SearchResult
from tests.support.generation_fakes import (
    FakeAuditLog,
    FakeSource,
    ask,
    passage,
    request,
    search_result,
    serving,
)
from tests.support.scripted_model import (
    Exchange,
    Script,
    ScriptedModel,
    fails,
    hangs,
    says,
    scripted_model,
)

PROMPT_TOKENS = 6000  # GENERATION_PROMPT_TOKENS
RULES_TOKENS = 1200
MODEL_TOKENS = 800  # `max_tokens` of the default profile
QUESTIONS = 30


@pytest.fixture
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache"


@asynccontextmanager
async def asking(
    cache_dir: Path,
    *scripts: Script,
    found: SearchResult | None = None,
    log: FakeAuditLog | None = None,
) -> AsyncIterator[tuple[GenerationServiceStub, ScriptedModel]]:
    async with scripted_model(*scripts) as model:
        told = {"answerer": "openai", "model_url": model.url, "model_key": "k"}
        source = FakeSource(found or search_result())
        async with serving(cache_dir, source=source, log=log, **told) as stub:
            yield stub, model


def large_passages() -> tuple[Passage, ...]:
    texts = [f"Passage {number}. " + "力と油圧の話です。" * 900 for number in range(50)]
    return tuple(passage(text, document=text) for text in texts)


HOSTILE = {
    "question": "油" * 450,
    "history": [
        generation_service_pb2.Message(role=role, content="圧" * 4000)
        for _ in range(5)
        for role in (generation_service_pb2.ROLE_USER, generation_service_pb2.ROLE_ASSISTANT)
    ],
}
SELECTED = {
    "question": "",
    "selection": locator_pb2.Selection(document="a.mdx", text="油圧" * 2500),
}


@pytest.mark.control("V14")
@pytest.mark.parametrize("fields", [HOSTILE, SELECTED], ids=["question", "selection"])
async def test_the_largest_request_is_packed_into_the_budget(cache_dir: Path, fields: Any) -> None:
    # The best passage is given in any case: a chunk is bounded by ingest.
    found = search_result((*search_result().passages, *large_passages()))
    async with asking(cache_dir, says("NOT COVERED"), found=found) as (stub, model):
        events = await ask(stub, timeout=30.0, **fields)
        assert "prompt: passages dropped" in events[-1].answer.degraded
    body = model.requests[0].body
    counter = TokenCounter(cache_dir).of_model(body["model"])
    given = sum(counter.count(message["content"]) for message in body["messages"])
    assert given <= PROMPT_TOKENS + RULES_TOKENS
    assert body["max_tokens"] <= MODEL_TOKENS


@pytest.mark.control("V14")
async def test_a_provider_that_fails_is_not_asked_again_and_again(cache_dir: Path) -> None:
    async with asking(cache_dir, fails("500 Oh")) as (stub, model):
        for _ in range(QUESTIONS):
            with pytest.raises(grpc.aio.AioRpcError):
                await ask(stub, timeout=30.0)
    # Five failures in a row open the circuit, and each was tried twice.
    assert len(model.requests) == 10


@pytest.mark.control("V14")
async def test_a_reader_who_leaves_ends_what_costs(cache_dir: Path) -> None:
    log, asked = FakeAuditLog(), asyncio.Event()

    async def hears_and_hangs(exchange: Exchange) -> None:
        asked.set()
        await hangs(exchange)

    async with asking(cache_dir, hears_and_hangs, log=log) as (stub, model):
        call = stub.AnswerQuestion(request(), timeout=30.0)
        await call.read()
        await asked.wait()
        call.cancel()
        await model.abandoned.wait()
        await log.stored.wait()
    assert log.rows[0].error == "cancelled"
    assert len(model.requests) == 1
