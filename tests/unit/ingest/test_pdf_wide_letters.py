"""Books of Chinese, Japanese and Korean whose letters are all of one width."""

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.places import drop_usual_looks


def code(text: str) -> Line:
    whole = (Markup(MarkupKind.CODE, 0, len(text), ""),)
    return Line(text, 1, 72.0, 300.0, 700.0, 10.0, is_mono=True, markup=whole)


def test_a_book_in_letters_as_wide_as_each_other_is_no_code() -> None:
    [[first, second]] = drop_usual_looks([[code("当期首残高は次の通り"), code("make all")]])
    assert [(line.is_mono, line.markup) for line in (first, second)] == [(False, ())] * 2


def test_a_book_of_programs_stays_code() -> None:
    [[first]] = drop_usual_looks([[code("make all install")]])
    assert first.is_mono


def test_code_among_text_stays_code() -> None:
    text = Line("当期首残高は次の通りである" * 3, 1, 72.0, 300.0, 700.0, 10.0)
    [[_, second]] = drop_usual_looks([[text, code("make all")]])
    assert second.is_mono
