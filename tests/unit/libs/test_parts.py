"""In which part of a collection a book is: one, and the same for whoever asks."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from qdrant_client import grpc as q

from libs.vectors.parts import KEPT_S, Parts, count_parts, in_part, part_names, part_of


def test_a_book_is_in_one_part_wherever_it_is_looked_up() -> None:
    # What is written stays where it is: another way to choose would not find it.
    assert [part_of(book, 6) for book in ("physical-ai", "servos", "日本")] == [
        "2 of 6",
        "5 of 6",
        "3 of 6",
    ]
    assert part_of("physical-ai", 0) is None


def test_books_are_spread_over_all_parts() -> None:
    held = Counter(part_of(f"book-{number}", 6) for number in range(6000))
    assert sorted(filter(None, held)) == part_names(6)
    assert max(held.values()) < 1.2 * min(held.values())


@pytest.mark.parametrize("names", [["2 of 6"], ["6 of 6", "1 of 6"], part_names(6)])
def test_each_name_says_how_many_there_are(names: list[str]) -> None:
    assert count_parts(names) == 6


@pytest.mark.parametrize("names", [[], ["tenant"], ["a of b"], ["", "7"]])
def test_keys_of_others_are_no_parts(names: list[str]) -> None:
    assert count_parts(names) == 0


def test_a_message_is_limited_to_a_part_or_to_nothing() -> None:
    selector = in_part("2 of 6")
    assert selector is not None
    assert [key.keyword for key in selector.shard_keys] == ["2 of 6"]
    assert in_part(None) is None


class Store:
    """A store whose collections have these keys; it counts how often it is asked."""

    def __init__(self, keys: list[str]) -> None:
        self.keys, self.asked = keys, 0
        self.grpc_collections = SimpleNamespace(ListShardKeys=self._list)

    async def _list(self, _request: Any, **_options: Any) -> q.ListShardKeysResponse:
        self.asked += 1
        described = [q.ShardKeyDescription(key=q.ShardKey(keyword=key)) for key in self.keys]
        return q.ListShardKeysResponse(shard_keys=described)


async def test_the_store_is_asked_once_a_minute_for_each_collection() -> None:
    store: Any = Store(part_names(3))
    now = [0.0]
    parts = Parts(store, clock=lambda: now[0])
    assert not parts.knows("a")
    first = [await parts.of_book("a", f"book-{number}", 1) for number in range(9)]
    assert parts.knows("a")
    assert (store.asked, set(first)) == (1, set(part_names(3)))
    await parts.of_book("b", "book", 1)
    assert store.asked == 2
    store.keys, now[0] = [], KEPT_S
    assert not parts.knows("a")
    assert await parts.of_book("a", "book", 1) is None
    assert store.asked == 3
