"""Behind a clause that only states something, what is asked is looked for alone."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import lead_answer
from services.generation.model import BlockKind
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY

CHARTER = "King John granted the charter of the market in 1204."


@pytest.mark.parametrize(
    ("language", "question", "asked"),
    [
        (
            "en",
            "Since King John gave the charter, on which day was the market held?",
            "on which day was the market held?",
        ),
        (
            "de",
            "Da der König den Brief gab, wann war der Markt der Stadt?",
            "wann war der Markt der Stadt?",
        ),
        # A pronoun for what the clause begins with gives way to that; in German too.
        (
            "en",
            "Since the tower is 41 m high, who paid for it?",
            "who paid for the tower?",
        ),
        ("en", "Since the Tern doesn't leak, who built it?", "who built the Tern?"),
        ("en", "Since Anna Berg lost the boat, where was she born?", "where was Anna Berg born?"),
        (
            "de",
            "Da der Neubau 1955 fertig war, wer hat ihn entworfen?",
            "wer hat der Neubau entworfen?",
        ),
        # It leans on the clause otherwise, or is too short to be looked for alone.
        ("en", "Since King John gave the charter, when was it sealed?", ""),
        ("en", "Since King John gave the charter, who came?", ""),
        ("en", "On which day was the market held?", ""),
    ],
)
def test_a_question_is_told_from_what_is_stated_before_it(
    language: str, question: str, asked: str
) -> None:
    held = passage(CHARTER, CHARTER, BlockKind.PARAGRAPH)
    whole = replace(prompt((held,), question), analysis=analyse_question(question, language))
    answer = lead_answer(whole, BY_SIMILARITY)
    assert answer.asked.analysis.question == (asked or question)
