"""Have a draft written, sentence by sentence, within the stage's allowance."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from libs.budget import Budget, stages
from services.generation.model import DraftSentence, Prompt
from services.generation.ports import Answerer
from services.generation.transcript import Transcript

MAX_SENTENCES = 60
"""A draft is cut off here: an answer is a few sentences, and a model may never stop."""


async def complete_draft(
    answerer: Answerer, prompt: Prompt, transcript: Transcript, budget: Budget
) -> AsyncGenerator[DraftSentence, None]:
    """Yield the sentences of a draft; only the waiting for the answerer counts as this stage.

    Raises DeadlineExceeded when the stage's allowance is used up, and what the answerer raises.
    """
    writing = answerer.write(prompt, transcript, budget.allowance_s(stages.COMPLETE))
    async with aclosing(writing) as draft:
        for _ in range(MAX_SENTENCES):
            async with budget.stage(stages.COMPLETE):
                sentence = await anext(draft, None)
            if sentence is None:
                return
            yield sentence
