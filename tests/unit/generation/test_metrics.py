"""Metrics of answering, as a collector would get them; nothing is recorded unless it is asked for."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from libs.telemetry.metrics import (
    current_metrics,
    set_up_metrics,
    shut_down_metrics,
)
from tests.support.generation_fakes import (
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    ask,
    search_result,
    serving,
)
from tests.support.scripted_model import fails, says, scripted_model, sends_choices
from tests.support.telemetry import Recorded

FORCE = "A hydraulic actuator turns the pressure of a fluid into force."
PROVEN = f'{FORCE} [Source 1: "{FORCE}"]'
LIE = 'It holds 99 MPa without a gearbox. [Source 1: "It holds 21 MPa without a gearbox."]'
MODEL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "quoth.purpose": "answer",
}


@pytest.fixture
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache"


async def ask_model(cache_dir: Path, *scripts: Callable[..., Any]) -> None:
    async with scripted_model(*scripts) as model:
        settings = {"answerer": "openai", "model_url": model.url, "model_key": "key"}
        async with serving(cache_dir, source=FakeSource(search_result()), **settings) as stub:
            with suppress(grpc.aio.AioRpcError):
                await ask(stub)


def counted(text: str, tokens: tuple[int, int] = (120, 30)) -> Callable[..., Any]:
    return sends_choices(
        {"delta": {"content": text}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
        usage={"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": 150},
    )


async def test_tokens_and_cost_are_recorded_by_model_and_type(
    recorded: Recorded, cache_dir: Path
) -> None:
    await ask_model(cache_dir, counted(PROVEN))
    assert recorded["gen_ai.client.token.usage"] == [
        ({**MODEL, "gen_ai.token.type": "input"}, 120),
        ({**MODEL, "gen_ai.token.type": "output"}, 30),
    ]
    [(attributes, dollars)] = recorded["quoth.model.cost"]
    assert attributes == MODEL
    assert dollars == pytest.approx((120 * 0.15 + 30 * 0.60) / 1e6)
    [(attributes, waited_s)] = recorded["gen_ai.client.operation.duration"]
    assert attributes == MODEL
    assert waited_s > 0


async def test_an_answer_a_refusal_and_an_error_are_counted_apart(
    recorded: Recorded, cache_dir: Path
) -> None:
    await ask_model(cache_dir, says(PROVEN))
    await ask_model(cache_dir, says("NOT COVERED"))
    await ask_model(cache_dir, fails("401 Unauthorized"))
    ended = {point["quoth.outcome"]: times for point, times in recorded["quoth.answers"]}
    assert ended == {"answered": 1, "declined": 1, "model_unavailable": 1}
    trusted = {
        point["quoth.outcome"]: point["quoth.confidence"] for point, _ in recorded["quoth.answers"]
    }
    assert trusted.pop("answered") in {"low", "medium", "high"}
    assert set(trusted.values()) == {"none"}
    failed = [point.get("error.type") for point, _ in recorded["gen_ai.client.operation.duration"]]
    assert set(failed) == {None, "model_unavailable"}


async def test_a_sentence_not_shown_is_counted_by_its_check(
    recorded: Recorded, cache_dir: Path
) -> None:
    await ask_model(cache_dir, says(f"{PROVEN}\n{LIE}"))
    assert recorded["quoth.sentences.withheld"] == [({"quoth.check": "numbers"}, 1)]


async def test_failures_of_the_provider_and_retries_are_counted(
    recorded: Recorded, cache_dir: Path
) -> None:
    await ask_model(cache_dir, fails("500 Oh"), says(PROVEN))
    failed = {"gen_ai.provider.name": "openai", "error.type": "InternalServerError"}
    assert recorded["quoth.model.failures"] == [(failed, 1)]
    assert recorded["quoth.model.retries"] == [({"gen_ai.provider.name": "openai"}, 1)]


async def test_every_stage_of_a_question_is_timed_once(recorded: Recorded, cache_dir: Path) -> None:
    answerers = {"extractive": FakeAnswerer([])}
    async with serving(cache_dir, answerers=answerers, answerer="extractive") as stub:
        await ask(stub)
    stages = [point["quoth.stage"] for point, _ in recorded["quoth.stage.duration"]]
    for stage in ("rewrite", "retrieve", "prompt", "complete", "record"):
        assert stages.count(f"generation.{stage}") == 1
    allowed = {point["quoth.stage"]: s for point, s in recorded["quoth.stage.allowed"]}
    assert allowed.keys() == set(stages)
    assert allowed["generation.record"] == pytest.approx(0.5)
    assert recorded["gen_ai.client.operation.duration"] == []


async def test_a_question_that_is_given_up_is_counted(recorded: Recorded, cache_dir: Path) -> None:
    log = FakeAuditLog()
    async with serving(cache_dir, source=FakeSource(None), log=log) as stub:
        with pytest.raises(grpc.aio.AioRpcError):
            await ask(stub, timeout=0.3)
        await log.stored.wait()
    [(attributes, _)] = recorded["quoth.answers"]
    assert attributes["quoth.outcome"] in ("cancelled", "deadline_exceeded")


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "none"},
    ],
)
def test_nothing_is_recorded_unless_it_is_asked_for(environment: dict[str, str]) -> None:
    set_up_metrics("generation", environment)
    assert current_metrics() is None


def test_an_endpoint_switches_metrics_on_until_the_service_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "opentelemetry.exporter.otlp.proto.grpc.metric_exporter.OTLPMetricExporter.export",
        lambda *_, **__: None,
    )
    set_up_metrics("generation", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})
    assert current_metrics() is not None
    shut_down_metrics()
    assert current_metrics() is None
