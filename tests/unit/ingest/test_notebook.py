"""A Jupyter notebook is its text, its code and what the code printed, each in its place."""

import json
from typing import Any

import pytest

from libs.errors import InvalidInput
from services.ingest.model.book import BlockKind, ParsedText
from services.ingest.parsers.notebook import parse_notebook

HEADING, PARAGRAPH, CODE, TABLE = (
    BlockKind.HEADING,
    BlockKind.PARAGRAPH,
    BlockKind.CODE,
    BlockKind.TABLE,
)


def text(*lines: str, **more: Any) -> dict[str, Any]:
    """A cell of Markdown whose source is a list of lines, as Jupyter writes it."""
    return {"cell_type": "markdown", "source": [f"{line}\n" for line in lines], **more}


def code(source: str, *outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    metadata = {"tags": list(tags)}
    return {"cell_type": "code", "source": source, "outputs": outputs, "metadata": metadata}


def printed(said: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": [said]}


def result(**data: str) -> dict[str, Any]:
    forms = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "execute_result", "data": forms}


def parse(*cells: dict[str, Any], **more: Any) -> ParsedText:
    about = {"language_info": {"name": "python"}}
    notebook = {"nbformat": 4, "metadata": about, "cells": cells, **more}
    return parse_notebook(json.dumps(notebook), "fallback")


def blocks(parsed: ParsedText) -> list[tuple[BlockKind, str]]:
    return [(one.kind, parsed.text[one.start : one.end]) for one in parsed.blocks]


def test_cells_follow_each_other_with_what_the_code_printed() -> None:
    parsed = parse(
        text("# Firing", "", "A kiln is *fired* slowly."),
        code("heat = 20\nprint(heat)", printed("20\n")),
        text("## Cooling", "", "Leave it shut."),
    )
    assert parsed.title == "Firing"
    assert blocks(parsed) == [
        (HEADING, "Firing"),
        (PARAGRAPH, "A kiln is fired slowly."),
        (CODE, "heat = 20\nprint(heat)"),
        (CODE, "20"),
        (HEADING, "Cooling"),
        (PARAGRAPH, "Leave it shut."),
    ]


def test_a_frame_is_a_table_and_a_drawing_is_told() -> None:
    rows = "<tr><th>kiln</th><th>cone</th></tr>\n\n<tr><td>small</td><td>6</td></tr>"
    frame = result(text_html=f"<div><style scoped>td {{}}</style><table>{rows}</table></div>")
    drawn = {"data": {"image/png": "AAAA", "text/plain": "<Figure size 640x480 with 1 Axes>"}}
    parsed = parse(text("# T"), code("frame", frame), code("plot()", drawn))
    assert [one for one in blocks(parsed) if one[0] is TABLE]
    assert "small" in parsed.text
    assert "td {" not in parsed.text
    assert "Figure size" not in parsed.text
    told = [(one.kind, one.place) for one in parsed.dropped_content]
    assert told == [("picture", "cell 3")]


def test_a_formula_is_read_though_it_was_drawn_too() -> None:
    parsed = parse(code("f", {"data": {"text/latex": "$$x^2$$", "image/png": "AAAA"}}))
    assert [said for _, said in blocks(parsed)] == ["f", "x^2"]
    assert parsed.dropped_content == ()


def test_cells_that_makers_of_books_leave_out_are_left_out_and_told() -> None:
    parsed = parse(
        text("# T"),
        code("secret = 1", printed("one"), tags=("remove-cell",)),
        code("import this", printed("shown"), tags=("remove-input",)),
        code("shown_too()", printed("noise"), tags=("remove-output",)),
        code("dump()", printed("x " * 9_000)),
        {"cell_type": "raw", "source": "\\newpage"},
        text("Hidden.", metadata={"nbsphinx": "hidden"}),
    )
    assert [said for _, said in blocks(parsed)] == ["T", "shown", "shown_too()", "dump()"]
    assert [(one.kind, one.place) for one in parsed.dropped_content] == [
        ("cell", "cell 2"),
        ("code", "cell 3"),
        ("output", "cell 4"),
        ("output", "cell 5"),
        ("raw cell", "cell 6"),
        ("cell", "cell 7"),
    ]


def test_objects_and_escapes_are_not_shown_and_an_error_is() -> None:
    failed = {"output_type": "error", "ename": "ValueError", "evalue": "too hot", "traceback": []}
    parsed = parse(
        code("f()", result(text_plain="<__main__.Kiln at 0x7f>"), printed("\x1b[31mred\x1b[0m")),
        code("g()", failed),
    )
    assert [said for _, said in blocks(parsed)] == ["f()", "red", "g()", "ValueError: too hot"]


def test_code_that_has_a_fence_stays_one_block() -> None:
    parsed = parse(code('print("""```\n# no title\n````""")'))
    assert [kind for kind, _ in blocks(parsed)] == [CODE]


def test_a_place_is_a_cell_where_markdown_has_lines() -> None:
    parsed = parse(text("# T"), text("a", "", "b"), text("```{tableofcontents}", "```"))
    places = [one.place for one in parsed.dropped_content]
    assert places == ["cell 3"]


def test_the_front_matter_of_a_raw_first_cell_is_read() -> None:
    parsed = parse({"cell_type": "raw", "source": "---\ntitle: Kilns\n---\n"}, text("Warm."))
    assert parsed.title == "Kilns"
    assert parsed.dropped_content == ()


def test_version_three_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Firing"},
        {"cell_type": "code", "input": "1 + 1", "outputs": [{"text": ["2"]}]},
    ]
    notebook = {"nbformat": 3, "worksheets": [{"cells": cells}]}
    parsed = parse_notebook(json.dumps(notebook), "fallback")
    assert [said for _, said in blocks(parsed)] == ["Firing", "1 + 1", "2"]


@pytest.mark.parametrize(
    "source", ["", "{", "[]", '{"cells": []}', "[" * 100_000, '{"nbformat": "4"}']
)
def test_anything_but_a_notebook_is_refused_in_one_sentence(source: str) -> None:
    with pytest.raises(InvalidInput, match="it is no Jupyter notebook"):
        parse_notebook(source, "fallback")


@pytest.mark.parametrize(
    "cells", [3, [3], [{"cell_type": 1}], [{"source": {"a": 1}}], [{"outputs": 4}]]
)
def test_odd_cells_do_no_harm(cells: Any) -> None:
    notebook = {"nbformat": 4, "cells": cells, "metadata": []}
    assert parse_notebook(json.dumps(notebook), "fallback").title == "fallback"
