"""Tell the title of a PDF: by what the file says of itself, or by its first page."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.title import is_by_program
from services.ingest.parsers.pdf.flow import Measures, Paragraph, text_of
from services.ingest.parsers.pdf.headings import CHAPTER, LARGE, letters

_LAYOUT = load_layout()
_PART = re.compile(
    rf"\W*\d|(?:{alternatives(_LAYOUT.unnumbered | _LAYOUT.contents)})\W*$", re.IGNORECASE
)
"""Begins what names a part of a book, and not the book."""
_WORD = re.compile(r"[^\W\d_]{2}")
_PERSON = re.compile(r"(?:[^\W\d_][\w.'’-]*[ ]){1,3}[^\W\d_][\w.'’-]*")
_MAIL = re.compile(r"\W?[\w.+-]+@[\w-]+(?:\.[\w-]+)+\W?")
_FRONT = 4
"""Pieces at the beginning of a title page that may say who wrote the book."""
_MOST_LETTERS = 200
_LEAST_OF_TEXT = 20
"""Words of a paragraph that is more than a name, an address or a date."""


def find_title(
    stated: str, paragraphs: Sequence[Paragraph], known: Counter[str], usual: Measures
) -> str:
    """Return what a book is called; "" where neither the file nor its first page says so.

    `stated` is the title that the file has, `known` are the words of the book.
    """
    if not is_by_program(stated):
        return stated
    first = paragraphs[0].page if paragraphs else 0
    large = [one for one in paragraphs if _is_large(one, usual)]
    shown = [
        (one.size, text)
        for one in large
        if one.page == first and _WORD.search(text := text_of(one, known).text)
    ]
    size, title = max(shown, key=itemgetter(0), default=(0.0, ""))
    is_part = CHAPTER.match(title) or _PART.match(title) or len(title) > _MOST_LETTERS
    # What later pages have as large is the first of several titles of chapters, unless it is set
    # over no text.
    is_one_of_many = any(one.page > first and round(one.size) == round(size) for one in large)
    is_front = not any(one.page == first and _is_text(one, known) for one in paragraphs)
    return "" if is_part or (is_one_of_many and not is_front) else title


def author_on_front(title: str, texts: Sequence[str]) -> str:
    """Return the name that stands below the title, over an address of mail; "" if none does."""
    if not texts or letters(texts[0]) != letters(title):
        return ""
    both = pairwise(texts[1:_FRONT])
    return next((one for one, two in both if _PERSON.fullmatch(one) and _MAIL.fullmatch(two)), "")


def _is_text(paragraph: Paragraph, known: Counter[str]) -> bool:
    return len(text_of(paragraph, known).text.split()) >= _LEAST_OF_TEXT


def _is_large(paragraph: Paragraph, usual: Measures) -> bool:
    is_other = paragraph.is_code or paragraph.is_table or paragraph.lines[0].is_steep
    return paragraph.size > LARGE * usual.size and not is_other
