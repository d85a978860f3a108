"""What style sheets write before and after the text of elements: each was looked at in Chromium 156."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html

TOUCH = "<p class='x'>Touch the wire.</p>"


def read(sheet: str, body: str = TOUCH) -> ParsedText:
    return parse_html(f"<!doctype html><style>{sheet}</style><h1>T</h1>{body}", "F")


def named(parsed: ParsedText) -> list[tuple[str, int]]:
    return [(one.kind, one.characters) for one in parsed.dropped_content]


@pytest.mark.parametrize(
    "sheet",
    [
        '.x::before{content:"Do not "}',
        ".x:before{content:'Do ' 'not '}",
        '.x::before{content:"Do \\6eot "}',
        '.x::before{content:"Do\\A not "}',
        '.x::before{content:"a"} p.x::before{content:"Do not "}',
        '.x::before{content:"Do not " !important} p.x::before{content:none}',
        '.x::before{content:"Do not "} .x::before{content:"Now " bogus}',
        '.x::before{content:"Do not " / "spoken"}',
        ':root{--w:"Do not "} .x::before{content:var(--w)}',
        '.x{&::before{content:"Do not "}}',
        '@media screen{p::before{content:"Do not "}}',
        "p:first-of-type::before{content:url(a.png) 'Do not '}",
        '@layer a{p::before{content:"Do not "}} .x::after{content:""}',
        '.x{font-size:0} .x::before{content:"Do not Touch the wire.";font-size:16px}',
    ],
)
def test_words_that_a_sheet_writes_before_a_text_are_part_of_it(sheet: str) -> None:
    assert read(sheet).text.split("\n")[-1] == "Do not Touch the wire."


@pytest.mark.parametrize(
    "sheet",
    [
        '.x::before{content:"Do not "} p.x::before{content:normal}',
        '.x::before{content:"Do not "} p.x::before{display:none}',
        '.x::before{content:"Do not ";visibility:hidden}',
        '.x::before{content:"Do not ";color:white}',
        '.x:hover::before{content:"Do not "}',
        '@media print{.x::before{content:"Do not "}}',
        '@media (max-width:600px){.x::before{content:"Do not "}}',
        '.x{content:"Do not "}',
        '.x::before, .y:bogus{content:"Do not "}',
        '.x::before{content:"\\f101"}',
        '.x::before{content:"do_not";font-family:"Material Icons"}',
        '.x::before{content:"\\2022  "} .x::after{content:" »"}',
    ],
)
def test_no_text_is_made_of_words_that_a_reader_does_not_see(sheet: str) -> None:
    parsed = read(sheet)
    assert parsed.text.split("\n")[-1] == "Touch the wire."
    assert not named(parsed)


def test_text_of_a_sheet_stands_behind_an_element_and_in_cells() -> None:
    sheet = '.x::after{content:" never"} td::before{content:"not "} td::after{content:" V"}'
    body = "<p>Open <b class=x>it</b>, say.</p><table><tr><td>5</td><td>6</td></tr></table>"
    text = read(sheet, body).text
    assert "Open it never, say." in text
    assert "not 5 V" in text
    assert "not 6 V" in text


def test_a_block_that_a_sheet_writes_is_a_line_of_its_own() -> None:
    parsed = read('.x::before{content:"Danger of death";display:block}')
    assert parsed.text.endswith("Danger of death\n\nTouch the wire.")


def test_words_that_stand_apart_beside_a_text_do_not_join_its_own() -> None:
    parsed = read('.x::before{content:"New";position:absolute;left:-40px}')
    assert parsed.text.endswith("New Touch the wire.")


def test_signs_that_a_sheet_writes_at_a_number_belong_to_it() -> None:
    sheet = 'i::before{content:"-"} b::after{content:"%"} u::before{content:"-"}'
    parsed = read(sheet, "<p>It is <i>5</i> or <b>7</b>, <u>on</u>.</p>")
    assert parsed.text.endswith("It is -5 or 7%, on.")


@pytest.mark.parametrize(
    ("sheet", "characters"),
    [
        ('.x::before{content:"Step " counter(k) ": "}', 5),
        (".x::before{content:counter(k)}", 0),
        (".x::before{content:attr(class)}", 1),
        ('.x::before{content:"No ";text-decoration:line-through}', 2),
        ('body::before{content:"Draft"}', 5),
    ],
)
def test_text_of_a_sheet_that_is_not_read_is_named(sheet: str, characters: int) -> None:
    parsed = read(sheet)
    assert parsed.text.split("\n")[-1] == "Touch the wire."
    assert named(parsed) == [("generated text", characters)]


def test_code_stays_as_it_is_and_what_a_sheet_writes_there_is_named() -> None:
    parsed = read('.x::before{content:"bash"}', "<pre class=x>ls -l</pre>")
    assert parsed.text.split("\n")[-1] == "ls -l"
    assert named(parsed) == [("generated text", 4)]
