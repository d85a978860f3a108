"""Questions are checked, and made whole by rules."""

import pytest

from libs.errors import InvalidInput
from libs.profiles import load_profile
from libs.tokens import TokenCounter
from services.generation.accept import check_question
from services.generation.model import Message, Role, Selection
from services.generation.rewrite import EXPLAIN, choose_language, read_question
from tests.support.generation_fakes import question


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


def said(*texts: str) -> tuple[Message, ...]:
    roles = [Role.USER, Role.ASSISTANT]
    return tuple(Message(roles[index % 2], text) for index, text in enumerate(texts))


LAB = said("How much does an on-premise lab cost?", "The sample lab comes to $89,000.")


@pytest.mark.parametrize(
    "text",
    [
        "and the hybrid one?",
        "why?",
        "Is it cheaper?",
        "Which of those is best?",
        "Which of the example strategies copes with losing the network?",
        "which ones are common?",
        "What are the advantages?",
        "Give an example.",
        "Under which conditions?",
        "yes",
    ],
)
def test_a_question_that_points_at_the_answer_takes_the_last_exchange_along(text: str) -> None:
    exchange = f"{LAB[0].content} {LAB[1].content}"
    assert read_question(question(text, history=LAB)).question == f"{exchange} {text}"


@pytest.mark.parametrize(
    "text",
    [
        "What about the cloud?",
        "In simulation?",
        "the premium lab?",
        "A second robot too?",
        "I mean the cloud",
        "how do I set it up?",
    ],
)
def test_a_follow_up_that_names_what_it_wants_takes_only_the_last_question_along(text: str) -> None:
    # The words of the answer would find the same passages, and the reader would have it once more.
    assert read_question(question(text, history=LAB)).question == f"{LAB[0].content} {text}"


@pytest.mark.parametrize(
    ("asked", "text", "whole"),
    [
        ("What is a topic?", "and a service?", "What is a service?"),
        ("What is sid?", "what about testing?", "What is testing?"),
        ("Who is Ada?", "And how about Grace?", "Who is Grace?"),
        ("what's a box", "and the trait object", "what's the trait object?"),
        ("What is sid?", "and in testing?", "What is sid? and in testing?"),
        ("What is sid?", "and how is it built?", "How is sid built?"),
        ("What is a topic good for, in a word?", "and a service?", None),
        ("What is the speed of sound?", "What about light?", "What is the speed of light?"),
        ("What is the duty of the pilot?", "and the mate?", "What is the duty of the mate?"),
        ("What is the speed of sound?", "and the pitch?", "What is the pitch of sound?"),
        ("How is a topic named?", "and a service?", None),
    ],
)
def test_another_thing_takes_the_place_of_the_one_that_was_asked_for(
    asked: str, text: str, whole: str | None
) -> None:
    history = said(asked, "It is what it is.")
    assert read_question(question(text, history=history)).question == (whole or f"{asked} {text}")


@pytest.mark.parametrize(
    "text",
    [
        "Which sensors measure the joint angles of a humanoid robot?",
        "Which sensors are there?",
        "Who won the world cup?",
        "What is passive compliance?",
        "How do I install a package?",
        "How many chapters does this book have?",
        "How long can Tally keep walking before it needs the charger?",
        "Which of the following is true of a node?",
        "In simulation, what is a plugin?",
        "What are the advantages of hydraulics?",
        "passive compliance",
    ],
)
def test_a_question_of_its_own_stands_alone_however_short(text: str) -> None:
    assert read_question(question(text, history=LAB)).question == text


def test_a_chain_of_follow_ups_goes_back_to_what_started_it() -> None:
    history = said("What is a service in ROS 2 good for?", "A call.", "And an action?", "A task.")
    assert read_question(question("and how does it compare?", history=history)).question == (
        "How does an action compare?"
    )
    history = said("How is a service called?", "So.", "And an action?", "Otherwise.")
    assert read_question(question("and how does it compare?", history=history)).question == (
        "How is a service called? And an action? and how does it compare?"
    )


def test_without_history_nothing_is_added() -> None:
    assert read_question(question("and the hybrid one?")).question == "and the hybrid one?"


def test_a_selection_alone_is_searched_by_its_words() -> None:
    selection = Selection("a.mdx", text="  It holds\n21 MPa. ")
    assert read_question(question("", selection=selection)).question == "It holds 21 MPa."


def test_a_selection_without_words_is_explained() -> None:
    assert read_question(question("", selection=Selection("a.mdx", 3, 9))).question == EXPLAIN


def test_a_selection_with_a_question_is_searched_by_the_question() -> None:
    selection = Selection("a.mdx", text="It holds 21 MPa.")
    assert (
        read_question(question("And then?", selection=selection, history=LAB)).question
        == "And then?"
    )


def test_the_searched_question_is_never_longer_than_retrieval_takes() -> None:
    history = said("word " * 790)
    asked = "and? " * 100
    searched = read_question(question(asked, history=history)).question
    assert len(searched) <= 4000
    assert searched.endswith(asked.strip())
    assert (
        len(read_question(question("", selection=Selection("a", text="w " * 2500))).question)
        <= 4000
    )


def test_limits_are_the_profiles(counter: TokenCounter) -> None:
    limits = load_profile("").generation
    check_question(question("x" * 4000), limits, counter)
    with pytest.raises(InvalidInput, match=r"Query exceeds 4000 characters \(4001 characters\)"):
        check_question(question("x" * 4001), limits, counter)
    with pytest.raises(InvalidInput, match=r"Query exceeds 1000 tokens \(1001 tokens\)"):
        check_question(question("a" + " b" * 1000), limits, counter)
    with pytest.raises(InvalidInput, match="Ask a question"):
        check_question(question(""), limits, counter)


def test_special_tokens_in_a_question_are_text(counter: TokenCounter) -> None:
    check_question(question("<|endoftext|>"), load_profile("").generation, counter)


def test_only_the_first_words_of_an_answer_are_taken_along() -> None:
    history = said("Which sensors are there?", " ".join(f"word{index}" for index in range(60)))
    searched = read_question(question("and those?", history=history)).question
    assert searched.startswith("Which sensors are there? word0 word1 ")
    assert "word24 and those?" in searched


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wann wird der Honig geerntet?", "de"),
        ("When is honey harvested?", "en"),
        ("登り窯", "ja"),
        # It does not tell: what was asked before does.
        ("Honig?", "de"),
        # In none of the book's languages.
        ("¿Cuándo se cosecha la miel?", "en"),
    ],
)
def test_a_question_is_read_by_the_language_of_the_book_that_it_is_in(
    text: str, language: str
) -> None:
    before = (Message(Role.USER, "Was ist eine Biene?"), Message(Role.ASSISTANT, "An insect."))
    asked = question(text, history=before, language="en", languages=("en", "de", "ja"))
    assert choose_language(asked).language == language
    assert read_question(choose_language(asked)).language == language


def test_selected_text_alone_tells_the_language_to_read_it_by() -> None:
    selection = Selection("de.md", 0, 40, "Die Bienen schlafen in der Nacht.")
    asked = question("", selection=selection, language="en", languages=("en", "de"))
    assert choose_language(asked).language == "de"


def test_a_book_of_one_language_is_read_by_it_whatever_is_asked() -> None:
    asked = question("Wann wird der Honig geerntet?", language="en", languages=("en",))
    assert choose_language(asked).language == "en"
