"""Search the index for candidates, and read whole those that are shown or assessed."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from libs.errors import WrongIndex
from libs.vectors.schema import Scope
from services.retrieval.model import (
    OTHERWISE_INDEXED,
    Candidate,
    Chunk,
    Passage,
    QuestionVectors,
)
from services.retrieval.ports import PassageIndex


async def search_index(
    index: PassageIndex,
    scope: Scope,
    asked: Sequence[QuestionVectors],
    *,
    limit: int,
    timeout_s: float,
) -> list[list[Candidate]]:
    """Return the candidates of each question, none when the scope is an empty part of an indexed book.

    Raises WrongIndex when the whole edition has nothing in the index of the model in use.
    """
    found = await index.search(scope, asked, limit=limit, timeout_s=timeout_s)
    if any(found):
        return found
    edition = Scope(scope.book, scope.edition)
    if not await index.count(edition, timeout_s=timeout_s):
        raise WrongIndex(OTHERWISE_INDEXED)
    return found


async def read_whole(
    index: PassageIndex, passages: Sequence[Passage], *, timeout_s: float
) -> dict[str, Chunk]:
    """Return the whole chunks of the passages by their ids, without those that went away."""
    candidates = {passage.chunk.chunk_id: passage.candidate for passage in passages}
    return await index.read(list(candidates.values()), timeout_s=timeout_s)


def fill_passages(passages: Sequence[Passage], whole: Mapping[str, Chunk]) -> list[Passage]:
    """Return the passages with the whole chunks, without those that are not among them."""
    return [
        replace(passage, candidate=replace(passage.candidate, found=whole[passage.chunk.chunk_id]))
        for passage in passages
        if passage.chunk.chunk_id in whole
    ]
