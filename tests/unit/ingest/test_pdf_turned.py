"""Pages of PDFs that are laid on their side, as those of wide tables are."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, PROSE, ROWS, cells, line, shown, tables

TABLE = [*map(line, (712, 696, 640)), *cells([HEADER, *ROWS], 700)]


@pytest.mark.parametrize(
    "matrix", ["0 1 -1 0 760 80", "0 -1 1 0 -600 700", "-1 0 0 -1 600 800", "1 0 0 1 0 0"]
)
def test_a_page_on_its_side_is_read_as_one_that_stands(matrix: str) -> None:
    turned = [f"q {matrix} cm", text_at(72, 730, PROSE), *TABLE, "Q"]
    parsed = parse_pdf(pdf_of([turned]), "F")
    texts = [parsed.text[block.start : block.end].split("\n") for block in parsed.blocks]
    assert texts == [[PROSE], shown(HEADER, *ROWS)]


def test_names_on_their_side_turn_no_page() -> None:
    beside = [f"q 0 1 -1 0 {x} 420 cm {text_at(0, 0, 'Force')} Q" for x in (440, 460)]
    assert tables([*TABLE, *beside]) == [shown(HEADER, *ROWS)]


@pytest.mark.parametrize("matrix", ["0 1 -1 0 760 0", "0 -1 1 0 -160 800"])
def test_the_right_end_of_a_wide_page_on_its_side_is_read(matrix: str) -> None:
    turned = [f"q {matrix} cm", text_at(72, 730, PROSE), *TABLE, text_at(700, 640, "Crank"), "Q"]
    parsed = parse_pdf(pdf_of([turned]), "F")
    assert "Crank" in parsed.text
    assert not parsed.dropped_content
