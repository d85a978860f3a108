"""Lead with the row of a table that has the most or the least of something, or with no row at all.

A row says what its cells say, not that another has more: the whole table says that. So the rows are
compared, and one leads only where the table is of what is asked for, the question tells the column,
every row has a quantity of one unit in it, and one row stands alone at the end that is asked for.
"""

import re
from collections.abc import Iterator, Sequence

from libs.language.entries import NO_WORDS
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon
from libs.question.said import asked_words
from libs.question.synonyms import are_said
from libs.table_rows import cells_of
from libs.text import content_terms
from services.generation.extractive.alternatives import alternatives_in
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.model import BlockKind

_AMONG = 16
"""Likeliest spans whose tables are looked at."""

_LEAST_ROWS = 2
_TWO = 2
_QUANTITY = re.compile(r"([$€£¥]?)\s?(\d+(?:[.,](?:\d{1,2}|\d{4,}))?)\s?([^\s\d.,]{0,20})")
"""All of a cell. With three digits behind a point or a comma it is not known how much it is."""

_UNIT = re.compile(r"[(\[,]\s?([^\s()\[\],]{1,20})[)\]]?$")
_NAME = re.compile(r"(?=.*\d).*[^\W\d].*")
_MONEY = "money"


def rows_at_extreme(
    asked: Asked, first: CandidateSpan, fit: Sequence[Ranked]
) -> list[CandidateSpan] | None:
    """Return the one row that has the most or the least; none where `first`, a row, is not surely it.

    None where no extreme is asked for, or where `first` is no row or says it in so many words.
    """
    found = asked.lexicon.extremes.asked.search(asked.analysis.question)
    if found is None:
        return None
    said = _terms(f"{first.text}\n{first.over}\n{first.heading}")
    if not _terms(found[0]).isdisjoint(said) or _is_named(asked, first):
        return None
    tables = (one.item for one in fit[:_AMONG] if one.item.span.kind is BlockKind.TABLE)
    for item in tables:
        if (
            row := _row_at_extreme(asked, item, fit, is_most=found.lastgroup == "most")
        ) is not None:
            return [row]
    names_dimension = any(True for _ in _dimensions_of(asked))
    return [] if names_dimension and first.span.kind is BlockKind.TABLE else None


def rows_compared(asked: Asked, items: Sequence[CandidateSpan]) -> list[CandidateSpan]:
    """Return the rows of two things of which the question asks which has more, that one first.

    In the order of the question where their cells do not tell; [] where no table has a row for each.
    """
    found = asked.lexicon.extremes.compared.search(asked.analysis.question)
    given = alternatives_in(asked) if found is not None else []
    if found is None or len(given) != _TWO:
        return []
    tables = dict.fromkeys(
        (one.source, one.intro)
        for one in items
        if one.span.kind is BlockKind.TABLE and one.intro is not None
    )
    for table in tables:
        rows = [one for one in items if (one.source, one.intro) == table]
        named = [_row_called(asked, name, rows) for name in given]
        both = [row for row in named if row is not None]
        if len(both) == _TWO and both[0] is not both[1]:
            header = cells_of(both[0].intro_text)
            is_most = found.lastgroup == "most"
            first = _row_with_most(asked, both, header, is_most=is_most)
            return both[::-1] if first is both[1] else both
    return []


def _row_called(
    asked: Asked, name: frozenset[str], rows: Sequence[CandidateSpan]
) -> CandidateSpan | None:
    """Return the row whose first cell is just this name."""
    for row in rows:
        first = cells_of(row.text)[0]
        own = asked_words(first, asked.lexicon)
        language = asked.analysis.language
        if own and are_said(name, first, asked.lexicon, language) and own <= name:
            return row
    return None


def _row_at_extreme(
    asked: Asked, item: CandidateSpan, fit: Sequence[Ranked], *, is_most: bool
) -> CandidateSpan | None:
    rows = _rows_of(item, fit)
    header = cells_of(item.intro_text)
    wanted = _terms(asked.analysis.question)
    # Of what the table is, its first column says, or what stands over it: "Table 1: Lathes".
    kind = _terms("\n".join((header[0], item.caption, item.heading)))
    if len(rows) < _LEAST_ROWS or kind.isdisjoint(wanted):
        return None
    if any(_is_named(asked, row) for row in rows):
        return None
    return _row_with_most(asked, rows, header, is_most=is_most)


def _row_with_most(
    asked: Asked, rows: Sequence[CandidateSpan], header: Sequence[str], *, is_most: bool
) -> CandidateSpan | None:
    """Return the row with the most or the least in the column asked of; None where that is not sure."""
    wanted = _terms(asked.analysis.question)
    cells = [cells_of(row.text) for row in rows]
    if any(len(row) != len(header) for row in cells):
        return None
    columns = [[row[at] for row in cells] for at in range(1, len(header))]
    named = [
        column for title, column in zip(header[1:], columns, strict=True) if _terms(title) & wanted
    ]
    measured = [
        column
        for title, column in zip(header[1:], columns, strict=True)
        if any(
            _all_measure(column, one, asked.lexicon)
            or _has_unit(title, one, asked.lexicon)
            or _is_called(title, one, asked.lexicon)
            for one in _dimensions_of(asked)
        )
    ]
    told = named or measured
    values = [_QUANTITY.fullmatch(cell) for cell in told[0]] if len(told) == 1 else []
    if not values or len({value and value.group(1, 3) for value in values} - {None}) != 1:
        return None
    numbers = [float(value[2].replace(",", ".")) for value in values if value]
    best = max(numbers) if is_most else min(numbers)
    is_sure = len(numbers) == len(rows) and numbers.count(best) == 1
    return rows[numbers.index(best)] if is_sure else None


def _rows_of(item: CandidateSpan, fit: Sequence[Ranked]) -> list[CandidateSpan]:
    """Return the rows below the header of a table, in order; none where some may be elsewhere."""
    spans, start = item.passage.spans, item.intro
    if start is None or spans[start].kind is not BlockKind.TABLE:
        return []
    end = start + 1
    while end < len(spans) and spans[end].kind is BlockKind.TABLE:
        end += 1
    if end == len(spans):
        behind = [one.span for one in item.passage.neighbours if one.span.start > spans[-1].start]
        if behind and behind[0].kind is BlockKind.TABLE:
            return []
    held = {
        one.item.index: one.item
        for one in fit
        if one.item.passage is item.passage and one.item.intro == start
    }
    within = range(start + 1, end)
    return [held[at] for at in within] if held.keys() >= set(within) else []


def _is_named(asked: Asked, row: CandidateSpan) -> bool:
    """Whether the question asks of this one row: "the longest run of the X2".

    By its first cell, or by a name with a digit in any.
    """
    if row.span.kind is not BlockKind.TABLE or row.intro is None:
        return False
    wanted, kind = _terms(asked.analysis.question), cells_of(row.intro_text)[0]
    own = _terms(cells_of(row.text)[0]) - _terms(kind) - asked.lexicon.stop_words
    names = {term for term in _terms(row.text) if _NAME.fullmatch(term)}
    return not wanted.isdisjoint(own | names)


def _dimensions_of(asked: Asked) -> Iterator[str]:
    """Yield what an adjective of the question measures: "cheapest" money."""
    for name, pattern in asked.lexicon.extremes.dimensions.items():
        if pattern.search(asked.analysis.question) is not None:
            yield name


def _all_measure(cells: Sequence[str], dimension: str, lexicon: Lexicon) -> bool:
    found = [_QUANTITY.fullmatch(cell) for cell in cells]
    if dimension == _MONEY:
        return all(lexicon.prices.amount.search(cell) is not None for cell in cells)
    return all(one is not None and _is_unit(one[3], dimension, lexicon) for one in found)


def _has_unit(title: str, dimension: str, lexicon: Lexicon) -> bool:
    """Whether a column says its unit beside its name: "Length (km)", "Weight, kg"."""
    beside = _UNIT.search(title)
    return beside is not None and _is_unit(beside[1], dimension, lexicon)


def _is_called(title: str, dimension: str, lexicon: Lexicon) -> bool:
    """Whether a column is called as what is measured: "Weight", and no unit stands there."""
    pattern = lexicon.expected.measured.get(dimension)
    return pattern is not None and pattern.search(title) is not None


def _is_unit(word: str, dimension: str, lexicon: Lexicon) -> bool:
    symbols = (lexicon.symbols or load_lexicon(FALLBACK).symbols).get(dimension, NO_WORDS)
    return word in symbols or word.lower() in lexicon.units.get(dimension, NO_WORDS)


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))
