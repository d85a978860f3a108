"""Tell which value the row of a table has of what a question asks about.

A row is of what its first cell names, and a cell is what the header over it says.
"""

from collections.abc import Iterator

from libs.language.lexicon import Lexicon
from libs.table_rows import cells_of
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
    if len(header) != len(cells) or not named:
        return
    rest = asked - named - said_of(asked, f"{saying.over}\n{header[0]}", lexicon, language)
    for title, cell in zip(header[1:], cells[1:], strict=True):
        numbers = [number for number, _, _ in alike(value, cell, lexicon, language)]
        if len(numbers) == 1 and said_of(rest, title, lexicon, language) >= rest:
            yield numbers[0]
