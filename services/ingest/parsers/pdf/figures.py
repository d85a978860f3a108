"""Put the pictures of a book between its paragraphs, and over their captions."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import picture_of
from services.ingest.parsers.outline import Item
from services.ingest.parsers.pdf.flow import Paragraph
from services.ingest.parsers.pdf.pictures import Picture

_FAR = 4.0
"""Heights of a line: a caption is nearer to what it describes."""


def place_pictures(paragraphs: Sequence[Paragraph], pictures: Iterable[Picture]) -> None:
    """Put each picture to its caption, else behind the text above it on its page, else before."""
    by_page: dict[int, list[Paragraph]] = defaultdict(list)
    for paragraph in paragraphs:
        for page in dict.fromkeys(line.page for line in paragraph.lines):
            by_page[page].append(paragraph)
    pages = sorted(by_page)
    for picture in pictures:
        if picture.page in by_page:
            _place_on_page(picture, by_page[picture.page])
        elif pages:
            # What else was on its page was left out.
            at = bisect_left(pages, picture.page)
            if at:
                by_page[pages[at - 1]][-1].pictures.append(picture.name)
            else:
                by_page[pages[0]][0].pictures_before.append(picture.name)


def _place_on_page(picture: Picture, paragraphs: Sequence[Paragraph]) -> None:
    left, bottom, right, top = picture.box
    middle = (bottom + top) / 2
    column = [one for one in paragraphs if _stands_in(one, picture.page, left, right)]
    above: Paragraph | None = None
    below: Paragraph | None = None
    for one in column or paragraphs:
        lines = [line for line in one.lines if line.page == picture.page]
        if lines[-1].y > middle:
            above = one
        elif below is None:
            below = one
    for caption, gap in (
        (below, bottom - below.lines[0].y if below else 0.0),
        (above, above.lines[-1].y - top if above else 0.0),
    ):
        if caption and caption.is_caption and not caption.captioned and gap < _FAR * caption.size:
            caption.captioned = picture.name
            return
    if above:
        above.pictures.append(picture.name)
    elif below:
        below.pictures_before.append(picture.name)


def _stands_in(paragraph: Paragraph, page: int, left: float, right: float) -> bool:
    """Whether a part of a paragraph on a page is above or below what is so wide."""
    return any(
        line.page == page and line.left < right and left < line.right for line in paragraph.lines
    )


def with_pictures(item: Item, paragraph: Paragraph, waiting: Sequence[str]) -> Item:
    """Return a piece with the pictures of its paragraph, and before them those that wait for one."""
    end = len(item.text.rstrip())
    before = (
        Markup(MarkupKind.IMAGE, 0, 0, name) for name in (*waiting, *paragraph.pictures_before)
    )
    behind = (Markup(MarkupKind.IMAGE, end, end, name) for name in paragraph.pictures)
    described = picture_of(item.text, paragraph.captioned)
    return replace(item, markup=(*before, *described, *item.markup, *behind))
