"""Tables of kramdown in Markdown: rows between bars, without a line below the first."""

import pytest

from services.ingest.parsers.markdown import parse_markdown

ROWS = "| **Theory** | **By** |\n| Strain | Robert *Merton* |\n"


def blocks_of(source: str) -> list[tuple[str, str]]:
    parsed = parse_markdown(f"# T\n\n{source}\n", False, "F")
    blocks = parsed.blocks[1:]
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in blocks]


@pytest.mark.parametrize("line", ["", "|----|----|\n", "|----+----|\n"])
def test_rows_between_bars_are_a_table_without_a_line_below_the_first(line: str) -> None:
    found = blocks_of(f"Before.\n{ROWS}{line}| Gain | a \\| b |\n{line}\nBehind.")
    table = "Theory | By\nStrain | Robert Merton\nGain | a | b"
    assert found == [("PARAGRAPH", "Before."), ("TABLE", table), ("PARAGRAPH", "Behind.")]


@pytest.mark.parametrize(
    "source",
    [
        "| one |\n| two |",
        "| a | b |",
        "| a | b |\n| c | d | e |",
        "| a line\n| of verse",
        "a | b\nc | d",
    ],
)
def test_other_lines_with_bars_are_text(source: str) -> None:
    assert [kind for kind, _ in blocks_of(source)] == ["PARAGRAPH"]


def test_attributes_of_a_table_may_hold_a_long_summary() -> None:
    summary = "It shows, of each theory, who made it. " * 60
    found = blocks_of(f'{ROWS}{{: #tbl-1 summary="{summary}"}}\n\nBehind.')
    assert [kind for kind, _ in found] == ["TABLE", "PARAGRAPH"]
