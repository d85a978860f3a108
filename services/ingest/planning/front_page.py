"""Read what a book is called from the page that it opens with."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from libs.text import without_accents
from services.ingest.model.book import SourceFile
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of
from services.ingest.parsers.markdown import read_front_matter, read_whole_title

_NUMBERED = re.compile(r"[\d\s._-]+(?=\S)")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def title_of_front_page(files: Mapping[str, SourceFile], kept: Sequence[str]) -> str:
    """Return the title of the front page of Markdown of a book of several; "" without one.

    `kept` are its documents in reading order. The page lies above all others and its file is named as
    a front page is, "00-prologue.md", wherever a table of contents has it; a title that names the page
    itself, or a chapter, is not the book's.
    """
    first = next((path for path in kept if _is_front_page(path, kept)), "")
    if len(kept) < 2 or not first:
        return ""
    return _title_of(files[first])


def title_of_summary(file: SourceFile) -> str:
    """Return the title of a whole book that its SUMMARY.md has over its list; "" for none.

    Most such titles are that of the list: "Summary", as its file, or "Table of contents".
    """
    text = decode_text(file)
    after = text[read_front_matter(text).length :].lstrip()
    # A heading further on is that of a part.
    title = _title_of(file) if after.startswith("# ") or after != text.lstrip() else ""
    return "" if _folded(title) == _folded(PurePosixPath(file.path).stem) else title


def _is_front_page(path: str, kept: Sequence[str]) -> bool:
    folder = posixpath.join(posixpath.dirname(path), "")
    stem = _NUMBERED.sub("", PurePosixPath(path).stem, count=1)
    is_above = format_of(path) is Format.MARKDOWN and _folded(stem) in _front_pages()
    return is_above and all(one.startswith(folder) for one in kept)


def _title_of(file: SourceFile) -> str:
    text = decode_text(file)
    front = read_front_matter(text)
    title = front.title or read_whole_title(text[front.length :])
    return "" if _names_page(title) else title


def _names_page(title: str) -> bool:
    """Whether a title is that of a front page or a chapter: "Preface to the second edition"."""
    layout, bare = load_layout(), _folded(title).strip(" .:!")
    begins = _WORD.match(bare)
    counters = alternatives(map(_folded, (*layout.chapter, *layout.part)))
    counts = rf"(?:{counters})\W+(?:\d|[ivxlc]+\b)|\d+(?:[.)]|\s)"
    named = (layout.front_pages, layout.unnumbered, layout.contents, layout.no_title)
    others = {_folded(word) for words in named for word in words}
    return (
        begins is None
        or begins[0] in _front_pages()
        or bare in others
        or re.match(counts, bare) is not None
    )


@cache
def _front_pages() -> frozenset[str]:
    return frozenset(map(_folded, load_layout().front_pages))


def _folded(text: str) -> str:
    return without_accents(text.casefold())
