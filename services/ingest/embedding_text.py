"""Make the texts of a chunk that searches go by: the words of its titles above its own."""

import re

from libs.embedding import Range
from libs.language.entries import alternatives
from libs.language.lexicon import load_layout
from services.ingest.model import BlockKind, Chunk

_LAYOUT = load_layout()
_NUMBERING = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?(?=\s)"
    r"|[A-Z](?:\.\d{1,3})*\.(?=\s)|[A-Z](?:\.\d{1,3})+(?=\s)"
    rf"|(?:{alternatives(_LAYOUT.part)}|{alternatives(_LAYOUT.chapter)})"
    r" (?:\d{1,4}|[IVXLC]{1,8}|(?-i:[A-Z]))[.:](?=\s))\s+(?=\S)",
    re.IGNORECASE,
)
"""What some formats of a book show before a title and others do not."""

_SAME = str.maketrans(
    {**dict.fromkeys('"“”„‟«»', " "), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("–—", "-")}
)
_DASHES = re.compile(r"(?<=[\s\w])--(?=[\s\w])")
_STRESS = re.compile(r"(?<!\w)\*(?=\w)|(?<=[\w.,;:!?)])\*(?!\w)")
_ADDRESS = re.compile(r"[\[(<](?:https?|ftp)://[^\])>]*[\])>]")


def sparse_text(chunk: Chunk) -> str:
    """Return what terms are made of: titles, a table's header, its own text, footnotes outside."""
    return _with_titles(chunk, chunk.section_path, chunk.body)


def dense_text(chunk: Chunk) -> str:
    """Return what is embedded: the same without what depends on the format of the book.

    That is numbers of titles, the title of the book, quotation marks and the addresses of links.
    """
    return _plain(_with_titles(chunk, _titles(chunk), _without_numbers(chunk)))


def span_ranges(chunk: Chunk) -> tuple[Range, ...]:
    """Return where the spans stand in what is embedded."""
    shift = len(_head(chunk, _titles(chunk))) - chunk.start
    return tuple((span.start + shift, span.end + shift) for span in chunk.spans)


def _with_titles(chunk: Chunk, titles: tuple[str, ...], body: str) -> str:
    return "\n".join((_head(chunk, titles) + body, *chunk.footnotes))


def _head(chunk: Chunk, titles: tuple[str, ...]) -> str:
    header = f"{chunk.header}\n" if chunk.header else ""
    return " > ".join(titles) + "\n" + header


def _titles(chunk: Chunk) -> tuple[str, ...]:
    path, chapter = chunk.section_path, chunk.place.chapter_title
    shown = path[path.index(chapter) :] if chapter in path else path
    return tuple(_without_number(title) for title in shown)


def _without_number(title: str) -> str:
    found = _NUMBERING.match(title)
    return title[found.end() :] if found else title


def _without_numbers(chunk: Chunk) -> str:
    """Return the body with spaces for the numbers of its headings."""
    body = chunk.body
    for span in chunk.spans:
        if span.kind is BlockKind.HEADING:
            start = span.start - chunk.start
            if found := _NUMBERING.match(body, start, span.end - chunk.start):
                body = body[:start] + " " * (found.end() - start) + body[found.end() :]
    return body


def _plain(text: str) -> str:
    """Return the text without what formats add or write differently, each letter in its place."""
    bare = _ADDRESS.sub(lambda found: " " * len(found[0]), text)
    return _STRESS.sub(" ", _DASHES.sub("- ", bare)).translate(_SAME)
