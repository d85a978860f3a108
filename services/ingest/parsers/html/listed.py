"""Tell contents and the two lines of a chapter's title by the pieces of a page, not by its tags.

Programs that make pages of TeX set contents as lines of links, and the number of a chapter as
a heading of its own over the title.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from libs.text import shorten
from services.ingest.model.book import BlockKind, DroppedContent, MarkupKind
from services.ingest.parsers.dropped import CONTENTS, visible_in
from services.ingest.parsers.markup import shift
from services.ingest.parsers.outline import Item
from services.ingest.parsers.plain.headings import counts_chapter

_LAYOUT = load_layout()
_NAME = re.compile(rf"\W*(?:{alternatives(_LAYOUT.contents)})\W*", re.IGNORECASE)
_NAMES = alternatives(_LAYOUT.part | _LAYOUT.chapter)
_NUMBER = r"(?:\d{1,3}|[A-Z]|[IVXLC]{1,8})(?:\.\d{1,3})*"
_NUMBERED = re.compile(rf"(?:(?i:{_NAMES})\s+)?{_NUMBER}[.:)]?(?=\s+\S)|(?i:{_NAMES})\s+{_NUMBER}")
"""How an entry begins: "1.2", "A.", "Chapter 3", perhaps outside of its link."""
_SECTION = re.compile(r"\d{1,3}\.\d")
_PAGE = re.compile(r"(?!\w+:|//)(?:[^#]+\.x?html?)?(?:#.*)?", re.IGNORECASE)
"""Leads to a place of the page or to another page of the book."""
_LISTED = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST_ITEM))
_SHOWN = 60
_LEAST, _SHARE = 3, 0.6
"""Entries of contents, and how many of them have a number or are a heading of the page."""


def join_numbers(items: Iterable[Item]) -> list[Item]:
    """Return the pieces, each heading that only counts a chapter as one with the one right below it.

    Both are as deep: "Chapter 6" and "Unicode"; or the lower one is the only one of its depth there,
    as a title is and a section seldom. What is below it is no section, "6.1 Letters", and no chapter
    itself.
    """
    pieces, joined = list(items), list[Item]()
    for place, item in enumerate(pieces):
        over = joined[-1] if joined else None
        if over is not None and _belongs(over, item, pieces, place):
            joined[-1] = _join(over, item)
        else:
            joined.append(item)
    return joined


def _belongs(over: Item, item: Item, pieces: Sequence[Item], place: int) -> bool:
    if over.kind is not BlockKind.HEADING or item.kind is not BlockKind.HEADING:
        return False
    text = item.text.strip()
    if _SECTION.match(text) or counts_chapter(text, with_name=True):
        return False
    if not counts_chapter(over.text.strip()):
        return False
    return over.level == item.level or (
        over.level < item.level and _is_alone(over, item, pieces[place + 1 :])
    )


def _is_alone(over: Item, item: Item, following: Sequence[Item]) -> bool:
    """Whether no other heading below `over` is as high as this one."""
    headings = (one for one in following if one.kind is BlockKind.HEADING)
    below = takewhile(lambda one: one.level > over.level, headings)
    return all(one.level > item.level for one in below)


def _join(over: Item, item: Item) -> Item:
    before = f"{over.text.strip()} "
    by = len(before)
    return replace(
        over,
        text=before + item.text,
        anchor=over.anchor or item.anchor,
        footnotes=(*over.footnotes, *item.footnotes),
        page_breaks=(*over.page_breaks, *((at + by, page) for at, page in item.page_breaks)),
        markup=(*over.markup, *shift(item.markup, by)),
    )


def drop_listed(items: Sequence[Item]) -> tuple[list[Item], list[DroppedContent]]:
    """Part the pieces from contents: lines that are nothing but links to places of the book.

    They are contents if that stands over them, or if most have a number or are headings of the page; a
    list of links that says neither may be what the page is about.
    """
    titles = {_letters(one.text) for one in items if one.kind is BlockKind.HEADING}
    kept: list[Item] = []
    dropped: list[DroppedContent] = []
    for run in _runs(items):
        is_named = bool(kept) and _NAME.fullmatch(kept[-1].text) is not None
        if not _is_contents(run, titles, is_named=is_named):
            kept += run
            continue
        gone = [kept.pop(), *run] if is_named else run
        seen = visible_in(one.text for one in gone)
        dropped.append(
            DroppedContent(
                CONTENTS.kind, f"“{shorten(run[0].text, _SHOWN)}”", CONTENTS.reason, seen
            )
        )
    return kept, dropped


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the pieces that are nothing but links together, others alone."""
    run: list[Item] = []
    for item in items:
        if _entries(item):
            run.append(item)
            continue
        if run:
            yield run
        yield [item]
        run = []
    if run:
        yield run


def _is_contents(run: Sequence[Item], titles: set[str], *, is_named: bool) -> bool:
    entries = [text for item in run for text in _entries(item)]
    if len(entries) < _LEAST:
        return False
    told = sum(bool(_NUMBERED.match(text)) or _letters(text) in titles for text in entries)
    return is_named or told >= _SHARE * len(entries)


def _entries(item: Item) -> list[str]:
    """Return the words of each link with the number before it; none where a piece says more."""
    if item.kind not in _LISTED or item.footnotes or item.note:
        return []
    links = [one for one in item.markup if one.kind is MarkupKind.LINK]
    found, end = list[str](), 0
    for link in links:
        before = " ".join(item.text[end : link.start].split())
        says_more = any(map(str.isalnum, before)) and not _is_number(before)
        if says_more or not link.value or not _PAGE.fullmatch(link.value):
            return []
        words = " ".join(item.text[link.start : link.end].split())
        found += [f"{before} {words}".strip()] if words else []
        end = max(end, link.end)
    return [] if any(map(str.isalnum, item.text[end:])) else found


def _is_number(text: str) -> bool:
    return _NUMBERED.match(f"{text} x") is not None and len(text.split()) <= 2


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
