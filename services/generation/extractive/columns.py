"""Find the column of a table that a question asks of, and tell where a row has nothing in it.

"Which interface does the SCD40 have?" asks of the column "Interface": a row without a word there gives
no answer, however well its name is that of the question.
"""

from collections.abc import Collection, Iterable, Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import attribute_of
from libs.question.said import asked_words, is_one_of
from libs.table_rows import cells_of
from libs.text import content_terms, is_unspaced, words


def heads_measure(question: QuestionAnalysis, header: str) -> bool:
    """Whether a column is called as what is to be measured: "Weight", for how heavy something is."""
    measured = load_lexicon(question.language).expected.measured
    dimensions = (one.value for one in question.expected.dimensions)
    return any(one in measured and measured[one].search(header) for one in dimensions)


def is_empty_for(question: QuestionAnalysis, row: str, header: str) -> bool:
    """Whether the row has nothing in the one column that the question asks of."""
    column = asked_column(question, row, header)
    return column is not None and not cells_of(row)[column].strip("-–—")


def asked_column(question: QuestionAnalysis, row: str, header: str) -> int | None:
    """Return which column is asked of, from 1; None where several may be, or none is."""
    cells, titles = cells_of(row), cells_of(header)
    if len(cells) != len(titles):
        return None
    lexicon = load_lexicon(question.language)
    known = asked_words(question.question, lexicon) | asked_words(
        question.expected.attribute, lexicon
    )
    beside = frozenset(one for one in known if not _says(cells[0], (one,), lexicon))
    attribute = attribute_of(question.expected.kind, question.question, lexicon)
    ways: Sequence[Iterable[bool]] = (
        (_says(title, beside, lexicon) for title in titles[1:]),
        (bool(attribute and attribute.said.search(title)) for title in titles[1:]),
        (heads_measure(question, title) for title in titles[1:]),
    )
    for way in ways:
        found = [at for at, is_asked in enumerate(way, 1) if is_asked]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _says(title: str, asked: Collection[str], lexicon: Lexicon) -> bool:
    """Whether the title has one of the words, in whatever form."""
    said = words(title)
    return any(
        any(pair in title for pair in content_terms(one))
        if is_unspaced(one)
        else any(is_one_of(two, (one,), lexicon) for two in said)
        for one in asked
    )
