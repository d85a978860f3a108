"""What was found for a question that was refused in; questions that the book's own words raise out."""

from collections.abc import Iterator, Sequence
from itertools import islice

from libs.text import STOP_WORDS, terms, words
from services.generation.model import BlockKind, Gate, Passage
from services.generation.phrase import ask_of_sentence, ask_of_title

MOST = 3
"""Suggestions that a refusal makes."""

INTRODUCTIONS = ("Introduction to this book", "What are the main concepts?")
"""What is looked for when the book has nothing near the question: what it is about instead."""

_MOST_TRIED = 6
_MOST_OF_A_PASSAGE = 2
_NEAR = 0.1
"""Share of the gate's threshold from which a question is near the book."""

_LEAST_SAID = 2
"""Terms of a question that says more than a word."""

_ENGLISH = 0.1
"""Share of function words from which a text is English: lists of it have .15, German .05."""

_UNSPOKEN = {BlockKind.HEADING, BlockKind.CODE, BlockKind.MATH}
"""What is written in letters of its own."""

_LISTED = {BlockKind.LIST_ITEM, BlockKind.TABLE}


def raise_questions(passages: Sequence[Passage], asked: str) -> list[str]:
    """Return at most six questions, not yet known to be answered, the nearest to `asked` first.

    Each passage raises what its title asks and what its sentences define, give a reason for or a way
    to. Of questions as near, "What is safety?" comes after those that say more; then the order of
    finding decides.
    """
    wanted = set(terms(asked))
    known = {frozenset(wanted)}
    questions: list[str] = []
    for question in _raised(passages):
        key = frozenset(terms(question.replace("’", "'")))
        if key and key not in known:
            known.add(key)
            questions.append(question)
    questions.sort(key=lambda question: _dullness(set(terms(question)), wanted))
    return questions[:_MOST_TRIED]


def _dullness(said: set[str], wanted: set[str]) -> tuple[int, bool]:
    return -len(wanted & said), len(said) < _LEAST_SAID


def is_near(gate: Gate) -> bool:
    """Whether the book speaks at least of something like what was asked."""
    return gate.probability >= _NEAR * gate.threshold


def _raised(passages: Sequence[Passage]) -> Iterator[str]:
    """Yield what the titles ask and, behind each, what the sentences below it do."""
    spoken = [
        [passage.text_of(unit) for unit in passage.units if unit.kind not in _UNSPOKEN]
        for passage in passages
    ]
    text = "\n".join(unit for units in spoken for unit in units)
    english = _is_english(text)
    for passage, units in zip(passages, spoken, strict=True):
        path = passage.locator.section_path
        if not english:
            yield from (title for title in path[-1:] if title.endswith("?"))
            continue
        lists = sum(unit.kind in _LISTED for unit in passage.units) > 1
        yield ask_of_title(path, text, lists=lists)
        asked = (ask_of_sentence(unit, text) for unit in units)
        yield from islice(filter(None, asked), _MOST_OF_A_PASSAGE)


def _is_english(text: str) -> bool:
    spoken = words(text)
    return sum(word in STOP_WORDS for word in spoken) >= _ENGLISH * len(spoken)
