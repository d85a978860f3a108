"""A page is asked for by what its source calls it, and where it only counts it by its number."""

import pytest
from qdrant_client import QdrantClient, models

from libs.vectors.schema import Payload, Scope

CHUNKS: list[dict[str, object]] = [
    {Payload.PAGE: 1, Payload.END_PAGE: 2, Payload.PAGE_LABELS: ["i", "ii"]},
    {Payload.PAGE: 3, Payload.END_PAGE: 4, Payload.PAGE_LABELS: ["1", "2"]},
    {Payload.PAGE: 5, Payload.END_PAGE: 5, Payload.PAGE_LABELS: ["3"]},
    {Payload.PAGE: 2, Payload.END_PAGE: 3},
]


@pytest.mark.parametrize(
    ("page", "expected"),
    [("1", [1]), ("2", [1, 3]), ("3", [2, 3]), ("5", []), ("ii", [0]), ("II", [0]), ("v", [])],
)
def test_a_page_of_a_labelled_source_is_found_by_its_label(page: str, expected: list[int]) -> None:
    client = QdrantClient(":memory:")
    client.create_collection(
        "c", vectors_config=models.VectorParams(size=1, distance=models.Distance.DOT)
    )
    base = {Payload.BOOK: "b", Payload.BORN: 1, Payload.DIED: 9}
    points = [
        models.PointStruct(id=at, vector=[1.0], payload={**base, **chunk})
        for at, chunk in enumerate(CHUNKS)
    ]
    client.upsert("c", points)
    found, _ = client.scroll("c", scroll_filter=Scope("b", 1, page=page).to_filter())
    assert sorted(int(one.id) for one in found) == expected
