"""A Claude model's native citations become claims, and its failures become ours."""

import json

import pytest

from libs.errors import ModelBusy, ModelUnavailable, Unavailable
from services.generation.adapters.models.anthropic_answerer import ERRORS
from services.generation.checks.cite import Citations
from services.generation.checks.facts import is_books_own
from services.generation.model import DraftSentence
from services.generation.transcript import Transcript
from tests.support.generation_fakes import PASSAGE_TEXTS, PASSAGES, prompt
from tests.support.scripted_claude import KEY, claude_answerer, render, writes
from tests.support.scripted_model import Script, cuts_off, fails, sends

FORCE = "A hydraulic actuator turns the pressure of a fluid into force."


async def draft(*scripts: Script, transcript: Transcript | None = None) -> list[DraftSentence]:
    async with claude_answerer(*scripts) as (answerer, _):
        writing = answerer.write(prompt(), transcript or Transcript(), allowed_s=2.0)
        return [sentence async for sentence in writing]


async def test_native_citations_are_claims_of_the_sentences_they_belong_to() -> None:
    first, second = await draft(
        writes(
            ("A hydraulic actuator turns the pressure of a fluid ", (0, FORCE)),
            ("into force.\n",),
            ("An electric motor is cleaner.", (1, "An electric motor is cleaner")),
        )
    )
    assert first.text == FORCE
    assert [(claim.source, claim.quote) for claim in first.claims] == [(1, FORCE)]
    assert [claim.source for claim in second.claims] == [2]
    for sentence in (first, second):
        proofs = Citations(PASSAGES).check(sentence)
        assert is_books_own(sentence.text, [proof.quote for proof in proofs])


async def test_a_native_citation_is_checked_like_any_other() -> None:
    (sentence,) = await draft(writes(("Actuators sing.", (0, "Actuators sing."), (7, FORCE))))
    assert Citations(PASSAGES).check(sentence) == []


async def test_markers_in_its_text_are_read_too() -> None:
    (sentence,) = await draft(writes((f'{FORCE} [Source 1: "{FORCE}"]',)))
    assert (sentence.text, sentence.claims[0].quote) == (FORCE, FORCE)


async def test_passages_are_documents_with_citations_on() -> None:
    transcript = Transcript()
    async with claude_answerer(writes((FORCE, (0, FORCE)))) as (answerer, model):
        [_ async for _ in answerer.write(prompt(), transcript, allowed_s=2.0)]
    body = model.requests[0].body
    *documents, question = body["messages"][0]["content"]
    assert [item["source"]["data"] for item in documents] == list(PASSAGE_TEXTS)
    assert all(item["citations"] == {"enabled": True} for item in documents)
    assert "What does a hydraulic actuator do?" in question["text"]
    assert (body["temperature"], body["max_tokens"]) == (0.3, 300)
    assert model.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert transcript.response == FORCE
    assert KEY not in transcript.prompt


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        ("max_tokens", "did not finish"),
        ("refusal", "would not answer this question"),
        ("tool_use", "did not finish"),
    ],
)
async def test_an_unfinished_reply_is_no_draft(stop: str, message: str) -> None:
    with pytest.raises(ModelUnavailable, match=message):
        await draft(writes((FORCE, (0, FORCE)), stop=stop))


@pytest.mark.parametrize(
    ("kind", "error", "logged"),
    [
        ("overloaded_error", ModelBusy, "it is overloaded (status 529)"),
        ("rate_limit_error", ModelBusy, "it takes no more requests now (status 429)"),
        ("api_error", ModelUnavailable, "it fails (status 500)"),
    ],
)
async def test_a_failure_that_a_stream_tells_is_that_of_its_status(
    kind: str,
    error: type[Exception],
    logged: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ERRORS.log, "_said", {})  # the same is said once a minute
    told = {"type": "error", "error": {"type": kind, "message": "Busy private-host"}}
    stream = f"event: error\ndata: {json.dumps(told)}\n\n"
    with pytest.raises(error) as caught:
        await draft(sends(render((FORCE,), stop=None) + stream.encode()))
    assert type(caught.value) is error
    assert caplog.messages == [f"language model: {logged}"]


async def test_a_model_that_takes_no_temperature_is_asked_without_from_then_on() -> None:
    refusal = {"error": {"message": "`temperature` is not supported by this model."}}
    refuses = fails("400 Bad Request", body=json.dumps(refusal))
    async with claude_answerer(refuses, writes((FORCE, (0, FORCE)))) as (answerer, model):
        for _ in range(2):
            assert [_ async for _ in answerer.write(prompt(), Transcript(), allowed_s=2.0)]
    assert ["temperature" in asked.body for asked in model.requests] == [True, False, False]


async def test_thinking_is_no_part_of_the_draft() -> None:
    written = render((FORCE, (0, FORCE)), stop="end_turn")
    start, _, rest = written.partition(b"event: content_block_start")
    thought = [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "thinking_delta", "thinking": "Actuators sing."},
        },
        {"type": "content_block_stop", "index": 0},
    ]
    events = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in thought)
    body = start + events.encode() + b"event: content_block_start" + rest
    (sentence,) = await draft(sends(body))
    assert (sentence.text, [claim.quote for claim in sentence.claims]) == (FORCE, [FORCE])


async def test_a_draft_that_says_not_covered_has_no_sentences() -> None:
    assert await draft(writes(("NOT COVERED",))) == []


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (fails("401 Unauthorized"), ModelUnavailable),
        (fails("500 Internal Server Error"), ModelUnavailable),
        (fails("429 Too Many Requests", "Retry-After: 60"), Unavailable),
        (cuts_off("x"), ModelUnavailable),
        (sends(b"<html>busy</html>", content_type="text/html"), ModelUnavailable),
        (sends(b'event: error\ndata: {"type": "error", "error": {}}\n\n'), ModelUnavailable),
    ],
)
async def test_a_failing_provider_is_our_error_without_its_words(
    script: Script, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        await draft(script)
    assert "provider text" not in str(caught.value)


async def test_a_server_that_fails_once_is_asked_again() -> None:
    draft_ = await draft(fails("500 Internal Server Error"), writes((FORCE, (0, FORCE))))
    assert [sentence.text for sentence in draft_] == [FORCE]
