"""Sphinx in Markdown: what readers see of roles, directives and labels is text, the rest is none."""

from pathlib import Path

import pytest

from services.ingest.model.book import BlockKind, MarkupKind, ParsedText
from services.ingest.parsers.markdown import heads_of, parse_markdown, read_titles
from services.ingest.parsers.markdown.myst import rewrite_myst

BOOKS = Path(__file__).parents[4] / "shared" / "books"


def blocks(source: str) -> list[tuple[BlockKind, str]]:
    parsed = parsed_of(source)
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


def parsed_of(source: str) -> ParsedText:
    return parse_markdown(source, mdx=False, fallback_title="t")


def text_of(source: str) -> str:
    return parsed_of(source).text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See {ref}`the start <intro>`.", "See the start."),
        ("See {doc}`/guide/getting-started`.", "See getting started."),
        ("See :numref:`fig_1` and {numref}`Figure %s <fig_2>`.", "See [fig_1] and Figure [fig_2]."),
        ("As :cite:`Vaswani.2017` says.", "As [Vaswani.2017] says."),
        ("Cited in {cite}`a` and {cite:t}`b,c`.", "Cited in [a] and [b, c]."),
        ("It holds {cite:p}`a,b`, and so on {footcite}`c`.", "It holds, and so on."),
        (
            "(l)=\nIt holds [@a; @b], not [@c](d.md) nor a@b.example.",
            "It holds, not @c nor a@b.example.",
        ),
        ("Press {kbd}`Ctrl-C`.", "Press Ctrl-C."),
        ("Call {py:func}`~os.path.join`.", "Call join."),
        ("A {class}`.Foo`, {mod}`!os.path` and {file}`.bashrc`.", "A Foo, os.path and .bashrc."),
        (
            "The {samp}`a {b}` of {guilabel}`&OK`, {index}`word` {octicon}`alert`.",
            "The a b of OK, word.",
        ),
        ("{guilabel}`Q && A` {menuselection}`&File --> Save & go`", "Q & A File ‣ Save & go"),
        ("```{versionadded} 1.0\n```", "Added in version 1.0."),
        ("```{versionchanged} 1.2\nIt *is*.\n```", "Changed in version 1.2:\n\nIt is."),
        ("```{deprecated} 1.1 use `b`\n```", "Deprecated since version 1.1: use b"),
        (":::{versionremoved} 2\n:::", "Removed in version 2."),
        ("**{fab}`x` Bold**, {fas}`y` text.", "Bold, text."),
        (
            "{ref}`a long\nname <x>` and {abbr}`IMU\n(unit)` and\nmore.",
            "a long name and IMU (unit) and more.",
        ),
        ("A {term}`loss <loss function>` falls.", "A loss falls."),
        ("H{sub}`2`O", "H2O"),
        ("The {abbr}`IMU (inertial measurement unit)`.", "The IMU (inertial measurement unit)."),
        ("See {pep}`8`.", "See PEP 8."),
        ("A {unheard-of}`word` stays.", "A word stays."),
        ("Text.\n:label:`sec_x`", "Text."),
        ("Text.\n\n(a-label)=\n\nMore.", "Text.\n\nMore."),
        ("{note}`x`\n\n% a comment\n\n+++\n\nText.", "x\n\nText."),
        (":begin_tab:`mxnet`\nIn MXNet.\n:end_tab:", "In MXNet."),
    ],
)
def test_a_role_or_a_label_becomes_the_text_that_a_reader_sees(written: str, read: str) -> None:
    assert text_of(written) == read


@pytest.mark.parametrize(
    "plain",
    [
        "Code `` {ref}`x` `` and emoji :smile: and :warning: stay.",
        "A set {a, b} and {braces} stay, and 10:30:`x` too.",
        "~~~\n:label:`x`\n{ref}`y`\n~~~",
    ],
)
def test_text_that_only_looks_like_markup_is_left_alone(plain: str) -> None:
    assert text_of(plain) == text_of(rewrite_myst(plain)[0])
    assert "…" not in text_of(plain)


def test_spans_and_blocks_of_code_keep_what_they_show() -> None:
    assert text_of("Write `` {ref}`x` `` so.\n\n(l)=") == "Write {ref}`x` so."
    assert text_of("(l)=\n```md\n{ref}`x`\n:label:`y`\n```") == "{ref}`x`\n:label:`y`"


def test_a_reference_to_a_label_of_the_file_reads_as_its_title() -> None:
    motors, joints = "# Motors\n:label:`sec_m`\n\n", "(joints)=\n## Joints\n\n"
    source = f"{motors}{joints}As :numref:`sec_m` and {{ref}}`joints` say."
    assert text_of(source).endswith("As Motors and Joints say.")


FIGURE = (
    "```{figure} a.png\n:name: fig-kettle\n:width: 3\n\nThe kettle\nin *use*.\n\nLegend.\n```\n\n"
)
TABLE = "(tab-x)=\n```{list-table} Prices of tea\n* - a\n  - b\n* - 1\n  - 2\n```\n\n"
LISTING = "```{code-block} python\n---\nname: code-x\ncaption: A loop\n---\nx\n```\n\n"
DRAWN = ":::{figure-md} fig-md\n![x](x.png)\n\nA *drawn* one.\n:::\n\n"
CAPTIONED = f"# T\n\n{FIGURE}{TABLE}{LISTING}{DRAWN}"


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        ("{numref}`fig-kettle`", "The kettle in use"),
        ("{numref}`Figure %s <fig-kettle>`", "Figure “The kettle in use”"),
        ("{ref}`fig-kettle`", "The kettle in use"),
        ("{numref}`tab-x`", "Prices of tea"),
        ("{numref}`Table {number}: {name} <tab-x>`", "Prices of tea"),
        (":numref:`code-x`", "A loop"),
        ("{numref}`fig-md`", "A drawn one"),
        ("{numref}`other-fig`", "[other-fig]"),
        ("{eq}`eq-energy`", "[eq-energy]"),
        ("{index}`valve`{sup}`2`", "valve^2"),
        ("`a`{sub}`2` `{b}`", "a2 {b}"),
        ("{ref}`sec:gone-label`", "gone label"),
        ("{download}`data/x.zip`", "data/x.zip"),
        ("{file}`/etc/{name}`", "/etc/name"),
    ],
)
def test_a_reference_to_what_has_a_caption_reads_as_that(reference: str, read: str) -> None:
    assert text_of(f"{CAPTIONED}As {reference} says.").endswith(f"As {read} says.")


def test_captions_are_known_to_other_files() -> None:
    title, labels = read_titles(CAPTIONED)
    assert title == "T"
    assert labels == {
        "fig-kettle": "The kettle in use",
        "tab-x": "Prices of tea",
        "code-x": "A loop",
        "fig-md": "A drawn one",
    }
    assert read_titles(heads_of(CAPTIONED + "{numref}`x`")) == (title, labels)
    names = {f"ref:{label}": shown for label, shown in labels.items()}
    told = parse_markdown("See {numref}`tab-x`.", mdx=False, fallback_title="t", names=names)
    assert told.text == "See Prices of tea."


@pytest.mark.parametrize("fence", ["```", ":::", "~~~~"])
def test_a_note_is_a_box_with_its_title_and_without_its_options(fence: str) -> None:
    source = (
        f"{fence}{{note}} Mind *this*\n:class: dropdown\n\nIt {{kbd}}`moves`.\n{fence}\n\nAfter."
    )
    assert blocks(source) == [
        (BlockKind.ADMONITION, "Mind this"),
        (BlockKind.ADMONITION, "It moves."),
        (BlockKind.PARAGRAPH, "After."),
    ]


def test_boxes_nest_and_their_code_is_code() -> None:
    source = (
        "````{admonition} Outer\nText.\n```{code-block} python\n---\nlinenos: true\n---\nx = 1\n```\n"
        "```{tip}\nInner.\n```\n````\nAfter."
    )
    assert blocks(source) == [
        (BlockKind.ADMONITION, "Outer"),
        (BlockKind.ADMONITION, "Text."),
        (BlockKind.CODE, "x = 1"),
        (BlockKind.ADMONITION, "Inner."),
        (BlockKind.PARAGRAPH, "After."),
    ]


def test_a_figure_is_its_description_and_its_caption_a_formula_is_a_formula() -> None:
    source = (
        "```{figure} a.png\n:alt: An arm\n:name: f\n\nSeen from above.\n```\n\n"
        "```{math}\n:label: e\na = b\n```"
    )
    assert blocks(source) == [
        (BlockKind.CAPTION, "An arm"),
        (BlockKind.PARAGRAPH, "Seen from above."),
        (BlockKind.MATH, "a = b"),
    ]


def test_content_of_other_files_is_left_out_and_named_at_its_line() -> None:
    source = "---\ntitle: T\n---\nText :cite:`k`.\n\n```{toctree}\na\nb\n```\n\n{eq}`e` is so."
    parsed = parsed_of(source)
    assert parsed.text == "T\n\nText [k].\n\n[e] is so."
    named = [(item.kind, item.place, item.characters) for item in parsed.dropped_content]
    assert named == [
        ("citation", "line 4", 1),
        ("toctree", "line 6", 2),
        ("reference", "line 11", 1),
    ]


def test_a_quiz_is_left_out_and_named_since_its_wrong_choices_are_no_text() -> None:
    source = "Text.\n\n:::{quiz} What is lag?\n:hint: Wait.\n* *A delay\n* A colour\n:::\n\nMore."
    parsed = parsed_of(source)
    assert parsed.text == "Text.\n\nMore."
    assert [(item.kind, item.place) for item in parsed.dropped_content] == [("quiz", "line 3")]


def test_a_directive_that_is_never_closed_takes_nothing_with_it() -> None:
    assert "Last." in text_of("```{note}\nText.\n\nLast.")
    assert text_of("```{toctree}\na").strip() == ""


def test_lines_keep_their_numbers_and_long_ones_their_speed() -> None:
    source = "(a)=\n" + "{ref}`x` `y` " * 20_000 + "\n\n```{note}\nText.\n```\n"
    rewritten, _ = rewrite_myst(source)
    assert rewritten.count("\n") == source.count("\n")
    rewrite_myst(
        "(a)=\n" + "".join(f"{{ref}}{'`' * (number % 300 + 1)}x" for number in range(9000))
    )


@pytest.mark.skipif(not BOOKS.exists(), reason="the real books are not here")
def test_books_without_sphinx_are_read_as_before() -> None:
    files = [*BOOKS.glob("physical_ai/**/*.md"), *BOOKS.glob("rust_book/**/*.md")]
    assert files
    for file in files:
        source = file.read_text("utf-8")
        assert rewrite_myst(source) == (source, [])


LIST_TABLE = """```{list-table} Values
:header-rows: 1

* - Size
  - Value
* - Head of
    {term}`water <w>`
  - 32 | 33
* - Flow
  -
```
After.
"""


def test_a_list_table_keeps_its_rows_and_its_header() -> None:
    assert blocks(LIST_TABLE) == [
        (BlockKind.CAPTION, "Values"),
        (BlockKind.TABLE, "Size | Value\nHead of water | 32 | 33\nFlow |"),
        (BlockKind.PARAGRAPH, "After."),
    ]
    rewritten, _ = rewrite_myst(LIST_TABLE)
    assert rewritten.count("\n") == LIST_TABLE.count("\n")


@pytest.mark.parametrize(
    "written",
    [
        "```{csv-table} *Values*\n:header: Size, Value\nHead, 3\n```",
        ":::{table} *Values*\n:name: t\n\n| Size | Value |\n| - | - |\n| Head | 3 |\n:::",
        ":::{table} *Values*\n| Size | Value |\n| - | - |\n| Head | 3 |\n:::",
    ],
)
def test_the_title_of_a_table_is_its_caption(written: str) -> None:
    assert blocks(written) == [
        (BlockKind.CAPTION, "Values"),
        (BlockKind.TABLE, "Size | Value\nHead | 3"),
    ]


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        ("{eq}`eq-a`", "(1)"),
        ("{eq}`eq-B`", "(2)"),
        ("{math:numref}`c`", "(3)"),
        ("[](#c)", "(3)"),
        ("{eq}`d`", "[d]"),
    ],
)
def test_a_reference_to_a_formula_reads_as_the_number_that_sphinx_shows(
    reference: str, read: str
) -> None:
    formulas = (
        "```{math}\n:label: eq-a\na\n```\n\n```{math}\nx\n```\n\n```\n$$\n$$ (no)\n```\n\n"
        "$$\nb\n$$ (eq-b)\n\n$$c$$ (c)\n\n"
    )
    assert text_of(f"{formulas}As {reference} says.").endswith(f"As {read} says.")
    counted = "\\begin{align}\na\n\\end{align}\n\n"
    assert text_of(f"{counted}{formulas}As {{eq}}`c` says.").endswith("As [c] says.")


@pytest.mark.parametrize(
    "body",
    [
        "* - a\n  - b\n* - c",
        "* - a\n  - b\nText of its own.",
        "* a\n* b",
        "* - a\n* - b",
        "* - a\n  - ~~~\n    code\n    ~~~",
    ],
)
def test_a_list_table_that_is_no_table_stays_a_list(body: str) -> None:
    source = f"```{{list-table}}\n{body}\n```\n"
    read = blocks(source)
    assert BlockKind.TABLE not in {kind for kind, _ in read}
    assert "a" in "".join(text for _, text in read)
    assert rewrite_myst(source)[0].count("\n") == source.count("\n")


@pytest.mark.parametrize(
    "written",
    ["$$\na = b\n$$ (eq1)", "$$a = b$$ (eq1)", "- item\n\n  $$\n  a = b\n  $$ (eq:1)"],
)
def test_the_label_of_a_formula_is_no_text(written: str) -> None:
    assert blocks(f"{written}\n\nAfter.")[-2:] == [
        (BlockKind.MATH, "a = b"),
        (BlockKind.PARAGRAPH, "After."),
    ]


def test_an_environment_of_tex_is_a_formula() -> None:
    source = "Text\n\\begin{align}\na &= b\n\\end{align}\nafter."
    assert [kind for kind, _ in blocks(source)] == [
        *(BlockKind.PARAGRAPH, BlockKind.MATH, BlockKind.PARAGRAPH),
    ]


def test_substitutions_of_the_front_matter_stand_in_the_text_and_others_are_named() -> None:
    values = "    tool: a **{{ how }}** tool\n    how: quick\n    version: 3\n"
    front = f"---\nmyst:\n  substitutions:\n{values}---\n"
    parsed = parsed_of(
        f"{front}Take {{{{ tool }}}} {{{{version}}}}, `{{{{ x }}}}` or {{{{ other }}}}."
    )
    assert parsed.text == "Take a quick tool 3, {{ x }} or …."
    assert [(item.kind, item.place) for item in parsed.dropped_content] == [
        ("substitution", "line 8")
    ]
    assert text_of("Write {{ name }} there.") == "Write {{ name }} there."


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See <project:#the-end> and [](#the-end).", "See The End and The End."),
        (
            "See <path:files/read-me.md> and [](other_page.md#some-part).",
            "See read me and some part.",
        ),
        (
            "See <inv:python:std:label#with-it>, [that](inv:#x) and [this](project:a.md).",
            "See with it, that and this.",
        ),
    ],
)
def test_links_within_a_book_read_as_what_they_lead_to(written: str, read: str) -> None:
    parsed = parsed_of(f"(the-end)=\n## The End\n\n{written}")
    assert parsed.text.split("\n")[-1] == read
    assert not parsed.dropped_content


CSV_TABLE = """```{csv-table} Prices
:header: "Treat", "Price"
:widths: 15, 10

"Rat, dried", 2.99
Cake, "with
cream | 3"
```
After.
"""


def test_a_table_of_values_has_its_header_and_its_cells() -> None:
    assert blocks(CSV_TABLE) == [
        (BlockKind.CAPTION, "Prices"),
        (BlockKind.TABLE, "Treat | Price\nRat, dried | 2.99\nCake | with cream | 3"),
        (BlockKind.PARAGRAPH, "After."),
    ]
    assert rewrite_myst(CSV_TABLE)[0].count("\n") == CSV_TABLE.count("\n")
    nested = "- item\n\n  :::{csv-table}\n  a,b\n  c,d\n  :::\n"
    assert blocks(nested)[-1] == (BlockKind.TABLE, "a | b\nc | d")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{#id .cls}\nText.", "Text."),
        ("A [span]{.cls} of `code`{.py}, [a](b.md){.x} *e*{#i w=2}.", "A span of code, a e."),
        ("# Head {#h .c}\n\n{: .note }\nText.", "Head\n\nText."),
        ("A set {a=b}, {% if x %} and f(x){y}.", "A set {a=b}, and f(x){y}."),
        ("Pay [20]{.strike} 30 euros.", "Pay 30 euros."),
        # What ends a list for kramdown.
        ("kiln\n: an oven\n^\n\nclay\n: earth\n^", "kiln\n\nan oven\n\nclay\n\nearth"),
        ("2 ^ 3\n\n    ^", "2 ^ 3\n\n^"),
        # Those of an item begin it for kramdown, and have a colon.
        ("kiln\n: {: #gl01} an oven\n\n- {:.x} clay", "kiln\n\nan oven\n\nclay"),
        ("- {.x} clay", "{.x} clay"),
        ('{attribution="Hamlet"}\n> We know.', "We know.\n\n— Hamlet"),
    ],
)
def test_attributes_in_braces_are_no_text(written: str, read: str) -> None:
    assert text_of(written) == read


def test_titles_and_names_of_directives_are_told_from_what_nobody_sees() -> None:
    source = (
        "::::{grid} 1 2 2 3\n:::{grid-item-card} Card\nText.\n:::\n::::\n\n"
        ":::{figure-md} fig-target\nA caption.\n:::\n\n"
        "```{py:function} f(a)\nDoes it.\n```\n\n```{code-block} sh\n:caption: Run it\nls\n```\n\n"
        ":::{only} html\nSeen.\n:::\n"
    )
    assert [text for _, text in blocks(source)] == [
        *("Card", "Text.", "A caption.", "f(a)", "Does it.", "Run it", "ls", "Seen."),
    ]


def test_content_for_a_tag_that_is_not_set_is_left_out_and_named() -> None:
    parsed = parsed_of("Seen.\n\n:::{only} internal\nFor us.\n:::\n\nAlso seen.")
    assert parsed.text == "Seen.\n\nAlso seen."
    assert [item.kind for item in parsed.dropped_content] == ["only"]


@pytest.mark.parametrize("name", ["todo", "todolist"])
def test_todos_of_the_writers_are_left_out_and_named(name: str) -> None:
    parsed = parsed_of(f"Seen.\n\n:::{{{name}}}\nAsk her.\n:::\n\nAlso seen.")
    assert parsed.text == "Seen.\n\nAlso seen."
    assert [item.kind for item in parsed.dropped_content] == [name]


def test_a_glossary_has_terms_with_their_definitions() -> None:
    parsed = parsed_of(":::{glossary}\nArm\n  A part\n  that moves.\n\nLeg\n  Another.\n:::\n")
    assert parsed.text == "Arm\n\nA part that moves.\n\nLeg\n\nAnother."
    assert [parsed.text[one.start : one.end] for one in parsed.lead_ins if one.is_term] == [
        "Arm",
        "Leg",
    ]


def test_a_container_that_strikes_out_is_left_out_and_named() -> None:
    parsed = parsed_of("Keep.\n\n:::{container} strike\nNever open it.\n:::\n\nOpen it.")
    assert parsed.text == "Keep.\n\nOpen it."
    assert [item.kind for item in parsed.dropped_content] == ["struck-out text"]


def test_comments_and_breaks_are_no_text_and_end_paragraphs() -> None:
    assert text_of('(l)=\nOne.\n%comment\nTwo.\n\n+++ {"a": 1}\nThree.') == "One.\n\nTwo.\n\nThree."


def test_fences_of_two_kinds_nest_in_boxes_and_in_lists_of_lists() -> None:
    source = ":::{note}\n```{tip}\nInner.\n```\nOuter.\n:::\nAfter.\n"
    assert blocks(source) == [
        (BlockKind.ADMONITION, "Inner."),
        (BlockKind.ADMONITION, "Outer."),
        (BlockKind.PARAGRAPH, "After."),
    ]
    table = "````{list-table}\n* - ```md\n    {ref}`x`\n    ```\n  - b\n````\n{kbd}`c`\n"
    assert [text for _, text in blocks(table)] == ["{ref}`x`", "b", "c"]


EVAL_RST = """\
# Arms

## Joints

{fence}{{eval-rst}}
Elbows
------

An arm has *two* :term:`joints <joint>`, see :ref:`there <arms>`.

valve
   It lets water through.

.. note::

   Keep it dry.

.. code-block:: python

   turn(90)

.. autofunction:: arms.turn
{fence}

Behind it.
"""


@pytest.mark.parametrize("fence", ["```", ":::", "````"])
def test_restructuredtext_inside_of_markdown_is_read_as_such(fence: str) -> None:
    parsed = parse_markdown(EVAL_RST.format(fence=fence), False, "F")
    assert [
        (block.kind.name, block.level, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ] == [
        ("HEADING", 1, "Arms"),
        ("HEADING", 2, "Joints"),
        ("HEADING", 3, "Elbows"),
        ("PARAGRAPH", 0, "An arm has two joints, see there."),
        ("PARAGRAPH", 0, "valve"),
        ("PARAGRAPH", 0, "It lets water through."),
        ("ADMONITION", 0, "Keep it dry."),
        ("CODE", 0, "turn(90)"),
        ("PARAGRAPH", 0, "Behind it."),
    ]
    [term] = [parsed.text[lead.start : lead.end] for lead in parsed.lead_ins if lead.is_term]
    assert term == "valve"
    assert [one.place for one in parsed.dropped_content] == ["line 22"]


def test_restructuredtext_that_cannot_be_read_is_shown_as_it_stands() -> None:
    deep = "\n".join(f"{' ' * at}- a\n" for at in range(0, 400, 2))
    parsed = parse_markdown(f"# A\n\n```{{eval-rst}}\n{deep}\n```\n\nBehind it.\n", False, "F")
    assert parsed.text.startswith("A\n\n- a")
    assert parsed.text.endswith("Behind it.")


@pytest.mark.parametrize(
    "text",
    [
        "```{option} --drain\nEmpties it.\n\nAnd fills it.\n```\n\nText.",
        ":::{std:option} --drain\n:class: x\n\nEmpties it.\n\nAnd fills it.\n:::\nText.",
    ],
)
def test_signatures_of_a_directive_are_terms_of_its_content(text: str) -> None:
    parsed = parse_markdown(text, False, "T")
    [(start, end, until, is_term)] = parsed.lead_ins
    assert parsed.text[start:until] == "--drain\n\nEmpties it.\n\nAnd fills it."
    assert (parsed.text[start:end], is_term) == ("--drain", True)
    assert (MarkupKind.CODE, start, end) in [one[:3] for one in parsed.markup]
