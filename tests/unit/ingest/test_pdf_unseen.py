"""What no reader of a PDF's page sees is no text of the book, and the report says why."""

import io
import re

import pypdfium2 as pdfium
import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

HIDDEN = "hidden text"
SEEN = text_at(72, 600, "Seen words stand on the page.")
SECRET = text_at(72, 500, "Obey the hidden words.")
BOX = "q {colour} rg {x} {y} {w} {h} re f Q"


def box(colour: str, x: int = 60, y: int = 490, w: int = 300, h: int = 30) -> str:
    return BOX.format(colour=colour, x=x, y=y, w=w, h=h)


def inked(colour: str, text: str = SECRET) -> str:
    return f"q {colour} rg {text} Q"


def image(x: int, y: int, w: int, h: int) -> str:
    return f"q {w} 0 0 {h} {x} {y} cm /Im Do Q"


def dropped_of(parsed: ParsedText) -> list[tuple[str, int]]:
    return [(one.reason, one.characters) for one in parsed.dropped_content if one.kind == HIDDEN]


@pytest.mark.parametrize("words", ["ill", "1 l i I", "Illicit lilies", "The i of it"])
def test_thin_letters_and_narrow_ones_are_seen(words: str) -> None:
    for drawn in (text_at(72, 500, words), f"q 40 Tz {text_at(72, 500, words)} Q"):
        assert not parse_pdf(pdf_of([[SEEN, drawn]]), "F").dropped_content


@pytest.mark.parametrize("size", [1.5, 3, 4.5, 10])
@pytest.mark.parametrize("words", ["llll", "iiii", "illi lili", "-l-l-l-l"])
def test_many_thin_letters_are_seen_in_any_size(words: str, size: float) -> None:
    drawn = pdf_of([[SEEN, text_at(72, 500, words, size)]])
    assert not parse_pdf(drawn, "F").dropped_content


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        (f"q 3 Tr {SECRET} Q", "without ink"),
        (f"q 7 Tr {SECRET} Q", "without ink"),
        (inked("1 1 1"), "colour of what it stands on"),
        (inked(".97 .98 1"), "colour of what it stands on"),
        (f"{box('0 0 .5')} {inked('0 0 .5')}", "colour of what it stands on"),
        (f"{SECRET} {box('0 0 0')}", "lies under it"),
        (f"{SECRET} {image(60, 490, 300, 30)}", "lies under it"),
        (text_at(72, 500, "Obey the hidden words.", 0.1), "less than a point"),
        (f"q .01 0 0 .01 72 500 cm {text_at(0, 0, 'Obey the hidden words.')} Q", "less than a"),
        (f"q 1 0 0 .03 72 500 cm {text_at(0, 0, 'Obey the hidden words.')} Q", "squeezed"),
        (f"q .001 0 0 1 72 500 cm {text_at(0, 0, 'Obey the hidden words.')} Q", "squeezed"),
        (f"q 2 Tz {SECRET} Q", "squeezed"),
        (text_at(72, 500, "Obey the hidden words.", 4).replace("BT", "BT 15 Tz"), "squeezed"),
        (text_at(72, 500, "llll" * 4 + "iii", 4).replace("BT", "BT 30 Tz"), "squeezed"),
        (text_at(72, -500, "Obey the hidden words."), "outside"),
        (text_at(3000, 500, "Obey the hidden words."), "outside"),
        (f"q 0 0 0 0 re W n {SECRET} Q", "lies under it"),
        (f"q 3 Tr {SECRET} Q {image(60, 490, 300, 30)}", "without ink"),
    ],
)
def test_letters_that_nobody_sees_are_left_out_and_named(drawn: str, reason: str) -> None:
    parsed = parse_pdf(pdf_of([[SEEN, drawn]]), "F")
    assert parsed.text == "Seen words stand on the page."
    [(why, characters)] = dropped_of(parsed)
    assert reason in why
    assert characters == 19


@pytest.mark.parametrize(
    "drawn",
    [
        SECRET,
        inked(".6 .6 .6"),
        f"{box('0 0 .5')} {inked('1 1 1')}",
        f"{image(60, 490, 300, 30)} {inked('1 1 1')}",
        f"{box('.9 .9 .9')} {SECRET}",
        f"{SECRET} q 0 0 0 RG 20 20 560 760 re S Q",
        f"{box('.9 1 1', 0, 0, 600, 800)} {SECRET}",
        f"q 1 Tr {SECRET} Q",
        f"{SECRET} {box('0 0 0', 72, 496, 100, 1)}",
        text_at(72, 500, "Obey the hidden words.", 4),
        f"q 60 490 300 30 re W n {SECRET} Q",
    ],
)
def test_letters_that_are_seen_stay(drawn: str) -> None:
    parsed = parse_pdf(pdf_of([[drawn, SEEN]]), "F")
    assert "hidden words" in " ".join(parsed.text.split())
    assert dropped_of(parsed) == []


def test_only_the_hidden_words_of_a_line_go() -> None:
    line = "BT /F1 10 Tf 1 0 0 1 72 500 Tm (Seen ) Tj 3 Tr (never seen ) Tj 0 Tr (words.) Tj ET"
    parsed = parse_pdf(pdf_of([[line]]), "F")
    assert parsed.text == "Seen words."


@pytest.mark.parametrize("is_below", [True, False])
def test_text_without_ink_on_the_picture_of_a_page_is_what_ocr_has_read(is_below: bool) -> None:
    layer, scan = f"q 3 Tr {SECRET} Q", image(0, 0, 600, 800)
    parsed = parse_pdf(pdf_of([[layer, scan] if is_below else [scan, layer]]), "F")
    assert parsed.text == "Obey the hidden words."
    [told] = [one for one in parsed.dropped_content if "OCR" in one.reason]
    assert (told.kind, told.place, told.dropped) == ("page", "page 1", False)


def test_words_beyond_the_crop_of_a_page_are_outside() -> None:
    document = pdfium.PdfDocument(pdf_of([[SEEN, SECRET]]))
    document[0].set_cropbox(0, 550, 600, 800)
    out = io.BytesIO()
    document.save(out)
    parsed = parse_pdf(out.getvalue(), "F")
    assert parsed.text == "Seen words stand on the page."
    assert re.search("outside", dropped_of(parsed)[0][0])


def test_a_page_has_the_size_that_all_pages_of_its_file_have() -> None:
    data = pdf_of([[SEEN, text_at(72, 820, "High words.")]])
    size = b"/MediaBox[0 0 600 900]"
    data = data.replace(b"/MediaBox[0 0 600 800]", b"").replace(
        b"/Type/Pages", b"/Type/Pages" + size
    )
    parsed = parse_pdf(data, "F")
    assert "High words." in parsed.text
    assert dropped_of(parsed) == []


def test_a_line_that_is_too_long_for_its_page_stays_whole_and_is_named() -> None:
    line = "The line goes on and on " * 5
    pieces = [text_at(400, 500, line), f"{text_at(400, 480, 'Its end')} BT /F1 10 Tf ET"]
    broken = "BT /F1 10 Tf 1 0 0 1 500 440 Tm (It goes on and on to and over ) Tj (the edge.) Tj ET"
    parsed = parse_pdf(pdf_of([[SEEN, *pieces, broken]]), "F")
    assert "over the edge." in parsed.text
    assert dropped_of(parsed) == []
    assert "runs over the edge" in parsed.dropped_content[0].reason
