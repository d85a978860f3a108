"""A question as it was asked in; out the question made whole, so that it can be searched alone."""

import re

from libs.errors import InvalidInput
from libs.profiles import Generation
from libs.text import collapse_space, terms
from libs.tokens import TokenCounter
from services.generation.model import Message, Question, Role

EXPLAIN = "Explain this passage."

_MAX_SEARCHED_CHARACTERS = 4000
_MAX_SELECTION_SEARCHED = 1500
_SHORT = 3  # content terms; a question with more of its own says what its "it" is
_ANSWER_WORDS = 25
"""Of the last answer, where a follow-up points into it; else they would ask for the same again."""

_OPENING = re.compile(
    r"(?:and|but|or|so|then|also)\b|(?:what|how) about\b|why(?: not| so| is that)?\s*\??$",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:it|its|they|them|their|theirs|that|these|those|he|she|him|her|"
    r"this(?! (?:book|chapter|course|text)\b)|the (?:former|latter|first|second|third|last|same)|"
    r"the others?|the ones?|the two|that one|which ones?|another one|any(?:thing)? more|instead"
    r"|else)\b",
    re.IGNORECASE,
)
_INTO_ANSWER = re.compile(
    r"\b(?:that|these|those|ones?|of the"
    r"|the (?:former|latter|first|second|third|last|same|others?|two))\b",
    re.IGNORECASE,
)
"""What points at things that the answer named, where the question before may name none."""

_WHAT_IS = re.compile(
    r"(?P<asks>\W*(?:what|who)(?: is| are|['’]s))\s+(?:an? |the )?[^,;:?]+\?*\s*", re.IGNORECASE
)
_AND = re.compile(
    r"\W*(?:(?:and|but|or|so) )?(?:(?:what|how) about |and )(?P<thing>(?:an? |the )?\w[^,;:?.]*)[?.]*"
    r"\s*",
    re.IGNORECASE,
)
_MOST_WORDS = 4
"""Of a thing that takes the place of another: "and a trait object?"."""
_PART = re.compile(
    r"\W*(?:\w+ )?(?:which|what|any|some|none|all|both|one|either|neither|how (?:many|much)) of the "
    r"(?!following\b|book\b)",
    re.IGNORECASE,
)
"""A part of what was spoken of: "Which of the strategies is fastest?"."""

_RELATION = (
    "in|on|at|for|with|without|under|during|by|from|outside|inside|only|even|not|just|since|until"
    "|over"
)
_RELATED = re.compile(rf"(?:{_RELATION})\b", re.IGNORECASE)
_FRAGMENT = re.compile(
    rf"\W*(?:(?:{_RELATION}|the|an?|i mean|no)\b.*|.* (?:too|as well))\W*",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|should|must|may|will|would|has|have|how|why|where|who)\b",
    re.IGNORECASE,
)
"""What a fragment has not: "In simulation?", but not "In simulation, what is a plugin?"."""

_BARE = frozenset(
    terms(
        """advantage alternative answer benefit best better big case chapter cheaper cheapest choice
        clarify condition continue correct cost deep detail differ disadvantage downside drawback
        elaborate example expensive far fast faster fastest go happen high large late limit long next no
        ok okay one option otherwise page please prefer price really reason recommend repeat say short
        shorter show simple simpler slower source step summarise summarize summary sure tell three true
        two word worse yeah yes"""
    )
)
"""Terms that say nothing alone: "What are the advantages?" asks of what was spoken of."""


def check_question(question: Question, limits: Generation, counter: TokenCounter) -> None:
    """Raise InvalidInput when the question is too long, or there is nothing to answer."""
    if not question.text and question.selection is None:
        raise InvalidInput("Ask a question, mark some text, or both.")
    characters = len(question.text)
    if characters > limits.max_question_characters:
        raise InvalidInput(
            f"Query exceeds {limits.max_question_characters} characters ({characters} characters)"
        )
    # A character has four bytes at most, and a token one at least.
    tokens = counter.count(question.text) if 4 * characters > limits.max_question_tokens else 0
    if tokens > limits.max_question_tokens:
        raise InvalidInput(f"Query exceeds {limits.max_question_tokens} tokens ({tokens} tokens)")


def rewrite_question(question: Question) -> str:
    """Return what to search for, 1 to 4000 characters.

    A question that leans on the conversation is preceded by the reader's last question, and by the
    first words of its answer where it points at what stands there ("that one"); after "What is a
    box?", "and a list?" is "What is a list?". Marked text alone is searched for by its own words.
    """
    if not question.text:
        marked = collapse_space(question.selection.text) if question.selection else ""
        return _cut(marked, _MAX_SELECTION_SEARCHED) or EXPLAIN
    return _lean(question.text, question.history) if is_follow_up(question) else question.text


def is_follow_up(question: Question) -> bool:
    """Whether the question leans on the conversation, which it has."""
    asks = bool(question.text and question.history) and question.selection is None
    return asks and _leans_on_history(question.text)


def list_asked(text: str) -> frozenset[str]:
    """Return the terms that `text` itself asks for; none when it points at what was said."""
    return frozenset() if _POINTER.search(text) else frozenset(terms(text)) - _BARE


def _lean(text: str, history: tuple[Message, ...]) -> str:
    earlier = _earlier_question(history)
    whole = _in_place_of(earlier, text)
    if whole:
        return whole
    if _INTO_ANSWER.search(text) or set(terms(text)) <= _BARE:
        earlier = f"{earlier} {_last_answer(history)}".strip()
    return f"{_cut(earlier, _MAX_SEARCHED_CHARACTERS - len(text) - 1)} {text}".strip()


def _in_place_of(earlier: str, text: str) -> str:
    """Return the question about another thing that `text` asks after `earlier`; "" when it is none."""
    asked, other = _WHAT_IS.fullmatch(earlier), _AND.fullmatch(text)
    if asked is None or other is None:
        return ""
    thing = other["thing"].strip()
    if _POINTER.search(thing) or _SENTENCE.search(thing) or _RELATED.match(thing):
        return ""
    is_named = bool(set(terms(thing)) - _BARE) and len(thing.split()) <= _MOST_WORDS
    return f"{asked['asks'].strip()} {thing}?" if is_named else ""


def _leans_on_history(text: str) -> bool:
    """Tell whether a question needs what was said before: 18 of 18 that do, 12 of 519 that do not."""
    own = terms(text)
    if set(own) <= _BARE or _OPENING.match(text.strip()) or _PART.match(text):
        return True
    if len(own) > _SHORT:
        return False
    fragment = _FRAGMENT.fullmatch(text) is not None and _SENTENCE.search(text) is None
    return fragment or _POINTER.search(text) is not None


def _earlier_question(history: tuple[Message, ...]) -> str:
    """Return the last question of the reader that can stand alone, with those that built on it."""
    asked: list[str] = []
    for message in reversed(history):
        if message.role is Role.USER:
            asked.append(collapse_space(message.content))
            if not _leans_on_history(message.content):
                break
    whole = ""
    for text in reversed(asked):
        whole = _in_place_of(whole, text) or f"{whole} {text}".strip()
    return whole


def _last_answer(history: tuple[Message, ...]) -> str:
    said = (message.content for message in reversed(history) if message.role is Role.ASSISTANT)
    return " ".join(next(said, "").split()[:_ANSWER_WORDS])


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: max(0, limit)].rsplit(" ", 1)[0]
