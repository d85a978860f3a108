"""Small PDF files, written by hand: lines of text at their places, an outline, links, a picture."""

import io
from collections.abc import Sequence
from typing import NamedTuple

import pypdfium2 as pdfium

FONTS = {
    "F1": "Helvetica",
    "F2": "Courier",
    "F3": "Helvetica-Bold",
    "F4": "Helvetica-Oblique",
}


class Link(NamedTuple):
    """A link on a page, counted from 1, to an address or to a height on a page."""

    page: int
    box: tuple[float, float, float, float]
    target: str | tuple[int, float]


def text_at(x: float, y: float, text: str, size: float = 10, font: str = "F1") -> str:
    return f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({_escaped(text)}) Tj ET"


def raised_at(x: float, y: float, before: str, raised: str, after: str = "") -> str:
    """Draw a line in which something small is raised."""
    end = x + _width_of(before)
    small, rest = text_at(end, y + 4, raised, 6), after.lstrip()
    end += 0.6 * _width_of(raised) + 2.8 * (rest != after)
    return f"{text_at(x, y, before)} {small} {text_at(end, y, rest)}"


def _width_of(text: str) -> float:
    """Return how wide a text is in letters of ten points."""
    page = pdfium.PdfDocument(pdf_of([[text_at(0, 700, text)]]))[0].get_textpage()
    return float(page.get_charbox(page.count_chars() - 1, loose=True)[2])


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def pdf_of(
    pages: Sequence[Sequence[str]],
    outline: Sequence[tuple[str, int]] = (),
    title: str = "",
    links: Sequence[Link] = (),
    author: str = "",
    height: int = 800,
) -> bytes:
    """Make a PDF of pages of drawing commands; the outline names titles and pages from 1.

    Pages are 600 points wide and `height` high.
    """
    objects: list[bytes] = []

    def add(body: str | bytes) -> int:
        objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(objects)

    fonts = " ".join(
        f"/{key} {add(f'<</Type/Font/Subtype/Type1/BaseFont/{name}>>')} 0 R"
        for key, name in FONTS.items()
    )
    image = add(
        _stream(
            b"\0",
            "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
        )
    )
    count = len(pages)
    tree = len(objects) + 2 * count + 1
    kids = []
    for number, commands in enumerate(pages, start=1):
        content = add(_stream("\n".join(commands).encode("latin-1"), ""))
        kids.append(
            add(
                f"<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 600 {height}]/Contents {content} 0 R"
                f"/Resources<</Font<<{fonts}>>/XObject<</Im {image} 0 R>>>>"
                f"{_annotations([link for link in links if link.page == number])}>>"
            )
        )
    shown = " ".join(f"{kid} 0 R" for kid in kids)
    add(f"<</Type/Pages/Count {count}/Kids[{shown}]>>")
    root = len(objects) + 1 + len(outline)
    lines = [
        add(
            f"<</Title({name})/Parent {root} 0 R/Dest[{kids[page - 1]} 0 R/XYZ 0 700 0]"
            + (f"/Next {len(objects) + 2} 0 R" if number + 1 < len(outline) else "")
            + ">>"
        )
        for number, (name, page) in enumerate(outline)
    ]
    ends = f"/First {lines[0]} 0 R/Last {lines[-1]} 0 R" if lines else ""
    add(f"<</Type/Outlines/Count {len(lines)}{ends}>>")
    catalog = add(f"<</Type/Catalog/Pages {tree} 0 R/Outlines {root} 0 R>>")
    info = add(f"<</Title({title})/Author({author})>>")
    return _file(objects, catalog, info)


def scan_of(page: list[str]) -> bytes:
    """Return a PDF of the picture of a page, as a scanner makes it."""
    drawn = pdfium.PdfDocument(pdf_of([page]))
    bitmap = drawn[0].render(scale=200 / 72)
    scan = pdfium.PdfDocument.new()
    target = scan.new_page(600, 800)
    image = pdfium.PdfImage.new(scan)
    image.set_bitmap(bitmap)
    image.set_matrix(pdfium.PdfMatrix().scale(600, 800))
    target.insert_obj(image)
    target.gen_content()
    out = io.BytesIO()
    scan.save(out)
    return out.getvalue()


def _annotations(links: Sequence[Link]) -> str:
    """Return the links of a page, to pages by their numbers, as other files' links are."""
    shown = []
    for _, box, target in links:
        if isinstance(target, str):
            leads = f"/A<</S/URI/URI({target})>>"
        else:
            leads = f"/Dest[{target[0] - 1}/XYZ null {target[1]} null]"
        shown.append(f"<</Type/Annot/Subtype/Link/Rect[{' '.join(map(str, box))}]{leads}>>")
    return f"/Annots[{''.join(shown)}]" if shown else ""


def _stream(data: bytes, keys: str) -> bytes:
    return f"<<{keys}/Length {len(data)}>>stream\n".encode() + data + b"\nendstream"


def _file(objects: Sequence[bytes], catalog: int, info: int) -> bytes:
    out = bytearray(b"%PDF-1.5\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for offset in offsets:
        out += f"{offset:010} 00000 n \n".encode()
    out += (
        f"trailer<</Size {len(objects) + 1}/Root {catalog} 0 R/Info {info} 0 R>>\n"
        f"startxref\n{start}\n%%EOF\n"
    ).encode()
    return bytes(out)
