"""Which chunks are known without being read, on a clock that the tests move."""

import pytest

from services.retrieval.adapters.chunk_cache import KEPT_S, ChunkCache, size_of
from services.retrieval.model import FoundChunk
from tests.support.retrieval_fakes import make_chunk


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


ONE, OTHER = make_chunk("one"), make_chunk("other")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(clock: Clock) -> ChunkCache:
    kept = ChunkCache(capacity=size_of(ONE) + size_of(OTHER), clock=clock)
    kept.add({"a": ONE, "b": OTHER}, {"a": 1, "b": 2, "never read": 3})
    return kept


def test_a_chunk_is_cached_by_its_points_id_and_version(kept: ChunkCache) -> None:
    assert kept.find({"a": 1, "b": 2, "c": 3}) == {"a": ONE, "b": OTHER}


def test_a_rewritten_point_is_not_served_from_the_cache(kept: ChunkCache) -> None:
    assert kept.find({"a": 2, "b": 2}) == {"b": OTHER}


def test_an_old_chunk_expires(kept: ChunkCache, clock: Clock) -> None:
    clock.now = KEPT_S
    assert kept.find({"a": 1}) == {}


def test_the_least_recently_used_chunk_is_evicted_first(kept: ChunkCache) -> None:
    kept.find({"a": 1})
    kept.add({"c": OTHER}, {"c": 1})
    assert kept.find({"a": 1, "b": 2, "c": 1}).keys() == {"a", "c"}


def test_large_chunks_are_fewer_and_what_is_rewritten_counts_once(clock: Clock) -> None:
    large = make_chunk("word " * 2000)
    kept = ChunkCache(capacity=3 * size_of(large), clock=clock)
    for version in range(5):
        kept.add({"same": large}, {"same": version})
    kept.add(dict.fromkeys("abc", large), dict.fromkeys("abc", 1))
    assert kept.find({"same": 4, **dict.fromkeys("abc", 1)}).keys() == {"a", "b", "c"}
    found = FoundChunk(large.terms, lambda: large)
    assert size_of(ONE) < size_of(found)
