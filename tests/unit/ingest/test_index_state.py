"""Where documents and books stand: the five states of the specification, and their transitions."""

import pytest

from services.ingest.model.views import IndexState
from services.ingest.upkeep.index_state import SeenDocument, book_state, document_state

UNINDEXED, INDEXING, INDEXED, STALE, REINDEXING = IndexState
SAME = SeenDocument("a.md", is_indexed=True)
CHANGED = SeenDocument("b.md", is_indexed=True, differs=True)
NEW = SeenDocument("c.md", is_indexed=False, differs=True)


@pytest.mark.parametrize(
    ("document", "waits", "runs"),
    [(SAME, INDEXED, INDEXED), (CHANGED, STALE, REINDEXING), (NEW, UNINDEXED, INDEXING)],
)
def test_a_document_is_stale_once_another_is_sent_and_reindexing_while_that_is_worked_on(
    document: SeenDocument, waits: IndexState, runs: IndexState
) -> None:
    assert document_state(document, is_running=False) is waits
    assert document_state(document, is_running=True) is runs


@pytest.mark.parametrize(
    ("documents", "is_indexed", "waits", "runs"),
    [
        ([], False, UNINDEXED, INDEXING),
        ([NEW], False, UNINDEXED, INDEXING),
        ([SAME], True, INDEXED, INDEXED),
        ([SAME, CHANGED], True, STALE, REINDEXING),
        ([SAME, NEW], True, STALE, REINDEXING),
    ],
)
def test_a_book_stands_where_the_furthest_of_its_documents_does(
    documents: list[SeenDocument], is_indexed: bool, waits: IndexState, runs: IndexState
) -> None:
    for is_running, state in ((False, waits), (True, runs)):
        assert book_state(documents, is_indexed=is_indexed, is_running=is_running) is state
