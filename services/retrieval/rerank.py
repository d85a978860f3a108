"""Order passages by a model that reads the question and each of them together."""

from collections.abc import Sequence

from libs.budget import Budget, stages
from libs.errors import DeadlineExceeded, InvalidInput, Unavailable
from services.retrieval.model import Chunk, Passage
from services.retrieval.ports import Reranker

LEFT_OUT = "rerank: fused order kept"

LEAST_S = 0.1
"""Seconds that must be left for a call to the model to be worth its price."""

MOST = 100
"""Passages a model is given; providers bill by so many. What is behind them stays behind them."""


async def rerank_passages(
    question: str, passages: Sequence[Passage], reranker: Reranker | None, budget: Budget
) -> tuple[Sequence[Passage], tuple[str, ...]]:
    """Return the passages, and what was left out: when the model fails or is late, their order stays.

    Scores stay as they are. Raises InvalidInput when there is no model to ask.
    """
    if reranker is None:
        raise InvalidInput("This profile reranks by a model; set RETRIEVAL_RERANKER_KEY first.")
    first = passages[:MOST]
    if len(first) < 2:
        return passages, ()
    if budget.allowance_s(stages.RERANK) < LEAST_S:
        return passages, (LEFT_OUT,)
    try:
        async with budget.stage(stages.RERANK):
            ratings = await reranker.rate(question, [_shown(passage.chunk) for passage in first])
    except (Unavailable, DeadlineExceeded):
        return passages, (LEFT_OUT,)
    best = sorted(range(len(first)), key=lambda place: (-ratings[place], place))
    return [*(first[place] for place in best), *passages[MOST:]], ()


def _shown(chunk: Chunk) -> str:
    return "\n".join((" > ".join(chunk.section_path), chunk.text))
