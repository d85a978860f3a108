"""Tell what stands below what in a book: by its table of contents, and by its titles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from services.retrieval.model import NOT_LISTED, Heading
from services.retrieval.numbered_names import names_folder


@dataclass
class Part:
    """An entry that others stand below; `depth` entries stand over it.

    `heading` is None for a title that is no document. `members` are the documents or sections directly
    below it, and those below titles in it that are none.
    """

    title: str
    depth: int
    heading: Heading | None = None
    members: list[Heading] = field(default_factory=list)


@dataclass(frozen=True)
class Contents:
    """What a table of contents says: its parts, and the documents that stand below no other.

    Without a table both are empty.
    """

    parts: Sequence[Part] = ()
    levels: Sequence[Sequence[Heading]] = ()
    """The documents that it names, by how many documents stand over them."""


def read_contents(documents: Sequence[Heading]) -> Contents:
    """Return where documents stand in the table of contents, from what it says of each."""
    if all(one.listed == NOT_LISTED for one in documents):
        return Contents()
    parts = list[Part]()
    levels = list[list[Heading]]()
    above = list[Part]()
    for document in documents:
        place = document.listed
        if place.is_named is False:
            continue
        # A depth counts the titles of parts that begin here, too.
        above = above[: max(0, place.depth - len(place.part_titles))]
        for title in place.part_titles:
            above.append(Part(title, len(above)))
            parts.append(above[-1])
        for part in reversed(above):
            part.members.append(document)
            if part.heading is not None:
                break
        level = sum(part.heading is not None for part in above)
        levels += [[] for _ in range(level + 1 - len(levels))]
        levels[level].append(document)
        above.append(Part(document.path[-1], len(above), document))
        parts.append(above[-1])
    return Contents([part for part in parts if part.members], levels)


def list_sections(headings: Sequence[Heading]) -> Iterator[Part]:
    """Yield the sections that others stand directly below, by the titles within each document."""
    below: dict[tuple[str, tuple[str, ...]], list[Heading]] = {}
    for heading in headings:
        if len(heading.path) > 1:
            below.setdefault((heading.document, heading.path[:-1]), []).append(heading)
    for heading in headings:
        members = below.get((heading.document, heading.path))
        if members:
            yield Part(heading.path[-1], len(heading.path) - 1, heading, members)


def title_folders(documents: Sequence[Heading]) -> list[Heading]:
    """Return of each folder the document that is called as it is, or the first."""
    folders: dict[str, Heading] = {}
    for heading in documents:
        place = PurePosixPath(heading.document)
        first = folders.setdefault(str(place.parent), heading)
        folders[str(place.parent)] = heading if names_folder(place) else first
    return list(folders.values())
