"""Passages in; every unit that can be shown as part of an answer out, with what stands over it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from libs.text import terms as stems
from libs.text import words
from services.generation.model import BlockKind, Passage, Unit

_LABEL_WORDS = 6
_TELLS = re.compile(r"[\d:]")
"""A label with a number or a colon is a fact: "Weight: 15 %"."""

_NAMES_FILE = re.compile(r"^file(?: ?name)?:\s*\S+$", re.IGNORECASE)
"""Says in which file the listing after it stands, and nothing alone."""

_LEANS = re.compile(
    r"^(?:(?:but|and|so|also|then|instead|however|therefore|thus|hence|otherwise)\b"
    r"|(?:it|they|these|those|he|she|this|that)(?:[’']|(?: \w+)? (?:is|are|was|were|has|have|can"
    r"|will|may|must|should|does|do|\w+s|\w+ed)\b))",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of what the one before it says."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*$")


_BRITISH = re.compile(
    r"(?<=\w\w[a-z])(?:is(?=e[ds]?\b|ing\b|ations?\b|ers?\b)|ys(?=e[ds]?\b|ing\b))"
)


@lru_cache(maxsize=16384)
def terms(text: str) -> tuple[str, ...]:
    """Return the terms of `text` in order, with one spelling for -ise and -ize.

    Passages come again, so they are kept.
    """
    return tuple(stems(_BRITISH.sub(lambda found: found[0][0] + "z", text)))


@lru_cache(maxsize=16384)
def distinct_terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(maxsize=16384)
def term_pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(terms(text)))


@lru_cache(maxsize=16384)
def count_words(text: str) -> int:
    return len(words(text))


@dataclass(frozen=True)
class Quotable:
    """Unit `index` of source `source` (from 1).

    `lead` is the index of the unit that introduces it: a list's or a code block's last words before
    it, a table's first row, the term over its definition; None when there is none.
    """

    source: int
    passage: Passage
    index: int
    lead: int | None
    heading: str

    @property
    def unit(self) -> Unit:
        return self.passage.units[self.index]

    @cached_property
    def text(self) -> str:
        return self.passage.text_of(self.unit)

    @cached_property
    def lead_text(self) -> str:
        return "" if self.lead is None else self.passage.text_of(self.passage.units[self.lead])

    @cached_property
    def caption(self) -> str:
        """The unit before a table, which is often its title; "" when there is none."""
        if self.unit.kind is not BlockKind.TABLE:
            return ""
        first = self.index if self.lead is None else self.lead
        before = self.passage.units[first - 1] if first else None
        return "" if before is None else self.passage.text_of(before)

    @cached_property
    def before(self) -> int | None:
        """The statement before it in its paragraph, when it leans on that one; else None."""
        if not self.index or self.unit.kind is BlockKind.LIST_ITEM or not _LEANS.match(self.text):
            return None
        last, start = self.passage.units[self.index - 1], self.passage.locator.start
        gap = self.passage.text[last.end - start : self.unit.start - start]
        is_one = last.kind is self.unit.kind and "\n\n" not in gap
        asks = self.passage.text_of(last).rstrip().endswith("?")
        return self.index - 1 if is_one and not asks else None

    @property
    def terms(self) -> frozenset[str]:
        return distinct_terms(self.text)

    @cached_property
    def titles_text(self) -> str:
        return "\n".join(self.passage.locator.section_path)

    @property
    def titles(self) -> frozenset[str]:
        """Terms of all titles down to the unit."""
        return distinct_terms(self.titles_text)

    @property
    def around(self) -> list[str]:
        """The texts of the unit and of those beside it."""
        units = self.passage.units[max(0, self.index - 1) : self.index + 2]
        return [self.passage.text_of(unit) for unit in units]

    @property
    def key(self) -> tuple[str, int]:
        return self.passage.locator.document, self.unit.start


def list_quotables(passages: Sequence[Passage]) -> list[Quotable]:
    """Return the units of all passages in their order, each place once.

    Headings, and units that only introduce others, are left out.
    """
    found: dict[tuple[str, int], Quotable] = {}
    for source, passage in enumerate(passages, 1):
        for item in _of_passage(source, passage):
            found.setdefault(item.key, item)
    return list(found.values())


def _of_passage(source: int, passage: Passage) -> Iterator[Quotable]:
    heading = "".join(passage.locator.section_path[-1:])
    texts = [passage.text_of(unit) for unit in passage.units]
    for index, unit in enumerate(passage.units):
        if unit.kind is BlockKind.HEADING:
            heading = texts[index]
        elif any(map(str.isalnum, texts[index])) and not _only_introduces(
            passage.units, texts, index
        ):
            yield Quotable(source, passage, index, _lead(passage.units, texts, index), heading)


def _only_introduces(units: Sequence[Unit], texts: Sequence[str], index: int) -> bool:
    """Whether the unit says nothing without what stands beside it."""
    if _NAMES_FILE.match(texts[index]):
        return True
    followed = index + 1 < len(units) and units[index + 1].kind is not BlockKind.HEADING
    if units[index].kind is BlockKind.TABLE:
        opens = index == 0 or units[index - 1].kind is not BlockKind.TABLE
        return opens and followed and units[index + 1].kind is BlockKind.TABLE
    if followed and _names_next(units, texts, index):
        return True
    return followed and texts[index].rstrip().endswith((":", "?"))


def _names_next(units: Sequence[Unit], texts: Sequence[str], index: int) -> bool:
    """Whether the unit is a term or title over the paragraph after it, and tells nothing itself."""
    both_prose = all(unit.kind is BlockKind.PARAGRAPH for unit in units[index : index + 2])
    tells = _TELLS.search(texts[index]) is not None
    return both_prose and not tells and _is_label(texts[index]) and not _is_label(texts[index + 1])


def _lead(units: Sequence[Unit], texts: Sequence[str], index: int) -> int | None:
    kind = units[index].kind
    if kind is BlockKind.CODE and _is_caption(units, index + 1):
        return index + 1
    if kind is BlockKind.TABLE:
        return _first_row(units, index)
    before = index - 1
    if kind is BlockKind.LIST_ITEM:
        while before >= 0 and units[before].kind is kind and not _introduces(texts[before]):
            before -= 1
    if before < 0 or units[before].kind in (BlockKind.HEADING, BlockKind.TABLE):
        return None
    is_label = units[before].kind is BlockKind.PARAGRAPH and _is_label(texts[before])
    return before if _introduces(texts[before]) or is_label else None


def _is_caption(units: Sequence[Unit], index: int) -> bool:
    return index < len(units) and units[index].kind is BlockKind.CAPTION


def _first_row(units: Sequence[Unit], index: int) -> int | None:
    first = index
    while first and units[first - 1].kind is BlockKind.TABLE:
        first -= 1
    return first if first < index else None


def _introduces(text: str) -> bool:
    return text.rstrip().endswith(":")


def _is_label(text: str) -> bool:
    return len(words(text)) <= _LABEL_WORDS and not _SENTENCE_END.search(text.rstrip())
