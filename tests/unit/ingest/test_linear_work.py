"""A small document makes no great work: it grows as the document does, or it is refused."""

import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any
from unittest.mock import Mock

import pytest
from lxml import etree

from libs.errors import InvalidInput
from libs.profiles import load_profile
from services.ingest.model.book import BlockKind, Document
from services.ingest.parsers import invisible
from services.ingest.parsers.asciidoc import parse_asciidoc
from services.ingest.parsers.css.laid import lay_sheets
from services.ingest.parsers.docbook.parser import parse_docbook
from services.ingest.parsers.html import parse_html, unseen
from services.ingest.parsers.html.line import Line
from services.ingest.parsers.mallard.parser import parse_mallard
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.notebook import parse_notebook
from services.ingest.parsers.pdf import flow, parse_pdf
from services.ingest.parsers.plain import parse_plain
from services.ingest.parsers.rst import parse_rst
from services.ingest.parsers.rst.inliner import make_inliner
from services.ingest.parsers.wrapped import join_all, join_lines
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens
from tests.support.pdf_files import pdf_of, text_at
from tests.support.work import count_calls

Parse = Callable[..., Any]

PARSERS: dict[str, Parse] = {
    "md": partial(parse_markdown, mdx=False),
    "ipynb": parse_notebook,
    "html": parse_html,
    "adoc": parse_asciidoc,
    "docbook": parse_docbook,
    "page": parse_mallard,
    "rst": parse_rst,
    "txt": parse_plain,
}


def styled(count: int, selector: str, style: str = "top:1px") -> str:
    """Return a page of as many rules, each about one of its paragraphs by an attribute."""
    rules = (f"{selector.format(at)}{{{style}}}" for at in range(count))
    told = (f"<p data-a{at}='{at}' data-b='{at}' style='left:{at}px'>x." for at in range(count))
    return f"<style>{''.join(rules)}</style>{''.join(told)}"


def cells(count: int) -> str:
    text = {"cell_type": "markdown", "source": "# a\n\n![](x.png)"}
    return json.dumps({"nbformat": 4, "cells": [text] * count})


def printed(count: int) -> str:
    tables = {"output_type": "display_data", "data": {"text/html": "<table>" * count}}
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [tables]}]})


def work_of(parse: Parse, source: str | bytes) -> int:
    return count_calls(lambda: parse(source, fallback_title="F"))


@pytest.mark.fault("G4")
def test_rules_that_are_about_every_paragraph_are_laid_once_for_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay = Mock(side_effect=lay_sheets)
    monkeypatch.setattr(unseen, "lay_sheets", lay)
    parse_html(styled(50, "p"), fallback_title="F")
    assert lay.call_count == 1


def book_of(inside: str) -> str:
    return f"<!DOCTYPE book [<!ENTITY a 'b'>]><article><title id='b'>T</title>{inside}</article>"


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    ("format_", "make", "count"),
    [
        ("txt", lambda count: "a\n" * count, 2000),
        ("md", lambda count: "a\n" * count, 2000),
        ("md", lambda count: "# a\n\n" * count, 400),
        ("adoc", lambda count: "a\n" * count, 2000),
        ("adoc", lambda count: "== a\n\n----\nb\n----\n\n* c\n" * count, 200),
        ("adoc", lambda count: "----\na\n....\n" * count, 200),
        ("adoc", lambda count: "a **b __c `d <<e http://f[g " * count, 200),
        ("adoc", lambda count: "a footnote:[n] <<x>>\n\n" * count, 200),
        ("rst", lambda count: "a\n\n----\n\n\n----\n\n" * count, 200),
        ("html", lambda count: "<h1>a</h1>" * count, 400),
        ("html", lambda count: "<p>10<sup>6</sup> <s>x</s>" * count, 300),
        ("html", lambda count: "<table><td>" * count + "<tr><td>a", 200),
        ("html", lambda count: "<p hidden>x<p style='opacity:0'>y" * count, 300),
        ("html", lambda count: styled(count, "[data-a{0}='{0}']"), 200),
        ("html", lambda count: styled(count, "p[data-b='{}']"), 200),
        ("html", lambda count: styled(count, "[data-a{}] p"), 200),
        ("html", lambda count: styled(count, "[data-b='{}']", "display:none"), 200),
        ("md", lambda count: "<div hidden>\n\na\n\n" * count + "</div>\n\n" * count, 200),
        ("md", lambda count: "<b hidden>a" * count + "</b>" * count, 200),
        ("md", lambda count: "a[^1]\n\n" * count + "[^1]: n\n", 400),
        ("ipynb", cells, 200),
        ("docbook", lambda count: book_of("<para>a <quote>b</quote> <x>c</x></para>" * count), 200),
        ("docbook", lambda count: book_of("<x id='a'>a<y/>b</x>" * count), 200),
        (
            "docbook",
            lambda count: book_of("<para>a<xref linkend='b'/><footnote/></para>" * count),
            300,
        ),
        ("docbook", lambda count: book_of("&a;&lt;&b;" * count), 400),
        ("docbook", lambda count: book_of("<literallayout>a\n</literallayout>" * count), 200),
        (
            "page",
            lambda count: f"<page>{'<p>a <x/> <code>b</code></p><item/>' * count}</page>",
            200,
        ),
        ("ipynb", printed, 200),
    ],
)
def test_four_times_as_much_takes_about_four_times_the_work(
    format_: str, make: Callable[[int], str], count: int
) -> None:
    parse = PARSERS[format_]
    once, four_times = (work_of(parse, source) for source in (make(count), make(4 * count)))
    assert four_times < 5 * once + 4_000


def lines_of_text(count: int) -> bytes:
    line = "The line goes on and on, with some words in it, and its last one is exam-"
    page = [text_at(72, 12 * (count - at), line) for at in range(count)]
    return pdf_of([page], height=12 * count + 12)


def two_columns(count: int) -> bytes:
    line = "The line goes on and on with words"
    page = [text_at(x, 12 * (count - at), line) for at in range(count) for x in (72, 320)]
    return pdf_of([page], height=12 * count + 12)


def headings(count: int) -> bytes:
    """Each a paragraph of its own, named by the outline in another order."""
    page = [
        text_at(72, 40 * (count - at) - 14 * is_text, f"Part {at}", 10 + 8 * (not is_text))
        for at in range(count)
        for is_text in (False, True)
    ]
    outline = [(f"Part {at}", 1) for at in reversed(range(count))]
    return pdf_of([page], outline, height=40 * count + 40)


@pytest.mark.fault("G4")
@pytest.mark.parametrize("make", [lines_of_text, two_columns, headings])
def test_a_page_of_a_pdf_with_four_times_as_much_takes_about_four_times_the_work(
    make: Callable[[int], bytes],
) -> None:
    once, four_times = (work_of(parse_pdf, make(count)) for count in (100, 400))
    assert four_times < 5 * once


@pytest.mark.fault("G4")
def test_only_the_last_word_of_a_paragraph_is_looked_at_when_a_line_is_joined_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    join = flow._join

    def watched(text: str, line: str, known: Counter[str]) -> str:
        seen.append(text)
        return join(text, line, known)

    monkeypatch.setattr(flow, "_join", watched)
    text = parse_pdf(lines_of_text(500), "F").text
    assert len(text) > 30_000
    assert max(map(len, seen)) < 20


@pytest.mark.fault("G4")
def test_a_tag_of_very_many_attributes_is_refused() -> None:
    many = " ".join(f"a{number}=b" for number in range(3000))

    def read() -> None:
        with pytest.raises(InvalidInput, match="more than 2000 attributes"):
            parse_html(f"<p {many * 80}>x", "F")

    assert count_calls(read) < 1000
    picture = "<p>Seen <img alt=A src='data:" + "a b" * 20_000 + "'>"
    assert parse_html(picture, "F").text == "Seen\n\nA"


@pytest.mark.fault("G4")
def test_many_paragraphs_of_very_many_marks_take_no_longer_than_one() -> None:

    def read() -> None:
        with pytest.raises(InvalidInput, match="thousands of marks"):
            parse_rst(("*a " * 4000 + "\n\n") * 40, "F")

    assert count_calls(read) < 1000
    table = "+---+---+\n" + "| a | b |\n+---+---+\n" * 800
    assert "a" in parse_rst(table + "\n*Turn* the `wheel`.\n\n" * 2000, "F").text


@pytest.mark.fault("G4")
def test_each_block_in_a_thousand_open_elements_is_told_of_a_few() -> None:
    line, told = Line({}), 0
    for _ in range(1000):
        line.open(etree.Element("b"))
        line.add("a")
        told += len(line.take()[1])
    assert told < 100_000


@pytest.mark.fault("G4")
def test_a_very_long_word_is_looked_through_once_or_refused() -> None:
    looks: list[int] = []
    inliner = make_inliner()
    dashes = f"a -{'-' * 30_000} b https://c.example/d"

    class Watched:
        def search(self, text: str) -> None:
            looks.append(len(text))

    inliner.implicit_dispatch = [(Watched(), None)]
    assert "".join(found.astext() for found in inliner.implicit_inline(dashes, 1)) == dashes
    assert sum(looks) < 100

    def read() -> None:
        with pytest.raises(InvalidInput, match="characters long"):
            parse_rst("A\n\n" + "a.b-" * 10_000, "F")

    assert count_calls(read) < 1000
    assert parse_rst("A\n\n" + "a.b-" * 1000, "F").text.endswith("a.b-")


def test_thousands_of_lines_said_of_one_block_are_not_all_looked_through_at_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []
    search = re.search

    def watched(pattern: str, text: str) -> re.Match[str] | None:
        lengths.append(len(text))
        return search(pattern, text)

    monkeypatch.setattr(re, "search", watched)
    parse_asciidoc("[a]\n" * 4000, "F")
    assert 1000 < max(lengths) < 5000


@pytest.mark.fault("G4")
def test_a_line_of_code_of_very_much_space_is_looked_through_once() -> None:
    # By an expression with two ways to take the space it took longer than any test may.
    parsed = parse_asciidoc(f"----\na{' ' * 30_000}b\nc(); // <1>{' ' * 30_000}\n----\n", "F")
    assert parsed.text.split() == ["a", "b", "c();"]


@pytest.mark.fault("G4")
def test_marks_are_moved_by_one_look_at_the_characters_that_nobody_sees() -> None:
    text = "A\u200b " + "**b** " * 2000
    assert count_looks(lambda: parse_markdown(text, False, "F")) < 100


def count_looks(read: Callable[[], object]) -> int:
    """Return how often a text is gone through for characters without a shape."""
    looked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(invisible, "_MAY_BE_UNSEEN", Watching(invisible._MAY_BE_UNSEEN, looked))
        read()
    return len(looked)


class Watching:
    """An expression that notes each text which it is asked of."""

    def __init__(self, pattern: re.Pattern[str], looked: list[str]) -> None:
        self._pattern, self._looked = pattern, looked

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._pattern, name)

        def ask(*given: Any) -> Any:
            self._looked.append(name)
            return asked(*given)

        return ask


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["See https://a.example/", "b/c and", "more."], "See https://a.example/b/c and more."),
        (["a well-", "known", "thing"], "a well-known thing"),
        (["one", "", "two"], "one  two"),
    ],
)
def test_wrapped_lines_are_joined_one_after_the_other(lines: list[str], text: str) -> None:
    assert join_all(lines, join_lines) == text


@pytest.mark.fault("G4")
def test_an_asciidoc_of_names_that_stand_for_names_stays_small() -> None:
    """Forty that double took a gibibyte; the last ones stay as they are typed, and are named."""
    doubled = "".join(f":a{at}: {{a{at - 1}}}{{a{at - 1}}}\n" for at in range(1, 18))
    parsed = parse_asciidoc(f"= T\n:a0: xx\n{doubled}\nWords {{a3}} {{a17}}.", "F")
    assert parsed.text == f"T\n\nWords {'x' * 16} {{a17}}."
    (left,) = (one for one in parsed.dropped_content if one.kind == "attribute")
    assert left.place.startswith("a11, ")


@pytest.mark.fault("G4")
def test_a_name_that_an_asciidoc_refers_to_very_often_does_not_fill_memory() -> None:
    parsed = parse_asciidoc(f"= T\n:a: {'x' * 4000}\n\n" + "{a}\n\n" * 2000, "F")
    assert 1_000_000 < len(parsed.text) < 3_000_000
    assert [one.place for one in parsed.dropped_content if one.kind == "attribute"] == ["a"]


@pytest.mark.fault("G4")
def test_only_the_last_word_of_wrapped_lines_is_looked_at_when_one_is_joined() -> None:
    seen: list[int] = []

    def join(above: str, below: str) -> str:
        seen.append(len(above))
        return join_lines(above, below)

    assert join_all(["two words"] * 1000, join).count("words") == 1000
    assert max(seen) < 20


@pytest.mark.fault("G4")
def test_the_spaces_before_a_deep_list_are_gone_through_once() -> None:
    took = []
    for count in (5_000, 20_000):
        begun = process_time()
        parse_markdown(f"{' ' * count}- a\n", mdx=False, fallback_title="F")
        took.append(process_time() - begun)
    assert took[1] < 8 * took[0] + 0.5


@pytest.mark.fault("G4")
def test_rows_of_one_sign_do_not_make_the_cells_of_a_wide_table() -> None:
    header = f"|{'a|' * 300}\n|{'-|' * 300}\n"
    few = parse_markdown(header + "|b|\n" * 5, mdx=False, fallback_title="F")
    assert [block.kind for block in few.blocks] == [BlockKind.TABLE]
    source = (header + f"|b{'|' * 300}\n" * 20 + "\n") * 20
    many = parse_markdown(source, mdx=False, fallback_title="F")
    kinds = Counter(block.kind for block in many.blocks)
    assert kinds == {BlockKind.TABLE: 1, BlockKind.PARAGRAPH: 19}
    assert many.text.count("b") == 400
    assert work_of(PARSERS["md"], source) < 600_000
    assert "line 24" in many.warnings[0]


@pytest.mark.fault("G4")
def test_a_deeply_nested_rst_is_refused_before_it_is_copied_at_each_depth() -> None:
    """docutils took 322 MB for these thousand items before it gave up."""

    def read(depth: int) -> None:
        source = "\n\n".join(f"{'  ' * level}- a" for level in range(depth))
        with pytest.raises(InvalidInput, match="nested too deep"):
            parse_rst(source, fallback_title="F")

    tracemalloc.start()
    try:
        read(1000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    assert count_calls(lambda: read(1000)) < 20_000


def test_an_rst_that_is_nested_as_deep_as_any_book_is_read() -> None:
    source = "\n\n".join(f"{'  ' * level}- item {level}" for level in range(40))
    assert "item 39" in parse_rst(source, fallback_title="F").text


@pytest.mark.fault("G4")
def test_rows_of_a_long_table_are_taken_apart_no_more_often_than_they_are_asked_about() -> None:
    rows = "\n".join(f"| part {at} of the pump | {at} Nm and more |" for at in range(1000))
    parsed = parse_markdown(f"| a | b |\n|---|---|\n{rows}\n", mdx=False, fallback_title="F")
    document = Document(
        path="m.md",
        position=0,
        url="",
        content_hash="",
        title="F",
        text=parsed.text,
        blocks=parsed.blocks,
        sections=parsed.sections,
    )
    chunking = load_profile("default").chunking
    calls = count_calls(lambda: split_document("b", "en", document, chunking, LetterTokens()))
    assert calls < 400 * 1000
