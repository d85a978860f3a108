"""The entries of a table of contents: which documents, how deep, and what stands over them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ContentsEntry:
    """What a table of contents says of a document: `depth` entries stand over it.

    `part_titles` are those of them, the outermost first, that begin here and are no documents.
    """

    title: str = ""
    depth: int = 0
    part_titles: tuple[str, ...] = ()


class ContentsReader:
    """Collects entries in reading order; the title of a part waits for a document below it."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, ContentsEntry]] = []
        """What each entry names, a path, an address or an id, and where it puts that."""
        self._waiting: list[tuple[int, str]] = []

    def add_part(self, title: str, depth: int) -> None:
        """Add the title of a part that is no document. One without a title is none to a reader."""
        self._drop_from(depth)
        if title.strip():
            self._waiting.append((depth, title.strip()))

    def add_document(self, named: str, depth: int, title: str = "") -> None:
        self._drop_from(depth)
        titles = tuple(title for _, title in self._waiting)
        self._waiting.clear()
        self.entries.append((named, ContentsEntry(title, depth, titles)))

    def _drop_from(self, depth: int) -> None:
        """Forget parts that ended without a document."""
        self._waiting = [(at, title) for at, title in self._waiting if at < depth]
