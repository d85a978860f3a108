"""Find documents that a source holds in several formats: a manual as EPUB, PDF and text."""

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from services.ingest.parsers.book_file import NAME
from services.ingest.parsers.formats import Format, format_of

_BEST_FIRST = (
    *(Format.EPUB, Format.HTML, Format.DOCX, Format.MARKDOWN, Format.RST, Format.ASCIIDOC),
    *(Format.DOCBOOK, Format.MALLARD, Format.NOTEBOOK, Format.PLAIN, Format.PDF),
)
"""By how much of the structure and the links of a document is told, not guessed."""
_NAMED = 5
_MOST_BESIDE = 8
"""More files beside the pages of a folder are a collection, not one manual in other formats."""
_ANY_NAME = "*."
NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Renditions:
    """The documents of a book, each in one format, and warnings that name the others.

    A rendition is a document, a folder with a slash behind, or of a folder what is in one format
    ("manual/*.html"). `doubtful` are those beside each other that may be one text, the one to take
    first.
    """

    kept: list[str]
    warnings: list[str]
    doubtful: list[tuple[str, ...]]


def omit_renditions(
    kept: Sequence[str], ordered: Collection[str], compared: Mapping[str, str] = NOTHING_KNOWN
) -> Renditions:
    """Leave out what the others say in a better format.

    Documents of one folder and one name are the same where one of them is a PDF, an EPUB or a DOCX;
    pages that are written by hand may share a name, and are looked at. So are "manual.pdf" and what
    lies in "manual.html/". Of "html/" beside it, and of pages that lie in one folder with it, that is
    not sure until somebody has looked: `compared` names the renditions that are the text of another
    one, with that one, and with "" those that are of none. Others stay, and a warning says so. What the
    book itself has `ordered` stays, in place of the pages beside it.
    """
    of_name: dict[str, list[str]] = {}
    for path in kept:
        of_name.setdefault(_name(path), []).append(path)
    others: dict[str, str] = {}
    for named in of_name.values():
        if len(named) > 1 and any(format_of(path).is_binary for path in named):
            others |= dict(_others(named, ordered))
    left = [path for path in kept if path not in others]
    folders = _folders_of_a_format(left)
    others |= dict(_in_folders(left, folders, ordered))
    left = [path for path in left if path not in others]
    same = dict(_chosen(compared, ordered))
    several = [rendition for rendition in same if is_several(rendition)]
    left = [
        path
        for path in left
        if path in ordered
        or not (path in same or any(is_of(path, rendition) for rendition in several))
    ]
    doubtful = _unsaid(_doubtful(left, folders, ordered), compared)
    beside = _unsaid(_beside_pages(left, folders, ordered), compared)
    pairs = _unsaid(_of_one_name(left, ordered), compared)
    # Most of what lies beside pages is something else: it is named once it was found alike in part.
    told = doubtful if compared is NOTHING_KNOWN else [*doubtful, *beside]
    warnings = [*_name_others(others | same), *map(_name_doubtful, told)]
    return Renditions(left, warnings, [*doubtful, *beside, *pairs])


def _unsaid(groups: Iterable[list[str]], compared: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the groups without the renditions of which it is known what they are."""
    left = [tuple(one for one in group if one not in compared) for group in groups]
    return [group for group in left if len(group) > 1]


def is_several(rendition: str) -> bool:
    """Whether a rendition is no document but what is in a folder, or has one format there."""
    return rendition.endswith("/") or posixpath.basename(rendition).startswith(_ANY_NAME)


def is_of(path: str, rendition: str) -> bool:
    """Whether a document is of a rendition, which may be a folder, or what has one format there."""
    folder, name = posixpath.split(rendition)
    if name.startswith(_ANY_NAME):
        return path.startswith(posixpath.join(folder, "")) and format_of(path) is format_of(name)
    return path.startswith(rendition) if rendition.endswith("/") else path == rendition


def _chosen(compared: Mapping[str, str], ordered: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield of each two that are one text the one to leave out, and the other."""
    for rendition, best in compared.items():
        if best and rendition in ordered and not any(is_of(path, best) for path in ordered):
            yield best, rendition
        elif best:
            yield rendition, best


def _name(path: str) -> str:
    lower = path.lower()
    ending = max((one for one in format_of(path).endings if lower.endswith(one)), key=len)
    return lower.removesuffix(ending)


def _others(same: Sequence[str], ordered: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the documents that there are in a better format, and that one."""
    best, *rest = sorted(
        same, key=lambda path: (path not in ordered, _BEST_FIRST.index(format_of(path)))
    )
    for path in rest:
        if path not in ordered and format_of(path) is not format_of(best):
            yield path, best


def _folders_of_a_format(paths: Sequence[str]) -> list[str]:
    """Return the topmost folders that are named by the format of what lies in them."""
    found: dict[str, None] = {}
    for path in paths:
        folders = path.split("/")[:-1]
        for depth, name in enumerate(folders, start=1):
            if format_of(f".{name}") is format_of(path):
                found["/".join(folders[:depth])] = None
                break
    return list(found)


def _in_folders(
    paths: Sequence[str], folders: Sequence[str], ordered: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the documents whose name a folder has too, with the ending of another format."""
    held = {_name(folder): folder for folder in folders if "." in posixpath.basename(folder)}
    for path in paths:
        folder = held.get(_name(path))
        if folder and path not in ordered:
            yield path, f"{folder}/"


def _doubtful(
    paths: Sequence[str], folders: Sequence[str], ordered: Collection[str]
) -> Iterator[list[str]]:
    """Yield folders and documents beside each other that may be one text, the one to take first."""
    beside: dict[str, list[str]] = {}
    for folder in folders:
        named = f"{folder}/"
        if "." not in posixpath.basename(folder) and any(is_of(path, named) for path in paths):
            beside.setdefault(posixpath.dirname(folder), []).append(named)
    for renditions in beside.values():
        renditions.sort(key=lambda rendition: _rank(rendition, ordered))
    texts = Counter(posixpath.dirname(path) for path in paths if format_of(path) is Format.PLAIN)
    for path in paths:
        at = posixpath.dirname(path)
        is_whole = format_of(path) is Format.PLAIN and texts[at] <= _MOST_BESIDE
        if (is_whole or format_of(path).is_binary) and at in beside and path not in ordered:
            beside[at].append(path)
    yield from (renditions for renditions in beside.values() if len(renditions) > 1)


def _of_one_name(paths: Sequence[str], ordered: Collection[str]) -> Iterator[list[str]]:
    """Yield the documents of one name in several formats of text: a page and the source of it."""
    of_name: dict[str, list[str]] = {}
    for path in paths:
        if path not in ordered:
            of_name.setdefault(_name(path), []).append(path)
    for named in of_name.values():
        if len({format_of(path) for path in named}) > 1:
            yield sorted(named, key=lambda path: _BEST_FIRST.index(format_of(path)))


def _beside_pages(
    paths: Sequence[str], folders: Sequence[str], ordered: Collection[str]
) -> Iterator[list[str]]:
    """Yield the pages of a folder and the files beside them that may be the same text as a whole.

    Where there are no pages, an EPUB or a DOCX stands for them: it can be looked through.
    """
    beside: dict[str, list[str]] = {}
    for path in paths:
        if format_of(path).is_binary or format_of(path) is Format.PLAIN:
            beside.setdefault(posixpath.dirname(path), []).append(path)
    for folder, wholes in beside.items():
        inside = f"{folder}/" if folder else ""
        if len(wholes) > _MOST_BESIDE or any(posixpath.dirname(one) == folder for one in folders):
            continue  # beside folders of a format it is compared with them
        pages = [path for path in paths if path.startswith(inside) and path not in wholes]
        first = _pages_of(pages, inside) or _looked_through(wholes)
        others = [path for path in wholes if first and format_of(path) is not format_of(first)]
        if any(is_of(path, first) for path in ordered):
            others = [path for path in others if path not in ordered]
        if others:
            yield [first, *others]


def _pages_of(paths: Sequence[str], inside: str) -> str:
    """Return what is written in the format of most of the pages; "" where there are none."""
    formats = Counter(format_of(path) for path in paths if not format_of(path).is_binary)
    formats.pop(Format.PLAIN, None)
    if not formats:
        return ""
    most = max(formats, key=lambda one: (formats[one], -_BEST_FIRST.index(one)))
    return f"{inside}{_ANY_NAME.removesuffix('.')}{most.endings[0]}"


def _looked_through(wholes: Sequence[str]) -> str:
    """Return the best of the documents if all of it can be looked through; a PDF is only sampled."""
    best = min(wholes, key=lambda path: _BEST_FIRST.index(format_of(path)))
    return best if format_of(best) in (Format.EPUB, Format.DOCX) else ""


def _rank(folder: str, ordered: Collection[str]) -> tuple[bool, int]:
    is_ordered = any(is_of(path, folder) for path in ordered)
    return not is_ordered, _BEST_FIRST.index(format_of(f".{posixpath.basename(folder[:-1])}"))


def _name_doubtful(renditions: Sequence[str]) -> str:
    named = ", ".join(f'"{rendition}"' for rendition in renditions[:_NAMED])
    return (
        f"{named} may be one text in several formats, whose passages are then found twice: "
        f'"exclude" in {NAME} leaves one out.'
    )


def _name_others(others: Mapping[str, str]) -> Iterator[str]:
    if others:
        pairs = [f'"{path}" of "{best}"' for path, best in list(others.items())[:_NAMED]]
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        noun = "document was" if len(others) == 1 else "documents were"
        yield (
            f"{len(others)} {noun} left out as other formats of the same: "
            f'{", ".join(pairs)}{more}. "order" in {NAME} says which to take.'
        )
