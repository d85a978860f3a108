"""Ask a language model one built-in question: `quoth model check`."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass

from deploy.rest_client.client import Json
from libs.budget.stages import COMPLETE
from libs.errors import QuothError
from libs.profiles import load_profile
from libs.question.analyse import QuestionAnalysis
from services.generation.adapters.models.anthropic_answerer import AnthropicAnswerer
from services.generation.adapters.models.openai_answerer import OpenAIAnswerer
from services.generation.bootstrap import ANTHROPIC_URL
from services.generation.language_model.pricing import cost_usd
from services.generation.model import BlockKind, DraftSentence, Locator, Passage, Prompt, Span
from services.generation.settings import Settings
from services.generation.transcript import Transcript

PATIENCE_S = 30.0
"""A check waits longer than an answer may: a model that is too slow is told by how much."""

_TEXT = (
    "The brass key opens the north gate of the garden. The gate is closed at nine in the evening."
)
_QUESTION = "Which key opens the north gate?"
_REASONS = {
    "AuthenticationError": "the key is refused: set GENERATION_MODEL_KEY, OPENAI_API_KEY or "
    "ANTHROPIC_API_KEY",
    "PermissionDeniedError": "the key may not use this model",
    "NotFoundError": "there is no such model, or the URL lacks its /v1",
    "APIConnectionError": "nothing answers at the URL",
    "APITimeoutError": f"no answer in {PATIENCE_S:.0f} s",
    "RateLimitError": "the provider takes no more requests now",
}


@dataclass(frozen=True)
class ModelCheck:
    """What the built-in question came to; `error` is "" when the model can be used."""

    model: str
    error: str = ""
    took_s: float = 0.0
    structured: bool = False
    quotes: int = 0
    cost_usd: float | None = None

    @property
    def in_time(self) -> bool:
        return self.took_s <= COMPLETE.cap_s

    def to_json(self) -> Json:
        return {**vars(self), "in_time": self.in_time, "cap_s": COMPLETE.cap_s}

    def describe(self) -> list[str]:
        """Return one line for each thing that was looked at."""
        if self.error:
            return [f"! {self.model}: {self.error}."]
        speed = "in time" if self.in_time else "too slow: it is cut off there"
        structure = "as asked" if self.structured else "not offered; lines are read instead"
        price = (
            f"${self.cost_usd:.6f} for this question" if self.cost_usd is not None else "not known"
        )
        quoted = "exact quote given" if self.quotes else "no quote given: nothing could be shown"
        return [
            f"✓ {self.model} answers.",
            f"Speed: {self.took_s:.2f} s of {COMPLETE.cap_s} s, {speed}.",
            f"Structured output: {structure}.",
            f"Proof: {quoted}.",
            f"Price: {price}.",
        ]


def check_model(settings: Settings) -> ModelCheck:
    return asyncio.run(ask_model(settings))


async def ask_model(settings: Settings) -> ModelCheck:
    """Ask the model of `settings` one question about a passage of two sentences."""
    answerer = _open(settings)
    passage = _passage()
    prompt = Prompt(QuestionAnalysis(_QUESTION), (passage,), load_profile("").generation)
    transcript, drafted = Transcript(), list[DraftSentence]()
    began = time.monotonic()
    try:
        async with aclosing(answerer.write(prompt, transcript, PATIENCE_S)) as sentences:
            async for sentence in sentences:
                drafted.append(sentence)
    except QuothError as error:
        reason = _REASONS.get(type(error.__cause__).__name__, error.message.rstrip("."))
        return ModelCheck(settings.model or transcript.model, reason)
    finally:
        await answerer.close()
    quotes = [claim.quote for sentence in drafted for claim in sentence.claims]
    return ModelCheck(
        transcript.model,
        took_s=round(time.monotonic() - began, 3),
        structured=transcript.response.lstrip().startswith("{"),
        quotes=sum(bool(quote) and quote in _TEXT for quote in quotes),
        cost_usd=cost_usd(transcript.model, transcript.usage),
    )


def _open(settings: Settings) -> OpenAIAnswerer | AnthropicAnswerer:
    if settings.answerer == "anthropic":
        return AnthropicAnswerer(
            url=settings.model_url or ANTHROPIC_URL,
            key=settings.model_key or settings.anthropic_key,
            model=settings.model,
        )
    return OpenAIAnswerer(
        url=settings.model_url or settings.openai_url,
        key=settings.model_key or settings.openai_key,
        model=settings.model,
    )


def _passage() -> Passage:
    place = Locator("garden.md", 0, len(_TEXT), ("The garden", "Gates"))
    end = _TEXT.index(" The gate")
    spans = (
        Span(0, end, BlockKind.PARAGRAPH),
        Span(end + 1, len(_TEXT), BlockKind.PARAGRAPH),
    )
    return Passage("check", place, _TEXT, spans)
