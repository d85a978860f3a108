"""Features of how a sentence's words align with its evidence: known, close together, in order.

They are judged by a logistic model that `python -m deploy.evaluation.training.alignment` fits
to English sentences; the words and patterns are those of English.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import pairwise

from libs.text import STOP_WORDS, sentence_ranges, words
from services.generation.checks.normal_forms import (
    AntonymSide,
    antonyms,
    every_word,
    is_negation,
    rules_of,
)
from services.generation.model import Statement

FEATURES = (
    "known",
    "known_near",
    "known_in_one",
    "bound",
    "clause_least",
    "length",
    "rare_missing",
    "longest_gap",
    "turned",
    "crossed",
    "names_far",
    "names_missing",
    "negation",
    "affirmed_denied",
    "poles",
    "in_order",
)

_CELL = re.compile(r"\s\|\s?|\t")
_SPELLED = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_REACH = 3
"""Words that may stand between two that belong together before it counts against them."""

_DENIED = 2
"""Content words behind a negation that it surely denies."""

_SPOKEN_OF = 0.3
_MAX_CHARACTERS = 60_000


@dataclass(frozen=True)
class _Word:
    normal_form: str
    spelled: str
    is_name: bool
    is_content: bool


@dataclass(frozen=True)
class _Text:
    """A piece of text as words; `content` are those of content words, in order."""

    words: tuple[_Word, ...]
    normal_forms: frozenset[str]
    content: tuple[str, ...]


@dataclass(frozen=True)
class _Evidence:
    """What a sentence rests on. `near` are the quotes and the sentences or lines they stand in;
    `cells` the same with each cell of a table beside its row and column; `pieces` their clauses."""

    near: tuple[_Text, ...]
    cells: tuple[_Text, ...]
    pieces: tuple[_Text, ...]
    near_normal_forms: frozenset[str]
    every: frozenset[str]
    idf: dict[str, float]
    highest_idf: float


def read_alignment(statement: Statement) -> dict[str, float]:
    """Return the values of FEATURES for a statement with quotes."""
    own = _read(statement.text)
    text = _prepare(statement.quotes, statement.passages, statement.titles)
    asked = _read(statement.question).normal_forms
    content = [word for word in own.words if word.is_content]
    near = [word.normal_form in text.near_normal_forms for word in content]
    weights = [text.idf.get(word.normal_form, text.highest_idf) for word in content]
    names = [word.normal_form for word in content if word.is_name]
    not_near = [
        normal_form for normal_form in names if normal_form not in text.near_normal_forms | asked
    ]
    crossed, clause_least = _compare_clauses(statement.text, text)
    bound = _bind(
        [word.normal_form for word in content if word.normal_form in text.near_normal_forms], text
    )
    return {
        "known": _share([word.normal_form in text.every | asked for word in content], weights),
        "known_near": _share(near, weights),
        "known_in_one": _known_in_one(own, text),
        "bound": sum(bound) / len(bound) if bound else 0.5,
        "clause_least": clause_least,
        "length": math.log1p(len(content)),
        "rare_missing": max(
            (weight for weight, held in zip(weights, near, strict=True) if not held), default=0.0
        ),
        "longest_gap": math.log1p(_longest_gap(near)),
        "turned": _inverted(own, text),
        "crossed": math.log1p(crossed),
        "names_far": sum(normal_form in text.every for normal_form in not_near) / (1 + len(names)),
        "names_missing": sum(normal_form not in text.every for normal_form in not_near)
        / (1 + len(names)),
        "negation": float(_is_negated_otherwise(own, text)),
        "affirmed_denied": math.log1p(_count_affirmed(own, text)),
        "poles": _antonym_conflicts(own, text),
        "in_order": _in_order(own, text),
    }


def _share(flags: Sequence[bool], weights: Sequence[float]) -> float:
    total = sum(weights)
    held = sum(weight for flag, weight in zip(flags, weights, strict=True) if flag)
    return held / total if total else 1.0


def _known_in_one(own: _Text, text: _Evidence) -> float:
    """Return the share of all words in the piece that has most of them."""
    most = max(
        (sum(word.normal_form in piece.normal_forms for word in own.words) for piece in text.near),
        default=0,
    )
    return most / max(1, len(own.words))


def _longest_gap(held: Sequence[bool]) -> int:
    longest = run = 0
    for flag in held:
        run = 0 if flag else run + 1
        longest = max(longest, run)
    return longest


def _bind(aligned: Sequence[str], text: _Evidence) -> list[float]:
    """Return the proximity in the evidence, in [0, 1], of adjacent words of the sentence."""
    return [
        max((_nearness(one, other, piece) for piece in text.cells), default=0.0)
        for one, other in pairwise(aligned)
        if one != other
    ]


def _nearness(one: str, other: str, piece: _Text) -> float:
    if one not in piece.normal_forms or other not in piece.normal_forms:
        return 0.0
    places = [place for place, normal_form in enumerate(piece.content) if normal_form == one]
    others = [place for place, normal_form in enumerate(piece.content) if normal_form == other]
    gap = min((abs(a - b) for a in places for b in others), default=_REACH)
    return 1 / (1 + max(0, gap - 1) / _REACH)


def _inverted(own: _Text, text: _Evidence) -> float:
    """Return the share of inverted word pairs against the piece that has most of the words."""
    best = max(
        text.near, key=lambda piece: len(piece.normal_forms & own.normal_forms), default=None
    )
    if best is None:
        return 0.0
    place = {normal_form: number for number, normal_form in reversed(list(enumerate(best.content)))}
    shared = [
        normal_form
        for normal_form in dict.fromkeys(word.normal_form for word in own.words)
        if normal_form in place
    ]
    pairs = [(a, b) for number, a in enumerate(shared) for b in shared[number + 1 :]]
    return sum(place[a] > place[b] for a, b in pairs) / len(pairs) if pairs else 0.0


def _in_order(own: _Text, text: _Evidence) -> float:
    """Return the share of words in the same order as in the most similar piece."""
    said = [word.normal_form for word in own.words]
    pieces = ([word.normal_form for word in piece.words] for piece in text.near)
    return max((SequenceMatcher(None, said, given, False).ratio() for given in pieces), default=0.0)


def _compare_clauses(sentence: str, text: _Evidence) -> tuple[int, float]:
    """Return how many words belong, in the book, to another clause of the sentence than their own, and
    the least share of a clause that one piece of the book holds."""
    read = [
        frozenset(_read(piece).content) & text.near_normal_forms
        for piece in rules_of("").support.clause.split(sentence)
    ]
    clauses = [clause for clause in read if clause]
    times = Counter(normal_form for clause in clauses for normal_form in clause)
    crossed = 0
    for clause in clauses:
        strange = [other - clause for other in clauses if other is not clause]
        for normal_form in clause:
            holding = [
                piece.normal_forms for piece in text.pieces if normal_form in piece.normal_forms
            ]
            if holding and strange and times[normal_form] == 1:
                own = max(len(piece & clause) - 1 for piece in holding)
                crossed += max(len(piece & other) for piece in holding for other in strange) > own
    held = (
        max((len(piece.normal_forms & clause) / len(clause) for piece in text.pieces), default=0.0)
        for clause in clauses
    )
    return crossed, min(held, default=1.0)


def _is_negated_otherwise(own: _Text, text: _Evidence) -> bool:
    """Whether the sentence and the evidence for the same words differ in negation."""
    content = frozenset(own.content)
    given = any(
        _has_negation(piece)
        for piece in text.near
        if len(content & piece.normal_forms) >= _SPOKEN_OF * max(1, len(content))
    )
    return _has_negation(own) != given


def _has_negation(text: _Text) -> bool:
    return any(is_negation(word.spelled) for word in text.words)


def _count_affirmed(own: _Text, text: _Evidence) -> int:
    """Count the words that the book denies and the sentence does not."""
    denied = frozenset[str]().union(*map(_denied, text.near))
    return len(denied & frozenset(own.content) - _denied(own))


def _denied(text: _Text) -> frozenset[str]:
    found: set[str] = set()
    for place, word in enumerate(text.words):
        if is_negation(word.spelled):
            following = (other.normal_form for other in text.words[place + 1 :] if other.is_content)
            found |= {
                normal_form for normal_form, _ in zip(following, range(_DENIED), strict=False)
            }
    return frozenset(found)


def _antonym_conflicts(own: _Text, text: _Evidence) -> float:
    """Count antonym conflicts with the evidence; unmatched antonyms count half."""
    said, given = _antonyms([own]), _antonyms(text.near)
    turned = [(number, side) for number, side in said - given if (number, 1 - side) in given]
    return len(turned) + (len(said - given) - len(turned)) / 2


def _antonyms(texts: Iterable[_Text]) -> set[AntonymSide]:
    spelled = {word.spelled for text in texts for word in text.words}
    known = antonyms()
    return {known[word] for word in spelled if word in known}


@lru_cache(maxsize=64)
def _prepare(
    quotes: tuple[str, ...], passages: tuple[str, ...], titles: tuple[str, ...]
) -> _Evidence:
    sentences = _split("\n".join(passages)[:_MAX_CHARACTERS])
    around = [text for text in sentences if any(text in quote or quote in text for quote in quotes)]
    shown = list(dict.fromkeys((*quotes, *around)))
    near, read = tuple(map(_read, shown)), tuple(map(_read, sentences))
    cells, split = _place_cells(shown), rules_of("").support.clause.split
    near_normal_forms = frozenset[str]().union(
        *(text.normal_forms for text in (*near, *map(_read, titles)))
    )
    counts = Counter(normal_form for text in read for normal_form in text.normal_forms)
    highest_idf = math.log1p(max(1, len(read))) + 0.3
    return _Evidence(
        near=near,
        cells=tuple(map(_read, cells)),
        pieces=tuple(_read(part) for cell in cells for part in split(cell) if part.strip()),
        near_normal_forms=near_normal_forms,
        every=near_normal_forms.union(*(text.normal_forms for text in read)),
        idf={
            normal_form: math.log1p(len(read) / (1 + count)) + 0.3
            for normal_form, count in counts.items()
        },
        highest_idf=highest_idf,
    )


@lru_cache(maxsize=64)
def _split(text: str) -> tuple[str, ...]:
    return tuple(
        line[start:end] for line in text.split("\n") for start, end in sentence_ranges(line)
    )


def _place_cells(texts: Sequence[str]) -> list[str]:
    """Return the lines of `texts`, and each cell of a row with its first and its column's header."""
    found: list[str] = []
    header: list[str] = []
    for line in (line for text in texts for line in text.split("\n")):
        cells = _CELL.split(line)
        if len(cells) == 1:
            found.append(line)
            continue
        if len(header) != len(cells):
            header = cells
        found += [
            f"{cells[0]} {title if header is not cells else ''} {cell}"
            for title, cell in zip(header, cells, strict=True)
        ]
    return found


@lru_cache(maxsize=1024)
def _read(text: str) -> _Text:
    light = STOP_WORDS | rules_of("").support.light
    found = []
    spelled, shown = words(text), _SPELLED.findall(text)
    for place, normal_form in enumerate(every_word(text)):
        said = spelled[place] if place < len(spelled) else normal_form
        seen = shown[place] if place < len(shown) else said
        mixed = any(map(str.isdigit, seen)) and any(map(str.isalpha, seen))
        empty = said in light or is_negation(said)
        name = mixed or (place > 0 and any(map(str.isupper, seen)))
        found.append(_Word(_synonyms().get(said, normal_form), said, name, not empty))
    content = tuple(word.normal_form for word in found if word.is_content)
    return _Text(tuple(found), frozenset(word.normal_form for word in found), content)


@cache
def _synonyms() -> dict[str, str]:
    """Return the normal form that each word with synonyms shares with them."""
    found: dict[str, str] = {}
    for number, group in enumerate(rules_of("").support.synonyms):
        for word in group:
            found.setdefault(word, f"={number}")
    return found
