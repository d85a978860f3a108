"""Find the titles that other files may refer to, in Markdown for Sphinx, pandoc, Quarto or kramdown."""

import re
from collections.abc import Iterator, Mapping

from services.ingest.parsers.markdown import references
from services.ingest.parsers.markdown.labels import read_labels
from services.ingest.parsers.markdown.myst_labels import read_captions
from services.ingest.parsers.sphinx_labels import title_of_caption

_FENCE = re.compile(r"[ \t>]{0,20}(`{3,}|~{3,})")
_TARGET = re.compile(r"[ \t]{0,20}\(([^()\s]{1,200})\)=[ \t]*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_CAPTIONED = re.compile(r"\(([^()\s]{1,200})\)= (\S.*)")
"""A label with the caption that it is of, as the lines of a file are kept."""
_RULE = re.compile(r"(?:=+|-{2,})[ \t]*")
_CLOSING = re.compile(r"(?:[ \t]+#+)?[ \t]*\Z")
_REFERS = re.compile(
    r"\{(?:doc|ref|any|numref|eval-rst)\}|:(?:doc|ref|any|numref):`|(?<!!)\[\]\([^()\s:]"
    r"|[(<](?:project|path|doc|any):"
)
_TOCTREE = re.compile(
    r"^(?P<fence>`{3,}|~{3,}|:{3,})[ ]?\{toctree\}[^\n]{0,200}\n"
    r"(?P<body>(?:.*\n){0,500}?)(?P=fence)[ \t]*$",
    re.MULTILINE,
)
_CAPTION = re.compile(r":?caption:[ \t]*(.*)")
_ENTRY = re.compile(r"[^<\n]{0,500}<([^<>\n]{1,500})>|([^\s:<#-][^<\n]{0,500})")
_MARKUP = re.compile(r"\{[\w:+.-]{1,60}\}(?=`)|!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)|`+|\*+")
_TITLE_LINES = 2
"""Below a label, in which the title stands that it is of."""


def heads_of(text: str) -> str:
    """Return the lines of a file by which `read_titles`, `read_toctrees` and `refers` go."""
    toctrees = (tree[0] for tree in _TOCTREE.finditer(text))
    found = _REFERS.search(text) or references.SIGNS.search(text)
    return "\n".join((*_heads(text), found[0] if found else "", *toctrees))


def read_toctrees(text: str) -> list[tuple[str, list[str]]]:
    """Return the toctrees of a file: the caption, and the documents named, without their ending."""
    return [_read_toctree(found["body"]) for found in _TOCTREE.finditer(text)]


def _read_toctree(body: str) -> tuple[str, list[str]]:
    caption, entries = "", list[str]()
    for line in map(str.strip, body.split("\n")):
        if said := _CAPTION.fullmatch(line):
            caption = said[1].strip().strip("'\"")
        elif entry := _ENTRY.fullmatch(line):
            entries.append((entry[1] or entry[2]).strip().removesuffix(".md").removesuffix(".rst"))
    return caption, entries


def refers(text: str) -> bool:
    """Whether a file may show titles of others."""
    return (_REFERS.search(text) or references.SIGNS.search(text)) is not None


def own_titles(body: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return what references in a file show by their labels, its own titles before those of others."""
    if references.SIGNS.search(body) is None:
        return {}
    start = len("ref:")
    others = {label[start:]: said for label, said in names.items() if label.startswith("ref:")}
    own = read_labels(body.split("\n"))
    return others | {label: title_of_caption(_plain(title)) for label, title in own}


def read_titles(text: str) -> tuple[str, dict[str, str]]:
    """Return the title of a file, "" if it has none, and its titles by the labels over them."""
    title, labels, captions = "", dict[str, str](), dict[str, str]()
    waiting: list[str] = []
    for line in _heads(text):
        if target := _TARGET.fullmatch(line):
            waiting.append(target[1].lower())
        elif line.startswith("#"):
            shown = _plain(line.lstrip("#"))
            title = title or shown
            labels |= dict.fromkeys(waiting, shown)
            waiting = []
        elif captioned := _CAPTIONED.fullmatch(line):
            captions[captioned[1]] = title_of_caption(_plain(captioned[2]))
        else:
            waiting = []
    return title, labels | captions


def read_whole_title(text: str) -> str:
    """Return the first title of a file if it stands over all of it; "" otherwise."""
    first = next((line for line in _heads(text) if line.startswith("#")), "")
    return _plain(first[1:]) if first.startswith("# ") else ""


def _heads(text: str) -> Iterator[str]:
    """Yield labels, the first title and those below labels, and an empty line for a missing one."""
    lines = text.split("\n")
    kept = (line for line in lines if _CAPTIONED.fullmatch(line))
    both = (*read_captions(lines), *read_labels(lines))
    found = (f"({label})= {caption}" for label, caption in both)
    yield from (*kept, *found)
    above, since, is_first = "", _TITLE_LINES + 1, True
    for line in _outside_of_code(text):
        heading = _HEADING.fullmatch(line)
        title = heading[2] if heading else above if above and _RULE.fullmatch(line) else ""
        if _TARGET.fullmatch(line):
            yield line
            since = -1
        elif title and (is_first or since <= _TITLE_LINES):
            level = heading[1] if heading else "#" if line.startswith("=") else "##"
            yield f"{level} {_CLOSING.sub('', title)}"
            is_first = False
        elif since == _TITLE_LINES and not title:
            yield ""
        begins = line[:1].strip() and not title and not line.startswith((">", "-", "|", "("))
        above = line.strip() if begins else ""
        since += 1


def _outside_of_code(text: str) -> Iterator[str]:
    fence = ""
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        if opened and (not fence or (opened[1].startswith(fence) and line.strip() == opened[1])):
            fence = "" if fence else opened[1]
        elif not fence:
            yield line


def _plain(title: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or "", title).strip()
