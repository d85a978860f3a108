"""Rewrite what makers of sites write in Markdown as what all Markdown has, line for line.

These are tabs of MkDocs, boxes and tables of pandoc and Quarto, and tags of Hugo, Jekyll and GitBook.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, takewhile, zip_longest

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.admonitions import KINDS
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.markdown.labels import caption_of
from services.ingest.parsers.markdown.liquid import mend_references, without_tags

_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(`{3,}|~{3,})(.*)")
_TAB = re.compile(r"(\s*)===[!+]?\s+[\"'](.+)[\"']\s*")
_STEP = 4
_TAG = re.compile(r"\s{0,3}(?:\{%-?\s*(?P<name>[\w-]*)[^{}]*%\}|\{\{[<%][^{}]*[>%]\}\})\s*")
"""A line that is a tag and nothing else: `{% hint %}`, `{{< note >}}`."""
_LISTING = re.compile(r"\s{0,3}\{%-?\s*highlight\s+([\w+-]+)[^{}]*%\}\s*")
_LISTING_END = re.compile(r"\s{0,3}\{%-?\s*endhighlight\s*-?%\}\s*")
_LISTING_MARK = "{%"
_RAW = ("raw", "endraw")
"""Names of the tags between which others are text."""
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_CONTENTS = re.compile(r"\s{0,3}(?:\[TOC\]|\[\[_?TOC_?\]\])\s*", re.IGNORECASE)
_GRID = re.compile(r"\s{0,3}\+(?:[-=:]{3,}\+)+\s*")
_LEAST_BOUNDS = 2
_BOX = re.compile(r"(\s{0,3}:{3,})\s*\{(?P<said>[.#][^{}\n]*)\}\s*:*\s*")
_BOX_END = re.compile(r"\s{0,3}:{3,}\s*")
_NAMED_BOX = re.compile(r"\s{0,3}:{3,}\s*\w.*")
_CLASS = re.compile(r"\.(?:callout-)?([\w-]+)")
_TITLE = re.compile(r"\btitle=[\"']([^\"'\n]+)[\"']")
_TITLE_LINE = re.compile(r"\s{0,3}#{1,6}\s+(\S.*?)\s*#*\s*")
_SNIPPET = re.compile(r"\s*-{1,20}8<-{1,20}(?:[ \t]+[\"'][^\"'\n]*[\"'])?\s*")
"""A line of PyMdown's snippets, in a listing too."""
_OTHER = "it stands for the text of another file"
_MARKUP = "it is a tag of the program that makes pages of it"


@dataclass
class _Rewriter:
    """Goes through the lines once; `boxes` are the open ones, each with whether it stays one."""

    has_names: bool = False
    """Whether the front matter says what stands for names in braces, which are no tags then."""
    dropped: list[DroppedContent] = field(default_factory=list)
    fence: str = ""
    is_raw: bool = False
    code: list[bool] = field(default_factory=list)
    """Of each line, whether it is of a listing."""
    tabs: list[int] = field(default_factory=list)
    boxes: list[bool] = field(default_factory=list)
    title_of: int = -1
    """The line of the box whose title comes next; -1 where none does."""
    out: list[str] = field(default_factory=list)

    def rewrite(self, lines: list[str]) -> list[str]:
        while (at := len(self.out)) < len(lines):
            line = self._without_tabs(lines[at])
            table = [] if self.fence else _read_grid(lines[at:])
            new = table or [self._line(at + 1, line)]
            self.code += [bool(self.fence)] * len(new)
            self.out += new
        return mend_references(self.out, self.code)

    def _without_tabs(self, line: str) -> str:
        """Return a line of a tab as far to the left as the tab's name stands."""
        indent = len(line) - len(line.lstrip(" "))
        while line.strip() and self.tabs and indent < self.tabs[-1] + _STEP:
            self.tabs.pop()
        return line[min(indent, _STEP * len(self.tabs)) :]

    def _line(self, number: int, line: str) -> str:
        if self.fence == _LISTING_MARK and _LISTING_END.fullmatch(line):
            self.fence = ""
            return "```"
        if _SNIPPET.fullmatch(line):
            self.dropped.append(DroppedContent("include", f"line {number}", _OTHER, visible(line)))
            return ""
        if self._is_in_fence(line):
            return line
        return self._marked(number, line)

    def _marked(self, number: int, line: str) -> str:
        if tab := _TAB.fullmatch(line):
            self.tabs.append(len(tab[1]) + _STEP * len(self.tabs))
            return f"{tab[1]}**{tab[2]}**"
        if found := _LISTING.fullmatch(line):
            self.fence = _LISTING_MARK
            return f"```{found[1]}"
        if self.title_of >= 0 and line.strip():
            box, self.title_of = self.title_of, -1
            if title := _TITLE_LINE.fullmatch(line):
                self.out[box] += f" {title[1]}"
                return ""
        if _CONTENTS.fullmatch(line):
            return ""
        if (caption := caption_of(line)) is not None:
            return caption
        return self._tag_or_box(number, line)

    def _tag_or_box(self, number: int, line: str) -> str:
        if tag := _TAG.fullmatch(line):
            self.is_raw = tag["name"] == _RAW[0] if tag["name"] in _RAW else self.is_raw
            self._lose(number, line)
            return ""
        if box := _BOX.fullmatch(line):
            kind = next((one for one in _CLASS.findall(box["said"]) if one in KINDS), "")
            self.boxes.append(bool(kind))
            title = _TITLE.search(box["said"])
            if kind and not title and "callout" in box["said"]:
                self.title_of = len(self.out)
            return f"{box[1]} {kind} {title[1] if title else ''}".rstrip() if kind else ""
        if _NAMED_BOX.fullmatch(line):
            self.boxes.append(True)
        elif _BOX_END.fullmatch(line) and self.boxes:
            return line if self.boxes.pop() else ""
        if self.has_names or self.is_raw or self._is_indented(line):
            return line
        return without_tags(line, partial(self._lose, number))

    def _lose(self, number: int, tag: str) -> None:
        self.dropped.append(DroppedContent("tag", f"line {number}", _MARKUP, visible(tag)))

    def _is_indented(self, line: str) -> bool:
        """Whether a line is code by its indentation, as far as the line above tells."""
        above = self.out[-1] if self.out else ""
        return bool(_INDENTED.match(line) and (not above.strip() or _INDENTED.match(above)))

    def _is_in_fence(self, line: str) -> bool:
        """Whether a line is of a listing, as which it stays; note where one begins and ends."""
        if self.fence == _LISTING_MARK:
            return True
        found = _FENCE.match(line)
        if self.fence:
            ends = found and found[1].startswith(self.fence) and not found[2].strip()
            self.fence = "" if ends else self.fence
            return True
        self.fence = found[1] if found else ""
        return bool(found)


def rewrite_flavours(body: str, *, has_names: bool = False) -> tuple[str, list[DroppedContent]]:
    """Return a text with as many lines, and the tags that are not in it any more."""
    rewriter = _Rewriter(has_names)
    return "\n".join(rewriter.rewrite(body.split("\n"))), rewriter.dropped


def _read_grid(lines: Sequence[str]) -> list[str]:
    """Return the table of pandoc that lines begin with as one of bars, with as many; else nothing."""
    if not _GRID.fullmatch(lines[0]):
        return []
    grid = [*takewhile(lambda line: line.lstrip().startswith(("+", "|")), lines)]
    bounds = [at for at, sign in enumerate(grid[0]) if sign == "+"]
    rows: list[list[str]] = [[]]
    for line in grid[1:]:
        if _GRID.fullmatch(line):
            rows.append([])
        elif any(line[at : at + 1] != "|" for at in bounds):
            return []
        else:
            parts = [line[start + 1 : end].strip() for start, end in pairwise(bounds)]
            rows[-1] = [
                f"{cell} {part}".strip()
                for cell, part in zip_longest(rows[-1], parts, fillvalue="")
            ]
    named = [row for row in rows if row]
    if not named or rows[-1] or len(bounds) < _LEAST_BOUNDS:
        return []
    shown = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in named]
    shown.insert(1, "|---" * (len(bounds) - 1) + "|")
    return [*shown, *[""] * (len(grid) - len(shown))]
