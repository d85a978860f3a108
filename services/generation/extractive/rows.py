"""Tell which rows of a table a question asks of, where it would lead with all of them.

"Which cells does the Marshlogger use?" asks as for a list, and one row answers it; so does one row
where two columns are compared in what that row is called. Which machines need no induction says the
column of those that do.
"""

from collections.abc import Callable, Sequence

from libs.question.said import asked_words, is_one_of
from libs.question.synonyms import is_said
from libs.table_rows import cells_of
from libs.text import is_unspaced, words
from services.generation.checks.normal_forms import is_negation
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked

Rate = Callable[[CandidateSpan], int]
"""Says how much the question says of a row; 0 for nothing."""

_LEAST_SAID = 0.3
"""Share of the words beside those of the header that the rows asked of say."""


def rows_asked_of(asked: Asked, rows: Sequence[CandidateSpan]) -> list[CandidateSpan]:
    """Return the rows whose name, else another cell, the question says most of; all where it says none.

    "Every 3 years" tells a row from that of what is done "yearly".
    """
    spoken = frozenset(words(asked.analysis.question))
    if any(map(is_unspaced, spoken)):
        return list(rows)
    ways: Sequence[Rate] = (
        lambda row: _most_said(asked, spoken, cells_of(row.text)[:1]),
        _of_answer(asked, rows),
        lambda row: _most_said(asked, spoken, cells_of(row.text)[1:]),
        _of_words(asked, rows),
    )
    for rate in ways:
        told = {row.key: rate(row) for row in rows}
        if most := max(told.values(), default=0):
            return [row for row in rows if told[row.key] == most]
    return list(rows)


def _of_answer(asked: Asked, rows: Sequence[CandidateSpan]) -> Rate:
    """Return what rates a row by its yes or no in the one column that the question says.

    Where the question denies, rows with a no count 1, else those with a yes; all rows have one of them.
    """
    header = cells_of(rows[0].intro_text) if rows and rows[0].intro is not None else []
    wanted = asked_words(asked.analysis.question, asked.lexicon)
    rules, spoken = asked.lexicon.values, words(asked.analysis.question)
    denies = any(is_negation(one, asked.analysis.language) for one in spoken)
    sought = rules.denied if denies else rules.affirmed

    def answers(at: int, title: str) -> bool:
        is_asked = any(is_one_of(one, wanted, asked.lexicon) for one in words(title))
        cells = (_cell(row, at) for row in rows)
        return is_asked and all(
            rules.affirmed.match(one) or rules.denied.match(one) for one in cells
        )

    column = next((at for at, title in enumerate(header) if at and answers(at, title)), None)

    def rate(row: CandidateSpan) -> int:
        return int(column is not None and sought.match(_cell(row, column)) is not None)

    return rate


def _of_words(asked: Asked, rows: Sequence[CandidateSpan]) -> Rate:
    """Return what rates a row by the words that it has of those beside its header's; few count none."""
    language = asked.analysis.language
    over = frozenset(words(rows[0].over)) if rows else frozenset()
    known = asked_words(asked.analysis.question, asked.lexicon)
    rest = [one for one in known if not is_said(one, over, asked.lexicon, language)]

    def rate(row: CandidateSpan) -> int:
        said = frozenset(words(row.text))
        held = sum(is_said(one, said, asked.lexicon, language) for one in rest)
        return held if rest and held >= _LEAST_SAID * len(rest) else 0

    return rate


def _cell(row: CandidateSpan, at: int) -> str:
    cells = cells_of(row.text)
    return cells[at].strip() if at < len(cells) else ""


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
