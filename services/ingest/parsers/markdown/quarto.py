"""Rewrite what Quarto and R Markdown write beside Markdown, line by line: divs, callouts, options."""

import re
from collections.abc import Sequence

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible_in
from services.ingest.parsers.markdown.front_matter import read_front_matter
from services.ingest.parsers.markdown.quarto_formats import (
    DIV,
    FENCE,
    leave_out_other_formats,
)

ENDINGS = (".qmd", ".rmd")

_CALLOUT = re.compile(r"\.callout-(note|tip|warning|caution|important)\b")
_TITLE = re.compile(r"\btitle=\"([^\"\[\]]{1,200})\"")
_HEADING = re.compile(r"#{1,6}[ \t]+([^\[\]\n]{1,200}?)[ \t]*$")
_TITLED = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<text>\S.*?)[ \t]*$")
_ATTRIBUTES = re.compile(r"[ \t]+\{(?:[-.#=][^{}]*)?\}$")
_PART = re.compile(r"\((?:PART|APPENDIX)(?:\\\*)?\)[ \t]*")
_LOWEST = 6
_OPTION = re.compile(r"[ \t]*(?:#|//|--|%%)\|[ \t]")
_CELL = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\{(\w[^{}\n]*)\}[ \t]*$")
_HIDES = re.compile(r"\b(?:include|echo)\s*[=:]\s*(?:FALSE|F|false)\b")
_DEEPEST = 50


def rewrite_quarto(source: str) -> tuple[str, list[DroppedContent]]:
    """Return the text with as many lines, which `parse_markdown` reads, and what was left out.

    A callout becomes a box of text with its title, of other divs only what they hold is left, and of
    code what is no option of its cell. Cells whose options hide their code are left out.
    """
    lines, other = leave_out_other_formats(source.split("\n"))
    lines, dropped = _without_hidden(lines)
    is_titled = bool(read_front_matter(source).title)
    return "\n".join(_rewritten(lines, is_titled=is_titled)), [*other, *dropped]


def _without_hidden(lines: list[str]) -> tuple[list[str], list[DroppedContent]]:
    """Return the lines with empty ones for hidden cells, and these."""
    kept, dropped, at = list(lines), list[DroppedContent](), 0
    while at < len(lines):
        cell, start = _CELL.match(lines[at]), at
        at += 1
        if cell is None:
            continue
        while at < len(lines) and lines[at].strip() != cell[1]:
            at += 1
        code = lines[start + 1 : at]
        options = "\n".join((cell[2], *(line for line in code if _OPTION.match(line))))
        if _HIDES.search(options):
            kept[start : at + 1] = [""] * (at + 1 - start)
            reason = "its options hide it from readers"
            dropped.append(DroppedContent("code", f"line {start + 1}", reason, visible_in(code)))
        at += 1
    return kept[: len(lines)], dropped


def _rewritten(lines: Sequence[str], *, is_titled: bool) -> list[str]:
    written = list[str]()
    fence, open_divs = "", list[str]()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if mark := FENCE.match(line):
            # A fence ends with one as long as it at least, with nothing behind it.
            ends = fence and mark[1].startswith(fence) and line.strip() == mark[1]
            fence = "" if ends else fence or mark[1]
        elif fence:
            line = "" if _OPTION.match(line) else line
        elif div := DIV.match(line):
            line, taken = (
                _open(div[1], lines[at : at + 2], open_divs) if div[1] else (_close(open_divs), 0)
            )
            written += [line, *[""] * taken]
            at += taken
            continue
        elif heading := _TITLED.match(line):
            line = _heading(heading, is_titled=is_titled)
        written.append(line)
    return written


def _heading(found: re.Match[str], *, is_titled: bool) -> str:
    """Return a heading without its attributes; below the title of the front matter, one level lower.

    A part of bookdown stands over the chapter whose file it begins, and is no title of that.
    """
    marks, text = found["marks"], _ATTRIBUTES.sub("", found["text"])
    if part := _PART.match(text):
        return f"**{text[part.end() :]}**"
    return f"{marks}{'#' if is_titled and len(marks) < _LOWEST else ''} {text}"


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
