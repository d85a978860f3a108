"""Stage: a question that leans on the conversation in, one that can be searched alone out, by a model.

What the model writes is shown as what was searched for, so it may only order words of the conversation.
"""

from libs.budget import Budget, stages
from libs.errors import QuothError
from libs.text import collapse_space, terms
from services.generation.model import FollowUp, Transcript
from services.generation.ports import Rephraser

BY_RULES = "rephrase: by rules"

LEAST_S = 0.3
"""Seconds that must be left for a model to be worth asking."""

_LONGEST = 300
"""Characters of a question; what is longer is no question, or holds an answer."""


async def rephrase_question(
    asked: FollowUp, rephraser: Rephraser, transcript: Transcript, budget: Budget
) -> str:
    """Return the question made whole; "" when the model fails, is late or brings words of its own."""
    if budget.allowance_s(stages.REPHRASE) < LEAST_S:
        return ""
    try:
        async with budget.stage(stages.REPHRASE) as allowed_s:
            written = await rephraser.rephrase(asked, transcript, allowed_s)
    except QuothError:
        return ""
    whole = collapse_space(written)
    return whole if is_faithful(whole, asked) else ""


def is_faithful(whole: str, asked: FollowUp) -> bool:
    """Whether `whole` names what was asked for, in words that the conversation has."""
    if not 0 < len(whole) <= _LONGEST:
        return False
    said, known = set(terms(whole)), set(terms(asked.question.text))
    known.update(*(terms(message.content) for message in asked.question.history))
    return bool(said) and asked.named <= said <= known
