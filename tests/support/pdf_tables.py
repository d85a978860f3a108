"""Pages of PDFs with tables between drawn lines, and what is read of them."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

PROSE = "A paragraph of the book that goes from one edge of the page to the other, as most do."
HEADER = ["Kind", "Force", "Range"]
ROWS = [["Motor", "3 N", "20 mm"], ["Piston", "80 N", "300 mm"], ["Spring", "1 N", "5 mm"]]
PLACES = (90, 200, 310)


def line(y: float, left: float = 80, right: float = 400) -> str:
    return f"{left} {y} m {right} {y} l S"


def cells(rows: list[list[str]], top: float, places: tuple[int, ...] = PLACES) -> list[str]:
    return [
        text_at(x, top - 14 * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(places, row, strict=False)
        if cell
    ]


def tables(page: list[str]) -> list[list[str]]:
    parsed = parse_pdf(pdf_of([[text_at(72, 740, PROSE), *page, text_at(72, 400, PROSE)]]), "F")
    texts = [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]
    assert {("PARAGRAPH", PROSE)} <= set(texts)
    return [text.split("\n") for kind, text in texts if kind == "TABLE"]


def shown(*rows: list[str]) -> list[str]:
    return [" | ".join(row) for row in rows]
