"""Rewrite what Quarto and R Markdown write beside Markdown, line by line: divs, callouts, options."""

import re
from collections.abc import Sequence

ENDINGS = (".qmd", ".rmd")

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`\n]*$")
_DIV = re.compile(r"[ \t]*:{3,}[ \t]*(\{[^{}]*\}|[\w-]*)[ \t]*:*[ \t]*$")
_CALLOUT = re.compile(r"\.callout-(note|tip|warning|caution|important)\b")
_TITLE = re.compile(r"\btitle=\"([^\"\[\]]{1,200})\"")
_HEADING = re.compile(r"#{1,6}[ \t]+([^\[\]\n]{1,200}?)[ \t]*$")
_OPTION = re.compile(r"[ \t]*(?:#|//|--|%%)\|[ \t]")
_DEEPEST = 50


def rewrite_quarto(source: str) -> str:
    """Return the text with as many lines, which `parse_markdown` reads.

    A callout becomes a box of text with its title, of other divs only what they hold is left, and of
    code what is no option of its cell.
    """
    lines, written = source.split("\n"), list[str]()
    fence, open_divs = "", list[str]()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if mark := _FENCE.match(line):
            # A fence ends with one as long as it at least, with nothing behind it.
            ends = fence and mark[1].startswith(fence) and line.strip() == mark[1]
            fence = "" if ends else fence or mark[1]
        elif fence:
            line = "" if _OPTION.match(line) else line
        elif div := _DIV.match(line):
            line, taken = (
                _open(div[1], lines[at : at + 2], open_divs) if div[1] else (_close(open_divs), 0)
            )
            written += [line, *[""] * taken]
            at += taken
            continue
        written.append(line)
    return "\n".join(written)


def _open(attributes: str, following: Sequence[str], open_divs: list[str]) -> tuple[str, int]:
    """Return the line that opens a div, and how many of those that follow are its title."""
    callout = _CALLOUT.search(attributes) if len(open_divs) < _DEEPEST else None
    # The outer boxes have the more colons, as Docusaurus wants it.
    colons = ":" * (_DEEPEST + 3 - len(open_divs)) if callout else ""
    open_divs.append(colons)
    if callout is None:
        return "", 0
    title, taken = _TITLE.search(attributes), 0
    first = next((at for at, line in enumerate(following) if line.strip()), None)
    if title is None and first is not None and (title := _HEADING.match(following[first])):
        taken = first + 1
    return f"{colons}{callout[1]}" + (f"[{title[1]}]" if title else ""), taken


def _close(open_divs: list[str]) -> str:
    return open_divs.pop() if open_divs else ""
