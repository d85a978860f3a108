"""Which sheets hold, and of which elements: each of these pages was looked at in Chromium 156."""

import time

import pytest

from services.ingest.parsers.css.rules import read_rules
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown

DEEP = "<p class='d' id='d'>Deep words.</p>"
IN_A = "<div class='a'><p class='d'>Deep words.</p></div>"
IN_B = "<div class='a'><div class='b'><p class='d'>Deep words.</p></div></div>"
ROW = "<ul><li>one</li><li>two</li><li class='t'>Deep words.</li><li>four</li></ul>"
NAMED = "<p class='d' lang='en-GB' type='Foo' data-k='Ab cd'>Deep words.</p>"


def is_seen(page: str) -> bool:
    return "Deep words." in parse_html(f"<!doctype html><h1>T</h1><p>Seen.</p>{page}", "F").text


def is_drawn(sheet: str, body: str = DEEP) -> bool:
    return is_seen(f"<style>{sheet}</style>{body}")


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "page",
    [
        "<style type='TEXT/CSS'>.d{display:none}</style>" + DEEP,
        "<style media='not print'>.d{display:none}</style>" + DEEP,
        "<style title='a'>.d{display:none}</style>" + DEEP,
        "<svg><style>.d{display:none}</style></svg>" + DEEP,
        "<style>.d{display:none}</style><noscript><style>.d{display:block}</style></noscript>"
        + DEEP,
        "<div><style>@scope{.d{display:none}}</style>" + DEEP + "</div>",
        "<noscript><p>Deep words.</p></noscript>",
        "<ul><li style='display:table-column'>Deep words.</li><li>x</li></ul>",
        "<table><tr><td style='display:table-column'>Deep words.</td><td>x</td></tr></table>",
    ],
)
def test_no_words_are_text_that_a_sheet_hides_which_browsers_apply(page: str) -> None:
    assert not is_seen(page)


@pytest.mark.parametrize(
    "page",
    [
        "<template><style>.d{display:none}</style></template>" + DEEP,
        "<noscript><style>.d{display:none}</style></noscript>" + DEEP,
        "<style type='text/plain'>.d{display:none}</style>" + DEEP,
        "<style type='text/css; charset=utf-8'>.d{display:none}</style>" + DEEP,
        "<style media='print'>.d{display:none}</style>" + DEEP,
        "<math><style>.d{display:none}</style></math>" + DEEP,
        "<style title='a'>.x{}</style><style title='b'>.d{display:none}</style>" + DEEP,
        "<div><style>@scope{.d{display:none}}</style><p>x</p></div>" + DEEP,
        "<div style='display:flex'><p style='display:table-column'>Deep words.</p></div>",
        "<p style='display:table-column;float:left'>Deep words.</p>",
        "<p style='display:table-column-group;position:fixed'>Deep words.</p>",
        "<table><colgroup>Deep words.<col></colgroup><tr><td>x</td></tr></table>",
        "<table>Deep words.<tr><td>x</td></tr></table>",
        "<table><tr><b>Deep words.</b><td>x</td></tr></table>",
    ],
)
def test_words_that_a_browser_draws_are_text_whatever_stands_around_them(page: str) -> None:
    assert is_seen(page)


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("sheet", "body"),
    [
        ("@media (min-resolution:1dppx){.d{display:none}}", DEEP),
        ("@media (min-aspect-ratio:1/100){.d{display:none}}", DEEP),
        ("@media (min-width:calc(1px + 2px)){.d{display:none}}", DEEP),
        ("@media (prefers-contrast:no-preference){.d{display:none}}", DEEP),
        ("@supports not (display:bogus){.d{display:none}}", DEEP),
        ("@supports not selector(:bogus){.d{display:none}}", DEEP),
        ("@layer a{@layer x{.d{display:block}} .d{display:none}}", DEEP),
        ("@layer a, b; @layer b{.d{display:none}} @layer a.x{.d{display:block}}", DEEP),
        ("@layer a{.d{display:none}} @layer b{.d{display:revert-layer}}", DEEP),
        ("& .d{display:none}", DEEP),
        (".x, body{.y, .d{display:none}}", DEEP),
        ("@scope (.a) to (.b){.d{display:none}}", IN_A),
        ("@scope (.a) to (.b){.d{display:none}}", IN_B.replace("<p", "<div class='a'><p")),
        (
            "@scope (.a) to (:scope > .b){.d{display:none}}",
            IN_B.replace("<div class='b'", "<div><div class='b'"),
        ),
        ("@scope (.d){:scope{display:none}}", IN_A),
        ("@scope (.d){display:none}", IN_A),
        (":is(:bogus,.d){display:none}", DEEP),
        (":where(:bogus,.d){display:none}", DEEP),
        (":-webkit-any(.d){display:none}", DEEP),
        ("div:has(> i + p){display:none}", "<div><i>x</i>" + DEEP + "</div>"),
        ("li:nth-child(1 of .t){display:none}", ROW),
        ("li:nth-last-child(2 of li){display:none}", ROW),
        ("[data-k='ab cd' i]{display:none}", NAMED),
        ("[lang=EN-gb]{display:none}", NAMED),
        (".d, ::-webkit-bogus{display:none}", DEEP),
        (".d:not(:read-write){display:none}", DEEP),
        ("@namespace h url(http://www.w3.org/1999/xhtml); h|p{display:none}", DEEP),
        (".d{content:url(a.png)}", DEEP),
        (".d{all:unset;display:none}", DEEP),
    ],
)
def test_no_words_are_text_that_a_rule_hides_which_holds(sheet: str, body: str) -> None:
    assert not is_drawn(sheet, body)


@pytest.mark.parametrize(
    ("sheet", "body"),
    [
        ("@media print{.d{display:none}}", DEEP),
        ("@supports (display:bogus){.d{display:none}}", DEEP),
        ("@supports selector(:bogus){.d{display:none}}", DEEP),
        ("@layer a{.d{display:block} @layer x{.d{display:none}}}", DEEP),
        ("@layer a.x, b; @layer a.y{.d{display:none}} @layer b{.d{display:block}}", DEEP),
        ("@container (min-width:1px){.d{display:none}}", DEEP),
        (".d{&{display:none} display:block}", DEEP),
        ("body, :bogus{.d{display:none}}", DEEP),
        (".d,,p{display:none}", DEEP),
        ("@scope (.a) to (.b){.d{display:none}}", IN_B),
        ("@scope (.a) to (.d){.d{display:none}}", IN_A),
        ("@scope (.a) to (:scope > .b){.d{display:none}}", IN_B),
        ("@scope (#q){p{display:none}} p.d{display:block}", "<div id='q'>" + DEEP + "</div>"),
        ("div:has(:has(b)){display:none}", "<div><p>Deep words.<b>x</b></p></div>"),
        ("div:has(section p){display:none}", "<section><div>" + DEEP + "</div></section>"),
        ("li:nth-child(2 of .t){display:none}", ROW),
        ("[data-k='ab cd']{display:none}", NAMED),
        ("[type=foo s]{display:none}", NAMED),
        ("p:lang(fr, en){display:none}", NAMED),
        ("|p{display:none}", DEEP),
        (".d::before{display:none}", DEEP),
        ("p{display:none} .d{all:unset}", DEEP),
        ("div{visibility:hidden} .d{all:initial}", "<div>" + DEEP + "</div>"),
    ],
)
def test_words_that_no_rule_which_holds_hides_are_text(sheet: str, body: str) -> None:
    assert is_drawn(sheet, body)


def test_noscript_is_named_as_no_reader_with_scripts_sees_it() -> None:
    parsed = parse_html("<h1>T</h1><noscript><p>Deep words.</p></noscript><p>Seen.</p>", "F")
    assert [(one.kind, one.characters) for one in parsed.dropped_content] == [("noscript", 10)]
    told = parse_markdown("# T\n\nSeen.\n\n<noscript>\n\nDeep words.\n\n</noscript>\n", False, "F")
    assert "Deep" not in told.text
    assert [one.characters for one in told.dropped_content] == [10]


@pytest.mark.parametrize("attributes", ["type='text/plain'", "media='print'"])
def test_a_sheet_in_markdown_holds_as_it_does_in_a_page(attributes: str) -> None:
    block = "<div class='d'>\n\nDeep words.\n\n</div>\n"
    sheet = f"<style {attributes}>.d{{display:none}}</style>\n\n"
    assert "Deep words." in parse_markdown(f"# T\n\n{sheet}{block}", False, "F").text
    assert (
        "Deep words."
        not in parse_markdown(
            f"# T\n\n{sheet.replace(attributes, 'type=text/css')}{block}", False, "F"
        ).text
    )


def test_a_long_row_is_counted_once_for_all_its_children() -> None:
    row = "".join(f"<li class='t'>{number}</li>" for number in range(4000))
    begin = time.process_time()
    parsed = parse_html(
        f"<style>li:nth-child(3 of .t),li:nth-of-type(5){{display:none}}</style><ul>{row}</ul>", "F"
    )
    assert time.process_time() - begin < 5
    assert "\n6" in parsed.text
    assert not {"2", "4"} & set(parsed.text.split())
    assert "style sheet" not in {one.kind for one in parsed.dropped_content}


def test_declarations_between_many_rules_are_read_once_each() -> None:
    outer = ", ".join(f".name{number}" for number in range(150))
    inner = "&:hover{color:red}color:blue;" * 3000
    begin = time.process_time()
    assert read_rules([f"{outer}{{{inner}}}"]).rules
    assert time.process_time() - begin < 20


@pytest.mark.parametrize("way", ["style='display:none'", "hidden", "class=x"])
def test_the_description_of_a_picture_that_is_not_drawn_is_hidden(way: str) -> None:
    source = f"<style>.x{{display:none}}</style><p>Text <img src=a.png alt='It is 49.' {way}> here."
    parsed = parse_html(source, "F")
    assert parsed.text == "Text here."
    assert [one.kind for one in parsed.dropped_content] == ["hidden text"]
