"""Tell which value the row of a table has of what a question asks about.

A row is of what its first cell names, and a cell is what the header over it says.
"""

from collections.abc import Iterator, Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words
from libs.table_rows import cells_of
from libs.text import words
from services.generation.other_value import OtherValue
from services.generation.premise.amounts import Amount
from services.generation.premise.sayings import Saying, said_of
from services.generation.premise.values import Value, alike, holds, is_same


def holds_in_row(
    value: Value, asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str
) -> bool:
    """Whether a row that may be of what is asked about has the value, where it may be meant."""
    if not said_of(asked, cells_of(saying.text)[0], lexicon, language):
        return False
    told = list(values_in_row(value, asked, saying, lexicon, language))
    if told:
        return any(is_same(one, value.number) for one in told)
    return holds(value, saying.text, lexicon, language)


def values_in_row(
    value: Value, asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str
) -> Iterator[float]:
    """Yield the values of the kind that the row has of what is asked about.

    Its first cell names something of that, and this cell, its header and the titles all of it.
    """
    header, cells = cells_of(saying.header), cells_of(saying.text)
    named = said_of(asked, cells[0], lexicon, language)
    # A row of prices, whose columns are the things: "Price | £4,850 | £9,200".
    is_row_of_prices = isinstance(value.measure, Amount) and any(
        word in lexicon.prices.words for word in words(cells[0])
    )
    if len(header) != len(cells) or not (named or is_row_of_prices):
        return
    rest = asked - named - said_of(asked, f"{saying.over}\n{header[0]}", lexicon, language)
    if not (named or rest):
        return
    for title, cell in zip(header[1:], cells[1:], strict=True):
        numbers = [number for number, _, _ in alike(value, cell, lexicon, language)]
        if len(numbers) == 1 and said_of(rest, title, lexicon, language) >= rest:
            yield numbers[0]


def find_other_cell(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return the cell of another row that a question takes for one of the row it names; else None.

    "Why does the B12 Marine need diesel?" has the fuel of the B12, where the Marine's is petrol.
    """
    lexicon, language = load_lexicon(question.language), question.language
    if question.expected.kind is not AnswerKind.CAUSE:
        return None
    spoken = words(question.question)
    rows = [(one, cells_of(one.text)) for one in sayings if one.header and one.text != one.header]
    named = [(one, cells) for one, cells in rows if _has_run(words(cells[0]), spoken)]
    longest = max((len(words(cells[0])) for _, cells in named), default=0)
    named = [(one, cells) for one, cells in named if len(words(cells[0])) == longest]
    if len(named) != 1:
        return None
    row, own = named[0]
    rest = [word for word in spoken if word not in words(own[0])]
    for other, cells in rows:
        if other.header != row.header or other is row or len(cells) != len(own):
            continue
        for title, cell, mine in zip(cells_of(row.header)[1:], cells[1:], own[1:], strict=False):
            run = words(cell)
            if not mine or words(mine) == run or not _has_run(run, rest):
                continue
            if not asked_words(cell, lexicon) or _has_run(words(mine), rest):
                continue
            beside = asked_words(" ".join(rest), lexicon) - frozenset(run) - lexicon.expected.light
            if (
                len(
                    beside
                    - said_of(beside, f"{title}\n{row.over}\n{row.header}", lexicon, language)
                )
                <= 1
            ):
                return OtherValue(_as_written(cell, question.question), row.quote)
    return None


def _has_run(run: Sequence[str], spoken: Sequence[str]) -> bool:
    """Whether the words stand in a row in what is spoken."""
    return bool(run) and any(
        list(spoken[at : at + len(run)]) == list(run) for at in range(len(spoken))
    )


def _as_written(cell: str, question: str) -> str:
    at = question.lower().find(cell.lower())
    return question[at : at + len(cell)] if at >= 0 else cell
