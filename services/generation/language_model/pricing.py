"""What the tokens of a language model cost, in US dollars."""

from services.generation.transcript import Usage

_PER_MILLION = {
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4-turbo": (10.0, 30.0),
    "claude-sonnet-4-5": (3.0, 15.0),
    "claude-sonnet-4-6": (3.0, 15.0),
}
"""US dollars for a million tokens given and written, of the models that profiles name or named."""


def cost_usd(model: str, usage: Usage) -> float:
    """Return the cost, 0.0 for a model whose price is not known."""
    prices = (price for name, price in _PER_MILLION.items() if model.startswith(name))
    given, written = next(prices, (0.0, 0.0))
    return (given * usage.input_tokens + written * usage.output_tokens) / 1_000_000
