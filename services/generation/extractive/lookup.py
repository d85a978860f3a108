"""Find the row of a table that a question looks something up in.

"Wie hoch ist die Jahresgebühr für ein Gasthaus?" names a row and a column. No sentence says so, and
what is alike in meaning tells little of cells: but where every word of the question is one of the row,
of its header or of the titles above, and no other row has as many, that row answers.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from libs.language.entries import NO_WORDS
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import (
    AnswerKind,
    Dimension,
    ExpectedAnswer,
    holds_answer,
    may_hold,
)
from libs.question.said import asked_words, has_form_of, names_agent, words_in
from libs.question.synonyms import is_reworded
from libs.table_rows import cells_of
from libs.text import content_terms, is_unspaced, words
from services.generation.checks.normal_forms import has_negation
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.extractive.columns import (
    heads_measure,
    is_empty_for,
)
from services.generation.extractive.sought import words_that_ask
from services.generation.model import BlockKind, Passage

_LEAST_ROWS = 2
_SHORT = 3
"""Letters of words that are too short for their forms to be told by how they begin: "бака"."""

_LEAST_END, _LEAST_PART = 4, 5
"""Letters from which a word is known at an end of a compound, and within: "Übernachtungspreis"."""

_MANY_PLACES = (AnswerKind.COMPARISON, AnswerKind.LIST, AnswerKind.PROCEDURE, AnswerKind.YES_NO)


class _Said(NamedTuple):
    """What a row says of some words; the greater one says more."""

    words: int
    named: int
    """Words that its name says."""

    is_whole: bool
    """Whether its name has no other word than the question."""

    is_spelled: bool
    """Whether the question has that name to the sign: "B+"."""


def has_row_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a row of a table in the passages is what the question looks up."""
    if not any(span.kind is BlockKind.TABLE for one in passages for span in one.spans):
        return False
    return find_row(question, list_candidates(passages, question.language)) is not None


def find_row(question: QuestionAnalysis, items: Iterable[CandidateSpan]) -> CandidateSpan | None:
    """Return the row that the question looks up; None where none is, or a sentence says as much."""
    lexicon = load_lexicon(question.language)
    sought = words_looked_up(question, lexicon)
    if not sought or not _asks_one_thing(question):
        return None
    items = list(items)
    prose = (one for one in items if one.span.kind is not BlockKind.TABLE)
    if any(_says_as_much(question, sought, one) for one in prose):
        return None
    rows = (_row_of(question, sought, table) for table in _tables_in(items))
    found = [row for row in rows if row is not None]
    if not found:
        return _row_of_measure(question, sought, items)
    return found[0] if len(found) == 1 else None


def find_empty_row(
    question: QuestionAnalysis, items: Iterable[CandidateSpan]
) -> CandidateSpan | None:
    """Return the row that the question looks up where it has nothing in the column asked of."""
    row = find_row(question, items)
    return row if row is not None and is_empty_for(question, row.text, row.intro_text) else None


def _says_as_much(question: QuestionAnalysis, sought: frozenset[str], item: CandidateSpan) -> bool:
    """Whether a sentence has all words that are looked up, and may have what is asked for.

    "The C20 has a heat exchanger" says nothing of its weight, and how often it is painted nothing of
    how long it is; nor does who did not build it say who did.
    """
    if len(said_in(sought, item.text, question)) < len(sought):
        return False
    lexicon, kind = load_lexicon(question.language), question.expected.kind
    if kind is AnswerKind.PERSON:
        is_denied = has_negation(item.text, question.language)
        return not is_denied and names_agent(question.question, item.text, lexicon)
    if kind is not AnswerKind.QUANTITY:
        return True
    is_often = lexicon.expected.often.search(question.question) is not None
    said = item.text if is_often else lexicon.values.recurring.sub(" ", item.text)
    return is_often or may_hold(
        replace(question.expected, required=True), said, "", lexicon, question=question.question
    )


def lacks_row(question: QuestionAnalysis, items: Iterable[CandidateSpan]) -> bool:
    """Whether a table has the column that is asked for, and nothing names what it is asked of.

    What the first column is called is no such column: its cells are what others are asked of. Nor does
    a question lack a row that asks for one by what else is said of it: "Which signal can't be blocked?"
    """
    lexicon, items = load_lexicon(question.language), list(items)
    sought = words_looked_up(question, lexicon)
    tables = list(_tables_in(items))
    wanted = asked_words(question.expected.attribute, lexicon)
    if not _asks_one_thing(question) or any(_are_rows(wanted, one, question) for one in tables):
        return False
    # "What pressure does the hydraulic unit hold?" asks for no column that is called "Hydraulic".
    tables = [one for one in tables if not wanted or _is_headed(question, wanted, one)]
    told = NO_WORDS.union(*(_words_of_column(question, sought, table) for table in tables))
    rest = sought - told
    if not told or not rest:
        return False
    return not any(said_in(rest, one.text, question) for one in items)


def _is_headed(
    question: QuestionAnalysis, wanted: frozenset[str], table: Sequence[CandidateSpan]
) -> bool:
    header = table[0].intro_text
    return bool(said_in(wanted, header, question)) or heads_measure(question, header)


def _are_rows(
    wanted: frozenset[str], table: Sequence[CandidateSpan], question: QuestionAnalysis
) -> bool:
    """Whether the rows of a table are what is wanted, as the header of the first column says.

    A "part number" is no part, where "Number" heads another column.
    """
    first, *others = cells_of(table[0].intro_text)
    asks_column = said_in(wanted, "\n".join(others), question, loosely=False)
    return not asks_column and bool(said_in(wanted, first, question, loosely=False))


def _words_of_column(
    question: QuestionAnalysis, sought: frozenset[str], table: Sequence[CandidateSpan]
) -> frozenset[str]:
    """Return the words that tell the column asked for, with those that are said over all rows.

    None where the table has no such column. A price has one if rows of what is asked about have prices.
    """
    first, *others = cells_of(table[0].intro_text)
    headed = said_in(sought, "\n".join(others), question, loosely=False)
    kind = said_in(sought, first, question, loosely=False)
    is_priced = question.expected.dimensions == {Dimension.MONEY} and kind
    if not headed and not (is_priced and any(_may_hold_value(question, row) for row in table)):
        return NO_WORDS
    # A word over all rows tells none of them from another: "the rent of the silk workshop".
    over = f"{table[0].caption}\n{table[0].titles_text}"
    return headed | kind | said_in(sought, over, question, loosely=False)


def _asks_one_thing(question: QuestionAnalysis) -> bool:
    several = question.types.list_of_things or bool(question.sub_questions)
    return not several and question.expected.kind not in _MANY_PLACES


def words_looked_up(question: QuestionAnalysis, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of the question that name a thing, and not what is asked of it as a value."""
    asking = NO_WORDS.union(*words_that_ask(question.expected, question.question, lexicon))
    sought = asked_words(question.question, lexicon) - asking
    # "Which fuel does the B12 need?": no row says that it needs what its column has.
    return sought - lexicon.expected.light or sought


def _tables_in(items: Sequence[CandidateSpan]) -> Iterator[list[CandidateSpan]]:
    """Yield the rows of each table that has a header and several of them."""
    tables: dict[tuple[int, int], list[CandidateSpan]] = {}
    for one in items:
        if one.span.kind is BlockKind.TABLE and one.intro is not None:
            tables.setdefault((one.source, one.intro), []).append(one)
    yield from (rows for rows in tables.values() if len(rows) >= _LEAST_ROWS)


def _row_of(
    question: QuestionAnalysis, sought: frozenset[str], table: Sequence[CandidateSpan]
) -> CandidateSpan | None:
    """Return the one row with the most of the words, if it and what is over it have all of them."""
    held = [(_count_said(sought, row, question), -at) for at, row in enumerate(table)]
    (most, at), (second, _) = sorted(held, reverse=True)[:2]
    if not most.words or most == second:
        return None
    row = table[-at]
    header = row.intro_text
    over = "\n".join((row.text, header, row.caption, row.titles_text))
    if sought != said_in(sought, over, question):
        return None
    every = asked_words(question.question, load_lexicon(question.language))
    beside = every - said_in(every, row.text, question)
    is_headed = said_in(beside, header, question) or heads_measure(question, header)
    # Of what a row leaves empty it may have no value.
    if is_headed and most.is_whole and is_empty_for(question, row.text, header):
        return row
    return row if is_headed and _may_hold_value(question, row) else None


def _row_of_measure(
    question: QuestionAnalysis, sought: frozenset[str], items: Iterable[CandidateSpan]
) -> CandidateSpan | None:
    """Return the one row called as the measure asked of what its table is about, or with most words.

    "How heavy is the kiln?" is told by "Weight | 118 kg" below "The kiln Ember 60", and how loud it is
    at full speed by "Noise, full | 48 dB" beside "Noise, quiet | 36 dB".
    """
    lexicon = load_lexicon(question.language)
    of_measure = ExpectedAnswer(question.expected.kind, question.expected.dimensions)
    if of_measure.kind is not AnswerKind.QUANTITY or not of_measure.dimensions:
        return None
    rows = [
        one
        for one in items
        if one.span.kind is BlockKind.TABLE and heads_measure(question, cells_of(one.text)[0])
        if any(holds_answer(of_measure, cell, lexicon) for cell in cells_of(one.text)[1:])
    ]
    names = [said_in(sought, cells_of(one.text)[0], question, loosely=False) for one in rows]
    most = max(map(len, names), default=0)
    best = [row for row, name in zip(rows, names, strict=True) if len(name) == most]
    if len(best) != 1:
        return None
    if most and len(rows) > 1:
        return best[0]
    over = f"{best[0].text}\n{best[0].caption}\n{best[0].titles_text}"
    return best[0] if said_in(sought, over, question) == sought else None


def _count_said(sought: frozenset[str], row: CandidateSpan, question: QuestionAnalysis) -> _Said:
    """Return what a row says of the words sought, by which it is told from others.

    The name counts where rows have as many: "gas" is a word for the fuel that is asked for as well. Of
    "Vega" and "Vega Plus" the first is the Vega, and "B+" is another row than "B-".
    """
    name, spoken = cells_of(row.text)[0], frozenset(words(question.question))
    named = said_in(sought, name, question, loosely=False)
    is_whole = bool(named) and frozenset(words(name)) <= spoken
    is_spelled = is_whole and name in question.question
    return _Said(len(said_in(sought, row.text, question)), len(named), is_whole, is_spelled)


def _may_hold_value(question: QuestionAnalysis, row: CandidateSpan) -> bool:
    """Whether the row may have what is asked for; how often something is so has many words."""
    lexicon = load_lexicon(question.language)
    if lexicon.expected.often.search(question.question):
        return True
    expected = replace(question.expected, required=True)
    of_quantity = expected.kind is AnswerKind.QUANTITY
    return not of_quantity or may_hold(expected, row.text, row.over, lexicon)


def said_in(
    sought: frozenset[str], text: str, question: QuestionAnalysis, *, loosely: bool = True
) -> frozenset[str]:
    """Return the words that a text has in any form, as a part of a compound, or by another word."""
    lexicon, said = load_lexicon(question.language), words_in(text)
    own = frozenset(word for word in sought if _is_said(word, said, text, lexicon))
    if not loosely:
        return own
    return own.union(one for one in sought - own if is_reworded(one, said, question.language))


def _has_form_or_part(word: str, said: Collection[str], lexicon: Lexicon) -> bool:
    """Whether a short word has one more letter at its end, or a compound has the word as a part."""
    if len(word) == _SHORT:
        return any(one.startswith(word) and len(one) <= _SHORT + 1 for one in said)
    if not lexicon.values.compounds or len(word) < _LEAST_END:
        return False
    if len(word) >= _LEAST_PART:
        return any(word in one for one in said)
    return any(one.startswith(word) or one.endswith(word) for one in said)


def _is_said(word: str, said: frozenset[str], text: str, lexicon: Lexicon) -> bool:
    if is_unspaced(word):
        return all(pair in text for pair in content_terms(word))
    return has_form_of(word, said, lexicon) or _has_form_or_part(word, said, lexicon)
