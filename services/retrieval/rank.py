"""Stage: passages in falling order in, the ones to return and the titles nearest by out."""

from collections.abc import Sequence

from services.retrieval.model import Chunk, Passage

MAX_SHARED = 0.5
"""Two passages that share more than this part of the shorter one say the same."""

RELATED_SECTIONS = 3


def rank_passages(passages: Sequence[Passage], limit: int) -> list[Passage]:
    """Return the `limit` best, without those that mostly repeat a better one."""
    best: list[Passage] = []
    for passage in passages:
        if len(best) == limit:
            break
        if all(shared_part(passage.chunk, other.chunk) <= MAX_SHARED for other in best):
            best.append(passage)
    return best


def shared_part(one: Chunk, other: Chunk) -> float:
    """Return the part of the shorter chunk that lies in the longer one too, in [0, 1]."""
    if one.document != other.document:
        return 0.0
    shared = min(one.end, other.end) - max(one.start, other.start)
    return max(0, shared) / min(one.end - one.start, other.end - other.start)


def name_related_sections(passages: Sequence[Passage]) -> list[str]:
    """Return the distinct titles of the innermost sections, nearest first, at most three.

    Titles of whole documents come only when there are too few others: they tell a reader less.
    """
    paths = [passage.chunk.section_path for passage in passages]
    inner = [path[-1] for path in paths if len(path) > 1]
    outer = [path[-1] for path in paths if len(path) == 1]
    return list(dict.fromkeys(inner + outer))[:RELATED_SECTIONS]
