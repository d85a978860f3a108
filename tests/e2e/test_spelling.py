"""Slips in questions to the sample book, through the whole product."""

import httpx
import pytest

from tests.support.stack import SAMPLE, RunningStack, eventually

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]


@pytest.fixture
def stack(sample_stack: RunningStack) -> RunningStack:
    # The words of language and book are read beside the first questions that need them.
    eventually(
        lambda: "spelling" not in sample_stack.ask(SAMPLE, "What is complience?")["degraded"],
        "the words are not there",
    )
    return sample_stack


def test_a_slip_is_answered_as_the_right_word_is_and_the_answer_says_so(
    stack: RunningStack,
) -> None:
    right = stack.ask(SAMPLE, "What is passive compliance?")
    wrong = stack.ask(SAMPLE, "What is pasive complience?")
    assert wrong["question"] == "What is pasive complience?"
    assert wrong["searched_question"] == "What is passive compliance?"
    assert [item["searched"] for item in wrong["corrections"]] == ["passive", "compliance"]
    assert wrong["citations"] == right["citations"]
    assert right["corrections"] == []


def test_the_passages_of_a_slip_are_those_of_the_right_word(stack: RunningStack) -> None:
    found = [
        httpx.post(
            f"{stack.url}/v1/books/{SAMPLE}/search",
            json={"question": question},
            timeout=30,
            trust_env=False,
        ).json()
        for question in ("How does a gyroscpe work?", "How does a gyroscope work?")
    ]
    assert [item["searched"] for item in found[0]["corrections"]] == ["gyroscope"]
    assert found[0]["searched_question"] == found[1]["searched_question"]
    assert found[0]["passages"] == found[1]["passages"]


@pytest.mark.parametrize("question", ["Who wrote the opera Tosca?", "How do I bake a pizza?"])
def test_a_real_word_that_the_book_lacks_is_not_made_another(
    stack: RunningStack, question: str
) -> None:
    answer = stack.ask(SAMPLE, question)
    assert answer["refusal"]
    assert answer["corrections"] == []
