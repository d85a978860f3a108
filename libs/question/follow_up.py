"""Make a question that leans on the conversation whole, by rules, so that it can be searched alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from libs.language.lexicon import FollowUps
from libs.text import collapse_space, terms

MAX_CHARACTERS = 4000
"""Of a question that is searched for."""

_SHORT = 3  # content terms; a question with more of its own says what its "it" is
_ANSWER_WORDS = 25
"""Of the last answer, where a follow-up points into it; else they would ask for the same again."""

_MOST_WORDS = 4
"""Of a thing that takes the place of another: "and a trait object?"."""


@dataclass(frozen=True)
class Conversation:
    """What was said before: the reader's questions, oldest first, and the last answer."""

    questions: tuple[str, ...] = ()
    answer: str = ""


def leans_on_history(text: str, rules: FollowUps) -> bool:
    """Tell whether a question needs what was said before: 18 of 18 that do, 12 of 519 that do not."""
    own = terms(text)
    if (
        set(own) <= _bare_terms(rules)
        or rules.opening.match(text.strip())
        or rules.part.match(text)
    ):
        return True
    if len(own) > _SHORT:
        return False
    fragment = rules.fragment.fullmatch(text) is not None and rules.sentence.search(text) is None
    return fragment or rules.pointer.search(text) is not None


def make_whole(text: str, before: Conversation, rules: FollowUps) -> str:
    """Return a follow-up with what it leans on, at most MAX_CHARACTERS.

    It is preceded by the reader's last question, and by the first words of its answer where it points
    at what stands there ("that one"); after "What is a box?", "and a list?" is "What is a list?".
    """
    earlier = _earlier_question(before.questions, rules)
    whole = _in_place_of(earlier, text, rules)
    if whole:
        return whole
    if rules.into_answer.search(text) or set(terms(text)) <= _bare_terms(rules):
        answer = " ".join(before.answer.split()[:_ANSWER_WORDS])
        earlier = f"{earlier} {answer}".strip()
    return f"{cut_text(earlier, MAX_CHARACTERS - len(text) - 1)} {text}".strip()


def list_asked(text: str, rules: FollowUps) -> frozenset[str]:
    """Return the terms that `text` itself asks for; none when it points at what was said."""
    return (
        frozenset() if rules.pointer.search(text) else frozenset(terms(text)) - _bare_terms(rules)
    )


def cut_text(text: str, limit: int) -> str:
    """Return whole words of `text`, `limit` characters at most."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit)].rsplit(" ", 1)[0]


@lru_cache(maxsize=8)
def _bare_terms(rules: FollowUps) -> frozenset[str]:
    return frozenset(terms(" ".join(rules.bare)))


def name_other(text: str, rules: FollowUps) -> str:
    """Return the thing of which a follow-up asks what was asked of another: "and Jazzy?"; else ""."""
    other = rules.other_thing.fullmatch(text)
    thing = other["thing"].strip() if other else ""
    if rules.pointer.search(thing) or rules.sentence.search(thing) or rules.relation.match(thing):
        return ""
    is_named = bool(set(terms(thing)) - _bare_terms(rules)) and len(thing.split()) <= _MOST_WORDS
    return thing if is_named else ""


def _in_place_of(earlier: str, text: str, rules: FollowUps) -> str:
    """Return the question about another thing that `text` asks after `earlier`; "" when it is none."""
    asked = rules.what_is.fullmatch(earlier)
    thing = name_other(text, rules) if asked else ""
    return f"{asked['asks'].strip()} {thing}?" if asked and thing else ""


def _earlier_question(questions: Sequence[str], rules: FollowUps) -> str:
    """Return the last question of the reader that can stand alone, with those that built on it."""
    asked: list[str] = []
    for question in reversed(questions):
        asked.append(collapse_space(question))
        if not leans_on_history(question, rules):
            break
    whole = ""
    for text in reversed(asked):
        whole = _in_place_of(whole, text, rules) or f"{whole} {text}".strip()
    return whole
