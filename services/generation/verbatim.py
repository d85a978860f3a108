"""A sentence and the units it cites in; whether it is made of whole clauses of theirs out.

Words may be inflected, numbers and units written in another way, articles put in or left out, and a
short joining word may stand between clauses. Anything else is the writer's own: words of the book in
another order, or halves of two sentences, say what the book does not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.generation.wording import every_word, in_digits, is_negation

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[%°]")
_THOUSANDS = re.compile(r"(?<=\d)[,'  ](?=\d{3}\b)")
_CONTRACTIONS = (
    (re.compile(r"\b(?:cannot|can['’]t)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon['’]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"(?<=\w)n['’]t\b", re.IGNORECASE), " not"),
)
_CLAUSE_END = re.compile(r"[,;:.!?—–|()\[\]\"“”…](?:\W|$)|^\W*[(\[\"“]|\n|\s-\s")
_SENTENCE_END = re.compile(r"[.!?](?:\W|$)|\n")
_ARTICLES = frozenset(("a", "an", "the"))
_JOINERS = frozenset(("and", "but", "also", "while", "whereas"))
_CONJUNCTIONS = frozenset(
    ("and", "but", "while", "whereas", "although", "though", "because", "so", "or")
)
_LEAST_RUN = 3
"""Words that a run has at least, when it is not a whole unit."""

_TURNING = frozenset(
    """if unless except until provided only whether would false wrong myth untrue incorrect""".split()  # noqa: SIM905
)
"""Words that make what stands beside them in a sentence something else than a plain fact."""

_REPORTING = frozenset(
    """may might could rarely seldom hardly claim claims claimed believe believes believed think thinks
    thought assume assumes assumed suppose supposes supposed imagine pretend should""".split()  # noqa: SIM905
)
"""Words that do the same to what follows them."""


@dataclass(frozen=True)
class _Word:
    """A word in one form; what stands before it ends a clause, or a sentence."""

    form: str
    spelled: str
    opens_clause: bool
    opens_sentence: bool


def foreign_words(sentence: str, units: Sequence[str]) -> list[str]:
    """Return the words of `sentence`, joining words aside, that stand in none of `units`."""
    known = {word.form for unit in units for word in read_words(unit)}
    return [
        word.spelled
        for word in read_words(sentence)
        if word.form not in known and word.spelled not in _JOINERS
    ]


def is_composed(sentence: str, units: Sequence[str]) -> bool:
    """Whether `sentence` is made of whole clauses of `units`, none torn from what turns its meaning.

    Each clause after the first must begin a sentence of the book: what it is about is then its own.
    """
    own = read_words(sentence)
    sources = [read_words(unit) for unit in units]
    at = 0
    while at < len(own):
        length = max((_longest_run(own, at, source) for source in sources), default=0)
        joins = at > 0 and own[at].spelled in _JOINERS
        if not length and not joins:
            return False
        at += length or 1
    return bool(own) and own[-1].spelled not in _JOINERS


@lru_cache(maxsize=256)
def read_words(text: str) -> tuple[_Word, ...]:
    """Return the words of `text` in one form each, articles left out."""
    for contraction, plain in _CONTRACTIONS:
        text = contraction.sub(plain, text)
    text = in_digits(_THOUSANDS.sub("", text))
    found: list[_Word] = []
    end, clause, sentence = 0, True, True
    for token in _TOKEN.finditer(text):
        gap = text[end : token.start()]
        end = token.end()
        spelled = token.group().lower()
        clause = clause or _CLAUSE_END.search(gap) is not None or _joins_clause(found)
        sentence = sentence or _SENTENCE_END.search(gap) is not None
        if spelled in _ARTICLES:
            continue
        found.append(_Word(_form(spelled), spelled, clause, sentence))
        clause = sentence = False
    return tuple(found)


def _joins_clause(before: Sequence[_Word]) -> bool:
    """Whether the last word is an "and" behind a comma: a clause may begin after it too."""
    return bool(before) and before[-1].opens_clause and before[-1].spelled in _JOINERS


@lru_cache(maxsize=16384)
def _form(spelled: str) -> str:
    forms = every_word(spelled)
    return forms[0] if len(forms) == 1 else spelled


def _longest_run(own: Sequence[_Word], at: int, source: Sequence[_Word]) -> int:
    """Return how many words from `at` on are a run of the source that may stand alone; 0 for none."""
    best = 0
    for start, word in enumerate(source):
        opens = word.opens_clause if at == 0 else word.opens_sentence
        if not opens or word.form != own[at].form:
            continue
        length = _shared(own[at:], source[start:])
        while length > best and not _may_stand(own, at, source, start, length):
            length -= 1
        best = max(best, length)
    return best


def _shared(own: Sequence[_Word], source: Sequence[_Word]) -> int:
    for length, (one, other) in enumerate(zip(own, source, strict=False)):
        if one.form != other.form:
            return length
    return min(len(own), len(source))


def _may_stand(
    own: Sequence[_Word], at: int, source: Sequence[_Word], start: int, length: int
) -> bool:
    """Whether the run ends where a clause ends, on both sides, and its sentence does not turn it."""
    end, after = start + length, at + length
    whole = start == 0 and end == len(source)
    if length < _LEAST_RUN and not whole:
        return False
    if not (end == len(source) or _is_border(source[end])):
        return False
    if not (after == len(own) or _is_border(own[after])):
        return False
    first = max(number for number in range(start + 1) if source[number].opens_sentence)
    last = next(
        (number for number in range(end, len(source)) if source[number].opens_sentence), len(source)
    )
    before = {word.spelled for word in source[first:start]}
    behind = {word.spelled for word in source[end:last]}
    turned = (before | behind) & _TURNING or before & _REPORTING
    return not turned and not any(map(is_negation, before))


def _is_border(word: _Word) -> bool:
    return word.opens_clause or word.spelled in _CONJUNCTIONS
