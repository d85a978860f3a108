"""Catalogue P3: generation is killed while a model writes, or while what it wrote is being checked."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.support import scripted_model as model
from tests.support.aside import asking_model, post
from tests.support.readers import proven_lines
from tests.support.stack import (
    QUESTION,
    SAMPLE,
    RunningStack,
    eventually,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

UNPROVEN = "Springs are painted blue"


@pytest.fixture
def stack(sample_stack: RunningStack) -> RunningStack:
    return sample_stack


def proven(stack: RunningStack) -> str:
    return proven_lines(stack)[0]


@pytest.mark.fault("P3")
def test_killed_in_the_model_s_call_it_is_an_error_and_the_model_is_asked_once(
    stack: RunningStack,
) -> None:
    with (
        asking_model(stack, model.says_then_hangs(UNPROVEN)) as (url, asked, process),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(post, url, SAMPLE, QUESTION)
        eventually(lambda: len(asked.requests) == 1, "the model was not asked")
        process.kill()
        response = waiting.result(30)

        problem = response.json()
        assert (response.status_code, problem["code"]) == (503, "unavailable")
        assert "blue" not in response.text
        eventually(asked.abandoned.is_set, "the model's connection is still open")
        assert len(asked.requests) == 1


@pytest.mark.fault("P3")
@pytest.mark.invariant("I1")
def test_killed_between_two_sentences_the_stream_ends_without_an_answer(
    stack: RunningStack,
) -> None:
    draft = f"{proven(stack)}\n{UNPROVEN}"
    with asking_model(stack, model.says_then_hangs(draft)) as (url, asked, process):
        body: dict[str, Any] = {
            "json": {"question": QUESTION},
            "headers": {"accept": "text/event-stream"},
        }
        with httpx.stream(
            "POST", f"{url}/v1/books/{SAMPLE}/answers", timeout=30, trust_env=False, **body
        ) as stream:
            names, shown = [], ""
            for line in stream.iter_lines():
                shown += line
                if line.startswith("event: "):
                    names.append(line.removeprefix("event: "))
                if names[-1:] == ["sentence"] and line.startswith("data: "):
                    process.kill()

    assert names == ["passages", "sentence", "error"]
    assert "blue" not in shown
    assert len(asked.requests) == 1
