"""Roll a book back to an earlier edition, and delete editions that nobody needs."""

from collections.abc import Sequence

from libs.errors import NotFound, WrongIndex
from services.ingest.ports import EditionStore, History, PassageIndex
from services.ingest.views import EditionView, Vacuumed

DEFAULT_KEEP = 3


async def roll_back(
    book: str,
    number: int,
    *,
    history: History,
    editions: EditionStore,
    indexes: Sequence[PassageIndex],
) -> EditionView:
    """Let readers see edition `number`, or with 0 the newest one before theirs.

    `indexes` are those that readers can be led to. Raises NotFound for an edition that is not kept,
    WrongIndex for one whose passages can't be searched.
    """
    edition = await history.find(book, number)
    if not edition.chunk_count:
        raise NotFound("That edition holds nothing; delete the book instead.")
    index = next((one for one in indexes if one.collection == edition.collection), None)
    if index is None:
        raise WrongIndex(
            "That edition was indexed with another embedding model, or by another version of Quoth. "
            "Ingest its source again, or name that model in QUOTH_EMBEDDER_BEFORE."
        )
    keys = await editions.chunk_keys(book, edition.number)
    condition = await index.examine(book, edition.number, keys, whole=True)
    if not condition.is_sound or len(keys) != edition.chunk_count:
        raise WrongIndex("The index has lost passages of that edition. Ingest its source again.")
    return await history.show(book, edition.number)


async def vacuum(book: str, keep: int, *, history: History, index: PassageIndex) -> Vacuumed:
    """Delete what the newest `keep` editions don't hold; see History. Safe to run again."""
    vacuumed = await history.vacuum(book, keep)
    for collection, kept in vacuumed.kept.items():
        await index.vacuum(book, collection, kept)
    return vacuumed
