"""What questions one after the other come to, against responses that are given."""

import httpx
import pytest

from tests.benchmarks.asking import Asked, Asker
from tests.benchmarks.corpora import Question

QUESTIONS = [Question("What is it?", ("It is.",), ("a.md",))]
ANSWER = {"refusal": None, "timings": [{"stage": "gateway.answer", "used_ms": 2.0}]}


def asker_of(*responses: httpx.Response) -> Asker:
    left = iter(responses)
    asker = Asker("http://localhost", "book", QUESTIONS)
    asker._client = httpx.AsyncClient(
        base_url="http://localhost", transport=httpx.MockTransport(lambda _: next(left))
    )
    return asker


async def test_a_question_that_is_refused_is_counted_and_the_next_one_asked() -> None:
    asked = Asked()
    asker = asker_of(*map(httpx.Response, (429, 504)), httpx.Response(200, json=ANSWER))
    for number in range(3):
        await asker.answer(number, "", asked)
    assert (asked.refused, asked.answered, len(asked.walls_ms)) == (2, 1, 1)


async def test_a_search_that_is_refused_found_nothing() -> None:
    asked = Asked()
    await asker_of(httpx.Response(503)).search(0, "", asked)
    assert (asked.refused, asked.passages, asked.walls_ms) == (1, [[]], [])


async def test_an_unexpected_status_ends_the_measuring() -> None:
    with pytest.raises(httpx.HTTPStatusError):
        await asker_of(httpx.Response(500)).answer(0, "", Asked())


async def test_a_stream_that_breaks_off_ends_the_measuring() -> None:
    with pytest.raises(RuntimeError):
        await asker_of(httpx.Response(200, text="event: passages\n\n")).stream(0, "", Asked())
