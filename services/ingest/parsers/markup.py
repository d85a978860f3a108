"""Carry the markup of a source (links, emphasis, code) over to ranges of the canonical text.

The text is made first, as if there were no markup; then the markup is placed in it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter

from services.ingest.model.book import Block, Markup, MarkupKind
from services.ingest.parsers.scripts import Run, Script

TextWithMarkup = tuple[str, Sequence[Markup]]
"""A text, and the markup of its ranges."""

KINDS_OF_TAGS = {
    **dict.fromkeys(("em", "i", "dfn", "var", "cite"), MarkupKind.EMPHASIS),
    **dict.fromkeys(("strong", "b"), MarkupKind.STRONG),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), MarkupKind.CODE),
}
OF_CELLS = frozenset(
    (
        *(MarkupKind.ALIGNMENT, MarkupKind.COLUMN_SPAN, MarkupKind.ROW_SPAN),
        MarkupKind.HEADER_CELL,
    )
)
MAY_BE_EMPTY = frozenset(
    (
        *(MarkupKind.FOOTNOTE_REFERENCE, MarkupKind.ANCHOR, MarkupKind.PAGE, MarkupKind.IMAGE),
        MarkupKind.PAGE_LABEL,
        *OF_CELLS,
    )
)
"""Those that say something of a place that has no character of its own."""
_SCRIPTS = {Script.RAISED: MarkupKind.SUPERSCRIPT, Script.LOWERED: MarkupKind.SUBSCRIPT}
_SCHEME = re.compile(r"([^/?#]*?):")
_SAFE_SCHEMES = frozenset(("http", "https", "ftp", "mailto"))
_SPAN = re.compile(r"[0-9]{1,3}")
_WORD = re.compile(r"\S+")
_MOST_VALUE = 2000
"""Characters of an address; one that is longer is a picture's bytes, or nonsense."""


def is_safe(address: str) -> bool:
    """Whether a link leads to a page or to somebody's mail box, and runs nothing."""
    if address.startswith("#"):
        return True
    scheme = _SCHEME.match("".join(address.split()))
    return scheme is None or scheme[1].lower() in _SAFE_SCHEMES


def label_pages(
    markup: Sequence[Markup], blocks: Sequence[Block], labels: Mapping[int, str]
) -> Sequence[Markup]:
    """Return markup with what the source calls each page that is not called by its number."""
    starts: dict[int, int] = {}
    for block in blocks:
        starts.setdefault(block.page, block.start)
    for one in markup:
        if one.kind is MarkupKind.PAGE:
            page = int(one.value)
            starts[page] = min(one.start, starts.get(page, one.start))
    called = [
        Markup(MarkupKind.PAGE_LABEL, starts[page], starts[page], f"{page} {label}")
        for page, label in labels.items()
        if page in starts and label and label != str(page)
    ]
    return tuple(sorted((*markup, *called), key=attrgetter("start"))) if called else markup


def place(raw: str, text: str, markup: Sequence[Markup]) -> tuple[Markup, ...]:
    """Return markup of `raw` as that of `text`, which has other space between the same characters.

    What `text` lacks at its end is left out.
    """
    if not markup:
        return ()
    moved: Iterable[Markup] = markup
    lead = len(raw) - len(raw.lstrip())
    if len(raw) == len(text):
        pass  # no space was lost at all
    elif len(raw.strip()) == len(text):
        last = len(text)
        moved = [
            Markup(
                one.kind,
                min(max(one.start - lead, 0), last),
                min(max(one.end - lead, 0), last),
                one.value,
            )
            for one in markup
        ]
    else:
        moved = _place_by_words(raw, text, markup)
    return tuple(_trim(one, text) for one in moved if _says_something(one))


def _trim(one: Markup, text: str) -> Markup:
    """Return markup without the space at its ends."""
    if not (text[one.start : one.start + 1].isspace() or text[one.end - 1 : one.end].isspace()):
        return one
    words = text[one.start : one.end]
    start = one.start + len(words) - len(words.lstrip())
    return one._replace(start=start, end=max(start, one.end - len(words) + len(words.rstrip())))


def _says_something(one: Markup) -> bool:
    seen = one.start < one.end or (one.kind in MAY_BE_EMPTY and one.start == one.end)
    return seen and len(one.value) <= _MOST_VALUE


def _place_by_words(raw: str, text: str, markup: Sequence[Markup]) -> list[Markup]:
    """Find each place by the number of characters before it that are not space."""
    places = sorted({0, *(one.start for one in markup), *(one.end for one in markup)})
    counts, count = {0: 0}, 0
    for before, after in pairwise(places):
        count += sum(map(len, raw[before:after].split()))
        counts[after] = count
    firsts, lasts = _find_counts(text, sorted(set(counts.values())))
    return [
        Markup(
            one.kind,
            firsts[counts[one.start]],
            lasts[counts[one.end]] if one.end > one.start else firsts[counts[one.start]],
            one.value,
        )
        for one in markup
    ]


def _find_counts(text: str, counts: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return by count the offset of the character that follows so many, and that after the last."""
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {0: 0}
    passed, first, last = 0, 0, 1
    for word in _WORD.finditer(text):
        start, end = word.span()
        reached = passed + end - start
        while last < len(counts) and counts[last] <= reached:
            lasts[counts[last]] = start + counts[last] - passed
            last += 1
        while first < len(counts) and counts[first] < reached:
            firsts[counts[first]] = start + counts[first] - passed
            first += 1
        passed = reached
    firsts.update(dict.fromkeys(counts[first:], len(text)))
    lasts.update(dict.fromkeys(counts[last:], len(text)))
    return firsts, lasts


def picture_of(text: str, address: str) -> tuple[Markup, ...]:
    """Return what says that a text describes the picture at an address; nothing without one."""
    return (Markup(MarkupKind.IMAGE, 0, len(text), address),) if address else ()


def shift(markup: Iterable[Markup], by: int) -> tuple[Markup, ...]:
    """Return markup that stands `by` characters further on."""
    return tuple(Markup(one.kind, one.start + by, one.end + by, one.value) for one in markup)


def cut(markup: Sequence[Markup], length: int) -> Sequence[Markup]:
    """Return the markup of a text that loses its first `length` characters."""
    if not (markup and length):
        return markup
    moved = (
        Markup(one.kind, max(0, one.start - length), one.end - length, one.value) for one in markup
    )
    return tuple(one for one in moved if _says_something(one))


def with_scripts(raw: str, markup: Sequence[Markup], runs: Sequence[Run]) -> TextWithMarkup:
    """Return a text with what is written for its raised and lowered runs, and these as markup too."""
    if not runs:
        return raw, markup
    parts, last = [], 0
    for run in runs:
        parts += [raw[last : run.start], run.opening, raw[run.start : run.end], run.closing]
        last = run.end
    moved = [_around_scripts(one, runs) for one in markup]
    added = 0
    for run in runs:
        width = run.end - run.start + len(run.opening) + len(run.closing)
        start = run.start + added
        value = run.opening + run.closing
        moved.append(Markup(_SCRIPTS[run.script], start, start + width, value))
        added += len(run.opening) + len(run.closing)
    return "".join([*parts, raw[last:]]), moved


def _around_scripts(one: Markup, runs: Sequence[Run]) -> Markup:
    start, end = one.start, one.end
    for run in runs:
        if run.start > one.end:
            break
        is_within = run.start <= one.start and one.end <= run.end
        start += len(run.opening) * (is_within or run.start < one.start)
        end += len(run.opening) * (is_within or run.start < one.end)
        if not is_within:
            start += len(run.closing) * (run.end <= one.start)
            end += len(run.closing) * (run.end <= one.end)
    return Markup(one.kind, start, end, one.value)


def join_row(cells: Sequence[TextWithMarkup]) -> TextWithMarkup:
    """Return the line of a table that the cells make."""
    joined = " | ".join(text for text, _ in cells)
    line = joined.strip()
    markup: list[Markup] = []
    at = len(joined.lstrip()) - len(joined)
    for text, own in cells:
        if own:
            # An empty cell at either end has lost the space beside its bar.
            start = min(max(at, 0), len(line))
            markup += shift(own, start)
        at += len(text) + 3
    return line, markup


def cell_with(cell: TextWithMarkup, marks: Mapping[MarkupKind, str]) -> TextWithMarkup:
    """Return a cell of a table with what is said of it as a whole."""
    text, markup = cell
    around = [Markup(kind, 0, len(text), value) for kind, value in marks.items()]
    return text, [*around, *markup]


def spans(columns: str | None, rows: str | None) -> dict[MarkupKind, str]:
    """Return what is said of a cell over that many columns and rows; nothing of one of each."""
    found = {MarkupKind.COLUMN_SPAN: columns, MarkupKind.ROW_SPAN: rows}
    return {
        kind: str(int(count))
        for kind, count in found.items()
        if count and _SPAN.fullmatch(count) and int(count) > 1
    }


def join_lines(lines: Sequence[TextWithMarkup]) -> TextWithMarkup:
    """Return the text of lines, one below the other."""
    markup: list[Markup] = []
    at = 0
    for text, own in lines:
        if own:
            markup += shift(own, at)
        at += len(text) + 1
    return "\n".join(text for text, _ in lines), markup


def nested(markup: Sequence[Markup]) -> list[Markup]:
    """Return markup in order, outer ranges first; of two that overlap the later one is clipped.

    Of equal ranges the one that ended last, the last of `markup`, is the outer one; those without
    characters stay in their order.
    """
    if len(markup) < 2:
        return list(markup)
    ordered = [one for one in markup if one.start == one.end]
    ordered += [one for one in reversed(markup) if one.start < one.end]
    ordered.sort(key=lambda one: (one.start, -one.end))
    kept: list[Markup] = []
    around: list[Markup] = []
    for one in ordered:
        while around and around[-1].end <= one.start:
            around.pop()
        end = min(one.end, around[-1].end) if around else one.end
        kept.append(Markup(one.kind, one.start, end, one.value))
        if end > one.start:
            around.append(kept[-1])
    return kept
