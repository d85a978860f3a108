"""Parse a PDF into canonical text with blocks, sections and pages."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.model.book import (
    BlockKind,
    DroppedContent,
    ParsedText,
    SourceFile,
)
from services.ingest.model.byline import read_byline
from services.ingest.parsers.dropped import INDEX, name_pages, visible_in
from services.ingest.parsers.markup import shift
from services.ingest.parsers.outline import Item, assemble, place_footnotes
from services.ingest.parsers.pdf.captions import titles_of_tables
from services.ingest.parsers.pdf.columns import line_ends
from services.ingest.parsers.pdf.contents import Contents, drop_contents
from services.ingest.parsers.pdf.definitions import Place, find_definitions
from services.ingest.parsers.pdf.dropped_pieces import DroppedPiece, left_out, name_pieces
from services.ingest.parsers.pdf.figures import place_pictures, with_pictures
from services.ingest.parsers.pdf.flow import (
    Measures,
    PagedText,
    Paragraph,
    append,
    goes_on,
    measure,
    repeats_caption,
    text_of,
    to_paragraphs,
    words_of,
)
from services.ingest.parsers.pdf.headers_and_footers import (
    drop_headers_and_footers,
    index_pages,
)
from services.ingest.parsers.pdf.headings import CHAPTER, NAMES, Headings, letters
from services.ingest.parsers.pdf.late_captions import with_captions_first
from services.ingest.parsers.pdf.late_tables import with_tables_in_place
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.lists import list_levels
from services.ingest.parsers.pdf.notes import (
    hang_marks,
    note_item,
    note_paragraphs,
    split_notes,
    take_rest,
    tie_rest,
)
from services.ingest.parsers.pdf.ocr import can_read_scans
from services.ingest.parsers.pdf.pages import Book, in_reading_order, read_pdf
from services.ingest.parsers.pdf.places import (
    drop_usual_looks,
    only_notes,
    with_anchors,
    without_whole,
)
from services.ingest.parsers.pdf.titles import author_on_front, find_title
from services.ingest.parsers.pdf.unkept import (
    code_in_notes,
    loose_notes,
    markup_in_code,
    raised_numbers,
    untitled,
    usual_looks,
    with_powers,
)

_CHAPTER_WORD = re.compile(NAMES, re.IGNORECASE)
_COUNTED = re.compile(rf"(?:{NAMES})\s+(?:\d{{1,3}}|[IVXLC]{{1,6}}|[A-Z])[.:]?", re.IGNORECASE)
_NUMBER_WORD = re.compile(r"\w[\w-]{0,15}")
_HINT = " (install the ocr extra to have that done here)"
_READ_BY_OCR = DroppedContent("page", "", "it is a picture and was read by OCR", dropped=False)
_PICTURE = DroppedContent("picture", "", "what it shows is no text")


def parse_pdf(data: bytes, fallback_title: str) -> ParsedText:
    """Parse a PDF. Raises InvalidInput for a damaged or locked file, TooLarge for a huge one."""
    book = read_pdf(data)
    kept = drop_headers_and_footers(book.pages)
    dropped_content = list(_edges(book.pages, kept))
    plain = drop_usual_looks(kept)
    placed = [with_tables_in_place(in_reading_order(lines)) for lines in plain]
    pages = [*map(with_captions_first, placed)]
    index = index_pages(pages)
    contents = drop_contents(pages, index)
    dropped_content += map(contents.on_page, contents.lines)
    dropped_content += _drop_index(pages, index)
    whole = {number for number in (*contents.lines, *index) if not pages[number - 1]}
    dropped = [piece for piece in book.dropped if piece.page not in whole]
    dropped += usual_looks(kept, plain)
    pages = with_anchors(pages, dropped)
    usual = measure(pages)
    known = words_of(pages)
    footnotes: dict[str, list[Item]] = {}
    paragraphs = _read_paragraphs(pages, usual, known, footnotes, dropped)
    place_pictures(paragraphs, [picture for picture in book.pictures if picture.data])
    headings = Headings(book.outline, paragraphs, usual)
    items = list(_to_items(paragraphs, headings, known, footnotes, usual))
    dropped += markup_in_code(paragraphs)
    waiting = (one for one in headings.waiting() if not contents.names(*one))
    dropped += untitled(waiting, {one.page for one in paragraphs})
    numbers = {label: label.split("@")[0] for label in footnotes}
    ordered = list(place_footnotes(items, footnotes, numbers))
    title = find_title(book.title, paragraphs, known, usual) or fallback_title
    parsed = assemble(
        title=title,
        title_index=_title_index(ordered, title),
        items=ordered,
        warnings=list(_warn(book, contents, index)),
        dropped_content=[*dropped_content, *_scans(book), *_pictures(book), *name_pieces(dropped)],
    )
    # The date in a file is that of the file, not of the book.
    authors = book.authors or author_on_front(title, [item.text for item in ordered[:5]])
    byline = read_byline(authors.split(";"))
    return replace(parsed, pictures=_files(book), byline=byline, page_labels=book.labels)


def _read_paragraphs(
    pages: Sequence[Sequence[Line]],
    usual: Measures,
    known: Counter[str],
    footnotes: dict[str, list[Item]],
    dropped: list[DroppedPiece],
) -> list[Paragraph]:
    """Return the paragraphs of all pages; their footnotes and what is lost are added to the others."""
    paragraphs: list[Paragraph] = []
    noted: dict[str, list[Line]] = {}
    last: list[Line] = []
    right = 0.0
    for lines in pages:
        body, notes = split_notes(lines, usual)
        body, rest = take_rest(body, last, usual)
        last += rest
        noted |= dict(notes)
        last = notes[-1][1] if notes else last if rest else []
        hung = hang_marks(body, noted, usual)
        hung, powers = with_powers(hung, noted.keys())
        labels = [label for label, _ in notes]
        dropped += powers
        dropped += [*raised_numbers(hung, noted.keys()), *loose_notes(hung, labels)]
        tied = tie_rest(hung, labels)
        found = to_paragraphs([only_notes(line, noted.keys()) for line in tied], usual)
        start = repeats_caption(paragraphs[-2:], found[:1])
        above = paragraphs[-1] if paragraphs and not _begins_title(found, start) else None
        if above and found[start:] and goes_on(above, found[start], right, usual):
            append(above, found[start])
            del found[: start + 1]
        right = (line_ends(tied) or [right])[-1]
        paragraphs += found
    for label, note in noted.items():
        parts = note_paragraphs(note, usual)
        footnotes[label] = [note_item(part, known) for part in parts]
        dropped += code_in_notes(parts)
    return paragraphs


def _begins_title(found: Sequence[Paragraph], at: int) -> bool:
    """Whether a paragraph of a page begins the title of its table, in a capital letter."""
    first = next((run.start for run in titles_of_tables(found, [0] * len(found))), -1)
    return at == first and found[at].lines[0].text[:1].isupper()


def _files(book: Book) -> list[SourceFile]:
    return [SourceFile(picture.name, picture.data) for picture in book.pictures if picture.data]


def _edges(
    before: Sequence[Sequence[Line]], after: Sequence[Sequence[Line]]
) -> Iterator[DroppedContent]:
    """Yield what stood at the edge of pages and repeats or counts them."""
    gone = {
        number: visible_in(line.text for line in whole) - visible_in(line.text for line in kept)
        for number, (whole, kept) in enumerate(zip(before, after, strict=True), start=1)
        if len(kept) < len(whole)
    }
    if gone:
        place, reason = name_pages(list(gone)), "it repeats from page to page, or counts them"
        yield DroppedContent("running head or foot", place, reason, sum(gone.values()))


def _drop_index(pages: list[list[Line]], index: Sequence[int]) -> Iterator[DroppedContent]:
    """Empty the pages of an index, and yield what they were."""
    for number in index:
        yield _located(INDEX, number, pages[number - 1])
        pages[number - 1] = []


def _scans(book: Book) -> Iterator[DroppedContent]:
    for number in book.without_text:
        yield DroppedContent("page", f"page {number}", "it is a picture without a text layer")
    for number in book.scanned:
        yield _located(_READ_BY_OCR, number, book.pages[number - 1])


def _pictures(book: Book) -> Iterator[DroppedContent]:
    """Yield the pictures: as long as nobody knows whether readers get them, those with a file too."""
    for picture in book.pictures:
        if picture.data:
            yield replace(_PICTURE, place=f"page {picture.page}", address=picture.name)
    unkept = (picture for picture in book.pictures if not picture.data)
    yield from name_pieces(
        DroppedPiece(left_out("picture", one.reason), one.page) for one in unkept
    )


def _located(dropped: DroppedContent, number: int, lines: Sequence[Line]) -> DroppedContent:
    characters = visible_in(line.text for line in lines)
    return replace(dropped, place=f"page {number}", characters=characters)


def _title_index(items: Sequence[Item], title: str) -> int:
    for index, item in enumerate(items[:5]):
        if item.kind is BlockKind.HEADING and letters(item.text) == letters(title):
            return index
    return -1


def _warn(book: Book, contents: Contents, index: Sequence[int]) -> Iterator[str]:
    if book.pages and not any(book.pages):
        hint = "" if can_read_scans() else _HINT
        yield f"no page has a text layer: it is scanned and has to be read by OCR first{hint}"
    else:
        for number in book.without_text:
            yield f"page {number} has no text layer and was left out"
    if book.scanned:
        shown = ", ".join(map(str, book.scanned))
        yield f"page {shown} is a picture and was read by OCR: look for mistakes in its text"
    if contents.lines:
        shown = ", ".join(map(str, contents.lines))
        yield f"the table of contents (page {shown}) was left out: {contents.reason}"
    if index:
        shown = ", ".join(map(str, index))
        yield f"the index (page {shown}) was left out: it only names pages"


def _to_items(
    paragraphs: Sequence[Paragraph],
    headings: Headings,
    known: Counter[str],
    footnotes: Mapping[str, Sequence[Item]],
    usual: Measures,
) -> Iterator[Item]:
    texts = [text_of(paragraph, known) for paragraph in paragraphs]
    both = zip(paragraphs, texts, strict=True)
    levels = headings.levels_of(paragraphs, [_raw_text(one, paged.text) for one, paged in both])
    paragraphs = _with_titles_of_tables(paragraphs, levels, texts, known)
    places = find_definitions(paragraphs, levels, [paged.text for paged in texts], usual)
    _read_terms(paragraphs, places, texts, known)
    chapter, waiting = "", list[str]()
    depths = list_levels(paragraphs, usual)
    chapters = _chapters([paged.text for paged in texts], levels)
    for at, (paragraph, paged, level, depth, place) in enumerate(
        zip(paragraphs, texts, levels, depths, places, strict=True)
    ):
        if at in chapters or not paged.text.strip():
            chapter = chapters.get(at, chapter)
            waiting += [*paragraph.pictures_before, *paragraph.pictures]
            continue
        labels = (f"{mark}@{line.page}" for line in paragraph.lines for mark in line.marks)
        notes = tuple(label for label in labels if label in footnotes)
        if level:
            item = _heading(paragraph, paged, level, chapter)
            chapter = ""
        else:
            item = _plain_item(paragraph, paged, depth)
            if paragraph.may_be_caption and _is_beside_table(paragraphs, at):
                item = replace(item, kind=BlockKind.CAPTION, text=item.text.replace("\n", " "))
            item = replace(item, definitions=place.depth, is_term=place.is_term)
        yield with_pictures(replace(item, footnotes=notes), paragraph, waiting)
        waiting = []


def _with_titles_of_tables(
    paragraphs: Sequence[Paragraph],
    levels: list[int],
    texts: list[PagedText],
    known: Counter[str],
) -> list[Paragraph]:
    """Return the paragraphs, those that are the title of a table as one; so do the others."""
    found = [*paragraphs]
    for place in reversed([*titles_of_tables(paragraphs, levels)]):
        inside = slice(place.start, place.stop)
        parts = found[inside]
        title = replace(
            parts[0],
            lines=[line for one in parts for line in one.lines],
            label="",
            is_code=False,
            is_title=True,
            pictures=[
                picture for one in parts for picture in (*one.pictures_before, *one.pictures)
            ],
            pictures_before=[],
        )
        found[inside], levels[inside], texts[inside] = [title], [0], [text_of(title, known)]
    return found


def _read_terms(
    paragraphs: Sequence[Paragraph],
    places: Sequence[Place],
    texts: list[PagedText],
    known: Counter[str],
) -> None:
    """Read the terms in the font of code as the names that they are, and as no code."""
    for at, place in enumerate(places):
        if place.is_term and paragraphs[at].is_code:
            paragraphs[at].is_code = False
            texts[at] = text_of(paragraphs[at], known)


def _is_beside_table(paragraphs: Sequence[Paragraph], at: int) -> bool:
    ends = [one.lines[-1] for one in paragraphs[max(0, at - 1) : at]]
    begins = [one.lines[0] for one in paragraphs[at + 1 : at + 2]]
    return any(one.table and one.page == paragraphs[at].page for one in (*ends, *begins))


def _chapters(texts: Sequence[str], levels: Sequence[int]) -> dict[int, str]:
    """Return the numbers that stand over headings, by place: in a line, or "CHAPTER" over "TWO"."""
    found: dict[int, str] = {}
    for at, (level, next_level) in enumerate(pairwise(levels)):
        if not next_level:
            continue
        if level:
            # As large as a title, it is one more unless it has a number alone.
            found |= {at: texts[at]} if _COUNTED.fullmatch(texts[at]) else {}
        elif CHAPTER.fullmatch(texts[at]):
            found[at] = texts[at]
        elif at and _NUMBER_WORD.fullmatch(texts[at]) and _CHAPTER_WORD.fullmatch(texts[at - 1]):
            found[at - 1], found[at] = "", f"{texts[at - 1]} {texts[at]}"
    return found


def _heading(paragraph: Paragraph, paged: PagedText, level: int, chapter: str) -> Item:
    text = paged.text
    shown = " ".join(f"{chapter} {_raw_text(paragraph, text)}".split())
    markup = shift(without_whole(paged.markup, text), len(shown) - len(text))
    return Item(BlockKind.HEADING, shown, level, page=paragraph.page, markup=markup)


def _raw_text(paragraph: Paragraph, text: str) -> str:
    # What looks like the mark of a list is the number of a heading.
    return f"{paragraph.label} {text}" if paragraph.label else text


def _plain_item(paragraph: Paragraph, paged: PagedText, depth: int) -> Item:
    kind, level, label = BlockKind.PARAGRAPH, 0, ""
    if paragraph.is_code:
        kind = BlockKind.CODE
    elif paragraph.is_table:
        kind = BlockKind.TABLE
    elif paragraph.is_caption:
        kind = BlockKind.CAPTION
    elif depth:
        label = paragraph.label if paragraph.label[-1:] in (".", ")", "") else "-"
        kind, level = BlockKind.LIST_ITEM, depth
    page = paragraph.page
    return Item(
        kind=kind,
        text=paged.text,
        level=level,
        label=label,
        page=page,
        page_breaks=paged.breaks,
        markup=paged.markup,
    )
