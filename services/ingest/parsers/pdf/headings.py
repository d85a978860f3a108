"""Tell the headings of a PDF: by its outline, by the size of letters, and by bold lines over text."""

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from itertools import takewhile

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.flow import Measures, Paragraph
from services.ingest.parsers.pdf.pages import Bookmark

_LAYOUT = load_layout()
NAMES = alternatives(_LAYOUT.part | _LAYOUT.chapter)
_NUMBERING = re.compile(
    rf"(?:(?:{NAMES})\s+)?(?:{alternatives(_LAYOUT.counter)})?\s?"
    rf"(?:\d{{1,3}}|(?-i:[A-Z]))(?:\.\d{{1,3}})*\.?(?:\s?(?:{NAMES})(?=\s))?",
    re.IGNORECASE,
)
CHAPTER = re.compile(rf"(?:{NAMES})\b.{{0,14}}", re.IGNORECASE)
"""A line over a chapter's title that has its number alone: "CHAPTER TWO", or "CHAPTER" over "TWO"."""
_MAX_HEADING = 300
_MAX_LEVELS, _COMMON = 6, 3
"""Of headings, and the pages that have letters of a size which goes before those of a few."""
LARGE = 1.12
"""Of the usual size: where a file has no outline, letters from here on are those of headings."""
_BOLD_SHARE = 0.9
_UNDER_BOLD = -1.0
"""Stands for the size of a slanted line, which ranks below all that are bold."""
_LONGEST_BOLD, _MOST_LINES = 110, 2
_APART = 1.25
"""Of the step between lines: how far below the text above a heading stands at least."""
_SAME_EDGE = 0.8
"""Of a letter's height: the text under a heading begins where it does, that of a term further in."""
_MOST_TIMES = 2
"""That one heading stands in a book: "Note" and "Example" over and over name no part of it."""
_MOSTLY = 0.5
"""Of the numbered titles of a rank: as many have a part that is called the same in each."""
_MOST_SHARE, _FEW = 0.2, 3
"""Of the paragraphs: where more are bold lines, and more than a few, they are no headings."""
_FRONT = 1
"""Pages behind the first one that may be of the front, as the back of a title page is."""
_MOST_BELOW = 4
"""Paragraphs under a heading by which its margin is told."""
_SECTION = re.compile(r"(?:[A-Z]|\d{1,3})(?:\.\d{1,3})+\.?(?=\s)")
_CHAPTER_NUMBER = re.compile(r"(\d{1,3})\.?\s")
_COUNTED = re.compile(r"[^\W\d_]{2,12}\s\d{1,3}(?-i:[A-Z])?(?:[.:]|\s[–—])(?=\s)")
"""What counts the parts of accounts and contracts: "Note 21.", "Item 1A.", "NOTE 4 — DEBT"."""
_ENDS = re.compile(r"[.!:;,。！：；、…-]['\"”’)\]]*$")
_WORDS = re.compile(r"[^\W\d_]{2}")


class Headings:
    """Knows headings by the outline, and where there is none, by the size of their letters.

    Bold lines that stand over text are headings too, for outlines seldom name the smallest.
    """

    def __init__(
        self, outline: Sequence[Bookmark], paragraphs: Sequence[Paragraph], usual: Measures
    ) -> None:
        self._waiting: dict[tuple[int, str], deque[tuple[int, Bookmark]]] = {}
        for place, bookmark in enumerate(outline):
            if wanted := letters(bookmark.title):
                key = (bookmark.page, wanted)
                self._waiting.setdefault(key, deque()).append((place, bookmark))
        pages: dict[int, set[int]] = {}
        for paragraph in paragraphs:
            if self._is_large(paragraph, usual):
                pages.setdefault(round(paragraph.size), set()).add(paragraph.page)
        # A front page may have more sizes than there are levels.
        common = sorted(
            pages, key=lambda size: (min(len(pages[size]), _COMMON), size), reverse=True
        )
        ranked = sorted(common[:_MAX_LEVELS], reverse=True)
        self._levels = {} if outline else {size: rank for rank, size in enumerate(ranked, start=1)}
        self._usual = usual

    def levels_of(self, paragraphs: Sequence[Paragraph], texts: Sequence[str]) -> list[int]:
        """Return the level of each paragraph that is a heading, from 1, and 0 of any other."""
        levels = [
            self._level_of(paragraph, text, names_table=_names_table(paragraphs, at))
            for at, (paragraph, text) in enumerate(zip(paragraphs, texts, strict=True))
        ]
        for at, text in enumerate(texts):
            if self._levels and text.isdigit() and not _is_over(paragraphs[at : at + 2]):
                levels[at] = 0  # the number of a page, in letters as large as those of titles
        if self._levels:
            levels = _with_parts_of_sections(levels, texts)
        bold = _bold_lines(paragraphs, texts, levels, self._usual)
        ranks = _ranks(bold, texts)
        over, is_bare = 0, not any(levels)
        for at, level in enumerate(levels):
            over = level or over
            # Before the first heading is the front, where everything is set apart; a file without any
            # is an extract, or has no other headings.
            is_behind = paragraphs[at].page > paragraphs[0].page + _FRONT
            if at in bold and (over or is_bare or is_behind):
                levels[at] = over + 1 + ranks[at]
        return levels

    def waiting(self) -> list[tuple[int, str]]:
        """Return the lines of the outline that no text was, with their pages."""
        left = [named for waiting in self._waiting.values() for named in waiting]
        return [(one.page, one.title) for _, one in sorted(left, key=lambda named: named[0])]

    def _is_large(self, paragraph: Paragraph, usual: Measures) -> bool:
        length = sum(len(line.text) for line in paragraph.lines)
        is_large = paragraph.size > LARGE * usual.size and length < _MAX_HEADING
        return is_large and not (paragraph.is_over_table or paragraph.lines[0].is_steep)

    def _level_of(self, paragraph: Paragraph, text: str, *, names_table: bool) -> int:
        if len(text) > _MAX_HEADING or paragraph.is_code or paragraph.is_table:
            return 0
        named = self._take_bookmark(paragraph.page, text)
        if named:
            return named.level
        if self._is_large(paragraph, self._usual) and not names_table:
            return self._levels.get(round(paragraph.size), 0)
        return 0

    def _take_bookmark(self, page: int, text: str) -> Bookmark | None:
        """Take the first line of the outline that names a text, with or without its number."""
        number = _NUMBERING.match(text)
        shown = {letters(text), letters(text[number.end() :] if number else "")}
        named = [found for one in shown if (found := self._waiting.get((page, one)))]
        return min(named, key=lambda found: found[0][0]).popleft()[1] if named else None


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _with_parts_of_sections(levels: Sequence[int], texts: Sequence[str]) -> list[int]:
    """Return levels, those of unnumbered titles one deeper that most numbered ones of a rank have.

    So recipes have each their ingredients, in letters as large as their own name.
    """
    found = [*levels]
    for rank in {*levels} - {0}:
        inside = [at for at, level in enumerate(levels) if level == rank]
        numbered = [at for at in inside if _SECTION.match(texts[at])]
        times = Counter(letters(texts[at]) for at in inside)
        least = max(_MOST_TIMES + 1, len(numbered) * _MOSTLY)
        parts = {at for at in inside if times[letters(texts[at])] >= least} - {*numbered}
        deeper = False
        for at in range(numbered[0], len(levels)) if numbered and parts else ():
            if 0 < levels[at] <= rank:
                deeper = at in parts
            found[at] += bool(levels[at]) and deeper
    return found


def _ranks(bold: Mapping[int, float], texts: Sequence[str]) -> dict[int, int]:
    """Return how deep each bold line is beside the others: parts counted in capitals are over them."""
    counted = {at for at in bold if _is_counted_in_capitals(texts[at])}
    sizes = sorted({size for at, size in bold.items() if at not in counted}, reverse=True)
    first = int(bool(counted))
    return {
        at: 0 if at in counted else first + min(sizes.index(size), 1) for at, size in bold.items()
    }


def _names_table(paragraphs: Sequence[Paragraph], at: int) -> bool:
    """Whether a paragraph is a caption by its number, right over a table or below one."""
    one = paragraphs[at]
    above, below = paragraphs[max(0, at - 1) : at], paragraphs[at + 1 : at + 2]
    # A table that begins on the page before ends on this.
    is_below = any(other.is_table and other.lines[-1].page == one.page for other in above)
    is_over = any(other.is_table and other.page == one.page for other in below)
    return (one.is_caption or one.may_be_caption) and (is_below or is_over)


def _is_over(two: Sequence[Paragraph]) -> bool:
    """Whether the first of two paragraphs stands over the second, on its page."""
    last = two[0].lines[-1]
    return len(two) > 1 and two[1].page == last.page and two[1].lines[0].y < last.y


def _bold_lines(
    paragraphs: Sequence[Paragraph], texts: Sequence[str], levels: Sequence[int], usual: Measures
) -> dict[int, float]:
    """Return the places and sizes of the bold lines that are headings of what stands under them.

    So are slanted ones. Where they are too many, those are none, nor what is over text that is set in.
    """
    found: dict[int, float] = {}
    for may_be_slanted, may_be_set_in in ((True, True), (False, True), (False, False)):
        found = _lines_set_apart(paragraphs, texts, levels, usual, may_be_set_in=may_be_set_in)
        if not may_be_slanted:
            found = {at: size for at, size in found.items() if size != _UNDER_BOLD}
        if len(found) <= max(_FEW, _MOST_SHARE * len(paragraphs)):
            return found
    return _numbered_sections(found, texts)


def _lines_set_apart(
    paragraphs: Sequence[Paragraph],
    texts: Sequence[str],
    levels: Sequence[int],
    usual: Measures,
    *,
    may_be_set_in: bool,
) -> dict[int, float]:
    found: dict[int, float] = {}
    times = Counter(map(letters, texts))
    for at in range(len(paragraphs) - 2, -1, -1):
        one, under = paragraphs[at], paragraphs[at + 1]
        heads = bool(levels[at + 1]) or at + 1 in found
        numbers = any(CHAPTER.fullmatch(text) for text in texts[max(0, at - 1) : at + 1])
        is_named = bool(levels[at] or numbers or _names_table(paragraphs, at))
        if is_named or one.lines[0].is_steep or times[letters(texts[at])] > _MOST_TIMES:
            continue
        is_apart = _is_apart(paragraphs[at - 1] if at else None, one, usual)
        below = paragraphs[at + 1 : at + 1 + _MOST_BELOW]
        stands = _stands_over(one, below, is_heading=heads, may_be_set_in=may_be_set_in)
        if not (is_apart and stands):
            continue
        if _may_head(one, texts[at]):
            found[at] = round(one.size, 1)
        elif _is_slanted_title(one, texts[at], None if heads else under, usual):
            found[at] = _UNDER_BOLD
    return found


def _numbered_sections(found: dict[int, float], texts: Sequence[str]) -> dict[int, float]:
    """Return those of too many bold lines that count sections: "4.1. Results", and "4. Tests" above."""
    within = {at: _SECTION.match(texts[at]) for at in found}
    chapters = {one[0].split(".")[0] for one in within.values() if one}
    return {
        at: size
        for at, size in found.items()
        if within[at] or ((top := _CHAPTER_NUMBER.match(texts[at])) and top[1] in chapters)
    }


def _may_head(paragraph: Paragraph, text: str) -> bool:
    """Whether a paragraph has the words and the look of a heading."""
    if paragraph.is_code or paragraph.is_table or paragraph.is_caption:
        return False
    if len(text) > _LONGEST_BOLD or len(paragraph.lines) > _MOST_LINES:
        return False
    if paragraph.label and not any(map(str.isalnum, paragraph.label)):
        return False
    number = _SECTION.match(text)
    is_counted = bool(_COUNTED.match(text)) and len(paragraph.lines) == 1
    may_end = (number and text.endswith(":")) or (is_counted and text.endswith("."))
    ends = _ENDS.search(text) and not may_end
    is_title = not text[:1].islower() and not ends and bool(_WORDS.search(text))
    is_set_apart = is_bold(paragraph) or bool(number and is_bold(paragraph, number.end()))
    is_set_apart = is_set_apart or _is_counted_in_capitals(text)
    is_set_apart = is_set_apart or (text[:1].isalnum() and _is_underlined(paragraph))
    return is_title and is_set_apart


def _is_slanted_title(one: Paragraph, text: str, under: Paragraph | None, usual: Measures) -> bool:
    """Whether it is a slanted line with the number of a section, or one apart from text under it."""
    if not one.may_be_title or len(text) > _LONGEST_BOLD or _ENDS.search(text):
        return False
    if _SECTION.match(text):
        return _is_slanted(one)
    if under is None or under.is_table or _is_slanted(under) or not _is_apart(one, under, usual):
        return False
    return text[:1].isupper() and not one.may_be_caption and _is_slanted(one)


def _is_counted_in_capitals(text: str) -> bool:
    return text.isupper() and bool(_COUNTED.match(text))


def _is_underlined(paragraph: Paragraph) -> bool:
    """Whether a line is drawn under all of a paragraph, and it is no link."""
    links = (one for line in paragraph.lines for one in line.markup)
    return all(line.is_underlined for line in paragraph.lines) and not any(
        one.kind is MarkupKind.LINK for one in links
    )


def _is_slanted(paragraph: Paragraph) -> bool:
    """Whether a paragraph is nearly all in slanted letters."""
    marked = (one for line in paragraph.lines for one in line.markup)
    slanted = sum(one.end - one.start for one in marked if one.kind is MarkupKind.EMPHASIS)
    return slanted >= _BOLD_SHARE * sum(len(line.text) for line in paragraph.lines)


def is_bold(paragraph: Paragraph, most: int = 0, *, behind: int = 0) -> bool:
    """Whether a paragraph is nearly all bold, or so are its first `most` letters, or those `behind`."""
    whole = bold = 0
    for at, line in enumerate(paragraph.lines[: 1 if most else None]):
        start, end = 0 if at else behind, most or len(line.text)
        marked = (one for one in line.markup if one.kind is MarkupKind.STRONG)
        bold += sum(max(0, min(one.end, end) - max(one.start, start)) for one in marked)
        whole += end - start
    return bold >= _BOLD_SHARE * whole


def _is_apart(above: Paragraph | None, paragraph: Paragraph, usual: Measures) -> bool:
    if above is None or above.lines[-1].page != paragraph.page or above.is_table:
        return True
    gap = above.lines[-1].y - paragraph.lines[0].y
    return gap < 0 or gap > _APART * usual.step


def _stands_over(
    paragraph: Paragraph, below: Sequence[Paragraph], *, is_heading: bool, may_be_set_in: bool
) -> bool:
    """Whether what follows on the page begins where a line does, as the text of a section does.

    The first line of a paragraph may be set in, and all that an underlined title is over.
    """
    under, first = below[0], below[0].lines[0]
    if first.page != paragraph.lines[-1].page or first.y > paragraph.lines[-1].y:
        return False
    if under.is_table or is_heading:
        return True
    shift = first.left - paragraph.lines[0].left
    # A title with the number of its section may be in the middle, or its text begin farther in.
    is_there = abs(shift) <= _SAME_EDGE * paragraph.size or _has_number(paragraph)
    if may_be_set_in and not is_there:
        rest = _margin_of(below) - paragraph.lines[0].left
        is_there = abs(rest) <= _SAME_EDGE * paragraph.size or _is_underlined(paragraph)
    return is_there and not is_bold(under)


def _margin_of(below: Sequence[Paragraph]) -> float:
    """Return where text begins whose first lines are set in: its next line, or the table in it."""
    for one in takewhile(lambda one: not is_bold(one) and not one.is_code, below):
        if one.is_table:
            return one.lines[0].left
        if len(one.lines) > 1:
            return one.lines[1].left
    return below[0].lines[0].left


def _has_number(paragraph: Paragraph) -> bool:
    """Whether a paragraph has words behind the number of a section, or of a note as accounts have."""
    text = paragraph.lines[0].text
    number = _SECTION.match(text) or _COUNTED.match(text)
    return bool(number and _WORDS.search(text[number.end() :]))
