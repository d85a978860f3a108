"""Classify the lines of AsciiDoc."""

import csv
import re
from collections.abc import Sequence

TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?[ \t]*")
BLOCK_ATTRIBUTES = re.compile(r"\[(?!\[)(.*)\][ \t]*")
BLOCK_ANCHOR = re.compile(r"\[\[([\w:.-]+)(?:,[^\]]*)?\]\][ \t]*")
BLOCK_TITLE = re.compile(r"\.([^\s.].*)")
ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d+|\.)>)[ \t]+(\S.*)")
TERM = re.compile(r"[ \t]*(\S.*?)(:::?:?|;;)(?:[ \t]+(\S.*))?[ \t]*")
DIRECTIVE = re.compile(
    r"(include|ifdef|ifndef|ifeval|endif|toc|image|video|audio)::(\S*?)\[(.*)\]\s*"
)
ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION): +(\S.*)")
RULE = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}")
DELIMITER = re.compile(r"(?:([-.=*_+/])\1{3,}|--|```+\w*|[|,:!]={3,})[ \t]*")
BLOCKS = (
    *(TITLE, ATTRIBUTE, BLOCK_ATTRIBUTES, BLOCK_ANCHOR, ITEM, TERM, DIRECTIVE, RULE, DELIMITER),
)
"""What ends a paragraph that it stands right below."""
BEFORE = (ATTRIBUTE, BLOCK_ATTRIBUTES, BLOCK_ANCHOR)
"""What a paragraph may stand right below: what is said of it."""
_CALLOUT, _LONGEST_CALLOUT = re.compile(r"(?:<(?:\d+|\.)>|<!--(?:\d+|\.)-->)\Z"), 12
_UNDERLINE = re.compile(r"([=\-~^+])\1+[ \t]*")
_UNDERLINES = "=-~^+"
_SLACK = 2
_MOST_ABOVE = 20
"""Titles with nothing between them: each looks at those above it."""


def underlined(lines: Sequence[str], at: int, above: int = _MOST_ABOVE) -> int:
    """Return the level, from 1, of the title that two lines make; 0 where they make none.

    Right above it may stand up to `above` others.
    """
    title = lines[at].rstrip()
    rule = lines[at + 1].rstrip() if at + 1 < len(lines) else ""
    if not _UNDERLINE.fullmatch(rule) or (at and lines[at - 1].strip(" \t+")):
        before = lines[at - 1] if at else ""
        is_rule = at > 1 and _UNDERLINE.fullmatch(before) and above
        is_rule = is_rule and underlined(lines, at - 2, above - 1)
        if not (_UNDERLINE.fullmatch(rule) and (is_rule or _is_above_a_title(before))):
            return 0
    is_text = title[:1].isalnum() or title[:1] in "`'\"{(_*"
    fits = abs(len(title) - len(rule)) <= _SLACK or (not title.isascii() and len(rule) > _SLACK)
    return _UNDERLINES.index(rule[0]) + 1 if is_text and fits and len(title) > 1 else 0


def _is_above_a_title(line: str) -> bool:
    """Whether a line that is not empty may stand right above a title."""
    is_told = BLOCK_ANCHOR.fullmatch(line) or BLOCK_ATTRIBUTES.fullmatch(line)
    return bool(is_told) or line.startswith(("//", "ifdef::", "ifndef::", "endif::"))


def attribution_of(attributes: str) -> list[str]:
    """Return who said a quotation and where, of the attributes of its block."""
    try:
        [row] = csv.reader([attributes], skipinitialspace=True)
    except (csv.Error, ValueError):
        return []
    named = dict(one.split("=", 1) for one in row if re.match(r"(?:attribution|citetitle)=", one))
    placed = [one for one in row[1:] if not re.match(r"[\w-]+=", one)]
    by = [named.get("attribution", ""), named.get("citetitle", ""), *placed[:2]]
    return [one.strip("\"' ") for one in by if one.strip("\"' ")]


def style_of(attributes: str) -> str:
    """Return what the first of a block's attributes says that it is."""
    return re.split(r"[.#%,]", attributes, maxsplit=1)[0].strip().strip('"')


def is_signed(lines: Sequence[str]) -> bool:
    """Whether a paragraph is one in quotation marks with the name of who said it below."""
    is_quoted = len(lines) > 1 and lines[0].lstrip().startswith('"') and lines[-2].endswith('"')
    return is_quoted and lines[-1].lstrip().startswith("-- ")


def without_callout(line: str) -> str:
    """Return a line of code without the number, behind the mark of a comment, that explains it."""
    kept = line.rstrip()
    while found := _CALLOUT.search(kept[-_LONGEST_CALLOUT:]):
        kept = kept[: -len(found[0])].rstrip()
    if len(kept) == len(line.rstrip()):
        return line
    mark = next((one for one in ("//", "#", ";", "--") if kept.endswith(one)), "")
    return kept.removesuffix(mark).rstrip()


def as_text(line: str) -> str:
    """Return a line that Markdown takes for the beginning of nothing else."""
    if line[:1] in "#-+=" or re.match(r"\d+[.)]\s", line):
        return re.sub(r"\A(\d*)([#\-+=.)])", r"\1\\\2", line)
    return line


def kind_of(marker: str) -> str:
    if marker[0] in "*-.":
        return marker
    return "1." if marker[0].isdigit() else marker[0] if marker[0] == "<" else "a."
