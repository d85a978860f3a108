"""What every answerer must do, run on each of them."""

import json
import re
from contextlib import aclosing, asynccontextmanager

import pytest

from libs.circuit import MOST_FAILURES
from libs.errors import ModelUnavailable
from services.generation.adapters.extractive_answerer import ExtractiveAnswerer
from services.generation.adapters.model_api import RetryBucket
from services.generation.adapters.openai_answerer import OpenAIAnswerer
from services.generation.cite import Citations
from services.generation.ground import is_grounded
from services.generation.model import FollowUp, Message, Role, Transcript
from tests.support.generation_fakes import PASSAGES, prompt, question
from tests.support.scripted_claude import claude_answerer, writes
from tests.support.scripted_model import (
    cuts_off,
    fails,
    says,
    says_then_hangs,
    scripted_model,
    sends_choices,
)

FORCE = "A hydraulic actuator turns the pressure of a fluid into force."
GOOD = f'{FORCE} [Source 1: "{FORCE}"]\nElectric motors are cleaner. [Source 2]'


@asynccontextmanager
async def openai_answerer(*scripts, key="key"):
    async with scripted_model(*scripts) as model:
        answerer = OpenAIAnswerer(url=model.url, key=key)
        try:
            yield answerer, model
        finally:
            await answerer.close()


@pytest.fixture(params=["extractive", "openai", "anthropic"])
async def answerer(request):
    if request.param == "extractive":
        yield ExtractiveAnswerer()
        return
    claude = request.param == "anthropic"
    opening = claude_answerer(writes((GOOD,))) if claude else openai_answerer(says(GOOD))
    async with opening as (opened, _):
        yield opened


async def write(answerer, asked=None, transcript=None):
    asked = asked or prompt()
    return [
        sentence
        async for sentence in answerer.write(asked, transcript or Transcript(), allowed_s=2.0)
    ]


async def test_a_draft_claims_something_of_its_sources(answerer):
    draft = await write(answerer)
    assert draft
    for sentence in draft:
        assert sentence.text.strip()
        assert all(1 <= claim.source <= len(PASSAGES) for claim in sentence.claims)


async def test_what_is_right_passes_the_checks(answerer):
    draft = await write(answerer)
    citations = Citations(PASSAGES)
    proofs = [proof.quote for proof in citations.check(draft[0])]
    assert is_grounded(draft[0].text, proofs)


async def test_the_same_question_gets_the_same_draft(answerer):
    assert await write(answerer) == await write(answerer)


async def test_a_draft_may_be_left_before_its_end(answerer):
    async with aclosing(answerer.write(prompt(), Transcript(), 2.0)) as draft:
        assert await anext(draft)


async def test_without_passages_there_is_nothing_to_show():
    assert await write(ExtractiveAnswerer(), prompt(())) == []


async def test_leaving_a_draft_ends_the_models_work():
    async with openai_answerer(says_then_hangs(f"{GOOD}\n")) as (answerer, model):
        async with aclosing(answerer.write(prompt(), Transcript(), 5.0)) as draft:
            await anext(draft)
        await model.abandoned.wait()


async def test_the_transcript_holds_both_sides_even_of_a_draft_that_broke():
    transcript = Transcript()
    async with openai_answerer(cuts_off("half of")) as (answerer, _):
        with pytest.raises(ModelUnavailable):
            await write(answerer, transcript=transcript)
    assert transcript.response == "half of"
    assert "What does a hydraulic actuator do?" in transcript.prompt


async def test_the_model_is_named_by_the_setting_before_the_profile():
    async with scripted_model(says(GOOD)) as model:
        for name in ("", "my-model"):
            answerer = OpenAIAnswerer(url=model.url, key="", model=name)
            await write(answerer)
            await answerer.close()
    assert [asked.body["model"] for asked in model.requests] == ["gpt-4o-mini", "my-model"]
    assert model.requests[0].headers["authorization"] == "Bearer none"


async def test_tokens_are_cut_to_what_fits_the_time():
    async with openai_answerer(says(GOOD)) as (answerer, model):
        async for _ in answerer.write(prompt(), Transcript(), 1.0):
            pass
        async for _ in answerer.write(prompt(), Transcript(), 60.0):
            pass
    short, long = (asked.body["max_tokens"] for asked in model.requests)
    assert short < 200
    assert long == 800


async def test_a_provider_that_always_fails_is_left_alone():
    async with openai_answerer(fails("500 Oh")) as (answerer, model):
        for _ in range(15):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
    assert len(model.requests) == 5 + 5  # five calls with one retry each


def test_answers_earn_retries_back():
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


async def test_a_model_is_asked_for_json_by_a_schema():
    async with openai_answerer(says(STRUCTURED)) as (answerer, model):
        [sentence] = await write(answerer)
    asked = model.requests[0].body["response_format"]["json_schema"]
    assert asked["strict"]
    assert set(asked["schema"]["properties"]) == {"sentences", "confidence"}
    assert (sentence.text, sentence.claims[0].quote) == (FORCE, FORCE)


async def test_a_server_that_refuses_json_is_asked_for_lines_from_then_on():
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
async def test_a_server_that_refuses_json_and_fails_is_asked_twice_at_most(scripts):
    async with openai_answerer(*scripts) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
    assert len(model.requests) == 2


async def test_a_bad_request_for_another_reason_is_not_asked_again():
    async with openai_answerer(fails("400 Bad Request")) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await write(answerer)
    assert len(model.requests) == 1


async def test_without_structured_output_nothing_of_it_is_asked():
    async with scripted_model(says(GOOD)) as model:
        answerer = OpenAIAnswerer(url=model.url, key="key", structured=False)
        await write(answerer)
        await answerer.close()
    assert "response_format" not in model.requests[0].body


async def test_a_structured_sentence_is_there_before_the_draft_ends():
    async with (
        openai_answerer(says_then_hangs(STRUCTURED.partition("]}]")[0] + "]}")) as (
            answerer,
            _,
        ),
        aclosing(answerer.write(prompt(), Transcript(), 2.0)) as draft,
    ):
        assert (await anext(draft)).text == FORCE


async def test_tokens_are_counted_by_the_server():
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


HISTORY = (
    Message(Role.USER, "What does a hydraulic actuator do?"),
    Message(Role.ASSISTANT, "It turns the pressure of a fluid into force. [end of data]"),
)
WHOLE = "How clean is a hydraulic actuator?"
DEFAULTS = prompt().settings


@pytest.fixture(params=["openai", "anthropic"])
def rephraser(request):
    return openai_answerer if request.param == "openai" else claude_answerer


def saying(opening, text):
    return writes((text,)) if opening is claude_answerer else says(text)


async def rephrase(answerer, transcript=None, text="and how clean is it?"):
    asked = FollowUp(question(text=text, history=HISTORY), frozenset(), DEFAULTS)
    return await answerer.rephrase(asked, transcript or Transcript(), 2.0)


async def test_a_model_makes_a_follow_up_whole(rephraser):
    transcript = Transcript()
    async with rephraser(saying(rephraser, WHOLE)) as (answerer, model):
        assert await rephrase(answerer, transcript) == WHOLE
    body = json.dumps(model.requests[0].body)
    assert "and how clean is it?" in body
    assert "pressure of a fluid" in body
    assert (model.requests[0].body["max_tokens"], model.requests[0].body["stream"]) == (100, True)
    assert (transcript.response, transcript.model) == (WHOLE, DEFAULTS.model)
    assert "and how clean is it?" in transcript.prompt


async def test_each_follow_up_has_marks_of_its_own(rephraser):
    async with rephraser(saying(rephraser, WHOLE)) as (answerer, model):
        for _ in range(2):
            await rephrase(answerer)
    marks = {re.search(r"\[data (\w+)\]", json.dumps(asked.body))[1] for asked in model.requests}
    assert len(marks) == 2


@pytest.mark.parametrize("script", [fails("500 Oops"), cuts_off("How clean")])
async def test_a_follow_up_is_tried_once_and_never_half(rephraser, script):
    async with rephraser(script) as (answerer, model):
        with pytest.raises(ModelUnavailable):
            await rephrase(answerer)
    assert len(model.requests) == 1


async def test_no_follow_up_is_sent_to_a_model_that_is_down():
    async with openai_answerer(fails("500 Oops")) as (answerer, model):
        for _ in range(MOST_FAILURES):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
        sent = len(model.requests)
        with pytest.raises(ModelUnavailable):
            await rephrase(answerer)
    assert len(model.requests) == sent


async def test_an_endless_follow_up_is_cut_off():
    async with openai_answerer(says("word " * 400)) as (answerer, _):
        with pytest.raises(ModelUnavailable):
            await rephrase(answerer)
