"""Where the points that are searched are kept."""

from collections.abc import Awaitable, Callable, Sequence, Set
from typing import Protocol

from services.ingest.model.book import Chunk, ChunkVectors, Published
from services.ingest.model.condition import Condition

ChunkKey = tuple[str, int]
"""The id of a chunk, and the edition that its point was born in."""


class PassageIndex(Protocol):
    """Holds the points that are searched. What a call has acknowledged is durable."""

    @property
    def collection(self) -> str: ...

    async def prepare(self) -> None:
        """Make the collection when it is missing. Raises Unavailable for a store that is too old."""
        ...

    async def require_room(self) -> None:
        """Raise NoRoom where the store's disk is full; other faults are not told here."""
        ...

    async def holds_points(self) -> bool:
        """Say whether there is any point at all, by whichever model."""
        ...

    async def sweep(self, book: str, edition: int) -> None:
        """Undo what was written for editions after `edition`, by whichever model."""
        ...

    async def write(
        self,
        book: str,
        language: str,
        born: int,
        chunks: Sequence[Chunk],
        vectors: Sequence[ChunkVectors],
    ) -> None: ...

    async def retire(
        self, book: str, points: Sequence[Published], died: int, *, collection: str = ""
    ) -> None:
        """Let points be seen only before edition `died`; `collection` is another model's."""
        ...

    async def retire_all(self, book: str, died: int) -> None:
        """Retire every point of the book that was born before edition `died`, of all models.

        So an edition is seen in one collection only, and whoever searches knows by which model.
        """
        ...

    async def list_collections(self) -> Sequence[str]:
        """Name what there is of every model that books are or were indexed with."""
        ...

    async def vacuum(self, book: str, collection: str, kept: Sequence[int]) -> None:
        """Delete points of the book that none of the kept editions sees."""
        ...

    async def count(self, book: str, edition: int) -> int:
        """Return how many chunks a reader of this edition finds."""
        ...

    async def examine(
        self,
        book: str,
        edition: int,
        expected: Set[ChunkKey],
        *,
        whole: bool,
        tell: Callable[[int], Awaitable[None]] | None = None,
    ) -> Condition:
        """Hold what a reader of this edition finds against what there should be.

        With `whole` every text and vector is read too; damaged is one that is not as it was written.
        `tell` is told now and then how many have been read.
        """
        ...
