"""What every answerer must do, run on each of them."""

from contextlib import aclosing, asynccontextmanager

import pytest

from libs.errors import ModelUnavailable
from services.generation.adapters.extractive_answerer import ExtractiveAnswerer
from services.generation.adapters.openai_answerer import OpenAIAnswerer, RetryBucket
from services.generation.cite import Citations
from services.generation.ground import is_grounded
from services.generation.model import Transcript
from tests.support.generation_fakes import PASSAGES, prompt
from tests.support.scripted_model import cuts_off, fails, says, says_then_hangs, scripted_model

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


@pytest.fixture(params=["extractive", "openai"])
async def answerer(request):
    if request.param == "extractive":
        yield ExtractiveAnswerer()
        return
    async with openai_answerer(says(GOOD)) as (opened, _):
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


async def test_retries_run_out_when_everything_fails():
    async with openai_answerer(fails("500 Oh")) as (answerer, model):
        for _ in range(15):
            with pytest.raises(ModelUnavailable):
                await write(answerer)
    assert len(model.requests) == 15 + 10


def test_answers_earn_retries_back():
    bucket = RetryBucket()
    while bucket.take():
        pass
    for _ in range(11):
        bucket.refill()
    assert bucket.take()
    assert not bucket.take()
