"""Questions about the sample book itself, through the whole product, each with its quotation."""

import httpx
import pytest

from tests.support.stack import SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]


@pytest.fixture
def stack(sample_stack: RunningStack) -> RunningStack:
    return sample_stack


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is this book about?", "Physical AI is the craft of building systems"),
        ("How is this book organised?", "Chapters 2 to 5 are about the body"),
        ("Who is this book for?", "A reader who programs already"),
        ("What does chapter 3 cover?", "This chapter introduces the three families"),
        ("What is the chapter on batteries about?", "This chapter computes how long"),
        ("What is the last chapter about?", "Safety"),
        ("What is the title of chapter 7?", "ROS 2: the nervous system"),
    ],
)
def test_a_question_about_the_book_is_answered_with_its_own_words(
    stack: RunningStack, question: str, expected: str
) -> None:
    answer = stack.ask(SAMPLE, question)
    leads = [sentence for sentence in answer["sentences"] if sentence["role"] == "lead"]
    assert any(expected in sentence["text"] for sentence in leads)
    for citation in answer["citations"]:
        url = f"{stack.url}/v1/books/{SAMPLE}/documents/{citation['document']}"
        text = httpx.get(url, timeout=30, trust_env=False).raise_for_status().json()["text"]
        assert text[citation["start"] : citation["end"]] == citation["quote"]


@pytest.mark.parametrize("question", ["Which chapters are there?", "How many chapters are there?"])
def test_the_chapters_are_listed_by_their_titles(stack: RunningStack, question: str) -> None:
    answer = stack.ask(SAMPLE, question)
    titles = [sentence["text"] for sentence in answer["sentences"]]
    assert (len(titles), titles[1], titles[-1]) == (15, "Kinematics and dynamics", "Safety")


@pytest.mark.parametrize(
    "question",
    ["Who wrote this book?", "When was this book published?", "What does chapter 16 cover?"],
)
def test_a_question_about_the_book_that_it_does_not_answer_is_refused(
    stack: RunningStack, question: str
) -> None:
    answer = stack.ask(SAMPLE, question)
    assert answer["refusal"]["related_sections"]
