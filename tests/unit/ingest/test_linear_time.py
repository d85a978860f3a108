"""A small document takes no long time: the work grows as it does, or it is refused."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from libs.errors import InvalidInput
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.plain import parse_plain
from services.ingest.parsers.rst import parse_rst
from services.ingest.parsers.wrapped import join_all, join_lines

Parse = Callable[..., Any]

PARSERS: dict[str, Parse] = {
    "md": partial(parse_markdown, mdx=False),
    "html": parse_html,
    "rst": parse_rst,
    "txt": parse_plain,
}


def took_s(parse: Parse, source: str) -> float:
    """The processor's time of the fastest of three, since what runs beside it only adds to it."""
    return min(_took_s(parse, source) for _ in range(3))


def _took_s(parse: Parse, source: str) -> float:
    begun = time.process_time()
    parse(source, fallback_title="F")
    return time.process_time() - begun


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    ("format_", "make", "count"),
    [
        ("txt", lambda count: "a\n" * count, 20_000),
        ("md", lambda count: "a\n" * count, 20_000),
        ("md", lambda count: "# a\n\n" * count, 1000),
        ("html", lambda count: "<h1>a</h1>" * count, 1000),
        ("html", lambda count: "<p>10<sup>6</sup> <s>x</s>" * count, 1000),
        ("html", lambda count: "<p hidden>x<p style='opacity:0'>y" * count, 1000),
        ("md", lambda count: "<div hidden>\n\na\n\n" * count + "</div>\n\n" * count, 500),
        ("md", lambda count: "<b hidden>a" * count + "</b>" * count, 500),
        ("md", lambda count: "a[^1]\n\n" * count + "[^1]: n\n", 1000),
    ],
)
def test_four_times_as_much_takes_no_ten_times_as_long(
    format_: str, make: Callable[[int], str], count: int
) -> None:
    parse = PARSERS[format_]
    once, four_times = (took_s(parse, source) for source in (make(count), make(4 * count)))
    assert four_times < 10 * max(0.05, once)


@pytest.mark.fault("G4")
def test_a_tag_of_very_many_attributes_is_refused() -> None:
    many = " ".join(f"a{number}=b" for number in range(3000))
    begun = time.process_time()
    with pytest.raises(InvalidInput, match="more than 2000 attributes"):
        parse_html(f"<p {many * 80}>x", "F")
    assert time.process_time() - begun < 2
    picture = "<p>Seen <img alt=A src='data:" + "a b" * 20_000 + "'>"
    assert parse_html(picture, "F").text == "Seen\n\nA"


@pytest.mark.fault("G4")
def test_many_paragraphs_of_very_many_marks_take_no_longer_than_one() -> None:
    begun = time.process_time()
    with pytest.raises(InvalidInput, match="thousands of marks"):
        parse_rst(("*a " * 4000 + "\n\n") * 40, "F")
    assert time.process_time() - begun < 2
    table = "+---+---+\n" + "| a | b |\n+---+---+\n" * 800
    assert "a" in parse_rst(table + "\n*Turn* the `wheel`.\n\n" * 2000, "F").text


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
