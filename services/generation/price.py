"""A model's name and its tokens in; what they cost in US dollars out."""

from services.generation.model import Usage

_PER_MILLION = {
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4-turbo": (10.0, 30.0),
    "claude-sonnet-4-5": (3.0, 15.0),
}
"""US dollars for a million tokens given and written, of the models that profiles name."""


def cost_usd(model: str, usage: Usage, own: tuple[float, float] = (0.0, 0.0)) -> float:
    """Return the cost, 0.0 for a model whose price is not known; `own` prices go before ours."""
    known = next((price for name, price in _PER_MILLION.items() if model.startswith(name)), own)
    given, written = own if any(own) else known
    return (given * usage.input_tokens + written * usage.output_tokens) / 1_000_000
