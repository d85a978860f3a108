"""Which chunks are known without being read, on a clock that the tests move."""

import pytest

from services.retrieval.adapters.kept_chunks import KEPT_S, KeptChunks
from tests.support.retrieval_fakes import make_chunk


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


ONE, OTHER = make_chunk("one"), make_chunk("other")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def kept(clock):
    kept = KeptChunks(capacity=2, clock=clock)
    kept.add({"a": ONE, "b": OTHER}, {"a": 1, "b": 2, "never read": 3})
    return kept


def test_a_chunk_is_known_by_its_points_id_and_version(kept):
    assert kept.find({"a": 1, "b": 2, "c": 3}) == {"a": ONE, "b": OTHER}


def test_a_point_that_was_written_since_is_not_known(kept):
    assert kept.find({"a": 2, "b": 2}) == {"b": OTHER}


def test_what_is_old_is_forgotten(kept, clock):
    clock.now = KEPT_S
    assert kept.find({"a": 1}) == {}


def test_the_one_that_was_used_longest_ago_makes_room(kept):
    kept.find({"a": 1})
    kept.add({"c": OTHER}, {"c": 1})
    assert kept.find({"a": 1, "b": 2, "c": 1}).keys() == {"a", "c"}
