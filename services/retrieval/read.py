"""Read whole what was ranked: a candidate has only what ranking needs."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from services.retrieval.model import Chunk, Passage
from services.retrieval.ports import PassageIndex


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
