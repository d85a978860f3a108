"""PDF: pictures stand between the paragraphs, and over their captions, as they do on the page."""

import io
import struct

import pypdfium2 as pdfium
import pytest
from PIL import Image as Photograph

from services.ingest.model.book import MarkupKind, ParsedText, PlacedFile, SourceFile
from services.ingest.parse import parse_with_pictures
from services.ingest.parsers.pdf import parse_pdf, pictures
from tests.support.pdf_files import pdf_of, text_at

ABOVE = text_at(72, 700, "The wheel turns with the tide, twice a day, and so it has for ages.")
BELOW = text_at(
    72, 400, "The gate is shut at night, so that the pond keeps what the sea has brought."
)
CAPTION = text_at(72, 480, "Figure 3: The wheel.")
PICTURE = "q 200 0 0 100 72 500 cm /Im Do Q"


def shown(parsed: ParsedText) -> list[tuple[str, str, str]]:
    """Return the names of pictures, what describes them, and the words behind their places."""
    return [
        (one.value, parsed.text[one.start : one.end], parsed.text[one.end :][:10].strip()[:8])
        for one in parsed.markup
        if one.kind is MarkupKind.IMAGE
    ]


def left_out(parsed: ParsedText) -> list[tuple[str, str]]:
    return [
        (one.place, one.reason)
        for one in parsed.dropped_content
        if one.kind == "picture" and not one.address
    ]


def size_of(png: bytes) -> tuple[int, ...]:
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


def with_photograph(data: bytes, angle: float = 0) -> bytes:
    """Return a PDF with a photograph below a line of text, turned by so many degrees."""
    document = pdfium.PdfDocument(pdf_of([[ABOVE]]))
    image = pdfium.PdfImage.new(document)
    image.load_jpeg(io.BytesIO(data), inline=True)
    image.set_matrix(pdfium.PdfMatrix().scale(80, 60).rotate(angle).translate(150, 300))
    page = document[0]
    page.insert_obj(image)
    page.gen_content()
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def photograph() -> bytes:
    saved = io.BytesIO()
    Photograph.new("RGB", (40, 30), (200, 40, 40)).save(saved, "JPEG")
    return saved.getvalue()


def test_a_picture_stands_behind_the_text_above_it() -> None:
    parsed = parse_pdf(pdf_of([[ABOVE, PICTURE, BELOW]]), "F")
    assert shown(parsed) == [("page-1-picture-1", "", "The gate")]
    [file] = parsed.pictures
    assert (file.path, size_of(file.data)) == ("page-1-picture-1", (200, 100))
    assert left_out(parsed) == []


def test_a_picture_above_all_text_stands_before_it() -> None:
    parsed = parse_pdf(pdf_of([[PICTURE, BELOW]]), "F")
    assert shown(parsed) == [("page-1-picture-1", "", "The gate")]


@pytest.mark.parametrize("height", [480, 610], ids=["below", "above"])
def test_the_caption_of_a_picture_describes_it(height: int) -> None:
    caption = CAPTION.replace(" 480 Tm", f" {height} Tm")
    page = sorted([ABOVE, caption, BELOW], key=lambda text: -int(text.split()[8]))
    parsed = parse_pdf(pdf_of([[*page, PICTURE]]), "F")
    assert shown(parsed) == [("page-1-picture-1", "Figure 3: The wheel.", "The gate")]


def test_a_picture_that_its_file_cuts_into_strips_is_one() -> None:
    strips = [f"q 200 0 0 20 72 {500 + 20 * at} cm /Im Do Q" for at in range(5)]
    parsed = parse_pdf(pdf_of([[ABOVE, *strips, BELOW]]), "F")
    assert [size_of(file.data) for file in parsed.pictures] == [(200, 100)]


def test_a_picture_is_seen_as_far_as_the_page_shows_it() -> None:
    cut = "q 72 500 50 100 re W n 200 0 0 100 72 500 cm /Im Do Q"
    parsed = parse_pdf(pdf_of([[ABOVE, cut, BELOW]]), "F")
    assert [size_of(file.data) for file in parsed.pictures] == [(50, 100)]


def test_a_picture_inside_of_a_form_is_found_where_it_is_seen() -> None:
    single = pdfium.PdfDocument(pdf_of([["q 400 0 0 200 100 300 cm /Im Do Q"]]))
    whole = pdfium.PdfDocument(pdf_of([[ABOVE]]))
    placed = single.page_as_xobject(0, whole).as_pageobject()
    placed.set_matrix(pdfium.PdfMatrix().scale(0.5, 0.5).translate(0, 350))
    page = whole[0]
    page.insert_obj(placed)
    page.gen_content()
    saved = io.BytesIO()
    whole.save(saved)
    parsed = parse_pdf(saved.getvalue(), "F")
    assert [size_of(file.data) for file in parsed.pictures] == [(200, 100)]


def test_a_photograph_is_kept_as_its_file_is() -> None:
    data = photograph()
    parsed = parse_pdf(with_photograph(data), "F")
    assert [file.data for file in parsed.pictures] == [data]


def test_a_photograph_that_is_turned_is_drawn_as_it_is_seen() -> None:
    [file] = parse_pdf(with_photograph(photograph(), 90), "F").pictures
    width, height = size_of(file.data)
    assert width < height


def test_a_picture_at_the_same_place_of_many_pages_is_none_of_the_text() -> None:
    pages = [[ABOVE, BELOW.replace("night", "night " * number), PICTURE] for number in (1, 2, 3)]
    parsed = parse_pdf(pdf_of(pages), "F")
    assert shown(parsed) == []
    assert left_out(parsed) == [("pages 1-3", "it repeats from page to page (3 times)")]


def test_the_mark_of_a_kind_of_paragraph_is_no_picture() -> None:
    marks = [f"q 24 0 0 24 40 {height} cm /Im Do Q" for height in (650, 550, 390)]
    parsed = parse_pdf(pdf_of([[ABOVE, *marks, BELOW]]), "F")
    assert shown(parsed) == []
    assert left_out(parsed) == [("page 1", "it repeats from page to page (3 times)")]


def test_the_ground_of_a_text_is_no_picture() -> None:
    lines = [
        text_at(80, 590 - 12 * at, "Words that stand on a coloured ground, each of them.")
        for at in range(8)
    ]
    ground = "q 400 0 0 110 72 500 cm /Im Do Q"
    parsed = parse_pdf(pdf_of([[ABOVE, ground, *lines, BELOW]]), "F")
    assert shown(parsed) == []
    assert left_out(parsed) == [("page 1", "text stands on it")]


def test_pictures_beyond_the_room_of_a_document_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_MOST_BYTES", 1)
    parsed = parse_pdf(pdf_of([[ABOVE, PICTURE, BELOW], [ABOVE, PICTURE, BELOW]]), "F")
    assert [name for name, _, _ in shown(parsed)] == ["page-1-picture-1"]
    assert left_out(parsed) == [("page 2", pictures.NO_ROOM)]


def test_the_pictures_of_a_pdf_come_with_it_as_those_of_an_epub_do() -> None:
    file = SourceFile("mill.pdf", pdf_of([[ABOVE, PICTURE, BELOW]]))
    _, inner, _ = parse_with_pictures(PlacedFile(file, 0, "", "F"))
    assert inner is not None
    assert [one.path for one in inner] == ["page-1-picture-1"]
