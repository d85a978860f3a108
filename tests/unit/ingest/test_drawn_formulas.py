"""Formulas that pages of HTML show as pictures stand as TeX where the pictures stand."""

import pytest

from services.ingest.model.book import BlockKind, MarkupKind, ParsedText
from services.ingest.parsers.html import parse_html


def _page(body: str) -> ParsedText:
    return parse_html(f"<html><body><h1>Sums</h1>{body}</body></html>", "page")


@pytest.mark.parametrize(
    ("picture", "tex"),
    [
        pytest.param('<img class="math" src="a.png" alt="a^2 +\n b">', "a^2 + b", id="Sphinx"),
        pytest.param('<img class="formulaInl" alt="$ a_1 $" src="f.png">', "a_1", id="Doxygen"),
        pytest.param(r'<IMG WIDTH="9" SRC="i1.png" ALT="$\alpha$">', r"\alpha", id="LaTeX2HTML"),
        pytest.param(
            '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display:none">'
            r'<math alttext="{\displaystyle d\,}"><mi>d</mi></math></span><img src="0.svg" alt="'
            r'{\displaystyle d\,}" class="mwe-math-fallback-image-inline" aria-hidden="true" '
            'style="vertical-align: -0.3ex"></span>',
            "d",
            id="MediaWiki",
        ),
    ],
)
def test_a_formula_in_a_line_stands_where_its_picture_does(picture: str, tex: str) -> None:
    page = _page(f"<p>Take {picture} of it.</p>")
    assert f"Take ${tex}$ of it." in page.text
    marks = [
        page.text[one.start : one.end] for one in page.markup if one.kind is MarkupKind.FORMULA
    ]
    assert marks == [f"${tex}$"]
    assert page.dropped_content == ()


def test_a_formula_of_its_own_is_a_block() -> None:
    page = _page('<div class="math"><p><img src="b.png" alt="E = mc^2"></p></div>')
    assert [(one.kind, page.text[one.start : one.end]) for one in page.blocks[1:]] == [
        (BlockKind.MATH, "E = mc^2")
    ]


@pytest.mark.parametrize(
    "formula", ['<img class="math" alt="r^2">', r"<span class=math>\(r^2\)</span>"]
)
def test_a_formula_in_a_table_is_one_too(formula: str) -> None:
    page = _page(
        f"<table><tr><th>Name<th>Value</tr><tr><td>Area</td><td>{formula}</td></tr></table>"
    )
    assert "Area | $r^2$" in page.text


@pytest.mark.parametrize("words", ["$5 and $6", "A cat", "$", ""])
def test_other_pictures_are_none(words: str) -> None:
    page = _page(f'<p>See it. <img src="a.png" alt="{words}"></p>')
    assert not any(one.kind is MarkupKind.FORMULA for one in page.markup)


def test_a_hidden_picture_shows_nothing() -> None:
    page = _page('<p>Seen. <span style="display:none"><img class="math" alt="x^9"></span></p>')
    assert "x^9" not in page.text
    page = _page('<p>Seen. <img class="math" alt="x^9" style="display:none"></p>')
    assert "x^9" not in page.text
