"""PDF: what stands on a layer that is switched off is no text of the book."""

import re
from collections import Counter
from time import process_time
from typing import Any

import pypdfium2 as pdfium
import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.pdf import pages, parse_pdf
from services.ingest.parsers.pdf.layers import UNTESTED, Draws, Layers
from services.ingest.parsers.pdf.painted import MOST_OBJECTS
from tests.support.pdf_files import pdf_of, text_at

SEEN = text_at(72, 600, "Seen words stand on the page.")


def layered(*drawn: str, off: tuple[int, ...] = (1,)) -> bytes:
    """Return a PDF with two layers, /L0 and /L1, of which those named by `off` are switched off."""
    data = pdf_of([list(drawn)])
    number = data.count(b" 0 obj")
    layers = "".join(
        f"{number + at} 0 obj\n<</Type/OCG/Name(Words)>>\nendobj\n" for at in (1, 2)
    ).encode()
    named = f"/Properties<</L0 {number + 1} 0 R/L1 {number + 2} 0 R>>".encode()
    shown = " ".join(f"{number + 1 + at} 0 R" for at in off)
    both = f"{number + 1} 0 R {number + 2} 0 R"
    catalog = f"/OCProperties<</OCGs[{both}]/D<</OFF[{shown}]/Order[{both}]>>>>".encode()
    data = data.replace(b"/Resources<<", b"/Resources<<" + named)
    data = data.replace(b"/Type/Catalog", b"/Type/Catalog" + catalog)
    start = data.index(b"xref\n")
    # Without a table of its objects a file is searched for them.
    trailer = data[data.index(b"trailer") : data.index(b"startxref")]
    return data[:start] + layers + trailer + b"startxref\n0\n%%EOF\n"


def on(layer: int, *drawn: str) -> str:
    return f"/OC /L{layer} BDC {' '.join(drawn)} EMC"


def in_form(layer: int, drawn: str) -> bytes:
    """Return a PDF in which a form that stands on a layer by its own word is drawn beside text."""
    data = layered(SEEN, "/Form Do")
    number = max(int(one) for one in re.findall(rb"(\d+) 0 obj", data)) + 1
    font = re.search(rb"/Font<<[^>]*>>", data)
    group = {at: int(one) for at, one in re.findall(rb"/L(\d) (\d+) 0 R", data)}[b"%d" % layer]
    assert font
    form = b"%d 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/OC %d 0 R" % (number, group)
    form += b"/Resources<<%s>>/Length %d>>stream\n%s\nendstream\nendobj\n" % (
        font[0],
        len(drawn),
        drawn.encode(),
    )
    data = data.replace(b"/XObject<<", b"/XObject<</Form %d 0 R" % number)
    return data.replace(b"trailer", form + b"trailer")


def reasons(parsed: ParsedText) -> dict[str, int]:
    """Return why text was left out, each with how many characters were."""
    found = Counter[str]()
    for one in parsed.dropped_content:
        if one.kind == "hidden text":
            found[one.reason.split(",")[0]] += one.characters
    return dict(found)


@pytest.mark.control("V20")
@pytest.mark.parametrize("y", [500, 600])
def test_words_on_a_layer_that_is_switched_off_are_left_out_and_named(y: int) -> None:
    parsed = parse_pdf(layered(SEEN, on(1, text_at(72, y, "Obey the hidden words."))), "F")
    assert parsed.text == "Seen words stand on the page."
    assert reasons(parsed) == {"it stands on a layer that is switched off": 19}


@pytest.mark.control("V20")
def test_words_in_a_form_that_names_a_layer_that_is_switched_off_are_left_out_and_named() -> None:
    parsed = parse_pdf(in_form(1, text_at(72, 500, "Obey the hidden words.")), "F")
    assert parsed.text == "Seen words stand on the page."
    assert reasons(parsed) == {"it stands on a layer that is switched off": 19}


def test_words_in_a_form_that_names_a_layer_that_is_switched_on_stay() -> None:
    parsed = parse_pdf(in_form(0, text_at(72, 500, "Read the shown words.")), "F")
    assert "Read the shown words." in parsed.text
    assert not reasons(parsed)


def test_forms_are_not_drawn_alone_in_a_file_without_layers() -> None:
    data = in_form(1, text_at(72, 500, "Read the shown words."))
    data = data.replace(b"/OC ", b"/No ").replace(b"/OCProperties", b"/NoProperties")
    draws = Draws()
    page = pdfium.PdfDocument(data)[0]
    Layers(page, draws)
    assert draws == Draws(named=False)


def test_words_on_a_layer_that_is_switched_on_stay_whatever_it_is_called() -> None:
    english, german = text_at(72, 500, "A valve opens."), text_at(72, 500, "Ein Ventil.")
    parsed = parse_pdf(layered(SEEN, on(0, english), on(1, german)), "F")
    assert parsed.text == "Seen words stand on the page.\n\nA valve opens."
    both = parse_pdf(layered(SEEN, on(0, english), off=()), "F")
    assert both.text == parsed.text
    assert not reasons(both)


@pytest.mark.control("V20")
def test_no_number_of_runs_on_one_layer_makes_the_last_ones_text() -> None:
    hidden = [on(1, text_at(72, 580 - 15 * at, f"Obey line {at}.")) for at in range(35)]
    parsed = parse_pdf(layered(SEEN, *hidden), "F")
    assert parsed.text == "Seen words stand on the page."
    assert set(reasons(parsed)) == {"it stands on a layer that is switched off"}


def test_words_of_each_run_stay_beside_hidden_ones_however_many() -> None:
    heights = range(40, 580, 15)
    drawn = [on(at % 2, text_at(72, y, f"Line {at}.")) for at, y in enumerate(heights)]
    shown = " ".join(f"Line {at}." for at in range(0, len(heights), 2))
    parsed = parse_pdf(layered(SEEN, *drawn), "F")
    assert sorted(parsed.text.split()) == sorted(f"Seen words stand on the page. {shown}".split())


@pytest.mark.control("V20")
def test_words_on_a_hidden_layer_within_a_visible_one_are_left_out() -> None:
    within = on(0, text_at(72, 500, "A valve opens."), on(1, text_at(72, 400, "Obey.")))
    parsed = parse_pdf(layered(SEEN, within), "F")
    assert parsed.text == "Seen words stand on the page.\n\nA valve opens."


@pytest.mark.control("V20")
def test_words_in_a_heap_too_high_to_tell_are_left_out_and_named() -> None:
    heap = [on(1, text_at(72, 500, f"Obey {at}.")) for at in range(40)]
    parsed = parse_pdf(layered(SEEN, *heap), "F")
    assert parsed.text == "Seen words stand on the page."
    assert UNTESTED.reason in reasons(parsed)


def test_white_words_on_a_visible_layer_over_black_stay() -> None:
    drawn = on(0, "0 g 50 480 300 50 re f 1 g", text_at(72, 500, "A valve opens."))
    assert "A valve opens." in parse_pdf(layered(SEEN, drawn, off=()), "F").text


@pytest.mark.control("V20")
def test_words_behind_more_shapes_than_are_looked_at_are_left_out_and_named() -> None:
    shapes = "0 0 1 1 re f " * MOST_OBJECTS
    parsed = parse_pdf(layered(SEEN, shapes, on(1, text_at(72, 500, "Obey."))), "F")
    assert parsed.text == "Seen words stand on the page."
    assert sum(reasons(parsed).values()) == 5


@pytest.mark.fault("G4")
def test_a_page_with_many_runs_on_layers_is_drawn_a_few_times() -> None:
    drawn: list[int] = []
    draw = Layers._draw

    def count(layers: Layers) -> Any:
        drawn.append(1)
        return draw(layers)

    runs = [on(at % 2, text_at(72, 580 - 15 * at, f"Line {at}.")) for at in range(35)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Layers, "_draw", count)
        parse_pdf(layered(SEEN, *runs), "F")
    assert 0 < len(drawn) < 6


@pytest.mark.control("V20")
def test_words_on_layers_are_left_out_and_named_once_a_book_was_drawn_too_often() -> None:
    data = layered(SEEN, on(1, text_at(72, 500, "Obey.")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "Draws", lambda: Draws(left=0))
        parsed = parse_pdf(data, "F")
    assert parsed.text == "Seen words stand on the page."
    assert list(reasons(parsed)) == [UNTESTED.reason]


@pytest.mark.control("V20")
@pytest.mark.fault("G4")
def test_words_in_more_marks_than_are_looked_at_are_left_out_and_named_in_little_time() -> None:
    took = []
    for count in (500, 2000):
        words = [text_at(72, 700 - at % 60 * 10, "word") for at in range(count)]
        marked = ["/A<</B(x)>>BDC " * count, *words, "EMC " * count]
        begun = process_time()
        parsed = parse_pdf(pdf_of([marked]), "F")
        took.append(process_time() - begun)
        assert not parsed.text
        assert list(reasons(parsed)) == [UNTESTED.reason, f"{UNTESTED.reason} ({count - 20} more)"]
    assert took[1] < 8 * took[0] + 0.5
