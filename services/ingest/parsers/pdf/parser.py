"""Parse a PDF into canonical text with blocks, sections and pages."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.model.book import (
    BlockKind,
    DroppedContent,
    Markup,
    MarkupKind,
    ParsedText,
    SourceFile,
)
from services.ingest.model.byline import read_byline
from services.ingest.parsers.dropped import CONTENTS, INDEX, name_pages, visible_in
from services.ingest.parsers.markup import shift
from services.ingest.parsers.outline import Item, assemble, place_footnotes
from services.ingest.parsers.pdf.dropped_pieces import DroppedPiece, left_out, name_pieces
from services.ingest.parsers.pdf.figures import place_pictures, with_pictures
from services.ingest.parsers.pdf.flow import (
    Measures,
    PagedText,
    Paragraph,
    append,
    goes_on,
    measure,
    right_edge,
    text_of,
    to_paragraphs,
    words_of,
)
from services.ingest.parsers.pdf.headers_and_footers import (
    contents_pages,
    drop_headers_and_footers,
    index_pages,
)
from services.ingest.parsers.pdf.headings import CHAPTER, NAMES, Headings, letters
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.lists import list_levels
from services.ingest.parsers.pdf.ocr import can_read_scans
from services.ingest.parsers.pdf.pages import Book, order_columns, read_pdf
from services.ingest.parsers.pdf.places import (
    drop_usual_looks,
    only_notes,
    with_anchors,
    without_whole,
)
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
    pages = [order_columns(lines) for lines in plain]
    index = index_pages(pages)
    contents = contents_pages(pages, index)
    for number in (*contents, *index):
        shown = CONTENTS if number in contents else INDEX
        dropped_content.append(_located(shown, number, pages[number - 1]))
        pages[number - 1] = []
    dropped = [piece for piece in book.dropped if piece.page not in (*contents, *index)]
    dropped += usual_looks(kept, plain)
    pages = with_anchors(pages, dropped)
    usual = measure(pages)
    known = words_of(pages)
    footnotes: dict[str, list[Item]] = {}
    paragraphs = _read_paragraphs(pages, usual, known, footnotes, dropped)
    place_pictures(paragraphs, [picture for picture in book.pictures if picture.data])
    headings = Headings(book.outline, paragraphs, usual)
    items = list(_to_items(paragraphs, headings, known, footnotes))
    dropped += untitled(headings.waiting(), {one.page for one in paragraphs})
    numbers = {label: label.split("@")[0] for label in footnotes}
    ordered = list(place_footnotes(items, footnotes, numbers))
    title = book.title or fallback_title
    parsed = assemble(
        title=title,
        title_index=_title_index(ordered, title),
        items=ordered,
        warnings=list(_warn(book, contents, index)),
        dropped_content=[*dropped_content, *_scans(book), *_pictures(book), *name_pieces(dropped)],
    )
    # The date in a file is that of the file, not of the book.
    return replace(parsed, pictures=_files(book), byline=read_byline(book.authors.split(";")))


def _read_paragraphs(
    pages: Sequence[Sequence[Line]],
    usual: Measures,
    known: Counter[str],
    footnotes: dict[str, list[Item]],
    dropped: list[DroppedPiece],
) -> list[Paragraph]:
    """Return the paragraphs of all pages; their footnotes and what is lost are added to the others."""
    paragraphs: list[Paragraph] = []
    right = 0.0
    for lines in pages:
        body, notes = _split_notes(lines, usual)
        for label, note in notes:
            footnotes[label] = [_footnote(note, known)]
        hung = _hang_marks(body, footnotes, usual)
        hung, powers = with_powers(hung, footnotes.keys())
        labels = [label for label, _ in notes]
        dropped += powers
        dropped += [*raised_numbers(hung, footnotes.keys()), *loose_notes(hung, labels)]
        dropped += code_in_notes([note for _, note in notes])
        tied = _tie_rest(hung, labels)
        found = to_paragraphs([only_notes(line, footnotes.keys()) for line in tied], usual)
        if paragraphs and found and goes_on(paragraphs[-1], found[0], right):
            append(paragraphs[-1], found.pop(0))
        right = right_edge(tied) or right
        paragraphs += found
    dropped += markup_in_code(paragraphs)
    return paragraphs


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


def _warn(book: Book, contents: Sequence[int], index: Sequence[int]) -> Iterator[str]:
    if book.pages and not any(book.pages):
        hint = "" if can_read_scans() else _HINT
        yield f"no page has a text layer: it is scanned and has to be read by OCR first{hint}"
    else:
        for number in book.without_text:
            yield f"page {number} has no text layer and was left out"
    if book.scanned:
        shown = ", ".join(map(str, book.scanned))
        yield f"page {shown} is a picture and was read by OCR: look for mistakes in its text"
    if contents:
        shown = ", ".join(map(str, contents))
        yield f"the table of contents (page {shown}) was left out: the headings stand in the text"
    if index:
        shown = ", ".join(map(str, index))
        yield f"the index (page {shown}) was left out: it only names pages"


def _split_notes(
    lines: Sequence[Line], usual: Measures
) -> tuple[list[Line], list[tuple[str, list[Line]]]]:
    """Take the footnotes off the end of a page; they start with a raised number."""
    first = len(lines)
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].size > 0.92 * usual.size:
            break
        if _note_mark(lines[index], usual):
            first = index
    notes: list[tuple[str, list[Line]]] = []
    for line in lines[first:]:
        mark = _note_mark(line, usual)
        if mark:
            notes.append((f"{mark}@{line.page}", []))
        if notes and (line.text and not (mark and line.text == mark)):
            notes[-1][1].append(line)
    return list(lines[:first]), [note for note in notes if note[1]]


def _footnote(lines: list[Line], known: Counter[str]) -> Item:
    paged = text_of(Paragraph(lines), known)
    return Item(BlockKind.FOOTNOTE, paged.text, page=lines[0].page, markup=paged.markup)


def _hang_marks(
    lines: Sequence[Line], footnotes: Mapping[str, Sequence[Item]], usual: Measures
) -> list[Line]:
    """Give the mark of a footnote that came as a line of its own, or before one, to the line above."""
    kept: list[Line] = []
    for line in lines:
        is_mark = f"{line.text}@{line.page}" in footnotes and line.size < 0.8 * usual.size
        is_led = f"{line.note}@{line.page}" in footnotes
        if kept and (is_mark or is_led):
            mark = line.text if is_mark else line.note
            kept[-1] = _with_mark(kept[-1], mark)
            kept += [] if is_mark else [replace(line, note="")]
        else:
            kept.append(line)
    return kept


def _with_mark(line: Line, mark: str) -> Line:
    end = len(line.text)
    marked = Markup(MarkupKind.FOOTNOTE_REFERENCE, end, end, mark)
    return replace(line, marks=(*line.marks, mark), markup=(*line.markup, marked))


def _tie_rest(lines: list[Line], labels: Sequence[str]) -> list[Line]:
    """Tie the notes of a page that no mark names to its last line: they belong somewhere above.

    Marks that run together, 2 and 3 as 23, name them all.
    """
    marks = [mark for line in lines for mark in line.marks]
    rest = [number for label in labels if (number := label.split("@")[0]) not in marks]
    for at, line in enumerate(lines):
        held = [
            number for number in rest if any(_run_of(mark, rest, number) for mark in line.marks)
        ]
        if held:
            lines[at] = replace(line, marks=(*line.marks, *held))
            rest = [number for number in rest if number not in held]
    if rest and lines:
        lines[-1] = replace(lines[-1], marks=(*lines[-1].marks, *rest))
    return lines


def _run_of(mark: str, numbers: Sequence[str], one: str) -> bool:
    """Say whether `mark` is made of two of the numbers that follow each other, `one` among them."""
    return any(
        mark == first + second and one in (first, second) for first, second in pairwise(numbers)
    )


def _note_mark(line: Line, usual: Measures) -> str:
    if line.note:
        return line.note
    is_alone = line.text.isdigit() and len(line.text) < 4 and line.size < 0.75 * usual.size
    return line.text if is_alone else ""


def _to_items(
    paragraphs: Sequence[Paragraph],
    headings: Headings,
    known: Counter[str],
    footnotes: Mapping[str, Sequence[Item]],
) -> Iterator[Item]:
    texts = [text_of(paragraph, known) for paragraph in paragraphs]
    levels = headings.levels_of(
        paragraphs,
        [
            _raw_text(paragraph, paged.text)
            for paragraph, paged in zip(paragraphs, texts, strict=True)
        ],
    )
    chapter, waiting = "", list[str]()
    depths = list_levels(paragraphs)
    chapters = _chapters([paged.text for paged in texts], levels)
    for at, (paragraph, paged, level, depth) in enumerate(
        zip(paragraphs, texts, levels, depths, strict=False)
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
                item = replace(item, kind=BlockKind.CAPTION)
        yield with_pictures(replace(item, footnotes=notes), paragraph, waiting)
        waiting = []


def _is_beside_table(paragraphs: Sequence[Paragraph], at: int) -> bool:
    beside = (*paragraphs[max(0, at - 1) : at], *paragraphs[at + 1 : at + 2])
    return any(one.is_table and one.page == paragraphs[at].page for one in beside)


def _chapters(texts: Sequence[str], levels: Sequence[int]) -> dict[int, str]:
    """Return the numbers that stand over headings, by place: in a line, or "CHAPTER" over "TWO"."""
    found: dict[int, str] = {}
    for at, (level, next_level) in enumerate(pairwise(levels)):
        if level or not next_level:
            continue
        if CHAPTER.fullmatch(texts[at]):
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
    elif paragraph.label:
        label = paragraph.label if paragraph.label[-1] in ".)" else "-"
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
