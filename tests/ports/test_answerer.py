"""What every answerer must do, run on each of them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import pytest

from libs.circuit import MOST_FAILURES
from libs.errors import DeadlineExceeded, ModelUnavailable
from services.generation.adapters.models.anthropic_answerer import AnthropicAnswerer
from services.generation.adapters.models.openai_answerer import OpenAIAnswerer
from services.generation.checks.cite import Citations
from services.generation.checks.facts import is_books_own
from services.generation.extractive.answerer import ExtractiveAnswerer
from services.generation.language_model.calls import RetryBucket
from services.generation.language_model.speed import LEAST_TOKENS
from services.generation.language_model.thinking import FIRST_TOKENS, MOST_TOKENS
from services.generation.model import DraftSentence, Message, Prompt, Role
from services.generation.ports import FollowUp
from services.generation.transcript import Transcript
from tests.support.generation_fakes import PASSAGES, prompt, question
from tests.support.scripted_claude import claude_answerer, render, writes
from tests.support.scripted_model import (
    Exchange,
    cuts_off,
    drips,
    fails,
    hangs,
    says,
    says_slowly,
    says_then_hangs,
    scripted_model,
    sends,
    sends_choices,
)

FORCE = "A hydraulic actuator turns the pressure of a fluid into force."
GOOD = f'{FORCE} [Source 1: "{FORCE}"]\nElectric motors are cleaner. [Source 2]'


@asynccontextmanager
async def openai_answerer(*scripts: Callable[..., Any], key: str = "key") -> AsyncIterator[Any]:
    async with scripted_model(*scripts) as model:
        answerer = OpenAIAnswerer(url=model.url, key=key)
        try:
            yield answerer, model
        finally:
            await answerer.close()


@pytest.fixture(params=["extractive", "openai", "anthropic"])
async def answerer(
    request: pytest.FixtureRequest,
) -> AsyncIterator[AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer]:
    if request.param == "extractive":
        yield ExtractiveAnswerer()
        return
    claude = request.param == "anthropic"
    opening = claude_answerer(writes((GOOD,))) if claude else openai_answerer(says(GOOD))
    async with opening as (opened, _):
        yield opened


async def write(
    answerer: AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer,
    asked: Prompt | None = None,
    transcript: Transcript | None = None,
) -> list[DraftSentence]:
    asked = asked or prompt()
    return [
        sentence
        async for sentence in answerer.write(asked, transcript or Transcript(), allowed_s=2.0)
    ]


async def test_a_draft_claims_something_of_its_sources(
    answerer: AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer,
) -> None:
    draft = await write(answerer)
    assert draft
    for sentence in draft:
        assert sentence.text.strip()
        assert all(1 <= claim.source <= len(PASSAGES) for claim in sentence.claims)


async def test_a_correct_draft_passes_the_checks(
    answerer: AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer,
) -> None:
    draft = await write(answerer)
    citations = Citations(PASSAGES)
    proofs = [proof.quote for proof in citations.check(draft[0])]
    assert is_books_own(draft[0].text, proofs)


async def test_the_same_question_gets_the_same_draft(
    answerer: AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer,
) -> None:
    assert await write(answerer) == await write(answerer)


async def test_a_draft_may_be_left_before_its_end(
    answerer: AnthropicAnswerer | ExtractiveAnswerer | OpenAIAnswerer,
) -> None:
    async with aclosing(answerer.write(prompt(), Transcript(), 2.0)) as draft:
        assert await anext(draft)


async def test_without_passages_there_is_nothing_to_show() -> None:
    assert await write(ExtractiveAnswerer(), prompt(())) == []


@pytest.mark.control("V14")
async def test_leaving_a_draft_ends_the_models_work() -> None:
    async with openai_answerer(says_then_hangs(f"{GOOD}\n")) as (answerer, model):
        async with aclosing(answerer.write(prompt(), Transcript(), 5.0)) as draft:
            await anext(draft)
        await model.abandoned.wait()


async def test_the_transcript_holds_both_sides_even_of_a_draft_that_broke() -> None:
    transcript = Transcript()
    async with openai_answerer(cuts_off("half of")) as (answerer, _):
        with pytest.raises(ModelUnavailable):
            await write(answerer, transcript=transcript)
    assert transcript.response == "half of"
    assert "What does a hydraulic actuator do?" in transcript.prompt


async def test_the_model_is_named_by_the_setting_before_the_profile() -> None:
    async with scripted_model(says(GOOD)) as model:
        for name in ("", "my-model"):
            answerer = OpenAIAnswerer(url=model.url, key="", model=name)
            await write(answerer)
            await answerer.close()
    assert [asked.body["model"] for asked in model.requests] == ["gpt-4o-mini", "my-model"]
    assert model.requests[0].headers["authorization"] == "Bearer none"


async def test_tokens_are_cut_to_what_fits_the_time() -> None:
    async with openai_answerer(says(GOOD)) as (answerer, model):
        async for _ in answerer.write(prompt(), Transcript(), 1.0):
            pass
        async for _ in answerer.write(prompt(), Transcript(), 60.0):
            pass
    short, long = (asked.body["max_tokens"] for asked in model.requests)
    assert (short, long) == (LEAST_TOKENS, 800)


@pytest.mark.fault("L5")
async def test_twelve_short_replies_leave_room_for_a_long_answer() -> None:
    short = ("It depends.\n",)
    long = "\n".join(GOOD.split("\n") * 12)
    scripts = [says_slowly(*short, pause_s=0.05)] * 12
    async with openai_answerer(*scripts, says(long)) as (answerer, model):
        for _ in range(12):
            await write(answerer)
        assert len(await write(answerer)) == 24
    assert {asked.body["max_tokens"] for asked in model.requests} == {300}


@pytest.mark.fault("L4")
@pytest.mark.parametrize("script", [hangs, says_then_hangs("Half of"), drips("x" * 999, 0.05)])
async def test_a_model_that_hangs_stalls_or_drips_is_too_slow_and_left_alone_after_five(
    script: Callable[..., Any],
) -> None:
    async with openai_answerer(script) as (answerer, model):
        for _ in range(5):
            with pytest.raises(DeadlineExceeded):
                [_ async for _ in answerer.write(prompt(), Transcript(), allowed_s=0.4)]
        with pytest.raises(ModelUnavailable) as caught:
            await write(answerer)
    assert caught.value.retry_after_s
    assert len(model.requests) == 5


async def test_time_of_the_drafts_reader_is_not_the_models() -> None:
    async with (
        openai_answerer(says(GOOD)) as (answerer, _),
        aclosing(answerer.write(prompt(), Transcript(), 0.5)) as draft,
    ):
        await anext(draft)
        await asyncio.sleep(0.6)
        assert await anext(draft)


def refuses(message: str, param: str, code: str) -> Callable[..., Any]:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return fails("400 Bad Request", body=json.dumps({"error": error}))


NO_MAX_TOKENS = refuses(
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)
NO_TEMPERATURE = refuses(
    "Unsupported value: 'temperature' does not support 0.3 with this model. "
    "Only the default (1) value is supported.",
    "temperature",
    "unsupported_value",
)


async def test_a_model_that_takes_neither_max_tokens_nor_a_temperature_is_asked_as_it_wants() -> (
    None
):
    async with openai_answerer(NO_MAX_TOKENS, NO_TEMPERATURE, says(GOOD)) as (answerer, model):
        assert len(await write(answerer)) == 2
        assert len(await write(answerer)) == 2
        assert await rewrite(answerer) == GOOD
    bodies = [asked.body for asked in model.requests]
    assert [body.get("max_tokens") for body in bodies] == [300, None, None, None, None]
    bounds = [body.get("max_completion_tokens") for body in bodies]
    # The second answer's is by how fast the first was written.
    assert [*bounds[:3], bounds[4]] == [None, *(FIRST_TOKENS + n for n in (300, 300, 100))]
    assert bounds[3] >= FIRST_TOKENS + 300
    assert [body.get("reasoning_effort") for body in bodies] == [None, *["minimal"] * 4]
    assert [body.get("temperature") for body in bodies] == [0.3, 0.3, None, None, None]
    assert all("response_format" in body for body in bodies[:4])


NO_MAX_COMPLETION = refuses(
    "Unrecognized request argument supplied: max_completion_tokens", "", "unsupported_parameter"
)


def forbids(*names: str) -> Callable[..., Any]:
    """A server that checks the fields of a body, and tells all that it does not know."""
    wrong = [
        {"loc": ["body", name], "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}
        for name in names
    ]
    return fails("422 Unprocessable", body=json.dumps({"detail": wrong}))


async def test_a_lesson_about_a_server_is_forgotten_when_it_refuses_that() -> None:
    scripts = (NO_MAX_TOKENS, says(GOOD), NO_MAX_COMPLETION, says(GOOD))
    async with openai_answerer(*scripts) as (answerer, model):
        for _ in range(3):
            assert len(await write(answerer)) == 2
    bodies = [asked.body for asked in model.requests]
    names = [[name for name in body if name.startswith("max_")] for body in bodies]
    old, new = ["max_tokens"], ["max_completion_tokens"]
    assert names == [old, new, new, old, old]
    assert ["reasoning_effort" in body for body in bodies] == [False, True, True, False, False]


async def test_all_that_a_server_names_at_once_is_left_out() -> None:
    refused = forbids("temperature", "max_tokens", "response_format", "stream_options")
    async with openai_answerer(refused, says(GOOD)) as (answerer, model):
        assert len(await write(answerer)) == 2
    assert {*model.requests[1].body} == {
        *("model", "messages", "stream", "max_completion_tokens", "reasoning_effort"),
    }
    refused = forbids("max_completion_tokens", "reasoning_effort")
    async with openai_answerer(NO_MAX_TOKENS, says(GOOD), refused, says(GOOD)) as (answerer, model):
        for _ in range(3):
            assert len(await write(answerer)) == 2
    assert not {"max_completion_tokens", "reasoning_effort"} & {*model.requests[-1].body}


async def test_a_server_that_takes_neither_name_of_the_bound_is_asked_a_bounded_number_of_times() -> (
    None
):
    turns = [NO_MAX_TOKENS, NO_MAX_COMPLETION] * 50
    async with openai_answerer(*turns) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
        assert len(model.requests) == 2
        with pytest.raises(ModelUnavailable):
            await rewrite(answerer)
    assert len(model.requests) == 4


@pytest.mark.parametrize(
    "script",
    [
        refuses(
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            "messages",
            "context_length_exceeded",
        ),
        refuses(
            "'max_tokens' or 'max_completion_tokens' is too large: 300. This model's maximum context "
            "length is 4096 tokens and your request has 4000 input tokens",
            "",
            "",
        ),
        refuses("the request exceeds the available context size", "", "exceed_context_size_error"),
        fails("413 Payload Too Large"),
    ],
)
async def test_a_request_too_long_for_the_model_says_so_and_teaches_nothing(
    script: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with openai_answerer(script, script, says(GOOD)) as (answerer, model):
        with pytest.raises(ModelUnavailable, match="are too long for the language model"):
            await write(answerer)
        with pytest.raises(ModelUnavailable, match="are too long for the language model"):
            await rewrite(answerer)
        assert len(await write(answerer)) == 2
    assert ["max_tokens" in asked.body for asked in model.requests] == [True] * 3


def thinks(tokens: int, ending: str = "stop") -> Callable[..., Any]:
    """An answer after a thought that is counted and not shown; none where the bound came first."""
    written = [{"delta": {"content": GOOD}, "finish_reason": None}] if ending == "stop" else []
    return sends_choices(
        *written,
        {"delta": {}, "finish_reason": ending},
        usage={
            "prompt_tokens": 120,
            "completion_tokens": tokens + 30,
            "total_tokens": tokens + 150,
            "completion_tokens_details": {"reasoning_tokens": tokens},
        },
    )


async def bounds_of(*scripts: Callable[..., Any]) -> list[int]:
    """What may be written in answer to as many questions, beside the 300 tokens of an answer."""
    async with openai_answerer(*scripts) as (answerer, model):
        for _ in scripts:
            with suppress(ModelUnavailable):
                await write(answerer)
    return [asked.body["max_tokens"] - 300 for asked in model.requests]


async def test_a_model_that_thinks_has_room_for_it_beside_its_answer() -> None:
    scripts = [thinks(tokens) for tokens in (0, 64, 900, 20, 90_000, 1)]
    assert await bounds_of(*scripts) == [0, 0, FIRST_TOKENS, 1800, 1800, MOST_TOKENS]
    told = {"delta": {"reasoning_content": "It hums. " * 800}, "finish_reason": None}
    good = {"delta": {"content": GOOD}, "finish_reason": "stop"}
    assert await bounds_of(sends_choices(told, good), says(GOOD)) == [0, 3600]


async def test_a_model_that_thought_to_its_bound_has_more_room_the_next_time() -> None:
    cut = thinks(0, "length")
    assert await bounds_of(cut, cut, cut, says(GOOD)) == [0, FIRST_TOKENS, 2048, 4096]
    assert await bounds_of(says(GOOD, "length"), says(GOOD)) == [0, 0]


@pytest.mark.fault("L4")
async def test_a_model_that_thought_until_its_time_was_up_is_asked_to_think_less() -> None:
    thought = {"delta": {"reasoning_content": "It hums. " * 80}, "finish_reason": None}

    async def thinks_on(exchange: Exchange) -> None:
        await exchange.begin_stream()
        await exchange.event(thought)
        await asyncio.Event().wait()

    async with openai_answerer(thinks_on, says(GOOD)) as (answerer, model):
        with pytest.raises(DeadlineExceeded):
            [_ async for _ in answerer.write(prompt(), Transcript(), allowed_s=0.4)]
        assert len(await write(answerer)) == 2
    assert [asked.body.get("reasoning_effort") for asked in model.requests] == [None, "minimal"]


async def test_a_model_that_thinks_although_it_is_asked_not_to_is_asked_to_think_little() -> None:
    none = refuses("Supported values are: 'none' and 'low'.", "reasoning_effort", "unsupported")
    async with openai_answerer(thinks(64), none, thinks(64), says(GOOD)) as (answerer, model):
        for _ in range(3):
            await write(answerer)
    efforts = [asked.body.get("reasoning_effort") for asked in model.requests]
    assert efforts == [None, "minimal", "none", "low"]


async def test_the_speed_of_writing_is_measured_without_the_thoughts() -> None:
    details = {"reasoning_tokens": 100_000}
    usage: dict[str, Any] = {"prompt_tokens": 1, "completion_tokens": 100_150, "total_tokens": 1}

    async def slow(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for _ in range(2):
            await exchange.text("It depends. " * 25)
            await asyncio.sleep(0.2)
        ended = {"delta": {}, "finish_reason": "stop"}
        await exchange.event(ended, {**usage, "completion_tokens_details": details})
        await exchange.chunk(b"data: [DONE]\n\n")
        await exchange.send(b"0\r\n\r\n")

    async with openai_answerer(slow, says(GOOD)) as (answerer, model):
        await write(answerer)
        [_ async for _ in answerer.write(prompt(), Transcript(), 2.0)]
    assert model.requests[1].body["max_tokens"] < 800 + MOST_TOKENS


async def test_a_follow_up_is_asked_as_the_model_wants_it_too() -> None:
    async with openai_answerer(NO_MAX_TOKENS, NO_TEMPERATURE, says(WHOLE)) as (answerer, model):
        assert await rewrite(answerer) == WHOLE
    assert "temperature" not in model.requests[-1].body


@pytest.mark.fault("L3")
@pytest.mark.control("V14")
async def test_a_provider_that_always_fails_is_left_alone() -> None:
    async with openai_answerer(fails("500 Oh")) as (answerer, model):
        for _ in range(15):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
    assert len(model.requests) == 5 + 5  # five calls with one retry each


@pytest.mark.fault("L3")
@pytest.mark.parametrize("status", ["400 Bad Request", "413 Too Large", "422 Unprocessable"])
async def test_requests_that_are_not_taken_switch_no_model_off(status: str) -> None:
    async with openai_answerer(*[fails(status)] * 6, says(GOOD)) as (answerer, model):
        for _ in range(6):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
        assert len(await write(answerer)) == 2
    assert len(model.requests) == 7


def test_answers_earn_retries_back() -> None:
    bucket = RetryBucket()
    while bucket.take():
        pass
    for _ in range(11):
        bucket.refill()
    assert bucket.take()
    assert not bucket.take()


STRUCTURED = json.dumps(
    {
        "sentences": [{"text": FORCE, "citations": [{"source": 1, "quote": FORCE}]}],
        "confidence": 0.9,
    }
)
REFUSED = '{"error": {"message": "Unknown parameter: response_format"}}'


async def test_a_model_is_asked_for_json_by_a_schema() -> None:
    async with openai_answerer(says(STRUCTURED)) as (answerer, model):
        [sentence] = await write(answerer)
    asked = model.requests[0].body["response_format"]["json_schema"]
    assert asked["strict"]
    assert set(asked["schema"]["properties"]) == {"sentences", "confidence"}
    assert (sentence.text, sentence.claims[0].quote) == (FORCE, FORCE)


async def test_a_server_that_refuses_json_is_asked_for_lines_from_then_on() -> None:
    scripts = (fails("400 Bad Request", body=REFUSED), says(GOOD))
    async with openai_answerer(*scripts) as (answerer, model):
        assert len(await write(answerer)) == 2
        assert len(await write(answerer)) == 2
    assert ["response_format" in asked.body for asked in model.requests] == [True, False, False]
    assert "JSON" not in model.requests[1].body["messages"][0]["content"]


@pytest.mark.parametrize(
    "scripts",
    [
        (fails("400 Bad Request", body=REFUSED), fails("500 Oh"), says(GOOD)),
        (fails("500 Oh"), fails("400 Bad Request", body=REFUSED), says(GOOD)),
    ],
)
async def test_a_server_that_refuses_json_and_fails_is_asked_twice_at_most(
    scripts: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]],
) -> None:
    async with openai_answerer(*scripts) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
    assert len(model.requests) == 2


async def test_a_bad_request_for_another_reason_is_not_asked_again() -> None:
    async with openai_answerer(fails("400 Bad Request")) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
    assert len(model.requests) == 1


async def test_without_structured_output_nothing_of_it_is_asked() -> None:
    async with scripted_model(says(GOOD)) as model:
        answerer = OpenAIAnswerer(url=model.url, key="key", structured=False)
        await write(answerer)
        await answerer.close()
    assert "response_format" not in model.requests[0].body


async def test_a_structured_sentence_is_there_before_the_draft_ends() -> None:
    async with (
        openai_answerer(says_then_hangs(STRUCTURED.partition("]}]")[0] + "]}")) as (
            answerer,
            _,
        ),
        aclosing(answerer.write(prompt(), Transcript(), 2.0)) as draft,
    ):
        assert (await anext(draft)).text == FORCE


async def test_tokens_are_counted_by_the_server() -> None:
    script = sends_choices(
        {"delta": {"content": GOOD}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
        usage={"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    )
    transcript = Transcript()
    async with openai_answerer(script) as (answerer, _):
        await write(answerer, transcript=transcript)
    assert (transcript.usage.input_tokens, transcript.usage.output_tokens) == (120, 30)
    assert transcript.model == "gpt-4o-mini"


def in_pieces(text: str, size: int) -> list[dict[str, Any]]:
    """A stream's choices, each with `size` characters of a text."""
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return [
        *({"delta": {"content": piece}, "finish_reason": None} for piece in pieces),
        {"delta": {}, "finish_reason": "stop"},
    ]


THOUGHT = "The reader asks for force.\nElectric motors hum."


@pytest.mark.fault("L7")
@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("good", [GOOD, STRUCTURED])
@pytest.mark.parametrize("opened", ["<think>", "<thinking>", ""])
async def test_thoughts_of_a_model_are_no_sentences(opened: str, good: str, size: int) -> None:
    closed = "</thinking>" if "ing" in opened else "</think>"
    script = sends_choices(*in_pieces(f"{opened}{THOUGHT}{closed}\n{good}", size))
    transcript = Transcript()
    async with openai_answerer(script) as (answerer, _):
        await write(answerer)
        again = await write(answerer, transcript=transcript)
    assert [sentence.text for sentence in again][:1] == [FORCE]
    assert len(again) == (1 if good == STRUCTURED else 2)
    assert transcript.response == f"\n{good}"


@pytest.mark.fault("L7")
async def test_a_thought_without_end_is_no_answer() -> None:
    async with openai_answerer(says(f"<think>{GOOD}")) as (answerer, _):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
    async with openai_answerer(says(f"{GOOD}\n<think>{THOUGHT}")) as (answerer, _):
        assert len(await write(answerer)) == 2


@pytest.mark.fault("L7")
async def test_thoughts_in_fields_of_their_own_are_no_sentences() -> None:
    thoughts = [{"reasoning_content": THOUGHT}, {"reasoning": THOUGHT}, {"content": ""}]
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
        {"type": "text", "text": GOOD},
    ]
    for last in (GOOD, parts):
        deltas = [*thoughts, {"content": last}]
        script = sends_choices(
            *({"delta": delta, "finish_reason": None} for delta in deltas),
            {"delta": {}, "finish_reason": "stop"},
        )
        transcript = Transcript()
        async with openai_answerer(script) as (answerer, _):
            assert len(await write(answerer, transcript=transcript)) == 2
        assert transcript.response == GOOD


@pytest.mark.fault("L7")
async def test_thoughts_in_a_message_of_claude_are_no_sentences() -> None:
    blocks = ((f"<thinking>{THOUGHT}",), (f"\nHm.</thinking>{FORCE}", (0, FORCE)), (" <b",))
    transcript = Transcript()
    async with claude_answerer(writes(*blocks)) as (answerer, _):
        draft = await write(answerer, transcript=transcript)
    assert [sentence.text for sentence in draft] == [f"{FORCE}", "<b"]
    assert [claim.quote for claim in draft[0].claims] == [FORCE]
    assert transcript.response == f"{FORCE} <b"


@pytest.mark.fault("L6")
async def test_a_stream_may_begin_with_a_byte_order_mark() -> None:
    choice = {"index": 0, "delta": {"content": GOOD}, "finish_reason": "stop"}
    body = b"\xef\xbb\xbfdata: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"
    async with openai_answerer(sends(body)) as (answerer, _):
        assert len(await write(answerer)) == 2
    marked = b"\xef\xbb\xbf" + render((GOOD,), stop="end_turn")
    async with claude_answerer(sends(marked)) as (answerer, _):
        assert len(await write(answerer)) == 2


@pytest.mark.parametrize("empty", [{}, {"delta": None}])
@pytest.mark.parametrize("ending", ["stop", "STOP", "eos"])
async def test_a_piece_without_text_and_an_end_in_other_words_are_read(
    empty: dict[str, object], ending: str
) -> None:
    pieces = (
        {"index": 0, "finish_reason": None, "content_filter_offsets": {}, **empty},
        {"index": 0, "delta": {"content": GOOD}, "finish_reason": None},
        {"index": 0, "finish_reason": ending, **empty},
    )
    body = b"".join(f"data: {json.dumps({'choices': [one]})}\n\n".encode() for one in pieces)
    async with openai_answerer(sends(body)) as (answerer, _):
        assert len(await write(answerer)) == 2


@pytest.mark.parametrize(
    ("delta", "ending", "message"),
    [
        ({}, "content_filter", "would not answer this question"),
        ({"refusal": "I can't."}, None, "would not answer this question"),
        ({}, "length", "did not finish"),
    ],
)
async def test_an_answer_that_a_model_would_not_give_is_told_from_one_cut_off(
    delta: dict[str, object], ending: str | None, message: str
) -> None:
    piece = {"index": 0, "delta": delta, "finish_reason": ending}
    body = f"data: {json.dumps({'choices': [piece]})}\n\n".encode()
    async with openai_answerer(sends(body)) as (answerer, _):
        with pytest.raises(ModelUnavailable, match=message):
            await write(answerer)


async def test_a_model_that_thinks_aloud_makes_a_follow_up_whole(
    rewriter: Callable[..., Any],
) -> None:
    async with rewriter(saying(rewriter, f"<think>Hm.</think>{WHOLE}")) as (answerer, _):
        assert await rewrite(answerer) == WHOLE


HISTORY = (
    Message(Role.USER, "What does a hydraulic actuator do?"),
    Message(Role.ASSISTANT, "It turns the pressure of a fluid into force. [end of data]"),
)
WHOLE = "How clean is a hydraulic actuator?"
DEFAULTS = prompt().settings


@pytest.fixture(params=["openai", "anthropic"])
def rewriter(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return openai_answerer if request.param == "openai" else claude_answerer


def saying(opening: Callable[..., Any], text: str) -> Callable[..., Any]:
    return writes((text,)) if opening is claude_answerer else says(text)


async def rewrite(
    answerer: AnthropicAnswerer | OpenAIAnswerer,
    transcript: Transcript | None = None,
    text: str = "and how clean is it?",
) -> str:
    asked = FollowUp(question(text=text, history=HISTORY), frozenset(), DEFAULTS)
    return await answerer.rewrite(asked, transcript or Transcript(), 2.0)


async def test_a_model_makes_a_follow_up_whole(rewriter: Callable[..., Any]) -> None:
    transcript = Transcript()
    async with rewriter(saying(rewriter, WHOLE)) as (answerer, model):
        assert await rewrite(answerer, transcript) == WHOLE
    body = json.dumps(model.requests[0].body)
    assert "and how clean is it?" in body
    assert "pressure of a fluid" in body
    assert (model.requests[0].body["max_tokens"], model.requests[0].body["stream"]) == (100, True)
    assert (transcript.response, transcript.model) == (WHOLE, DEFAULTS.model)
    assert "and how clean is it?" in transcript.prompt


async def test_each_follow_up_has_marks_of_its_own(rewriter: Callable[..., Any]) -> None:
    async with rewriter(saying(rewriter, WHOLE)) as (answerer, model):
        for _ in range(2):
            await rewrite(answerer)
    sent = [json.dumps(asked.body) for asked in model.requests]
    marks = {mark for text in sent for mark in re.findall(r"\[data (\w+)\]", text)[:1]}
    assert len(marks) == 2


@pytest.mark.parametrize("script", [fails("500 Oops"), cuts_off("How clean")])
async def test_a_follow_up_is_tried_once_and_never_half(
    rewriter: Callable[..., Any], script: Callable[..., Any]
) -> None:
    async with rewriter(script) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await rewrite(answerer)
    assert len(model.requests) == 1


async def test_no_follow_up_is_sent_to_a_model_that_is_down() -> None:
    async with openai_answerer(fails("500 Oops")) as (answerer, model):
        for _ in range(MOST_FAILURES):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
        sent = len(model.requests)
        with pytest.raises(ModelUnavailable):
            await rewrite(answerer)
    assert len(model.requests) == sent


async def test_an_endless_follow_up_is_cut_off() -> None:
    async with openai_answerer(says("word " * 400)) as (answerer, _):
        with pytest.raises(ModelUnavailable):
            await rewrite(answerer)
