"""reStructuredText: what docutils and Sphinx show is kept, whatever extension a file needs."""

import pytest

from libs.errors import InvalidInput
from services.ingest.model.book import MarkupKind
from services.ingest.parse import parse_document
from services.ingest.parsers.rst import parse_rst, read_names, read_pieces
from services.ingest.plan import plan_book
from tests.support.ingest_fakes import source
from tests.support.work import at_most, count_calls


def pieces(text: str) -> list[tuple[str, str, str]]:
    parsed = parse_rst(text, "Fallback")
    return [
        (block.kind.name, block.label, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One *two*\n``three``.", [("PARAGRAPH", "", "One two three.")]),
        (
            "- a\n\n  b\n\n  3. c\n- d",
            [
                *(("LIST_ITEM", "-", "a"), ("LIST_ITEM", "", "b"), ("LIST_ITEM", "3.", "c")),
                ("LIST_ITEM", "-", "d"),
            ],
        ),
        ("Term\n  Meaning", [("PARAGRAPH", "", "Term"), ("PARAGRAPH", "", "Meaning")]),
        (
            "== ==\nA  B\n== ==\n1  2\n== ==",
            [("TABLE", "", "A | B\n1 | 2")],
        ),
        ("So::\n\n  x = 1\n    y", [("PARAGRAPH", "", "So:"), ("CODE", "", "x = 1\n  y")]),
        (
            ".. code-block:: python\n   :emphasize-lines: 2\n   :caption: run.py\n\n   go()",
            [("CAPTION", "", "run.py"), ("CODE", "python", "go()")],
        ),
        (".. warning:: Hot.", [("ADMONITION", "warning", "Hot.")]),
        (
            ".. versionadded:: 3.1\n   It.",
            [("ADMONITION", "versionadded", "Added in version 3.1: It.")],
        ),
        (".. versionadded:: 1.0", [("ADMONITION", "versionadded", "Added in version 1.0.")]),
        (
            ".. versionchanged:: 1.2\n\n   A *b*.\n\n   Cats.",
            [
                ("ADMONITION", "versionchanged", "Changed in version 1.2: A b."),
                ("ADMONITION", "versionchanged", "Cats."),
            ],
        ),
        (
            ".. deprecated:: 1.1 use ``b``",
            [("ADMONITION", "deprecated", "Deprecated since version 1.1: use b")],
        ),
        (
            ".. versionremoved:: 2.0\n\n   - a",
            [
                ("ADMONITION", "versionremoved", "Removed in version 2.0:"),
                ("LIST_ITEM", "-", "a"),
            ],
        ),
        (
            ".. figure:: x.png\n   :alt: A plan\n   :width: odd\n\n   The caption.",
            [("CAPTION", "", "A plan"), ("CAPTION", "", "The caption.")],
        ),
        (":Name: value", [("PARAGRAPH", "", "Name: value")]),
        ("| one\n| two", [("PARAGRAPH", "", "one\ntwo")]),
        (".. math:: a^2", [("MATH", "", "a^2")]),
        (".. centered:: LICENSE *two*", [("PARAGRAPH", "", "LICENSE two")]),
        (
            ".. py:data:: NAME\n   :type: int\n   :value: 7\n\n   Said.",
            [("PARAGRAPH", "", "NAME: int = 7"), ("PARAGRAPH", "", "Said.")],
        ),
        (
            ":guilabel:`&Start`, :guilabel:`Q && A <x>`, :menuselection:`&File --> Save &As & go`",
            [("PARAGRAPH", "", "Start, Q & A <x>, File ‣ Save As & go")],
        ),
        (":math:`b^2` is", [("PARAGRAPH", "", "$b^2$ is")]),
        (
            "See :py:func:`~os.path.join`, :ref:`here <x>`, :manpage:`ls(1)`, :own:`text`.",
            [("PARAGRAPH", "", "See join, here, ls(1), text.")],
        ),
        (
            ":class:`.datetime`, :py:meth:`.date.today` and :file:`.bashrc`",
            [("PARAGRAPH", "", "datetime, date.today and .bashrc")],
        ),
        (
            ".. tab-set::\n\n   .. tab-item:: Linux\n      :sync: l\n\n      Run it.",
            [("PARAGRAPH", "", "Linux"), ("PARAGRAPH", "", "Run it.")],
        ),
        (".. toctree::\n   :maxdepth: 2\n\n   a\n\n.. index:: x\n.. a comment", []),
        (
            ".. include:: /etc/passwd\n.. raw:: html\n   :file: /etc/passwd\n\nx",
            [("PARAGRAPH", "", "x")],
        ),
        (".. csv-table::\n   :file: /etc/passwd", []),
    ],
)
def test_each_element_becomes_its_block(
    text: str,
    expected: list[tuple[str, str, str]],
) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "signatures"),
    [
        (
            ".. class:: Popen(args, \\\n           **others)\n\n   It.",
            ["class Popen(args, **others)"],
        ),
        (".. exception:: Error\n\n   It.", ["exception Error"]),
        (".. method:: read()\n            write(*rows)\n\n   It.", ["read()", "write(*rows)"]),
        (".. py:decorator:: cached(size)\n\n   It.", ["@cached(size)"]),
        (".. coroutinefunction:: run(it)\n   :noindex:\n\n   It.", ["coroutine run(it)"]),
        (".. cmdoption:: -h, --help\n\n   It.", ["-h, --help"]),
        (".. data:: SIZE\n\n   It.\n\n.. class:: date\n", ["SIZE", "class date"]),
    ],
)
def test_a_description_of_a_program_stands_below_its_signature_in_code(
    text: str, signatures: list[str]
) -> None:
    parsed = parse_rst(text, "F")
    assert not parsed.dropped_content
    assert [parsed.text[one.start : one.end] for one in parsed.markup] == signatures
    assert {one.kind for one in parsed.markup} == {MarkupKind.CODE}
    assert parsed.text.startswith(signatures[0])
    assert "It." in parsed.text.split("\n")


def test_the_options_of_a_formula_leave_it_as_it_is() -> None:
    options = "   :label: e1\n   :nowrap:\n   :name: n\n   :class: k\n"
    text = f"See :eq:`e1`.\n\n.. math::\n{options}\n   a^2\n"
    assert pieces(text) == [("PARAGRAPH", "", "See (1)."), ("MATH", "", "a^2")]
    assert pieces(".. math:: x\n   :label: e2\n") == [("MATH", "", "x")]
    parsed = parse_rst(text, "Fallback")
    assert not parsed.dropped_content
    assert [(one.kind, one.value) for one in parsed.markup] == [
        (MarkupKind.LINK, "#equation-e1"),
        (MarkupKind.ANCHOR, "n"),
        (MarkupKind.ANCHOR, "equation-e1"),
    ]


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        (":eq:`eq-a`", "(1)"),
        (":math:numref:`EQ-b`", "(2)"),
        (":eq:`c`", "(3)"),
        (":eq:`Equation %s <c>`", "Equation (3)"),
        (":eq:`the last <c>`", "the last"),
        (":eq:`code`", "[code]"),
        (":eq:`elsewhere`", "(4)"),
    ],
)
def test_a_reference_to_a_formula_reads_as_the_number_that_sphinx_shows(
    reference: str, read: str
) -> None:
    formulas = (
        ".. math:: a\n   :label: eq-a\n\n.. math::\n\n   x\n\n"
        "So::\n\n   .. math:: y\n      :label: code\n\n"
        ".. code-block:: rst\n\n   .. math:: y\n      :label: code\n\n"
        ".. note::\n\n   .. math::\n      :nowrap:\n      :name: eq-b\n\n      b\n\n"
        ".. math:: c\n   :label: c\n\n"
    )
    items, _ = read_pieces(f"{formulas}As {reference} says.\n", {"eq:elsewhere": "(4)"})
    assert items[-1].text == f"As {read} says."


def test_formulas_of_other_files_are_referred_to_by_their_numbers() -> None:
    names = read_names("", ".. math:: a\n   :label: eq-A\n", "maths.rst")
    assert (names["eq:eq-a"], names["at:eq-a"]) == ("(1)", "maths.rst")


def test_a_class_that_is_none_of_a_program_gives_only_another_look() -> None:
    program = ".. class:: Popen(args)\n\n   Runs it.\n\n.. function:: run()"
    assert pieces(program)[0] == ("PARAGRAPH", "", "class Popen(args)")
    assert pieces(".. class:: special\n\nText.") == [("PARAGRAPH", "", "Text.")]


def test_sections_have_the_anchors_of_the_site() -> None:
    parsed = parse_rst("T\n=\n\nx\n\nA b\n---\n\ny [#]_\n\nC\n-\n\n.. [#] Note.", "F")
    assert [(section.path, section.anchor) for section in parsed.sections] == [
        *((("T",), "t"), (("T", "A b"), "a-b"), (("T", "C"), "c"))
    ]
    assert parsed.text == "T\n\nx\n\nA b\n\ny\n\nNote.\n\nC"


def test_a_sphinx_project_is_read_in_the_order_of_its_toctrees_with_titles_for_references() -> None:
    files = {
        "quoth.toml": "base_url = 'https://b.example'",
        "docs/index.rst": "Book\n====\n\n.. toctree::\n   :caption: X\n\n   z\n   Sub <sub/index>\n",
        "docs/sub/index.rst": "Sub\n===\n\n.. toctree::\n\n   b\n   a\n",
        "docs/sub/a.rst": ".. _label-a:\n\nThe *A*\n=======\n\nx",
        "docs/sub/b.rst": "Bee\n===\n\nx",
        "docs/z.rst": "Z\n=\n\nSee :ref:`label-a` and :doc:`sub/b`.",
        "docs/alone.rst": "Alone\n=====\n",
    }
    placed = plan_book(source(files)).documents
    assert [one.file.path for one in placed] == [
        *("docs/index.rst", "docs/z.rst", "docs/sub/index.rst", "docs/sub/b.rst"),
        *("docs/sub/a.rst", "docs/alone.rst"),
    ]
    assert placed[1].url == "https://b.example/z.html"
    assert parse_document(placed[1])[0].text.endswith("See The A and Bee.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "*" * 3000,
        "`" * 999,
        "x\n=\n\n" * 1000,
        ".. |a| replace:: |a|\n\n|a|",
        "[#]_ " * 500,
    ],
)
def test_odd_files_end_with_a_document(text: str) -> None:
    with at_most(60):
        parse_rst(text, "F")


def test_a_file_nested_too_deep_is_refused() -> None:
    text = "\n\n".join(" " * (2 * depth) + "- x" for depth in range(600))
    with pytest.raises(InvalidInput, match="too deep"):
        parse_rst(text, "F")


def test_a_paragraph_of_marks_without_end_is_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="marks of markup"):
        parse_rst("*a " * 50_000, "F")


def doubling(count: int) -> str:
    lines = [f".. |a{one}| replace:: |a{one + 1}| |a{one + 1}|" for one in range(count)]
    return "\n".join((*lines, f".. |a{count}| replace:: x", "", "|a0|", ""))


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    "text",
    [
        doubling(20),
        doubling(60),
        f".. |a| replace:: {'x' * 9000}\n\n" + "|a| " * 200,
        ".. |a| replace::\n   " + "x" * 9000 + "\n\n" + "|A| " * 200,
    ],
)
def test_substitutions_that_stand_for_too_much_are_refused_at_once(text: str) -> None:
    def read() -> None:
        with pytest.raises(InvalidInput, match="stand for more than 1000000 characters"):
            parse_rst(text, "F")

    assert count_calls(read) < 100_000


def test_substitutions_are_put_in() -> None:
    parsed = parse_rst(".. |a| replace:: one |b|\n.. |b| replace:: two\n\nHere is |a|.\n", "F")
    assert parsed.text == "Here is one two."


@pytest.mark.parametrize(
    ("condition", "is_shown"),
    [
        ("html", True),
        ("not latex", True),
        ("latex or format_html", True),
        ("builder_latex", False),
        ("not html", False),
        ("latex or man", False),
        ("html and epub", False),
        ("internal", False),
        ("html and internal", False),
        ("html or internal", True),
        ("not internal", True),
        ("not (html or man)", False),
        ("not (latex or man)", True),
        ("html or", True),
    ],
)
def test_content_of_other_forms_of_output_is_left_out_and_named(
    condition: str, *, is_shown: bool
) -> None:
    parsed = parse_rst(f"Text.\n\n.. only:: {condition}\n\n   Seen.\n", "t")
    assert ("Seen." in parsed.text) is is_shown
    assert [item.kind for item in parsed.dropped_content] == ["only"] * (not is_shown)


@pytest.mark.parametrize(
    "todo", [".. todo:: Ask her.", ".. todo::\n\n   Ask her.", ".. todolist::"]
)
def test_todos_of_the_writers_are_left_out_and_named(todo: str) -> None:
    parsed = parse_rst(f"Text.\n\n{todo}\n\nMore.\n", "t")
    assert parsed.text == "Text.\n\nMore."
    [dropped] = parsed.dropped_content
    assert (dropped.kind, dropped.place) == (todo.split(":", maxsplit=1)[0].strip(". "), "line 3")


@pytest.mark.parametrize("name", ["option", "std:envvar", "confval", "function"])
def test_signatures_of_a_directive_are_terms_of_its_content(name: str) -> None:
    parsed = parse_rst(f".. {name}:: --drain\n\n   Empties it.\n\n   And fills it.\n\nText.", "T")
    [(start, end, until, is_term)] = parsed.lead_ins
    assert parsed.text[start:until] == "--drain\n\nEmpties it.\n\nAnd fills it."
    assert (parsed.text[start:end], is_term) == ("--drain", True)


CAPTIONED = """T
=

.. figure:: a.png
   :name: fig-kettle
   :width: 3

   The kettle
   in *use*.

   Legend.

.. _tab-x:

.. list-table:: Prices of tea

   * - a
     - b

.. code-block:: python
   :name: code-x
   :caption: A loop

   x

"""


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        (":numref:`fig-kettle`", "The kettle in use"),
        (":numref:`Figure %s <fig-kettle>`", "Figure “The kettle in use”"),
        (":ref:`fig-kettle`", "The kettle in use"),
        (":numref:`tab-x`", "Prices of tea"),
        (":numref:`Listing {number} <code-x>`", "Listing “A loop”"),
        (":numref:`other-fig`", "[other-fig]"),
        (":numref:`Fig. %s <other-fig>`", "Fig. [other-fig]"),
        (":eq:`eq-energy`", "[eq-energy]"),
        (":abbr:`LIFO (last-in, first-out)`", "LIFO (last-in, first-out)"),
    ],
)
def test_a_reference_to_what_has_a_caption_reads_as_that(reference: str, read: str) -> None:
    source = f"{CAPTIONED}As {reference} says.\n"
    items, _ = read_pieces(source, read_names("", source, "a.rst"))
    assert items[-1].text == f"As {read} says."


def test_a_reference_to_what_nobody_names_is_told() -> None:
    _, dropped = read_pieces("See :ref:`x-y`, :ref:`so <x>`, :eq:`e` and :numref:`f`.", {})
    assert [(one.kind, one.dropped, one.characters) for one in dropped] == [
        *(("reference", False, 2), ("reference", False, 3), ("reference", False, 3)),
    ]


def test_the_space_before_the_mark_of_a_footnote_is_none_of_the_text() -> None:
    parsed = parse_rst(
        "It is *a note* [#f]_. And [1]_ so\n[*]_\n\n.. [#f] F.\n.. [1] O.\n.. [*] S.", "F"
    )
    assert parsed.text.split("\n")[0] == "It is a note. And so"
    marks = [one for one in parsed.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]
    assert [(parsed.text[: one.start][-4:], one.value) for one in marks] == [
        *(("note", "2"), (" And", "1"), ("d so", "*")),
    ]


def test_a_work_that_is_cited_stands_in_brackets_there_and_in_the_list() -> None:
    text = "As [Ito2020]_ and [Else]_ say.\n\n.. [Ito2020] Ito: *Arms*.\n\n   More.\n"
    assert [one[2] for one in pieces(text)] == [
        *("As [Ito2020] and [Else] say.", "[Ito2020] Ito: Arms.", "More."),
    ]


def test_rows_of_a_table_in_a_cell_stand_in_that_cell_alone() -> None:
    inner = "          == ==\n          1  2\n          == ==\n"
    text = f".. list-table:: Out\n\n   * - a\n     - .. table:: In\n\n{inner}"
    assert pieces(text)[-1] == ("TABLE", "", "a | In 1 2")
    assert [one[0] for one in pieces(text)] == ["CAPTION", "TABLE"]
