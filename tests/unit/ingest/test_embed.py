"""Vectors: computed once each, in order, and never kept waiting for the store."""

import asyncio
from collections.abc import Mapping, Sequence

from libs.embedding.port import Vectors
from services.ingest.embed import ChunkEmbedder, Embedded, embed_chunks
from services.ingest.model.book import BlockKind, Chunk, Span
from tests.support.ingest_fakes import HashEmbedder, MemoryBooks


def chunk(number: int) -> Chunk:
    body = f"Sentence {number}."
    return Chunk(
        chunk_id=f"{number:032}",
        document="a.md",
        position=number,
        start=0,
        end=len(body),
        body=body,
        section_path=("Title",),
        section_keys=(),
        anchor="",
        url="",
        page=0,
        spans=[Span(0, len(body), BlockKind.PARAGRAPH)],
        token_count=number % 7,
    )


class SlowStore(MemoryBooks):
    """Takes vectors only when the ones after them, if any are left, are being computed."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.computing = [asyncio.Event() for _ in range(batches)]
        self.saved: list[int] = []

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {}

    async def save_vectors(self, vectors: Mapping[str, bytes]) -> None:
        following = len(self.saved) + 1
        if following < len(self.computing):
            async with asyncio.timeout(10):
                await self.computing[following].wait()
        self.saved.append(len(vectors))


class WatchedEmbedder(HashEmbedder):
    """Tells the store when it begins with a batch."""

    def __init__(self, store: SlowStore) -> None:
        super().__init__()
        self._store = store
        self._begun = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self._store.computing[self._begun].set()
        self._begun += 1
        return await super().embed(texts)


async def test_a_batch_is_computed_while_the_one_before_is_saved() -> None:
    store = SlowStore(batches=3)
    noted: list[tuple[int, int]] = []

    async def note(embedded: Embedded) -> None:
        noted.append((embedded.done, embedded.tokens_done))

    chunks = [chunk(number) for number in range(40)]
    vectors = await embed_chunks(chunks, ChunkEmbedder(WatchedEmbedder(store)), store, note)
    assert store.saved == [16, 16, 8]
    alone = ChunkEmbedder(HashEmbedder())
    for one, found in zip(chunks, vectors, strict=True):
        assert (found.own == (await alone.embed([one]))[0].own).all()
    tokens = sum(one.token_count for one in chunks)
    assert noted[0] == (0, 0)
    assert [done for done, _ in noted[1:]] == [16, 32, 40, 40]
    assert noted[-1] == (40, tokens)


class KnowingStore(MemoryBooks):
    """Has the vectors of everything, and notes how many keys were made before each look."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0
        self.seen: list[int] = []

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, bytes]:
        self.seen.append(self.made)
        return dict.fromkeys(keys, bytes(4 * HashEmbedder().stamp.dimensions))


class CountingEmbedder(ChunkEmbedder):
    def __init__(self, store: KnowingStore) -> None:
        super().__init__(HashEmbedder())
        self._store = store

    def key(self, chunk: Chunk) -> str:
        self._store.made += 1
        return super().key(chunk)


async def test_many_chunks_are_looked_up_in_parts_and_the_loop_goes_on_between() -> None:
    store = KnowingStore()

    async def note(_: Embedded) -> None:
        pass

    chunks = [chunk(number) for number in range(600)]
    assert len(await embed_chunks(chunks, CountingEmbedder(store), store, note)) == 600
    assert store.seen == [256, 512, 600]
