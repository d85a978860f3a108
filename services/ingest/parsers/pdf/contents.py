"""Find the lines of a table of contents on the pages of a PDF; what else stands there is text."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import CONTENTS, visible_in
from services.ingest.parsers.pdf.headings import LARGE, letters
from services.ingest.parsers.pdf.line import Line

_NUMBER = r"(?:\d{1,5}|[ivxlc]{1,8})"
_LEADER = re.compile(rf"(?:\s?\.){{4,}}\s*{_NUMBER}(?:,\s?{_NUMBER})*$|(?:\s?\.){{8,}}$")
_BARE = re.compile(rf"\s{_NUMBER}$")
_COUNTER = re.compile(r"\s*(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3})*[.:]?\s+(?=\S)")
_NAME = re.compile(rf"\W*(?:{alternatives(load_layout().contents)})\W*", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MIN_ENTRIES = 4
_OVER = 3
"""Lines over the first entry that the name of the contents may be among."""
_SHARE = 0.5
"""Of the entries, those that stand in the text: a list of prices has dots too, and its lines do not."""


_LONG = 12
"""Letters that do not stand in other words by chance."""


@dataclass
class Contents:
    """What is left out as a table of contents: its lines by their page, and what names no heading."""

    lines: dict[int, list[Line]] = field(default_factory=dict)
    unmatched: dict[int, int] = field(default_factory=dict)
    """By page, the entries that no line of the text says."""

    @property
    def reason(self) -> str:
        return _reason(sum(self.unmatched.values()))

    def on_page(self, number: int) -> DroppedContent:
        """Return what is left out of one page."""
        characters = visible_in(line.text for line in self.lines[number])
        reason = _reason(self.unmatched[number])
        return replace(CONTENTS, place=f"page {number}", characters=characters, reason=reason)

    def names(self, number: int, title: str) -> bool:
        """Whether a page's lines that are left out say a title."""
        shown = letters(title)
        return any(shown in letters(line.text) for line in self.lines.get(number, ()))


class _Text:
    """What the lines of a book say, to find titles in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._words = _words("\n".join(lines))
        self._letters = letters(self._words)

    def has(self, title: str, times: int = 1) -> bool:
        """Whether a title stands here so often, with or without its number; none without letters."""
        for shown in (title, _COUNTER.sub("", title, count=1)):
            bare = letters(shown)
            if bare and _is_in(self._words, _words(shown), times):
                return True
            # Letters may be set apart, or a word broken; within words short ones stand by chance.
            if len(bare) >= _LONG and _is_in(self._letters, bare, times):
                return True
        return False


def drop_contents(pages: list[list[Line]], index: Collection[int]) -> Contents:
    """Take the lines of the table of contents out of the pages, and return them.

    Entries have dots that lead to page numbers, and their titles stand in the text. A title page
    may stand over them and a chapter begin below: these stay. A page of the index is none.
    """
    numbers = _pages_of_contents(pages, index)
    text = _Text(_outside(pages, numbers))
    found = Contents()
    for run in _runs(numbers):
        read = {number: _read_page(pages[number - 1], text, number, run) for number in run}
        entries = [_title_of(line) for number in run for line in pages[number - 1] if _leads(line)]
        if sum(text.has(entry) for entry in entries) < _SHARE * len(entries):
            continue
        for number in filter(read.get, run):
            lines, places = pages[number - 1], read[number]
            gone = [line for at, line in enumerate(lines) if at in places]
            missing = sum(_leads(line) and not text.has(_title_of(line)) for line in gone)
            found.lines[number], found.unmatched[number] = gone, missing
            pages[number - 1] = [line for at, line in enumerate(lines) if at not in places]
    return found


def _reason(unmatched: int) -> str:
    return CONTENTS.reason if not unmatched else f"all but {unmatched} of {CONTENTS.reason}"


def _pages_of_contents(pages: Sequence[Sequence[Line]], index: Collection[int]) -> list[int]:
    """Return the numbers of the pages that have a table of contents, or its end."""
    found: list[int] = []
    for number, lines in enumerate(pages, start=1):
        entries = sum(map(_leads, lines))
        named = any(_NAME.fullmatch(line.text) for line in lines)
        is_list = entries >= _MIN_ENTRIES and (named or entries * 3 >= len(lines))
        goes_on = bool(found) and found[-1] == number - 1
        # On the last page there may be few, beside the titles of chapters, or over the first one.
        is_end = goes_on and (entries * 2 >= len(lines) > 0 or any(map(_leads, lines[:1])))
        if number not in index and (is_list or is_end):
            found.append(number)
    return found


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _outside(pages: Sequence[Sequence[Line]], numbers: Collection[int]) -> list[str]:
    """Return the lines of the text, without those down to the last entry of each page."""
    return [
        line.text
        for number, lines in enumerate(pages, start=1)
        for line in (lines[_behind_entries(lines) :] if number in numbers else lines)
    ]


def _behind_entries(lines: Sequence[Line]) -> int:
    return 1 + max(at for at, line in enumerate(lines) if _leads(line))


def _read_page(lines: Sequence[Line], text: _Text, number: int, run: Sequence[int]) -> set[int]:
    """Return the places of the lines that are of the contents."""
    places = _entries_of(lines, text, is_first=number == run[0], is_last=number == run[-1])
    if not places:
        return set()
    first, last = places[0], places[-1]
    found = {*places}
    waiting: list[int] = []
    for at in range(first, last + 1):
        if at not in found:
            waiting.append(at)
            continue
        found.update(_of_entries(lines, waiting, at, text))
        waiting = []
    while first and _is_bare_entry(lines[first - 1], lines[first], text, 1):
        first -= 1
        found.add(first)
    while last + 1 < len(lines) and _is_bare_entry(lines[last + 1], lines[last], text, 2):
        last += 1
        found.add(last)
    return found | _name_over(lines, first, is_first=number == 1, goes_on=number > run[0])


def _entries_of(lines: Sequence[Line], text: _Text, *, is_first: bool, is_last: bool) -> list[int]:
    """Return the places of entries: of the contents, the first and the last stand in the text.

    Below the contents may be a list that has dots as well.
    """
    places = [at for at, line in enumerate(lines) if _leads(line)]
    while is_first and places and not text.has(_title_of(lines[places[0]])):
        del places[0]
    while is_last and places and not text.has(_title_of(lines[places[-1]])):
        del places[-1]
    return places


def _of_entries(lines: Sequence[Line], between: list[int], at: int, text: _Text) -> list[int]:
    """Return which lines between two entries are titles without dots, or begin the second one."""
    if text.has(" ".join(_title_of(lines[one]) for one in (*between, at))):
        return between
    return [
        one
        for one in between
        # An index with dots has the letters that its words begin with.
        if len(lines[one].text) == 1
        or _NAME.fullmatch(lines[one].text)
        or text.has(_BARE.sub("", lines[one].text))
    ]


def _is_bare_entry(line: Line, beside: Line, text: _Text, times: int) -> bool:
    """Whether a line beside an entry is one without dots, whose title the text has so often."""
    found = _BARE.search(line.text)
    is_alike = line.size <= LARGE * beside.size
    return found is not None and is_alike and text.has(line.text[: found.start()], times)


def _name_over(lines: Sequence[Line], first: int, *, is_first: bool, goes_on: bool) -> set[int]:
    """Return the place of the name of the contents, or of the list that follows them, if it has one."""
    for at in range(first - 1, max(-1, first - 1 - _OVER), -1):
        if _NAME.fullmatch(lines[at].text):
            return {at}
    is_large = first == 1 and lines[0].size > LARGE * lines[1].size
    return {0} if is_large and (goes_on or not is_first) else set()


def _leads(line: Line) -> bool:
    return _LEADER.search(line.text) is not None


def _title_of(line: Line) -> str:
    return _LEADER.sub("", line.text)


def _words(text: str) -> str:
    """Return a text's words in small letters, each between spaces."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_in(text: str, wanted: str, times: int) -> bool:
    return wanted in text if times == 1 else text.count(wanted) >= times
