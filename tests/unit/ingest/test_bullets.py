"""Which items of lists stand in no order, in every format that has lists."""

import io

import docx
import pytest

from services.ingest.model.book import Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.splitters.bullets import find_bullets
from tests.support.ingest_fakes import zipped
from tests.support.pdf_files import pdf_of, text_at

MARKDOWN = """# Pumps

Of steel:

- A valve.

  Its seat.
- A hose.

Do this:

1. Open it.
   - A key.
   - A rod.
2. Fill it.

- [ ] Check it.
"""
HTML = """<h1>Pumps</h1><ul><li>A valve.</li><li><p>A hose.</p><p>Its seat.</p></li></ul>
<ol><li>Open it.<ul><li>A key.</li><li>A rod.</li></ul></li><li>Fill it.</li></ol>"""
RST = """Pumps
=====

Of steel:

- A valve.

  Its seat.

- A hose.

Do this:

1. Open it.

   - A key.
   - A rod.

2. Fill it.
"""
ASCIIDOC = """= Pumps

Of steel:

* A valve.
+
Its seat.
* A hose.

Do this:

. Open it.
** A key.
** A rod.
. Fill it.
"""
TEXT = """Pumps are of steel:

  * A valve.
  * A hose.

Do this:

  1. Open it.
  2. Fill it.
"""
CONTAINER = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml"/>
</manifest><spine><itemref idref="a"/></spine></package>"""
XHTML = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{HTML}</body></html>'


def word_document() -> bytes:
    document = docx.Document()
    for text in ("A valve.", "A hose."):
        document.add_paragraph(text, style="List Bullet")
    for text in ("Open it.", "Fill it."):
        document.add_paragraph(text, style="List Number")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def pages() -> bytes:
    line = "A line of a paragraph which goes all the way to the right edge of the page and to the"
    whole = [text_at(72, 700 - 12 * at, line) for at in range(3)]
    items = ["1. Open it.", "2. Fill it.", "- A valve.", "- A hose."]
    listed = [text_at(72, 640 - 12 * at, item) for at, item in enumerate(items)]
    return pdf_of([[*whole, *listed]])


def read(name: str, data: bytes) -> Document:
    [placed] = plan_book(Source([SourceFile(name, data)])).documents
    return parse_document(placed)[0]


def bullets_of(document: Document) -> list[str]:
    text = document.text
    ends = {block.start: block.end for block in document.blocks}
    return [text[start : ends[start]] for start in find_bullets(text, document.blocks)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", MARKDOWN.encode()),
        ("a.html", HTML.encode()),
        ("a.rst", RST.encode()),
        ("a.adoc", ASCIIDOC.encode()),
        ("a.txt", TEXT.encode()),
        ("a.docx", word_document()),
        ("a.epub", zipped({"META-INF/container.xml": CONTAINER, "b.opf": OPF, "a.xhtml": XHTML})),
        ("a.pdf", pages()),
    ],
)
def test_items_with_numbers_have_an_order_and_those_with_signs_have_none(
    name: str, data: bytes
) -> None:
    document = read(name, data)
    nested = ["A key.", "A rod."] if "A key." in document.text else []
    whole = {"A valve.", "A hose.", *nested, *(["Its seat."] if nested else [])}
    assert "Fill it." in document.text
    assert set(bullets_of(document)) == whole


@pytest.mark.parametrize("text", ["1. Open it.", "Step 2: Open it.", "b) Open it.", "(3) Open it."])
def test_a_number_in_the_text_of_an_item_gives_it_an_order(text: str) -> None:
    page = f"<ul><li>{text}</li><li>A valve, 2 m long.</li></ul>"
    assert bullets_of(read("a.html", page.encode())) == ["A valve, 2 m long."]
