"""Find the spans of blocks: sentences, rows, whole code blocks."""

import re
from collections.abc import Iterator

from libs.text import Range, sentence_ranges
from services.ingest.model.book import Block, BlockKind, Span

_WHOLE = (BlockKind.HEADING, BlockKind.CODE, BlockKind.MATH)
_WORD = re.compile(r"\S+")
_LINE = re.compile(r"[^\n]+")
_MAX_SENTENCES_LENGTH = 100_000


def spans_of(text: str, block: Block, language: str) -> list[Span]:
    """Return the spans of a block in order; together they hold all its characters but spaces."""
    if block.kind in _WHOLE:
        ranges = [(block.start, block.end)]
    elif block.kind is BlockKind.TABLE:
        ranges = list(line_ranges(text, block.start, block.end))
    else:
        ranges = _sentences(text[block.start : block.end], language)
        ranges = [(block.start + start, block.start + end) for start, end in ranges]
    return [Span(start, end, block.kind) for start, end in ranges]


def line_ranges(text: str, start: int, end: int) -> Iterator[Range]:
    """Yield the lines of a range that are not blank, without the space behind them."""
    for match in _LINE.finditer(text, start, end):
        stop = match.start() + len(match[0].rstrip())
        if stop > match.start():
            yield match.start(), stop


def word_ranges(text: str, start: int, end: int) -> Iterator[Range]:
    """Yield the words of a range: what stands between spaces."""
    for match in _WORD.finditer(text, start, end):
        yield match.span()


def _sentences(body: str, language: str) -> list[Range]:
    if len(body) > _MAX_SENTENCES_LENGTH:
        return [(0, len(body))]
    try:
        ranges = sentence_ranges(body, language)
    except ValueError:  # the segmenter has changed a character, so its pieces can't be placed
        return [(0, len(body))]
    return list(_close_gaps(body, ranges))


def _close_gaps(body: str, ranges: list[Range]) -> Iterator[Range]:
    """Give what the segmenter left out to the sentence before it."""
    starts = [start for start, _ in ranges]
    if not starts or body[: starts[0]].strip():
        starts = [0, *starts[1:]]
    for start, stop in zip(starts, [*starts[1:], len(body)], strict=True):
        end = start + len(body[start:stop].rstrip())
        if end > start:
            yield start, end
