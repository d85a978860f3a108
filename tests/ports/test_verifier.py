"""The verifier's port, on every adapter: a probability for each statement, in its place."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from libs.errors import DeadlineExceeded, ModelUnavailable, QuothError
from libs.settings import SettingsError
from services.generation.adapters.models.anthropic_judge import AnthropicJudge
from services.generation.adapters.models.onnx_verifier import OnnxVerifier, find_label
from services.generation.adapters.models.openai_judge import OpenAIJudge
from services.generation.checks.words_verifier import WordsVerifier
from services.generation.language_model.model_verifier import ModelVerifier
from services.generation.model import Statement
from services.generation.ports import UnusableVerdictError, Verifier
from services.generation.transcript import Usage
from tests.support.scripted_model import Exchange, Request, Script, fails, hangs, scripted_model
from tests.support.tiny_entailment import LAYOUTS, write_tiny_entailment

Json = dict[str, Any]

PASSAGE = (
    "A hydraulic actuator turns the pressure of a fluid into force. It holds 21 MPa without a "
    "gearbox.\nAn electric motor is cleaner."
)
QUOTE = "It holds 21 MPa without a gearbox."


def statement(text: str) -> Statement:
    return Statement(text, (QUOTE,), (PASSAGE,), ("Actuators",), "What does it hold?")


TRUE = statement("The actuator holds 21 MPa without a gearbox.")
FALSE = statement("Penguins from Antarctica bought the shares of a railway.")


def judged(request: Request) -> str:
    """What a model says that finds supported what the passage has a word of."""
    body = request.body
    asked = json.loads(body["messages"][-1]["content"])
    verdicts = [
        {"number": item["number"], "probability": 0.9 if "holds" in item["sentence"] else 0.1}
        for item in asked
    ]
    return json.dumps({"verdicts": verdicts})


def replies(
    render: Callable[[Request], str] = judged, change: Callable[[Json], object] = bool
) -> Script:
    """A script that answers one request whole, as the API it was sent to does, or changed."""

    async def script(exchange: Exchange) -> None:
        text = render(exchange.request)
        if exchange.request.path.endswith("/messages"):
            body: dict[str, Any] = {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "output_tokens": 1},
            }
        else:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body = {
                "id": "c",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [choice],
                "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
            }
        change(body)
        data = json.dumps(body).encode()
        await exchange.head(
            "200 OK", "Content-Type: application/json", f"Content-Length: {len(data)}"
        )
        await exchange.send(data)

    return script


JUDGES: dict[str, Callable[..., Any]] = {"openai": OpenAIJudge, "anthropic": AnthropicJudge}


@asynccontextmanager
async def model_verifier(*scripts: Script, api: str = "openai") -> AsyncIterator[Any]:
    async with scripted_model(*scripts) as model:
        judge = JUDGES[api](url=model.url.removesuffix("/v1"), key="key-1", model="judge-1")
        try:
            yield ModelVerifier(judge), model
        finally:
            await judge.close()


@pytest.fixture(params=["words", *JUDGES, *LAYOUTS])
async def verifier(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Verifier]:
    if request.param == "words":
        yield WordsVerifier()
    elif request.param in LAYOUTS:
        yield OnnxVerifier(write_tiny_entailment(tmp_path / "nli", *LAYOUTS[request.param]))
    else:
        async with model_verifier(replies(), api=request.param) as (running, _):
            yield running


async def test_each_statement_has_its_probability_in_its_place(verifier: Verifier) -> None:
    first = await verifier.verify([TRUE, FALSE], 2.0)
    second = await verifier.verify([FALSE, TRUE], 2.0)
    probabilities = [judgement.probability for judgement in first]
    assert probabilities == [judgement.probability for judgement in reversed(second)]
    assert all(0 <= probability <= 1 for probability in probabilities)
    assert probabilities[0] >= verifier.threshold > probabilities[1]


async def test_an_empty_batch_needs_no_verifier(verifier: Verifier) -> None:
    assert list(await verifier.verify([], 2.0)) == []


async def test_the_verdict_is_the_same_again(verifier: Verifier) -> None:
    assert await verifier.verify([TRUE], 2.0) == await verifier.verify([TRUE], 2.0)


@pytest.mark.parametrize("api", JUDGES)
async def test_statements_that_arrive_together_are_one_request(api: str) -> None:
    async with model_verifier(replies(), api=api) as (verifier, model):
        first, second = await asyncio.gather(
            verifier.verify([TRUE], 2.0), verifier.verify([FALSE], 2.0)
        )
    assert first[0].probability > second[0].probability
    assert len(model.requests) == 1
    # Three tokens and one, as equal as whole tokens can be.
    assert [judged.usage for judged in (*first, *second)] == [Usage(2, 1), Usage(1, 0)]
    assert first[0].model == "judge-1"


async def test_a_model_sees_sentence_quotes_and_passages_and_nothing_else() -> None:
    async with model_verifier(replies()) as (verifier, model):
        await verifier.verify([TRUE], 2.0)
    sent = json.dumps(model.requests[0].body)
    assert TRUE.question not in sent
    [item] = json.loads(model.requests[0].body["messages"][-1]["content"])
    assert item.keys() == {"number", "sentence", "quotes", "passages"}


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "{}",
        '{"verdicts": []}',
        '{"verdicts": [{"number": 2, "probability": 0.9}]}',
        '{"verdicts": [{"number": 1, "probability": 1.2}]}',
        '{"verdicts": [{"number": 1, "probability": NaN}]}',
        '{"verdicts": [{"number": 1, "probability": "sure"}]}',
        '{"verdicts": [{"number": 1, "probability": "0.9"}]}',
        '{"verdicts": [{"number": 1, "probability": true}]}',
        '{"verdicts": [{"number": 1.9, "probability": 0.9}]}',
        '{"verdicts": [{"number": true, "probability": 0.9}]}',
        '{"verdicts": [{"number": "1", "probability": 0.9}]}',
        '{"verdicts": [{"number": 1, "probability": 0.1, "probability": 0.9}]}',
        '{"verdicts": [], "verdicts": [{"number": 1, "probability": 0.9}]}',
        '{"verdicts": [{"number": 1, "probability": 1}, {"number": 2, "probability": 1}]}',
    ],
)
@pytest.mark.parametrize("api", JUDGES)
async def test_a_malformed_verdict_passes_nothing(api: str, said: str) -> None:
    async with model_verifier(replies(lambda _: said), api=api) as (verifier, _):
        with pytest.raises(UnusableVerdictError) as caught:
            await verifier.verify([TRUE], 2.0)
    assert (caught.value.model, caught.value.usage) == ("judge-1", Usage(3, 1))


CUTS: dict[str, tuple[str, ...]] = {
    "openai": ("length", "content_filter", "tool_calls"),
    "anthropic": ("max_tokens", "refusal", "pause_turn", "tool_use"),
}


@pytest.mark.parametrize(("api", "reason"), [(api, cut) for api in CUTS for cut in CUTS[api]])
async def test_a_verdict_that_was_cut_off_is_none(api: str, reason: str) -> None:
    def cut(body: Json) -> None:
        if api == "openai":
            body["choices"][0]["finish_reason"] = reason
        else:
            body["stop_reason"] = reason

    async with model_verifier(replies(change=cut), api=api) as (verifier, _):
        with pytest.raises(ModelUnavailable):
            await verifier.verify([TRUE], 2.0)


@pytest.mark.parametrize("api", JUDGES)
async def test_counts_that_a_server_does_not_know_are_none(api: str) -> None:
    def uncounted(body: Json) -> None:
        body["usage"] = dict.fromkeys(body["usage"])

    async with model_verifier(replies(change=uncounted), api=api) as (verifier, _):
        [found] = await verifier.verify([TRUE], 2.0)
    assert found.usage == Usage()


@pytest.mark.parametrize("api", JUDGES)
async def test_a_judge_may_think_before_it_judges(api: str) -> None:
    def thinking(request: Request) -> str:
        return f'<think>Is {{"verdicts": []}} right?</think>\n{judged(request)}'

    async with model_verifier(replies(thinking), api=api) as (verifier, _):
        [found] = await verifier.verify([TRUE], 2.0)
    assert found.probability == 0.9


async def test_a_verdict_may_come_in_parts() -> None:
    def split(body: Json) -> None:
        text = body["choices"][0]["message"]["content"]
        body["choices"][0]["message"]["content"] = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "{}"}]},
            {"type": "text", "text": text[:20]},
            {"type": "text", "text": text[20:]},
        ]

    async with model_verifier(replies(change=split)) as (verifier, _):
        [found] = await verifier.verify([TRUE], 2.0)
    assert found.probability == 0.9


@pytest.mark.parametrize("content", [[1], [{"type": "image_url"}], {"text": "x"}, 7, [], None, ""])
async def test_content_that_is_no_text_is_no_verdict(content: object) -> None:
    def replace(body: Json) -> None:
        body["choices"][0]["message"]["content"] = content

    async with model_verifier(replies(change=replace)) as (verifier, _):
        with pytest.raises(ModelUnavailable):
            await verifier.verify([TRUE], 2.0)


@pytest.mark.parametrize("api", JUDGES)
async def test_a_model_that_is_late_is_not_waited_for(api: str) -> None:
    async with model_verifier(hangs, api=api) as (verifier, _):
        with pytest.raises(DeadlineExceeded):
            await verifier.verify([TRUE], 0.3)


@pytest.mark.parametrize("api", JUDGES)
async def test_a_model_that_fails_raises_our_error_without_its_words(api: str) -> None:
    async with model_verifier(fails("500 Internal Server Error"), api=api) as (verifier, _):
        with pytest.raises(QuothError) as caught:
            await verifier.verify([TRUE], 2.0)
    assert "key-1" not in str(caught.value)


def test_three_labels_without_names_are_refused() -> None:
    with pytest.raises(SettingsError, match="id2label"):
        find_label({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, 3)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_folder_without_all_that_it_takes_is_refused(tmp_path: Path, broken: str) -> None:
    folder = write_tiny_entailment(tmp_path, *LAYOUTS["deberta"])
    (folder / broken).unlink()
    with pytest.raises(SettingsError, match="GENERATION_NLI_DIR"):
        OnnxVerifier(folder)


async def test_a_passage_that_is_longer_than_the_network_takes_is_cut_and_not_the_sentence(
    tmp_path: Path,
) -> None:
    folder = write_tiny_entailment(tmp_path, *LAYOUTS["deberta"])
    long = Statement("penguins fly", ("holds",), ("holds " * 5000,))
    [judged] = await OnnxVerifier(folder).verify([long], 2.0)
    [alone] = await OnnxVerifier(folder).verify([Statement("it", ("holds",), ("holds",))], 2.0)
    assert judged.probability < alone.probability
