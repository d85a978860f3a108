"""Find the titles of what references of pandoc, Quarto and kramdown lead to, by their labels."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from libs.text import collapse_space

_LABEL = r"#([\w:.-]{1,100})"
_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(rf"#{{1,6}}[ \t]+(\S.{{0,300}}?)[ \t]*\{{:?[ \t]*{_LABEL}[^{{}}]*\}}[ \t]*")
_NAMED = re.compile(r"\bdata-title=\"([^\"\n]{1,300})\"")
_ADDRESS = r"\([^()\s]{1,1000}(?:[ ]+\"[^\"\n]{0,8000}\")?\)"
_PICTURE = re.compile(
    rf"!\[([^\[\]\n]{{0,2000}})\]{_ADDRESS}\{{(:?)[ \t]*{_LABEL}([^{{}}\n]{{0,2000}})\}}"
)
_CAPTION = re.compile(
    rf"[ \t]{{0,3}}(?:(?:Table)?:|Table:)[ \t]+(\S.{{0,500}}?)[ \t]*\{{{_LABEL}[^{{}}]*\}}[ \t]*"
)
_OPTION = re.compile(r"[ \t]*(?:#|//|--|%%)\|[ \t]*(label|(?:fig|tbl|lst)-cap)[ \t]*:[ \t]*(.+)")
_LISTING = re.compile(rf"\{{[^{{}}]*{_LABEL}[^{{}}]*\b(?:lst-cap|caption)=\"([^\"]{{1,300}})\"")
_DIV = re.compile(rf"[ \t]{{0,3}}:{{3,}}[ \t]*\{{{_LABEL}[^{{}}]*\}}[ \t]*")
_DIV_END = re.compile(r"[ \t]{0,3}:{3,}[ \t]*")
_TABLE = re.compile(r"<(?:table|figure)\b[^<>]{0,300}\bid=[\"']([^\"'<>\s]{1,100})[\"']")
_TABLE_TITLE = re.compile(
    r"<(caption|figcaption)\b[^<>]{0,300}>([^\n]{1,500}?)</\1>"
    r"|<(th)\b[^<>]{0,300}\bcolspan=[^<>]{1,100}>([^\n]{1,500}?)</th>"
)
"""The caption of a table, or a name over all of its columns."""
_TAG = re.compile(r"<[^<>]{0,300}>")
_MOST_LINES = 60
"""Of a div, in which its caption stands last."""
_NEAR = 3
"""Lines in which the title of a table stands."""


def caption_of(line: str) -> str | None:
    """Return what a line says that is the caption of a table with a label; None for another."""
    found = _CAPTION.fullmatch(line) if line.rstrip().endswith("}") else None
    return found[1] if found else None


def read_labels(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield labels, in small letters, and the Markdown of the titles that they are of."""
    fence = ""
    options: dict[str, str] = {}
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not mark[2].strip())):
            fence, options = "" if fence else mark[1], {}
            if listing := _LISTING.search(mark[2]):
                yield listing[1].lower(), listing[2]
        elif fence:
            if option := _OPTION.fullmatch(line):
                options["label" if option[1] == "label" else "caption"] = option[2].strip(" \"'")
                if len(options) > 1:
                    yield options["label"].lower(), options["caption"]
        else:
            yield from _labels_of(lines, at)


def _labels_of(lines: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    line = lines[at]
    if "{" in line:
        heading = _HEADING.fullmatch(line) or _CAPTION.fullmatch(line)
        if heading:
            yield heading[2].lower(), heading[1]
        for alternative, colon, label, others in _PICTURE.findall(line):
            named = _NAMED.search(others)
            # What kramdown describes for those who can't see it, pandoc shows as the caption.
            if title := unescape(named[1]).strip() if named else "" if colon else alternative:
                yield label.lower(), title
        if div := _DIV.fullmatch(line):
            yield from _labelled(div[1], _last_paragraph(lines[at + 1 : at + 1 + _MOST_LINES]))
    if "<" in line and (table := _TABLE.search(line)):
        found = _TABLE_TITLE.search("\n".join(lines[at : at + _NEAR]))
        shown = unescape(_TAG.sub("", found[2] or found[4])) if found else ""
        yield from _labelled(table[1], collapse_space(shown))


def _labelled(label: str, title: str) -> Iterator[tuple[str, str]]:
    if title:
        yield label.lower(), title


def _last_paragraph(lines: Sequence[str]) -> str:
    """Return the paragraph that ends a div; "" where it ends with what is none."""
    end = next((at for at, line in enumerate(lines) if _DIV_END.fullmatch(line)), 0)
    words: list[str] = []
    for line in reversed(lines[:end]):
        if line.strip():
            words.insert(0, line.strip())
        elif words:
            break
    shown = " ".join(words)
    return "" if shown.startswith(("`", "~", "!", "|", "<", ":", "#", "$", "- ")) else shown
