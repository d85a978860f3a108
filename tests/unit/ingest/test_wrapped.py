"""Lines that were wrapped are joined as they were written, in scripts without spaces as well."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.pdf.flow import (
    Measures,
    Paragraph,
    text_of,
    to_paragraphs,
    words_of,
)
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.plain import parse_plain
from services.ingest.parsers.rst import parse_rst
from services.ingest.parsers.wrapped import join_lines

PARSERS: dict[str, Callable[..., Any]] = {
    "markdown": partial(parse_markdown, mdx=False),
    "html": parse_html,
    "rst": parse_rst,
    "plain": parse_plain,
}
WRAPPED = [
    ("ファイルの名前が含まれる", "行番号とを表示します。", ""),
    ("这是一个很长的句子，", "它在这里换行。", ""),
    ("ภาษาไทยไม่มีช่อง", "ว่างระหว่างคำ", ""),
    ("これは Debian", "のファイルです。", " "),
    ("한국어는 낱말을", "띄어 씁니다.", " "),
    ("Two lines of", "a paragraph.", " "),
]


@pytest.mark.parametrize(("above", "below", "between"), WRAPPED)
def test_no_space_stands_where_a_script_without_spaces_is_wrapped(
    above: str, below: str, between: str
) -> None:
    assert join_lines(above, below) == f"{above}{between}{below}"


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(("above", "below", "between"), WRAPPED)
def test_every_text_format_joins_the_lines_of_a_paragraph_so(
    name: str, above: str, below: str, between: str
) -> None:
    source = f"{above}\n{below}\n"
    text = PARSERS[name](f"<p>{source}</p>" if name == "html" else source, fallback_title="F").text
    assert text == f"{above}{between}{below}"


@pytest.mark.parametrize(("above", "below", "between"), WRAPPED)
def test_a_pdf_joins_the_lines_of_a_paragraph_so(above: str, below: str, between: str) -> None:
    lines = [Line(text, 1, 72.0, 500.0, y, 10.0) for text, y in ((above, 700.0), (below, 688.0))]
    joined = text_of(Paragraph(lines), words_of([lines]))
    assert joined.text == f"{above}{between}{below}"


@pytest.mark.parametrize("end", ["。", "！", "？", "：", "。」", "؟", "۔", "।"])
def test_a_pdf_ends_a_paragraph_at_a_sentence_of_any_script(end: str) -> None:
    """A title follows right below it: the line was ended on purpose, though it is nearly full."""
    lines = [
        Line(text, 1, 72.0, right, y, 10.0)
        for text, right, y in (("一" * 40, 500.0, 700.0), ("一" * 35 + end, 440.0, 688.0))
    ]
    title = Line("1.2.7 链接", 1, 72.0, 130.0, 676.0, 10.0)
    assert len(to_paragraphs([*lines, title], Measures(10.0, 12.0))) == 2
    unended = replace(lines[1], text="一" * 36)
    assert len(to_paragraphs([lines[0], unended, title], Measures(10.0, 12.0))) == 1


def test_a_break_beside_markup_goes_and_one_in_code_stays() -> None:
    parsed = parse_markdown("日本\n*語*\n\n```\n日本\n語\n```\n", False, "F")
    assert parsed.text == "日本語\n\n日本\n語"
