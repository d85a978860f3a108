"""Markdown and MDX: what the reader sees reaches the text, markup does not."""

import pytest

from services.ingest.model.book import BlockKind, ParsedText
from services.ingest.parsers.markdown import parse_markdown, read_front_matter

P, H, L = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM


def parse(source: str, mdx: bool = True) -> ParsedText:
    return parse_markdown(source, mdx, "Fallback")


def blocks(source: str, mdx: bool = True) -> list[tuple[BlockKind, str]]:
    parsed = parse(source, mdx)
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


def texts(source: str, mdx: bool = True) -> list[str]:
    return [text for _, text in blocks(source, mdx)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a *b* **c** `d` ~~e~~", "a b c d"),
        ("[link](x 'title') and <https://x.example>", "link and https://x.example"),
        ("<https://x.example/%00%E2%80%AE%41>", "https://x.example/%00%E2%80%AE%41"),
        ("soft\nbreak", "soft break"),
        ("hard  \nbreak\\\nagain<br/>end", "hard\nbreak\nagain\nend"),
        ("AT&amp;T &copy; &#x41;", "AT&T © A"),
        ("$x^2$ costs $5 and $10", "$x^2$ costs $5 and $10"),
        ("a<sub>2</sub> <b>bold</b> 1 < 2", "a2 bold 1 < 2"),
        ("a  b\t c", "a b c"),
        ("x<!-- gone -->y", "xy"),
        ("x<script>alert(1)</script>y", "xy"),
        ("\\*not em\\*", "*not em*"),
    ],
)
@pytest.mark.parametrize("mdx", [True, False])
def test_inline_markup_is_gone_and_its_text_stays(source: str, text: str, mdx: bool) -> None:
    assert texts(source, mdx) == [text]


def test_expressions_are_gone_unless_they_are_plain_text() -> None:
    source = 'a {1 + f("}")} b {"text"} c {/* note */} d {`tpl`} {"x" + "y"}'
    parsed = parse(source)
    assert parsed.text == "a b text c d tpl"
    assert parsed.warnings == ("2 expressions in braces were left out",)


def test_an_exported_constant_is_shown_where_it_is_used() -> None:
    assert texts("export const G = '9.81 m/s²';\n\nGravity is {G}.") == ["Gravity is 9.81 m/s²."]


def test_braces_of_plain_markdown_are_text() -> None:
    assert texts("a {x} {1 + 2} {/* gone */} {b", mdx=False) == ["a {x} {1 + 2} {b"]


def test_imports_and_exports_are_gone_even_over_empty_lines() -> None:
    source = (
        "import A from 'a';\nimport {\n  B,\n} from \"b\";\n\n"
        "export const x = {\n  a: [1,\n\n  2],\n};\n\nText stays.\n\n"
        "```js\nimport kept from 'kept';\n```\n\nimport duties are high."
    )
    assert texts(source) == ["Text stays.", "import kept from 'kept';", "import duties are high."]


def test_components_are_gone_and_what_they_show_stays() -> None:
    source = (
        "<Tabs>\n  <TabItem value='a' label=\"First tab\">\n    Some **text**\n\n"
        "    - item\n  </TabItem>\n</Tabs>\n\n<Card title='Card' size={{a: '>'}}\n  wide\n/>\n"
    )
    assert blocks(source) == [(P, "First tab"), (P, "Some text"), (L, "item"), (P, "Card")]
    imported = "import Tabs from '@theme/Tabs';\n\n" + source
    assert blocks(imported, mdx=False) == blocks(source)


def test_lines_right_below_a_tag_are_no_code_however_far_they_are_indented() -> None:
    source = (
        "<Tabs>\n    <TabItem label='L'>\n        Some text\n    </TabItem>\n</Tabs>\n\n    code"
    )
    assert blocks(source, mdx=False) == [(P, "L"), (P, "Some text"), (BlockKind.CODE, "code")]


def test_a_numbered_listing_shows_its_caption_and_file() -> None:
    tag = '<Listing number="4-1" file-name="main.rs" caption="The `x`">'
    source = f"{tag}\n\n```rust\nx\n```\n\n</Listing>"
    assert texts(source, mdx=False) == ["Filename: main.rs", "Listing 4-1: The x", "x"]


def test_text_that_only_looks_like_a_tag_is_kept() -> None:
    assert texts("Use Vec<String> and <T>, a<b.", mdx=False) == ["Use Vec<String> and <T>, a<b."]


def test_html_blocks_lose_their_tags_only() -> None:
    source = (
        "<details>\n<summary>More</summary>\n\nInside\n\n</details>\n\n<p>One <i>two</i></p>\n\n"
        "<style>\np { x: y }\n\nq\n</style>\n<!-- a\n\nb -->\n<pre>\n a <b>c</b> &lt;\n</pre>\n"
        "<img src='x' alt='A figure' />"
    )
    assert blocks(source, mdx=False) == [
        (P, "More"),
        (P, "Inside"),
        (P, "One two"),
        (BlockKind.CODE, " a c <"),
        (BlockKind.CAPTION, "A figure"),
    ]


def test_tables_have_a_line_for_each_row() -> None:
    source = "| a | **b** |\n|---|---|\n| 1 | x \\| y |\n| 2 | ![alt](i.png) |"
    assert blocks(source) == [(BlockKind.TABLE, "a | b\n1 | x | y\n2 | alt")]
    rows = "<tr><th>a</th><th>b</th></tr>\n\n<tr><td>1 &amp; 2</td><td>x<br>y</td></tr>"
    assert blocks(f"<table>\n{rows}\n</table>") == [(BlockKind.TABLE, "a | b\n1 & 2 | x y")]


def test_lists_keep_levels_and_labels_outside_of_the_text() -> None:
    parsed = parse("3. one\n   - two\n     more\n\n     para\n4. [x] three\n5. [ ] four")
    shown = [(block.level, block.label) for block in parsed.blocks]
    assert shown == [(1, "3."), (2, "-"), (2, ""), (1, "[x]"), (1, "[ ]")]
    assert parsed.text == "one\ntwo more\npara\nthree\nfour"


def test_quotes_admonitions_and_alerts_are_told_apart() -> None:
    source = (
        "> one\n>\n> two\n\n:::warning Mind *this*\nText\n\n- item\n:::\n\n"
        ":::note[Other]{.x}\nNote\n:::\n\n> [!TIP]\n> alert"
    )
    parsed = parse(source)
    assert [(b.kind, b.label, parsed.text[b.start : b.end]) for b in parsed.blocks] == [
        (BlockKind.QUOTE, "", "one"),
        (BlockKind.QUOTE, "", "two"),
        (BlockKind.ADMONITION, "warning", "Mind this"),
        (BlockKind.ADMONITION, "warning", "Text"),
        (L, "-", "item"),
        (BlockKind.ADMONITION, "note", "Other"),
        (BlockKind.ADMONITION, "note", "Note"),
        (BlockKind.ADMONITION, "tip", "alert"),
    ]


def test_footnotes_stand_at_the_end_of_the_section_that_refers_to_them() -> None:
    source = (
        "# A\n\nSee.[^n]\n\nMore below.\n\n## B\n\nText.[^m]\n\n"
        "[^m]: Second.\n\n[^n]: First *note*.\n\n    More."
    )
    parsed = parse(source)
    assert [parsed.text[b.start : b.end] for b in parsed.blocks] == [
        *("A", "See.[1]", "More below.", "First note.", "More.", "B", "Text.[2]", "Second.")
    ]
    notes = [block for block in parsed.blocks if block.kind is BlockKind.FOOTNOTE]
    assert [note.label for note in notes] == ["1", "1", "2"]
    assert [
        (parsed.text[note.block_start : note.block_end], parsed.text[note.start : note.end])
        for note in parsed.notes
    ] == [("See.[1]", "First note."), ("See.[1]", "More."), ("Text.[2]", "Second.")]


def test_code_math_and_figures() -> None:
    source = (
        '```python title="a.py" {1}\nx = {}\n\n# y\n```\n\n```mermaid\ngraph TD\n```\n\n'
        "$$\na = b\n$$\n\n![Alt](x.png 'Title')\n\n    indented"
    )
    parsed = parse(source, mdx=False)
    assert [(b.kind, b.label, parsed.text[b.start : b.end]) for b in parsed.blocks] == [
        (BlockKind.CAPTION, "", "a.py"),
        (BlockKind.CODE, "python", "x = {}\n\n# y"),
        (BlockKind.CODE, "mermaid", "graph TD"),
        (BlockKind.MATH, "", "a = b"),
        (BlockKind.CAPTION, "", "Alt – Title"),
        (BlockKind.CODE, "", "indented"),
    ]


def test_includes_of_other_files_are_left_out_and_told() -> None:
    source = "{{#quiz ../q.toml}}\n\n```rust\n{{#rustdoc_include ../a.rs:here}}\n```\n\nText"
    parsed = parse(source, mdx=False)
    assert parsed.text == "Text"
    assert "2 includes" in parsed.warnings[0]


def test_sections_have_paths_anchors_and_ranges() -> None:
    source = (
        "intro\n\n# Top\n\na\n\n## Same\n\nb\n\n### Deep {#own}\n\nc\n\n## Same\n\nd\n\n# Next\n\ne"
    )
    parsed = parse(source)
    assert [(s.path, s.anchor, s.level) for s in parsed.sections] == [
        (("Top",), "", 1),
        (("Top",), "top", 1),
        (("Top", "Same"), "same", 2),
        (("Top", "Same", "Deep"), "own", 3),
        (("Top", "Same"), "same-1", 2),
        (("Top", "Next"), "next", 1),
    ]
    starts = [section.start for section in parsed.sections]
    assert [section.own_end for section in parsed.sections] == [*starts[1:], len(parsed.text)]
    same = parsed.sections[2]
    assert parsed.text[same.start : same.end].split() == ["Same", "b", "Deep", "c"]


def test_a_title_of_the_front_matter_is_shown_as_docusaurus_shows_it() -> None:
    parsed = parse("---\ntitle: Front\n---\n\nText\n\n## Two\n\nMore")
    assert parsed.text == "Front\n\nText\n\nTwo\n\nMore"
    assert [section.path for section in parsed.sections] == [("Front",), ("Front", "Two")]


@pytest.mark.parametrize("yaml", ["[", "a: b: c", "- [" * 2000, "!!python/object:os.system x"])
def test_front_matter_that_cant_be_read_is_told(yaml: str) -> None:
    parsed = parse(f"---\n{yaml}\n---\n\nText")
    assert parsed.text == "Text"
    assert "front matter" in parsed.warnings[0]


@pytest.mark.parametrize("mdx", [True, False])
@pytest.mark.parametrize(
    "source",
    [
        ">" * 10_000 + " deep",
        "- " * 10_000 + "deep",
        "\n".join(" " * (2 * depth) + f"- deep{depth}" for depth in range(300)),
        "[" * 30_000 + "deep",
        "[^a]: x\n\n" + "[^" * 9_000 + "deep",
        "{" * 30_000 + "deep",
        "<a " * 9_000 + "deep",
        "```\nunclosed deep",
        "<!-- unclosed deep",
        "<Tabs unclosed deep",
        ":::note\nunclosed deep",
        "<pre>\n" * 3_000 + "deep",
        "# deep\n\n" * 5_000,
        "*a **deep " * 5_000,
    ],
)
def test_odd_sources_neither_fail_nor_lose_their_text(source: str, mdx: bool) -> None:
    assert "deep" in parse(source, mdx).text


def test_a_line_of_megabytes_is_taken_as_it_is() -> None:
    line = "word and *word*. " * 100_000
    parsed = parse(line)
    assert parsed.text == line.strip()
    assert "line 1 is too long" in parsed.warnings[0]


def test_line_ends_and_a_byte_order_mark_leave_no_trace() -> None:
    assert parse("\ufeff# T\r\n\r\na\r\nb\rc").text == "T\n\na b c"


def test_broken_footnotes_and_anchors_used_twice_are_told() -> None:
    text = "# A {#one}\n\nSee.[^no]\n\n## B {#one}\n\nText.\n\n[^idle]: Never meant."
    assert parse(text).warnings == (
        "it refers to a footnote that is not there: [^no]",
        'nothing refers to its footnote "idle"',
        'several of its headings have the anchor "one": links lead to the first',
    )
    assert "Never meant." in parse(text).text


@pytest.mark.parametrize("deep", ["a: " + "[" * 100_000, "- " * 100_000 + "a"])
def test_front_matter_as_deep_as_no_stack_is_no_front_matter(deep: str) -> None:
    assert not read_front_matter(f"---\n{deep}\n---\n\n# Text").readable


@pytest.mark.parametrize(
    "source",
    [
        '<span style="color:white">Deep words.</span>',
        'Seen. <font color="#fff">Deep <b>words</b>.</font>',
        '<div style="color:#fafafa">\n\nDeep words.\n\n</div>',
        '<div style="background:navy">\n\n<p style="color:navy">\n\nDeep words.\n\n</p>\n</div>',
        '<a href="#x" style="color:white">Deep words.</a>',
    ],
)
def test_letters_in_the_colour_of_their_ground_are_no_text_and_named(source: str) -> None:
    parsed = parse(f"Over it.\n\n{source}\n\nBelow it.", mdx=False)
    assert "Deep" not in parsed.text
    assert [(one.kind, one.characters > 0) for one in parsed.dropped_content] == [
        ("hidden text", True)
    ]


@pytest.mark.parametrize(
    "source",
    [
        "<table hidden><tr><td>Deep words.</td></tr></table>",
        "<pre hidden>Deep words.</pre>",
        '<pre style="display:none">\nDeep <b>words</b>.\n</pre>',
        '<table style="display:none">\n<tr><td>Deep words.</td></tr>\n</table>',
        "<table>\n<tr><td>Seen</td></tr>\n<tr hidden><td>Deep words.</td></tr>\n</table>",
        '<table>\n<tr><td>Seen</td><td style="display:none">Deep words.</td></tr>\n</table>',
        '<table>\n<tr><td>Seen <span style="color:white">Deep words.</span></td></tr>\n</table>',
        "<table>\n<tr><td>Seen<template>Deep words.</template></td></tr>\n</table>",
        '<style>.x{display:none}</style>\n\n<table class="x">\n<tr><td>Deep words.</td></tr>\n</table>',
        "<table hidden>\n<caption>Deep words.</caption>\n<tr><td>Deep words.</td></tr>\n</table>",
    ],
)
def test_hidden_parts_of_a_table_or_code_in_html_are_no_text_and_named(source: str) -> None:
    parsed = parse(f"Over it.\n\n{source}\n\nBelow it.", mdx=False)
    assert "Deep" not in parsed.text
    assert ("Seen" in parsed.text) == ("Seen" in source)
    assert [(one.kind, one.characters) for one in parsed.dropped_content] == [
        ("hidden text", 10 * source.count("Deep"))
    ]


def test_a_cell_that_is_shown_beside_a_hidden_one_stays_a_cell() -> None:
    row = "<tr><td>A</td><td hidden>Deep</td><td>C</td></tr>"
    parsed = parse(f"<table>\n{row}\n<tr><td>1</td><td>2</td></tr>\n</table>", mdx=False)
    assert parsed.text.endswith("A | C\n1 | 2")


@pytest.mark.parametrize(
    "source",
    [
        '<span style="color:white;background:navy">Deep words.</span>',
        '<div style="background:navy">\n\nIn <span style="color:white">Deep words.</span>\n\n</div>',
        '<span class="dark" style="color:white">Deep words.</span>',
        '<span style="color:white"><mark>Deep words.</mark></span>',
        '<span style="color:white"><a href="#x">Deep words.</a></span>',
        '<Card>\n\n<span style="color:white">Deep words.</span>\n\n</Card>',
        '!!! note\n    <span style="color:white">Deep words.</span>',
        '<span style="color:red">Deep words.</span>',
    ],
)
def test_letters_that_stand_on_another_ground_than_their_colour_are_text(source: str) -> None:
    parsed = parse(f"Over it.\n\n{source}\n\nBelow it.", mdx=False)
    assert "Deep words." in parsed.text
    assert not parsed.dropped_content
