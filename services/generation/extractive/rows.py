"""Tell which rows of a table a question asks of, where it would lead with all of them.

"Which cells does the Marshlogger use?" asks as for a list, and one row answers it; so does one row
where two columns are compared in what that row is called.
"""

from collections.abc import Sequence

from libs.question.said import asked_words, is_one_of
from libs.table_rows import cells_of
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked


def rows_asked_of(asked: Asked, rows: Sequence[CandidateSpan]) -> list[CandidateSpan]:
    """Return the rows whose name, else another cell, the question says most of; all where it says none.

    "Every 3 years" tells a row from that of what is done "yearly".
    """
    spoken = frozenset(words(asked.analysis.question))
    if any(map(is_unspaced, spoken)):
        return list(rows)
    titles = {row.key: _most_said(asked, spoken, cells_of(row.text)[:1]) for row in rows}
    told = titles if any(titles.values()) else _by_other_cells(asked, spoken, rows)
    most = max(told.values(), default=0)
    return [row for row in rows if told[row.key] == most]


def _by_other_cells(
    asked: Asked, spoken: frozenset[str], rows: Sequence[CandidateSpan]
) -> dict[tuple[str, int], int]:
    return {row.key: _most_said(asked, spoken, cells_of(row.text)[1:]) for row in rows}


def _most_said(asked: Asked, spoken: frozenset[str], cells: Sequence[str]) -> int:
    """Return how many words the longest cell has of which the question has all, in whatever form.

    A cell of words that say nothing counts 0.
    """
    said = [
        frozenset(words(cell))
        for cell in cells
        if asked_words(cell, asked.lexicon)
        and all(is_one_of(word, spoken, asked.lexicon) for word in words(cell))
    ]
    return max(map(len, said), default=0)
