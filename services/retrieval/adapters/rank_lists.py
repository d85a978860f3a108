"""Read the lists that Qdrant answers a hybrid query with, and make candidates of their points."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import itemgetter

from libs.vectors.qdrant import grpc as grpc_models
from services.retrieval.model import Candidate, Chunk, FoundChunk, PointVersion

_BY_CHANCE = 0.1
"""So large a part of a list may be left out for being equal to what is behind it."""

_LISTS = 4
"""Lists that a question of any term is answered with."""

Row = tuple[float, str, grpc_models.ScoredPoint]
"""A point with its score below 0 and its id in front, in which order they are sorted."""


def lists_of(
    answers: Iterable[grpc_models.BatchResult], sizes: Iterable[int], limit: int
) -> list[list[list[Row]]]:
    """Return the lists of each question, those of its best chunks cut to `limit`."""
    rest = iter(answers)
    searches = [[_rows(found) for found in islice(rest, size)] for size in sizes]
    for lists in searches:
        lists[::2] = [_cut(rows, limit) for rows in lists[::2]]
    return searches


def points_of(searches: Sequence[Sequence[list[Row]]]) -> dict[str, grpc_models.ScoredPoint]:
    """Return the points among the best of a list, by their ids."""
    wanted = {row[1] for lists in searches for rows in lists[::2] for row in rows}
    return {
        point_id: point
        for lists in searches
        for rows in (*lists[:1], *lists[2:])
        for _, point_id, point in rows
        if point_id in wanted
    }


def _rows(found: grpc_models.BatchResult) -> list[Row]:
    # Equal scores come in any order, which differs from engine to engine. Each field is read once:
    # reading one takes as long as all else that is done with it.
    return sorted([(-point.score, point.id.uuid, point) for point in found.result])


def _cut(rows: list[Row], limit: int) -> list[Row]:
    """Return at most `limit` rows, and none that the store chose by chance among equal ones.

    Which of those that share the last place it gives depends on how its points came in. They are left
    out, unless that would be many.
    """
    if len(rows) <= limit:
        return rows
    above = bisect_left(rows, rows[limit][0], key=itemgetter(0))
    return rows[: above if limit - above <= _BY_CHANCE * limit else limit]


def unite(
    lists: Sequence[Sequence[Row]],
    versions: Mapping[str, int],
    chunks: Mapping[str, Chunk | FoundChunk],
    book: str,
) -> list[Candidate]:
    nearest, nearest_by_bm25, matching, matching_by_dense = (
        {point_id: -below for below, point_id, _ in rows}
        for rows in (*lists, *([()] * (_LISTS - len(lists))))
    )
    dense = matching_by_dense | nearest
    bm25 = nearest_by_bm25 | matching
    dense_rank = {point_id: rank for rank, point_id in enumerate(nearest, 1)}
    bm25_rank = {point_id: rank for rank, point_id in enumerate(matching, 1)}
    return [
        Candidate(
            chunks[point_id],
            dense[point_id],
            bm25.get(point_id, 0.0),
            dense_rank.get(point_id, 0),
            bm25_rank.get(point_id, 0),
            PointVersion(point_id, versions[point_id], book),
        )
        for point_id in nearest | matching
        # A point that went away meanwhile has no cosine, or no chunk.
        if point_id in dense and point_id in chunks
    ]
