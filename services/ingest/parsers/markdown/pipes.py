"""Tables of kramdown, which need no line below their header: rows between bars, one below the other."""

import re
from itertools import chain, islice, takewhile

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine

_LEAST, _MOST = 2, 60
"""Rows, and cells of each: of fewer a line between bars may be anything; and bars of the first."""
_RULE = re.compile(r"\|[-=+:|\s]*\|")
"""A line that parts rows."""


def pipes_plugin(md: MarkdownIt) -> None:
    md.block.ruler.before("paragraph", "pipes", _rows, {"alt": ["paragraph", "reference"]})


def _rows(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if not _LEAST < getLine(state, start).count("|") <= _MOST or not _cells_of(state, start):
        return False
    # Where it is asked whether a paragraph ends, no more is read than that takes.
    lines = takewhile(lambda at: _is_row(state, at), range(start, end))
    rows = ((at, row) for at in lines if (row := _cells_of(state, at)))
    first = list(islice(rows, _LEAST))
    if len(first) < _LEAST or len({len(row) for _, row in first}) > 1 or len(first[0][1]) < _LEAST:
        return False
    if silent:
        return True
    opening = state.push("table_open", "table", 1)
    for at, row in chain(first, rows):
        _push_row(state, at, row)
        state.line = at + 1
    while state.line < end and _is_row(state, state.line):
        state.line += 1  # a line below the last row
    opening.map = [start, state.line]
    state.push("table_close", "table", -1)
    return True


def _is_row(state: StateBlock, at: int) -> bool:
    line = getLine(state, at).rstrip()
    is_within = state.sCount[at] >= state.blkIndent and not state.is_code_block(at)
    return is_within and line.startswith("|") and line.endswith("|") and len(line) > 1


def _cells_of(state: StateBlock, at: int) -> list[str]:
    """Return the cells of a row; none of a line that parts rows, or is none."""
    line = getLine(state, at).rstrip()
    if not _is_row(state, at) or _RULE.fullmatch(line):
        return []
    return [cell.strip() for cell in escapedSplit(line)[1:-1]]


def _push_row(state: StateBlock, at: int, row: list[str]) -> None:
    state.push("tr_open", "tr", 1).map = [at, at + 1]
    for cell in row:
        state.push("td_open", "td", 1)
        inline = state.push("inline", "", 0)
        inline.map, inline.content, inline.children = [at, at + 1], cell, []
        state.push("td_close", "td", -1)
    state.push("tr_close", "tr", -1)
