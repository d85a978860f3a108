"""What leads through a book, to its other pages and to other places, is no part of its text."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.rst import parse_rst

_CONTENTS = """<h1>Questions</h1><h2>Content</h2>
<dl><dt><a name="common">1. Common questions</a></dt>
<dd><dl><dt>1.1. <a href="#what">What is it?</a></dt>
<dt>1.2. <a href="#new">What is new?</a></dt></dl></dd>
</dl>
<h2>1. Common questions</h2><p><a name="what">Q: What is it?</a></p><p>A file manager.</p>"""

_STEP = '<td><a href="{to}.html"><img alt="{to}" src="{to}.png"></a></td>'


def _page(body: str) -> ParsedText:
    return parse_html(f"<html><body>{body}</body></html>", "page")


def test_contents_with_numbers_and_parts_are_left_out() -> None:
    page = _page(_CONTENTS)
    assert "What is new?" not in page.text
    assert "Q: What is it?" in page.text
    assert [one.kind for one in page.dropped_content] == ["table of contents"]


def test_terms_that_are_links_stay_with_their_definitions() -> None:
    page = _page(
        '<h1>Tea</h1><dl><dt><a href="#a">Assam</a></dt><dd>Strong.</dd>'
        '<dt><a href="#d">Darjeeling</a></dt><dd>Light.</dd></dl>'
    )
    assert "Assam" in page.text
    assert "Light." in page.text


def test_prices_behind_links_stay() -> None:
    page = _page(
        '<h1>Tea</h1><ul><li><a href="#a">Assam</a> 5</li><li><a href="#d">Green</a> 7</li></ul>'
    )
    assert "Assam 5" in page.text


@pytest.mark.parametrize("address", ["#start", "#", "#top"])
def test_a_line_that_leads_to_the_top_of_its_page_is_left_out(address: str) -> None:
    page = _page(
        '<a name="start"></a><h1>Files</h1><p>Copy them.</p>'
        f'<p><a href="{address}">(back to top)</a></p>'
    )
    assert "back to top" not in page.text
    assert [one.kind for one in page.dropped_content] == ["navigation"]


def test_a_link_to_the_top_in_a_sentence_stays() -> None:
    page = _page('<a name="start"></a><h1>Files</h1><p>See the <a href="#start">beginning</a>.</p>')
    assert "See the beginning." in page.text


def test_a_line_that_leads_to_another_place_of_its_page_stays() -> None:
    page = _page(
        '<h1>Files</h1><p><a href="#more">More on copies</a></p><p id="more">Copies are slow.</p>'
    )
    assert "More on copies" in page.text


def test_a_row_of_drawn_steps_around_the_title_is_left_out() -> None:
    steps = "".join(_STEP.format(to=to) for to in ("next", "up", "previous"))
    row = f"<table><tr>{steps}<td><b>Midpoint</b></td></tr></table>"
    page = _page(f"{row}<h1>Midpoint</h1><p>Choose two points.</p>{row}")
    assert page.text == "Midpoint\n\nChoose two points."


def test_a_row_of_pictures_that_lead_to_their_own_files_stays() -> None:
    cells = '<td><a href="a.png"><img alt="A gear" src="a.png"></a></td>' * 3
    assert "A gear" in _page(f"<h1>Gears</h1><table><tr>{cells}</tr></table>").text


_HTML, _RST, _MYST = (
    (
        '<h1>Cables</h1><p>Use a short one.</p><div class="admonition seealso">'
        '<p class="admonition-title">Siehe auch</p>'
        '<p><a href="b.html">Are phones supported?</a>, <a href="c.html">Settings</a></p></div>'
    ),
    (
        "Cables\n======\n\nUse a short one.\n\n"
        ".. seealso:: `Are phones supported? <b.html>`_, `Settings <c.html>`_\n"
    ),
    (
        "# Cables\n\nUse a short one.\n\n```{seealso}\n"
        "[Are phones supported?](b.md), [Settings](c.md)\n```\n"
    ),
)


@pytest.mark.parametrize(
    "document",
    [
        parse_html(_HTML, "a"),
        parse_rst(_RST, "a"),
        parse_markdown(_MYST, mdx=False, fallback_title="a"),
    ],
    ids=["html", "rst", "myst"],
)
def test_a_box_that_only_names_other_places_is_left_out(document: ParsedText) -> None:
    assert document.text == "Cables\n\nUse a short one."
    assert "navigation" in [one.kind for one in document.dropped_content]


def test_a_box_that_says_something_of_other_places_stays() -> None:
    box = _HTML.replace("</a></p></div>", "</a> tell more.</p></div>")
    assert "Settings tell more." in parse_html(box, "a").text
