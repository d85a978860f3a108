"""How a model says that the sources do not answer: each prompt's own words, and no others."""

from pathlib import Path

import pytest

from libs.profiles import PROMPTS
from services.generation.language_model.messages import is_declined

RULES = sorted(PROMPTS.glob("*.md"))


@pytest.mark.parametrize("rules", RULES, ids=lambda path: path.stem)
def test_a_prompt_tells_the_model_to_decline_in_words_that_are_recognised(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    phrases = (PROMPTS / "declines.txt").read_text(encoding="utf-8").splitlines()
    assert [phrase for phrase in phrases if phrase in text.lower()]


@pytest.mark.parametrize(
    "reply",
    [
        "NOT COVERED",
        "**Not covered.**",
        "The book does not contain sufficient information about radar.",
        "This question is not covered in the provided book excerpts.",
    ],
)
def test_a_reply_in_those_words_declines(reply: str) -> None:
    assert is_declined(reply)


@pytest.mark.parametrize(
    "reply",
    ["Notcovered", "The roof is not covered with tiles.", "The book says that radar sees far.", ""],
)
def test_another_reply_does_not_decline(reply: str) -> None:
    assert not is_declined(reply)
