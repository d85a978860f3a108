"""Find HTML pages whose text stands in others: a page under two names, a book beside its chapters."""

import hashlib
import html
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from libs.errors import InvalidInput
from services.ingest.contents import first_page
from services.ingest.model import PageText, SourceFile
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of

_UNSEEN = frozenset({"script", "style", "head"})
_BLOCKS = frozenset(
    {"p", "li", "td", "th", "tr", "dd", "dt", "dl", "ul", "ol", "pre", "div", "section"}
)
_BLOCKS |= {"article", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "body"}
_HEAD = 20_000
"""Characters at the start of a page in which its canonical address is looked for."""
_ANCHOR = re.compile(
    r"""<a\b[^<>]{0,1000}?\bhref\s*=\s*["']?([^"'\s<>#?]{1,1000})""", re.IGNORECASE
)
_LINK = re.compile(r"<link\b[^<>]{0,1000}>", re.IGNORECASE)
_IS_CANONICAL = re.compile(r"""\brel\s*=\s*["']?canonical\b""", re.IGNORECASE)
_ADDRESS = re.compile(r"""\bhref\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_LEAST_BYTES = 60
"""Of a paragraph that is counted: shorter ones are titles, menus and cells, which pages share."""
_LEAST_PARAGRAPHS = 20
"""Of a page that may be the whole of others."""
_SAME_BY_ADDRESS = 0.9
"""The part that two pages share at least, one of which says that it is the other."""
_SAME_IN_PARTS = 0.98
"""The part that a whole shares with its chapters: notes may be numbered otherwise there."""
_MOST_IN_ONE = 0.5
"""More of it in one other page is no chapter but another version."""
_NAMED = 5


def read_page_text(source: str) -> PageText:
    """Return what tells the text of an HTML page from that of others."""
    links = filter(_IS_CANONICAL.search, _LINK.findall(source[:_HEAD]))
    address = next((found[1] for link in links if (found := _ADDRESS.search(link))), "")
    encoded = (text.encode("utf-8", "surrogatepass") for text in _paragraphs(source))
    return PageText(
        html.unescape(address),
        frozenset(_number(text) for text in encoded if len(text) >= _LEAST_BYTES),
        frozenset(_file_name(html.unescape(link)) for link in _ANCHOR.findall(source)),
    )


def _file_name(address: str) -> str:
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


def omit_copies(
    files: Mapping[str, SourceFile], kept: Sequence[str], ordered: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the documents without the HTML pages whose text others have, and warnings that name them.

    What the book itself has `ordered` stays.
    """
    pages = {
        path: page
        for path in kept
        if format_of(path) is Format.HTML
        and path not in ordered
        and (page := _page_of(files[path])).paragraphs
    }
    copies = dict(_same_files(files, pages))
    left = {path: page for path, page in pages.items() if path not in copies}
    copies |= dict(_same_by_address(left))
    left = {path: page for path, page in left.items() if path not in copies}
    wholes = list(_wholes(left))
    warnings = [*_name_copies(copies), *_name_wholes(wholes)]
    return [path for path in kept if path not in copies and path not in wholes], warnings


def _page_of(file: SourceFile) -> PageText:
    if file.page is not None:
        return file.page
    try:
        return read_page_text(decode_text(file))
    except InvalidInput:
        return PageText()  # reading the document says what is wrong with it


def _same_files(
    files: Mapping[str, SourceFile], pages: Mapping[str, PageText]
) -> Iterator[tuple[str, str]]:
    """Yield pages that are another one byte for byte, and that one.

    It is the one that names itself, else the one that more pages link to.
    """
    linked = Counter(name for page in pages.values() for name in page.links)
    alike: dict[str, list[str]] = {}
    for path in pages:
        alike.setdefault(files[path].content_hash, []).append(path)
    for same in alike.values():
        first = max(
            same,
            key=lambda path: (_names(pages[path].canonical, path), linked[_file_name(path)]),
        )
        yield from ((path, first) for path in same if path != first)


def _same_by_address(pages: Mapping[str, PageText]) -> Iterator[tuple[str, str]]:
    """Yield pages that say they are another one, whose text they share, and that one."""
    for path, page in pages.items():
        if not page.canonical or _names(page.canonical, path):
            continue
        for other, held in pages.items():
            if (
                other != path
                and _names(page.canonical, other)
                and _names(held.canonical, other)
                and _share(page, held.paragraphs) >= _SAME_BY_ADDRESS
            ):
                yield path, other
                break


def _names(address: str, path: str) -> bool:
    """Whether an address ends in this path, or in the name of its file."""
    place = unquote(urlsplit(address).path).rstrip("/")
    return bool(place) and posixpath.basename(place) == posixpath.basename(path)


def _share(page: PageText, paragraphs: frozenset[int]) -> float:
    return len(page.paragraphs & paragraphs) / len(page.paragraphs)


def _wholes(pages: Mapping[str, PageText]) -> Iterator[str]:
    """Yield pages whose text stands in several of the others, the largest first."""
    holders = Counter(number for page in pages.values() for number in page.paragraphs)
    first = first_page(pages)
    for path, page in sorted(pages.items(), key=lambda item: -len(item[1].paragraphs)):
        if len(page.paragraphs) < _LEAST_PARAGRAPHS:
            return
        shared = sum(holders[number] > 1 for number in page.paragraphs)
        if path == first or shared < _SAME_IN_PARTS * len(page.paragraphs):
            continue
        others = (held for other, held in pages.items() if other != path)
        if max(_share(page, held.paragraphs) for held in others) > _MOST_IN_ONE:
            continue
        holders.subtract(page.paragraphs)
        yield path


def _name_copies(copies: Mapping[str, str]) -> Iterator[str]:
    if copies:
        pairs = [f'"{path}" of "{other}"' for path, other in list(copies.items())[:_NAMED]]
        more = f" and {len(copies) - _NAMED} more" if len(copies) > _NAMED else ""
        noun = "document was" if len(copies) == 1 else "documents were"
        yield f"{len(copies)} {noun} left out as copies of others: {', '.join(pairs)}{more}."


def _name_wholes(wholes: Sequence[str]) -> Iterator[str]:
    for path in wholes:
        yield f'"{path}" was left out: all its text stands in other documents of the source.'
