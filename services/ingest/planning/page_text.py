"""Read of an HTML page what a book is planned by: numbers of its paragraphs, links, its contents."""

import hashlib
import html
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.model.html_page import PageText
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.lazy import load_html
from services.ingest.parsers.running import number_of

_UNSEEN = frozenset({"script", "style", "head"})
_BLOCKS = frozenset(
    {"p", "li", "td", "th", "tr", "dd", "dt", "dl", "ul", "ol", "pre", "div", "section"}
)
_BLOCKS |= {"address", "center", "hr", "footer", "header", "nav", "aside", "figure"}
_BLOCKS |= {"article", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "body"}
_HEAD = 20_000
"""Characters at the start of a page in which its head is looked for."""
_ANCHOR = re.compile(
    r"""<a\b[^<>]{0,1000}?\bhref\s*=\s*["']?([^"'\s<>#?]{1,1000})""", re.IGNORECASE
)
_LINK = re.compile(r"<link\b[^<>]{0,1000}>", re.IGNORECASE)
_IS_CANONICAL = re.compile(r"""\brel\s*=\s*["']?canonical\b""", re.IGNORECASE)
_ADDRESS = re.compile(r"""\bhref\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]{0,1000}>([^<]{1,2000})", re.IGNORECASE)
_META = re.compile(r"<meta\b[^<>]{0,1000}>", re.IGNORECASE)
_IS_REFRESH = re.compile(r"""\bhttp-equiv\s*=\s*["']?refresh\b""", re.IGNORECASE)
_REFRESHED = re.compile(r"""\d\s*[;,]\s*url\s*=\s*["']?([^"'\s>#?]+)""", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|toctree-wrapper|contents|menu)\b", re.IGNORECASE)
"""In a page that may say which of its lists are contents."""
_MOST_ENTRIES = 2000
_EDGE = 60
"""Texts at either end of a page: menus of a site stand there too."""
_LEAST_BYTES = 60
"""Of a paragraph that is counted: shorter ones are titles, menus and cells, which pages share."""


def read_page_text(source: str) -> PageText:
    """Return what tells the text of an HTML page from that of others, and where the page leads."""
    links = filter(_IS_CANONICAL.search, _LINK.findall(source[:_HEAD]))
    address = next((found[1] for link in links if (found := _ADDRESS.search(link))), "")
    metas = filter(_IS_REFRESH.search, _META.findall(source[:_HEAD]))
    leads_to = next((found[1] for meta in metas if (found := _REFRESHED.search(meta))), "")
    texts = [text for text in _paragraphs(source) if text]
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    return PageText(
        html.unescape(address),
        frozenset(_number(text) for text in encoded if len(text) >= _LEAST_BYTES),
        frozenset(file_name_of(html.unescape(link)) for link in _ANCHOR.findall(source)),
        html.unescape(leads_to),
        _contents_of(source),
        _title_of(source),
        frozenset(map(number_of, {*texts[:_EDGE], *texts[-_EDGE:]})) - {0},
    )


def _title_of(source: str) -> str:
    found = _TITLE.search(source[:_HEAD])
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _contents_of(source: str) -> tuple[tuple[str, int], ...]:
    # Reading the tree takes longer than all else here, and most pages have none.
    entries = load_html().read_contents(source) if _CONTENTS.search(source) else ()
    return tuple(dict.fromkeys(entries))[:_MOST_ENTRIES]


def page_of(file: SourceFile) -> PageText:
    """Return what `read_page_text` says of a page; nothing of one that can't be read."""
    if file.page is not None:
        return file.page
    try:
        return read_page_text(decode_text(file))
    except InvalidInput:
        return PageText()  # reading the document says what is wrong with it


def file_name_of(address: str) -> str:
    return posixpath.basename(unquote(address))


def _paragraphs(source: str) -> Iterator[str]:
    """Yield the text between tags of blocks, in one pass: pages of any size are planned together."""
    texts: list[str] = []
    end = ""
    for part in source.split(">"):
        if end:
            end = "" if part.rstrip().lower().endswith(end) else end
            continue
        text, comment, _ = part.partition("<!--")
        if comment:
            texts.append(text)
            end = "" if part.endswith("--") else "--"
            continue
        text, opened, tag = part.rpartition("<")
        texts.append(text if opened else tag)
        name = tag.lower().split(None, 1)[0] if opened and tag.strip() else ""
        if name in _UNSEEN:
            end = f"</{name}"
        elif name.strip("/") in _BLOCKS:
            yield " ".join(html.unescape("".join(texts)).split())
            texts.clear()


def _number(text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
