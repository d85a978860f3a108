"""Where books and documents stand between their source and the index, as far as has been seen.

A source is seen when it is sent: what differs from the index is stale from then on, until its job has
published it, or has ended otherwise and its files are gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.ingest.model.views import IndexState


@dataclass(frozen=True)
class SeenDocument:
    """A document of the edition that readers see, or of the source of an open job, or of both."""

    path: str
    is_indexed: bool
    differs: bool = False
    """Whether the open job has it otherwise, or not at all, or makes it anew."""


def document_state(document: SeenDocument, *, is_running: bool) -> IndexState:
    """Return where a document stands; `is_running` says that the open job is being worked on."""
    if document.is_indexed and not document.differs:
        return IndexState.INDEXED
    if is_running:
        return IndexState.REINDEXING if document.is_indexed else IndexState.INDEXING
    return IndexState.STALE if document.is_indexed else IndexState.UNINDEXED


def book_state(
    documents: Sequence[SeenDocument], *, is_indexed: bool, is_running: bool
) -> IndexState:
    """Return where a book stands: one that readers see is as stale as any of its documents."""
    differs = any(document.differs or not document.is_indexed for document in documents)
    whole = SeenDocument("", is_indexed=is_indexed, differs=differs)
    return document_state(whole, is_running=is_running)
