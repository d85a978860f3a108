"""Tell what a plain text is called, and who wrote it, by its header or its first lines."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.book import BlockKind
from services.ingest.parsers.outline import Item

TITLE = re.compile(r"[^\W_](?!\))[^@|=<>{}\\]{1,78}[^\W_][)’\"”]?")
"""One line that may be the title of a text."""
_HEADER_LENGTH = 3000
"""Characters at the beginning of a file, in which a header stands."""
_STATED = re.compile(r"^Title:[ ]+(\S[^\n]{0,200}(?:\n[ ]{2,}\S[^\n]{0,200}){0,3})", re.MULTILINE)
_AUTHOR = re.compile(r"^Authors?:[ ]+(\S[^\n]{0,200})", re.MULTILINE)
_BESIDE = re.compile(
    r"^(?:Authors?|Editors?|Translators?|Language|Release date|Posting date|Credits):[ ]+\S",
    re.MULTILINE | re.IGNORECASE,
)
_BY = re.compile(rf"(?:{alternatives(load_layout().by)})\s+(\S.{{1,80}})", re.IGNORECASE)
_ADDRESSED = re.compile(r"((?:[^\W\d_][\w.'’-]*[ ]){1,3}[^\W\d_][\w.'’-]*)\s*<\S+@\S+>")
"""A name with an address of mail."""
_SENTENCE = re.compile(r"[.!?:;…。！？：；]['\"”’)\]]*$")
_MOST_WORDS = 12
_FRONT = 4
Line = TypeVar("Line", bound=str)
_PROSE_LENGTH = 60


def read_header(source: str) -> tuple[str, str]:
    """Return the title and the author that a header of fields names; "" for what it does not."""
    front = source[:_HEADER_LENGTH].replace("\r", "")
    title, author = _STATED.search(front), _AUTHOR.search(front)
    is_header = title and (_BESIDE.search(front) or not front[: title.start()].strip())
    if title is None or not is_header:
        return "", ""
    return " ".join(title[1].split()), " ".join(author[1].split()) if author else ""


def with_title(items: Sequence[Item], source: str) -> list[Item]:
    """Return the pieces, the first as the heading of all others if it looks like the title."""
    if not (items and _is_title(items, source)):
        return list(items)
    return [
        replace(items[0], kind=BlockKind.HEADING, level=1),
        *(
            replace(one, level=one.level + 1) if one.kind is BlockKind.HEADING else one
            for one in items[1:]
        ),
    ]


def author_under(items: Sequence[Item]) -> str:
    """Return who the line under the title of a text says wrote it; "" where it does not."""
    if len(items) < 2 or items[0].kind is not BlockKind.HEADING:
        return ""
    return _author_in(items[1].text)


def _author_in(line: str) -> str:
    found = _BY.fullmatch(line) or _ADDRESSED.fullmatch(line)
    return found[1] if found and not _SENTENCE.search(found[1]) else ""


def part_byline(blocks: Sequence[Sequence[Line]]) -> list[Sequence[Line]]:
    """Return the blocks, the title at the top apart from who the line right under it says wrote it."""
    first, *rest = blocks or [[]]
    lines = [line.strip() for line in first]
    is_both = (
        len(lines) > 1 and TITLE.fullmatch(lines[0]) and _author_in(" ".join(lines[1].split()))
    )
    return [first[:1], first[1:], *rest] if is_both else list(blocks)


def _is_title(items: Sequence[Item], source: str) -> bool:
    """Whether a short line with an empty one below stands over prose, or over a heading."""
    line, below, *_ = [*source.lstrip().split("\n", 2), "", ""]
    text = " ".join(line.split())
    stands_alone = not below.strip() or _author_in(" ".join(below.split()))
    is_line = items[0].kind is BlockKind.PARAGRAPH and items[0].text == text and stands_alone
    if not is_line or not TITLE.fullmatch(text) or text[0].islower():
        return False
    front = items[1:_FRONT]
    is_over = any(
        one.kind is BlockKind.HEADING
        or len(one.text) >= _PROSE_LENGTH
        or _SENTENCE.search(one.text)
        for one in front
    )
    return is_over and len(text.split()) <= _MOST_WORDS
