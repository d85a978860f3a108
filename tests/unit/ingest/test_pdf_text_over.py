"""Tables of PDFs below the line of a running head, or of another table, that is as long as theirs."""

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pdf_tables import HEADER, ROWS, cells, line, shown

HEAD = [text_at(80, 742, "A book of motors"), text_at(340, 742, "June 2026"), line(736)]
TEXT = [text_at(80, 718, "1.5  What a motor takes of it"), text_at(80, 704, "As the maker says:")]
FIRST = [line(690), *cells([HEADER], 680), line(672), *cells(ROWS, 660), line(626)]
BETWEEN = "What a spring takes is no more than that of a motor which is as heavy."
AGAIN = [line(590), *cells([HEADER], 580), line(572), *cells(ROWS[::-1], 560), line(526)]


def test_text_below_a_running_head_or_a_table_is_no_part_of_the_next_table() -> None:
    page = [*HEAD, *TEXT, *FIRST, text_at(80, 606, BETWEEN), *AGAIN]
    parsed = parse_pdf(pdf_of([page]), "F")
    texts = [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]
    assert [text.split("\n") for kind, text in texts if kind == "TABLE"] == [
        shown(HEADER, *ROWS),
        shown(HEADER, *ROWS[::-1]),
    ]
    others = " ".join(text for kind, text in texts if kind != "TABLE")
    assert "As the maker says:" in others
    assert BETWEEN in others
