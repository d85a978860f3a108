"""Tell which value the row of a table has of what a question asks about.

A row is of what its first cell names, and a cell is what the header over it says.
"""

from collections.abc import Iterator

from libs.language.lexicon import Lexicon
from libs.question.said import asked_words
from libs.question.synonyms import said_of
from libs.table_rows import cells_of
from libs.text import words
from services.generation.checks.quantities import Quantity
from services.generation.premise.amounts import Amount
from services.generation.premise.sayings import Saying
from services.generation.premise.values import (
    NUMBER,
    Value,
    alike,
    holds,
    is_same,
    measured_words,
)


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

    Its first cell names something of that, or is a year beside the value, and this cell, its header
    and the titles all of it; where a column is called just as what is counted, all but a verb.
    """
    header, cells = cells_of(saying.header), cells_of(saying.text)
    named = said_of(asked, cells[0], lexicon, language)
    # A row of prices, whose columns are the things: "Price | £4,850 | £9,200".
    is_row_of_prices = isinstance(value.measure, Amount) and any(
        word in lexicon.prices.words for word in words(cells[0])
    )
    is_of_year = cells[0] in value.years
    if len(header) != len(cells) or not (named or is_row_of_prices or is_of_year):
        return
    is_whole = is_of_year or said_of(
        asked_words(cells[0], lexicon), " ".join(named), lexicon, language
    )
    rest = asked - named - said_of(asked, f"{saying.over}\n{header[0]}", lexicon, language)
    if not (named or rest):
        return
    for title, cell in zip(header[1:], cells[1:], strict=True):
        numbers = [number for number, _, _ in alike(value, cell, lexicon, language)]
        counted = said_of(asked, title, lexicon, language)
        unit = _unit_over(value, title, is_counted=bool(counted))
        if not numbers and unit and NUMBER.fullmatch(cell.strip()):
            numbers = [number for number, _, _ in alike(value, f"{cell} {unit}", lexicon, language)]
        unsaid = (
            rest - said_of(rest, title, lexicon, language) - measured_words(value.measure, lexicon)
        )
        # A number tells one thing from another.
        may_lack = is_whole and counted and all(map(str.isalpha, unsaid))
        if len(numbers) == 1 and len(unsaid) <= bool(may_lack):
            yield numbers[0]


def _unit_over(value: Value, title: str, *, is_counted: bool) -> str:
    """Return what the numbers below a title measure or count, where it is what the value does."""
    measure = value.measure
    if not isinstance(measure, Quantity):
        return ""
    if not measure.unit:
        return measure.spelled if is_counted else ""
    signs = words(title)
    return (
        measure.spelled
        if {measure.unit.lower(), measure.spelled.lower()}.intersection(signs)
        else ""
    )
