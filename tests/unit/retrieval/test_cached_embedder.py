"""The embedder with a memory: the same vectors, each text embedded once while there is room."""

from collections.abc import Sequence

import numpy as np
import pytest

from libs.embedding.port import Vectors
from libs.errors import Unavailable
from services.retrieval.adapters.cached_embedder import CachedEmbedder
from tests.support.retrieval_fakes import STAMP, FakeEmbedder


async def test_a_text_is_embedded_once() -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner, capacity=10)
    first = await cached.embed(["one", "two", "one"])
    second = await cached.embed(["two", "one"])
    assert inner.embedded == ["one", "two"]
    assert np.array_equal(first[[1, 0]], second)
    assert np.array_equal(first, await FakeEmbedder().embed(["one", "two", "one"]))


async def test_the_least_recently_used_text_is_evicted_first_when_the_bytes_are_too_many() -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner, capacity=2)
    one, two, three = ("one" * 240, "two" * 240, "thr" * 240)
    await cached.embed([one, two])
    await cached.embed([one, three])
    inner.embedded.clear()
    await cached.embed([one, three])
    assert inner.embedded == []
    await cached.embed([two])
    assert inner.embedded == [two]


async def test_no_texts_give_no_vectors() -> None:
    cached = CachedEmbedder(FakeEmbedder(), capacity=2)
    assert (await cached.embed([])).shape == (0, STAMP.dimensions)
    assert cached.stamp == STAMP


@pytest.mark.fault("D5")
async def test_damaged_vectors_are_not_cached() -> None:
    bad: list[Vectors] = [
        np.full((1, STAMP.dimensions), value, np.float32) for value in (np.nan, 0.0)
    ]
    bad.append(np.ones((1, STAMP.dimensions + 1), np.float32))

    class Recovering(FakeEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            return bad.pop() if bad else await super().embed(texts)

    cached = CachedEmbedder(Recovering(), capacity=2)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await cached.embed(["one"])
    assert np.array_equal(await cached.embed(["one"]), await FakeEmbedder().embed(["one"]))
