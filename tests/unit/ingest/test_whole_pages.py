"""A page is read whole, whatever the element that holds it is called."""

import pytest

from services.ingest.parsers.html import parse_html

SAID = "A kiln is an oven for clay, which keeps the heat of the fire for a day and a night. "
LONG = f"<p>{SAID * 2}</p>"
PAGE = f"<h1>Kiln</h1>{LONG}<h2>Walls</h2><p>They are of brick.</p>"


def texts(body: str) -> list[str]:
    parsed = parse_html(f"<html><body>{body}</body></html>", "F")
    return [parsed.text[one.start : one.end][:12] for one in parsed.blocks]


READ = ["Kiln", SAID[:12], "Walls", "They are of "]


@pytest.mark.parametrize(
    "around",
    [
        '<form method="post"><input type="hidden" name="state">{}</form>',
        '<div class="navigation">{}</div>',
        '<div class="page-nav"><a href="a.html">Back</a>{}</div>',
        '<div class="breadcrumbs">{}</div>',
        '<div class="content footer">{}</div>',
        '<div class="related">{}</div>',
        '<div role="banner">{}</div>',
        '<div role="complementary">{}</div>',
        '<div id="catlinks">{}</div>',
        "<nav>{}</nav>",
    ],
)
def test_an_element_that_holds_the_page_is_text_though_it_is_called_otherwise(around: str) -> None:
    assert [one for one in texts(around.format(PAGE)) if one != "Back"] == READ


@pytest.mark.parametrize(
    "around",
    [
        "<form><label>Search all kilns for</label><input><button>Go</button></form>",
        '<div class="navigation"><h2>Kilns</h2><a href="a.html">All kilns</a></div>',
        f'<div class="footer"><h4>Us</h4><p>{SAID}</p><h4>You</h4></div>',
        f"<footer><p>{SAID}</p></footer>",
        '<div role="banner"><h1>The site of kilns</h1></div>',
        f"<nav><h2>Kilns</h2><p>{SAID}</p></nav>",
    ],
)
def test_elements_around_a_page_are_no_text(around: str) -> None:
    assert texts(PAGE + around) == READ


def test_titles_that_are_buttons_are_titles() -> None:
    body = f"<h1>Kiln</h1><h2><button>Bricks</button></h2>{LONG}"
    assert texts(body) == ["Kiln", "Bricks", SAID[:12]]
    opened = f'<h1>Kiln</h1><button class="accordion">Bricks</button><div>{LONG}</div>'
    assert texts(opened) == ["Kiln", "Bricks", SAID[:12]]
    assert texts(f"<h1>Kiln</h1>{LONG}<button>Copy</button><p>So.</p>")[1:] == [SAID[:12], "So."]


def test_the_foot_of_a_part_is_text_and_that_of_the_page_is_not() -> None:
    body = f"<h1>Kiln</h1><section><p>Red.</p><footer>{LONG}</footer></section><footer>{LONG}"
    assert texts(body) == ["Kiln", "Red.", SAID[:12]]


@pytest.mark.parametrize(
    "main", ["<main><p>Go on</p></main>", '<div role="main">Loading</div>', "<article>x</article>"]
)
def test_a_main_content_that_says_next_to_nothing_is_not_the_page(main: str) -> None:
    assert READ[1] in texts(f"<h1>Kiln</h1>{main}{LONG}{LONG}<h2>Walls</h2>")
    beside = f"<nav>{LONG}</nav><main><h1>Kiln</h1><p>An oven.</p></main><aside><p>Ads.</p></aside>"
    assert texts(beside) == ["Kiln", "An oven."]


def test_a_page_that_word_saved_has_its_title_and_its_lists() -> None:
    bullet = '<span style="font-family:Symbol">·<span>&nbsp;&nbsp;&nbsp; </span></span>'
    body = (
        '<p class="MsoTitle">Kiln</p><h1>Use</h1><p class="MsoNormal">So:</p>'
        f'<p class="MsoListParagraphCxSpFirst">{bullet}Dry <b>wood</b></p>'
        '<p class="MsoListParagraph">1. Burn it</p>'
    )
    parsed = parse_html(f"<html><body>{body}</body></html>", "F")
    kinds = [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert kinds == [
        ("HEADING", "Kiln"),
        ("HEADING", "Use"),
        ("PARAGRAPH", "So:"),
        ("LIST_ITEM", "Dry wood"),
        ("PARAGRAPH", "1. Burn it"),
    ]
    assert [one.path for one in parsed.sections] == [("Kiln",), ("Kiln", "Use")]


def test_old_tags_of_what_stands_as_it_is_are_code() -> None:
    parsed = parse_html("<body><h1>Kiln</h1><xmp>a <b>c</b>\n  d</xmp><p>So.</p></body>", "F")
    assert "a <b>c</b>\n  d\n\nSo." in parsed.text
