"""What the tokens of a language model cost, in US dollars."""

from services.generation.transcript import Usage

_PER_MILLION = {
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4-turbo": (10.0, 30.0),
    "claude-sonnet-4-5": (3.0, 15.0),
    "claude-sonnet-4-6": (3.0, 15.0),
}
"""US dollars for a million tokens given and written, of the models that profiles name or named."""


def cost_usd(model: str, usage: Usage) -> float | None:
    """Return the cost; None where the price of the model, or how many tokens it took, is not known."""
    prices = (price for name, price in _PER_MILLION.items() if model.startswith(name))
    price = next(prices, None)
    if price is None or not (usage.input_tokens or usage.output_tokens):
        return None
    given, written = price
    return (given * usage.input_tokens + written * usage.output_tokens) / 1_000_000
