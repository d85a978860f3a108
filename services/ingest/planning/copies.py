"""Find HTML pages whose text stands in others: under two names, beside its chapters, or a pointer."""

import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from services.ingest.model.book import SourceFile
from services.ingest.model.html_page import PageText
from services.ingest.parsers.formats import Format, format_of
from services.ingest.planning.contents import first_page
from services.ingest.planning.page_text import file_name_of, page_of

_LEAST_PARAGRAPHS = 20
"""Of a page that may be the whole of others."""
_SAME_BY_ADDRESS = 0.9
"""The part that two pages share at least, one of which says that it is the other."""
_SAME_IN_PARTS = 0.98
"""The part that a whole shares with its chapters: notes may be numbered otherwise there."""
_MOST_IN_ONE = 0.5
"""More of it in one other page is no chapter but another version."""
_NAMED = 5
_MOST_OF_REDIRECT = 2
"""Longer paragraphs of a page that does nothing but lead to another."""


def omit_copies(
    files: Mapping[str, SourceFile], kept: Sequence[str], ordered: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the documents without the HTML pages whose text others have, and warnings that name them.

    What the book itself has `ordered` stays.
    """
    read = {
        path: page_of(files[path])
        for path in kept
        if format_of(path) is Format.HTML and path not in ordered
    }
    leading = dict(_leading(read, kept))
    pages = {path: page for path, page in read.items() if page.paragraphs and path not in leading}
    copies = dict(_same_files(files, pages))
    left = {path: page for path, page in pages.items() if path not in copies}
    copies |= dict(_same_by_address(left))
    left = {path: page for path, page in left.items() if path not in copies}
    wholes = list(_wholes(left))
    warnings = [*_name_leading(leading), *_name_copies(copies), *_name_wholes(wholes)]
    omitted = {*leading, *copies, *wholes}
    return [path for path in kept if path not in omitted], warnings


def _leading(pages: Mapping[str, PageText], kept: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield pages that send the reader on to another of the book, and that one."""
    for path, page in pages.items():
        if not page.leads_to or len(page.paragraphs) > _MOST_OF_REDIRECT:
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(page.leads_to)))
        if target != path and target in kept and not pages.get(target, PageText()).leads_to:
            yield path, target


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
            key=lambda path: (_names(pages[path].canonical, path), linked[file_name_of(path)]),
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


def _name_leading(leading: Mapping[str, str]) -> Iterator[str]:
    if leading:
        pairs = _pairs(leading, "to")
        yield f"{_documents(leading)} left out, which only lead to others: {pairs}."


def _name_copies(copies: Mapping[str, str]) -> Iterator[str]:
    if copies:
        yield f"{_documents(copies)} left out as copies of others: {_pairs(copies, 'of')}."


def _documents(left_out: Mapping[str, str]) -> str:
    return (
        f"{len(left_out)} document was" if len(left_out) == 1 else f"{len(left_out)} documents were"
    )


def _pairs(left_out: Mapping[str, str], between: str) -> str:
    pairs = [f'"{path}" {between} "{other}"' for path, other in list(left_out.items())[:_NAMED]]
    more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
    return ", ".join(pairs) + more


def _name_wholes(wholes: Sequence[str]) -> Iterator[str]:
    for path in wholes:
        yield f'"{path}" was left out: all its text stands in other documents of the source.'
