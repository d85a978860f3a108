"""Find the terms that what stands further in below them defines, as print sets lists of such."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.ingest.parsers.pdf.columns import right_edge
from services.ingest.parsers.pdf.flow import Measures, Paragraph
from services.ingest.parsers.pdf.headings import is_bold

_LEAST_SHIFT, _MOST_SHIFT = 0.8, 6.0
"""Of the size of its letters: how much further in than its term a definition stands."""
_LEAST_BEHIND_MARK = 2.0
"""The same for a term with the mark of a list, below which the text of its item stands anyway."""
_SAME_EDGE = 0.4
_RIGHT_BELOW, _NEAR = 1.28, 1.6
"""Of the step between lines: a definition follows its term as lines do, a bold one with some space."""
_MOST_WIDTH = 0.6
"""Of a full line: a term in the letters of the text is shorter, that of a work in a list is not."""
_MOST_LINES = 2
_LONGEST = 120
_COLONS = ":："
_GOES_ON = re.compile(rf"[{_COLONS};,…；，、]$")
"""How what is no term ends; one that is set apart may end with a colon."""
_SENTENCES = re.compile(r"[^\w\s]?[^\W_a-z].*[.!?)。！？）]", re.DOTALL)


@dataclass(frozen=True)
class Place:
    """In how many definitions a paragraph stands, its own counted, and whether it is a term."""

    depth: int = 0
    is_term: bool = False


def find_definitions(
    paragraphs: Sequence[Paragraph], levels: Sequence[int], texts: Sequence[str], usual: Measures
) -> list[Place]:
    """Return the place of each paragraph; `levels` are 0 of what is no heading, `texts` without marks.

    A bold line, or one of code, is a term by the text right below it that stands further in. One in the
    letters of the text has to have another beside it, and sentences below.
    """
    terms = _Terms(paragraphs, levels, texts, usual)
    found = terms.find()
    return list(_places(paragraphs, levels, found, terms.lefts))


class _Terms:
    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        levels: Sequence[int],
        texts: Sequence[str],
        usual: Measures,
    ) -> None:
        self._paragraphs = paragraphs
        self._levels = levels
        self._texts = texts
        self._step = usual.step
        self._right = right_edge([line for one in paragraphs for line in one.lines])
        self.lefts = list(_from_margins(paragraphs))

    def find(self) -> set[int]:
        """Return where the terms stand."""
        clear, likely = set[int](), set[int]()
        for at in range(len(self._paragraphs) - 2, -1, -1):
            if not self._may_be_term(at):
                continue
            if self._is_set_apart(at):
                if self._is_defined_below(at) or (at + 1 in clear and self._shares(at)):
                    clear.add(at)
            elif self._is_short(at) and self._is_defined_below(at):
                likely.update({at} if _SENTENCES.fullmatch(self._texts[at + 1]) else ())
        return clear | {at for at in likely if self._has_like(at, clear | likely)}

    def _may_be_term(self, at: int) -> bool:
        one, text = self._paragraphs[at], self._texts[at]
        if self._levels[at] or one.is_table or one.is_caption or len(text) > _LONGEST:
            return False
        most = 1 if one.is_code else _MOST_LINES
        goes_on = _GOES_ON.search(text) and not (text[-1] in _COLONS and self._is_set_apart(at))
        return len(one.lines) <= most and not goes_on

    def _is_short(self, at: int) -> bool:
        """Whether a line ends well before the others do, and not as a sentence does."""
        last = self._paragraphs[at].lines[-1]
        is_wide = last.right - last.left > _MOST_WIDTH * (self._right - last.left)
        return not is_wide and not self._texts[at].endswith(".")

    def _is_set_apart(self, at: int) -> bool:
        one = self._paragraphs[at]
        return one.is_code or is_bold(one, behind=len(one.label))

    def _is_defined_below(self, at: int) -> bool:
        one, below = self._paragraphs[at], self._paragraphs[at + 1]
        if self._levels[at + 1] or below.is_table or below.is_code or below.label:
            return False
        shift = self.lefts[at + 1] - self.lefts[at]
        least = _LEAST_BEHIND_MARK if one.label else _LEAST_SHIFT
        if not least * one.size <= shift <= _MOST_SHIFT * one.size:
            return False
        if below.page != one.lines[-1].page:
            return self._is_set_apart(at)
        is_bolder = self._is_set_apart(at) and not one.is_code
        return self._gap(at) <= (_NEAR if is_bolder else _RIGHT_BELOW) * self._step

    def _shares(self, at: int) -> bool:
        """Whether the term right below is defined together with this one."""
        is_beside = (
            abs(self.lefts[at] - self.lefts[at + 1]) <= _SAME_EDGE * self._paragraphs[at].size
        )
        return is_beside and self._gap(at) <= _RIGHT_BELOW * self._step

    def _gap(self, at: int) -> float:
        """Return how far below a paragraph the next one begins, without end for one elsewhere."""
        last, first = self._paragraphs[at].lines[-1], self._paragraphs[at + 1].lines[0]
        gap = last.y - first.y
        return gap if last.page == first.page and gap > 0 else float("inf")

    def _has_like(self, at: int, terms: set[int]) -> bool:
        """Whether the next or the last term as far in has nothing between but what stands deeper."""
        for step in (1, -1):
            other = at + step
            while 0 <= other < len(self._paragraphs) and not self._levels[other]:
                shift = self.lefts[other] - self.lefts[at]
                if shift <= _SAME_EDGE * self._paragraphs[at].size:
                    if other in terms and shift >= -_SAME_EDGE * self._paragraphs[at].size:
                        return True
                    break
                other += step
        return False


def _from_margins(paragraphs: Sequence[Paragraph]) -> Iterator[float]:
    """Yield how far in paragraphs stand from the margin that most pages on their side have."""
    edges: dict[int, float] = {}
    for one in paragraphs:
        for line in one.lines:
            edges[line.page] = min(line.left, edges.get(line.page, line.left))
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for page, left in edges.items():
        counts[page % 2][round(left)] += 1
    margins = {side: count.most_common(1)[0][0] for side, count in counts.items()}
    for one in paragraphs:
        yield min(line.left for line in one.lines) - margins[one.page % 2]


def _places(
    paragraphs: Sequence[Paragraph],
    levels: Sequence[int],
    terms: set[int],
    lefts: Sequence[float],
) -> Iterator[Place]:
    open_at: list[float] = []
    for at, (one, level) in enumerate(zip(paragraphs, levels, strict=True)):
        above = paragraphs[at - 1].lines[-1] if at else one.lines[0]
        is_beside = above.page == one.page and one.lines[0].y > above.y + one.size
        if level or is_beside:  # the next column
            open_at = []
        while open_at and lefts[at] <= open_at[-1] + _SAME_EDGE * one.size:
            open_at.pop()
        if at in terms:
            open_at.append(lefts[at])
        yield Place(len(open_at), at in terms)
