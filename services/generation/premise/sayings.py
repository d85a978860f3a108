"""What the passages say, sentence by sentence, beside what a question takes for granted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.lexicon import Lexicon
from libs.text import sentence_ranges, words
from services.generation.model import BlockKind, Passage

WORD = re.compile(r"[^\W\d_]+")

_LONGEST = 240
"""Characters of what is quoted."""

_SAYING = frozenset(
    (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.ADMONITION)
)


@dataclass(frozen=True)
class Saying:
    """A sentence, item or row; `over` are the titles above it, and what it leans on, `before`.

    `header` is the first row of its table, "" where it is no other row of one.
    """

    text: str
    over: str
    quote: str
    before: str = ""
    header: str = ""
    prior: str = ""
    """The sentence before it, whether it leans on that or not."""


def told_before(saying: Saying, lexicon: Lexicon) -> str:
    """Return the sentence that a pronoun of the saying may point to, wherever that stands in it."""
    spoken = words(saying.text)
    return saying.prior if not lexicon.checks.clauses.pronouns.isdisjoint(spoken) else ""


def list_sayings(passages: Sequence[Passage], lexicon: Lexicon) -> Iterator[Saying]:
    """Yield what may be quoted; what begins with a pronoun is said of what the one before names."""
    for passage in passages:
        titles, before, header = "\n".join(passage.locator.section_path), "", ""
        for span in passage.spans:
            quote = passage.text_of(span)
            text = " ".join(quote.split())
            is_row = span.kind is BlockKind.TABLE and " | " in quote
            leans = not lexicon.checks.clauses.pronouns.isdisjoint(words(text)[:1])
            if span.kind in _SAYING and len(text) <= _LONGEST:
                held = before if leans else ""
                over = f"{titles}\n{held}" if held else titles
                prior = "" if is_row or span.kind is BlockKind.LIST_ITEM else before
                yield Saying(text, over, quote, held, header if is_row else "", prior)
            elif is_row:
                yield from _sentences_of_row(quote, titles)
            before = text
            header = (header or text) if is_row else ""


def _sentences_of_row(row: str, titles: str) -> Iterator[Saying]:
    """Yield the sentences of the last cell of a long row, which are said of what its first names."""
    *cells, last = row.split(" | ")
    for start, end in sentence_ranges(last):
        if end - start <= _LONGEST:
            quote = last[start:end]
            yield Saying(" ".join(quote.split()), f"{titles}\n{cells[0]}", quote)
