"""Boxes of text are alike in every format: a label, a title if they have one, their text."""

import io

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE

from services.ingest.model.book import Block, BlockKind, ParsedText
from services.ingest.parsers.asciidoc import parse_asciidoc
from services.ingest.parsers.docx import parse_docx
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.markdown import parse_markdown
from services.ingest.parsers.rst import parse_rst

GITHUB = "> [!WARNING]\n> The plate is hot.\n>\n> Wait.\n\n:::tip[Mind the gap]\nStep over.\n:::\n"
MYST = (
    ":::{warning}\nThe plate is hot.\n\nWait.\n:::\n\n"
    "```{admonition} Mind the gap\n:class: tip\nStep over.\n```\n"
)
MKDOCS = (
    '!!! warning\n    The plate is hot.\n\n    Wait.\n\n??? tip "Mind the gap"\n    Step over.\n'
)
RST = (
    ".. warning:: The plate is hot.\n\n   Wait.\n\n"
    ".. admonition:: Mind the gap\n   :class: tip dropdown\n\n   Step over.\n"
)
ASCIIDOC = (
    "[WARNING]\n====\nThe plate is hot.\n\nWait.\n====\n\n"
    ".Mind the gap\n[TIP]\n--\nStep over.\n--\n"
)
ASCIIDOC_LINES = (
    "[WARNING]\n====\nThe plate is hot.\n\nWait.\n====\n\n[TIP]\n.Mind the gap\nStep over.\n"
)
SPHINX_HTML = (
    "<div class='admonition warning'><p class=admonition-title>Warning</p><p>The plate is hot.</p>"
    "<p>Wait.</p></div><div class='admonition-mind-the-gap admonition tip'>"
    "<p class=admonition-title>Mind the gap</p><p>Step over.</p></div>"
)
DOCBOOK_HTML = (
    "<div class=warning><h3 class=title>Warning</h3><p>The plate is hot.</p><p>Wait.</p></div>"
    "<div class=tip><h3 class=title>Mind the gap</h3><p>Step over.</p></div>"
)
ASCIIDOCTOR_HTML = (
    "<div class='admonitionblock warning'><table><tr><td class=icon><div class=title>Warning</div>"
    "</td><td class=content><div class=paragraph><p>The plate is hot.</p></div><p>Wait.</p></td></tr>"
    "</table></div><div class='admonitionblock tip'><table><tr><td class=icon><div class=title>Tip"
    "</div></td><td class=content><div class=title>Mind the gap</div>Step over.</td></tr></table></div>"
)
OTHER_HTML = (
    "<div class='alert alert-warning'><strong>Warning:</strong> The plate is hot.<p>Wait.</p></div>"
    "<div class='markdown-alert markdown-alert-tip'><p>Tip</p><p>Mind the gap</p>Step over.</div>"
)


def told(parsed: ParsedText) -> list[tuple[str, str]]:
    def words(block: Block) -> str:
        return parsed.text[block.start : block.end]

    assert {block.kind for block in parsed.blocks} == {BlockKind.ADMONITION}
    return [(block.label, words(block)) for block in parsed.blocks]


def word_file() -> bytes:
    document = docx.Document()
    for name in ("Warning", "Tip Box"):
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    first = document.add_paragraph(style="Warning")
    first.add_run("Warning: ").bold = True
    first.add_run("The plate is hot.")
    for text, style in (
        ("Wait.", "Warning"),
        ("Mind the gap", "Tip Box"),
        ("Step over.", "Tip Box"),
    ):
        document.add_paragraph(text, style=style)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "parsed",
    [
        parse_markdown(GITHUB, mdx=False, fallback_title="F"),
        parse_markdown(MYST, mdx=False, fallback_title="F"),
        parse_markdown(MKDOCS, mdx=False, fallback_title="F"),
        parse_rst(RST, "F"),
        parse_asciidoc(ASCIIDOC, "F"),
        parse_asciidoc(ASCIIDOC_LINES, "F"),
        *(
            parse_html(page, "F")
            for page in (SPHINX_HTML, DOCBOOK_HTML, ASCIIDOCTOR_HTML, OTHER_HTML)
        ),
        parse_docx(word_file(), "F"),
    ],
    ids=[
        *("github", "myst", "mkdocs", "rst", "asciidoc", "asciidoc paragraph", "sphinx html"),
        *("docbook html", "asciidoctor html", "other html", "docx"),
    ],
)
def test_one_manual_has_the_same_boxes_in_every_format(parsed: ParsedText) -> None:
    assert told(parsed) == [
        *(("warning", "The plate is hot."), ("warning", "Wait.")),
        *(("tip", "Mind the gap"), ("tip", "Step over.")),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("NOTE: One.\nTwo.\n", [("note", "One. Two.")]),
        ("- a\n+\nTIP: b\n", [("tip", "b")]),
        ("\n.T\nCAUTION: x\n", [("caution", "T"), ("caution", "x")]),
        (".T\nCAUTION: x\n", [("caution", "T\nx")]),
    ],
)
def test_paragraphs_of_asciidoc_that_say_what_they_are_become_boxes(
    source: str, expected: list[tuple[str, str]]
) -> None:
    parsed = parse_asciidoc(source, "F")
    boxes = [block for block in parsed.blocks if block.kind is BlockKind.ADMONITION]
    assert [(one.label, parsed.text[one.start : one.end]) for one in boxes] == expected


@pytest.mark.parametrize("text", ["!!! Stop here\n\nNow.", "??? what\n\n- x", "!!!\n    x"])
def test_signs_of_wonder_alone_make_no_box(text: str) -> None:
    parsed = parse_markdown(text, mdx=False, fallback_title="F")
    assert not [one for one in parsed.blocks if one.kind is BlockKind.ADMONITION]
