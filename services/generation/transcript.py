"""What went to a language model, what came back, and what it took."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Tokens that a language model was given and wrote, as its server counts them; 0 is not known.

    `thinking_tokens` are those of `output_tokens` that are no part of the text.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.thinking_tokens + other.thinking_tokens,
        )


NO_USAGE = Usage()


@dataclass
class Transcript:
    """What went to a language model and what came back, for the audit log; `model` is its name.

    `provider` is whose API it is, in the words of OpenTelemetry.
    """

    prompt: str = ""
    response: str = ""
    model: str = ""
    provider: str = ""
    usage: Usage = NO_USAGE

    def after(self, earlier: "Transcript") -> "Transcript":
        """Return both exchanges as one, `earlier` first, when there was one."""
        if not earlier.model:
            return self
        return Transcript(
            f"{earlier.prompt}\n{self.prompt}".rstrip(),
            f"{earlier.response}\n{self.response}".rstrip(),
            self.model or earlier.model,
            self.provider or earlier.provider,
            self.usage + earlier.usage,
        )


@dataclass(frozen=True)
class Judgement:
    """How likely a statement is supported, in [0, 1], and what a language model took to say so."""

    probability: float
    model: str = ""
    usage: Usage = NO_USAGE


@dataclass(frozen=True)
class ModelUse:
    """What a language model was given and wrote; the cost is in US dollars, None when not known."""

    model: str
    usage: Usage
    cost_usd: float | None = None
