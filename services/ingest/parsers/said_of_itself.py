"""Give as text what a document says of itself beside its text: who wrote it, and when."""

import re
from collections.abc import Sequence
from dataclasses import replace

from libs.language.detect import detect_language
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.text import collapse_space, shorten
from services.ingest.model.book import BlockKind
from services.ingest.model.byline import read_byline
from services.ingest.parsers.outline import Item

_LONGEST_DATE = 40
_DAY = re.compile(r"^(\d{4}-\d{2}-\d{2})[T ].*", re.DOTALL)


def lines_of(authors: Sequence[str], date: str, text: str, language: str = "") -> list[str]:
    """Return lines that say the authors and the date where `text` does not.

    They are in `language`, ISO 639, or else in the one that the text is found to be in.
    """
    shown = collapse_space(text).casefold()
    unsaid = not any(name.casefold() in shown for name in authors)
    year = read_byline((), date).year
    rules = load_lexicon(language or detect_language(text)).about_book
    if not rules.written_by:
        rules = load_lexicon(FALLBACK).about_book
    lines = [rules.written_by.format(names=", ".join(authors))] if authors and unsaid else []
    if year and str(year) not in shown:
        lines.append(rules.dated.format(date=shorten(as_day(date), _LONGEST_DATE)))
    return lines


def as_day(date: str) -> str:
    """Return a date without the time behind its day."""
    return _DAY.sub(r"\1", " ".join(date.split()))


def is_headed(items: Sequence[Item]) -> bool:
    """Whether a text begins with a heading."""
    return bool(items) and items[0].kind is BlockKind.HEADING


def with_lines(
    items: Sequence[Item], title: int, authors: Sequence[str], date: str, language: str = ""
) -> list[Item]:
    """Return the pieces with such lines below the heading at `title`, at the beginning without one."""
    text = "\n".join(item.text for item in items)
    page = items[title].page if items and title >= 0 else items[0].page if items else 0
    said = [
        replace(Item(BlockKind.PARAGRAPH, line), page=page)
        for line in lines_of(authors, date, text, language)
    ]
    return [*items[: title + 1], *said, *items[title + 1 :]]
