"""A follow-up is answered by what it speaks of, and what was said is not said again."""

from dataclasses import replace
from typing import Any

import pytest

from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from libs.tokens import TokenCounter
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.support import shipped_support
from services.generation.model import BlockKind, Locator, Message, Passage, Question, Role, Span
from services.generation.prompt import pack_prompt
from tests.support.generation_fakes import PASSAGES, prompt, question

LINES = (
    "The lift is a platform that oil pushes up.",
    "Oil is pumped through a hose to the lift.",
    "The price of the lift is 9,000 in the small size.",
    "Most of them are painted yellow.",
)
TOLD = (
    Message(Role.USER, "What is a lift?"),
    Message(Role.ASSISTANT, f"{LINES[0]} [Source 1]\n{LINES[1]}"),
)


def ordered(follow_up: str) -> list[str]:
    """The lines from the most to the least likely, all as similar to the question."""
    text, spans = "", []
    for line in LINES:
        spans.append(Span(len(text), len(text) + len(line), BlockKind.PARAGRAPH, 0.5))
        text += line + "\n\n"
    passage = Passage("c-1", Locator("a.md", 0, len(text), ("Lifts",)), text, tuple(spans))
    asked = prompt((passage,), f"What is a lift? {follow_up}", history=TOLD, follow_up=follow_up)
    every = replace(shipped_support(), threshold=0.0)
    return [passage.text_of(place.span) for place in choose_places(asked, support=every)]


def test_sentences_with_the_terms_of_the_follow_up_come_first() -> None:
    assert ordered("and at what price?")[0] == LINES[2]


def test_sentences_that_were_shown_before_come_last() -> None:
    assert ordered("tell me more")[2] in LINES[:2]


def test_a_sentence_shown_before_is_repeated_where_it_alone_has_the_terms_of_the_follow_up() -> (
    None
):
    assert ordered("and the hose?")[0] == LINES[1]


def test_the_answer_to_a_follow_up_is_another_one() -> None:
    passages = tuple(
        Passage(
            f"c-{number}",
            Locator("a.md", 1000 * number, 1000 * number + len(line), (f"Part {number}",)),
            line,
            (Span(1000 * number, 1000 * number + len(line), BlockKind.PARAGRAPH, 0.5),),
        )
        for number, line in enumerate(LINES)
    )

    def first(text: str, **fields: Any) -> str:
        asked = prompt(passages, text, **fields)
        settings = replace(asked.settings, max_sentences=1)
        places = choose_places(replace(asked, settings=settings))
        return passages[places[0].source - 1].text

    assert first("What is a lift?") == LINES[0]
    told = {"history": TOLD, "follow_up": "tell me more"}
    assert first("What is a lift? tell me more", **told) not in LINES[:2]


def test_only_a_question_that_was_made_whole_is_a_follow_up(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    counter = TokenCounter(tmp_path_factory.getbasetemp() / "cache")

    def packed(asked: Question, searched: str) -> str:
        settings = load_profile("").generation
        prompt, _ = pack_prompt(
            asked,
            analyse_question(searched),
            PASSAGES,
            settings=settings,
            budget_tokens=1000,
            counter=counter,
        )
        return prompt.follow_up

    assert packed(question("and why?", history=TOLD), "What is a lift? and why?") == "and why?"
    assert packed(question("What is a lift?", history=TOLD), "What is a lift?") == ""
