"""What an answer of a known model costs."""

import pytest

from services.generation.language_model.pricing import cost_usd
from services.generation.transcript import Usage

MILLION = Usage(1_000_000, 1_000_000)


def test_known_models_have_their_price() -> None:
    assert cost_usd("gpt-4o-mini", MILLION) == pytest.approx(0.75)
    assert cost_usd("gpt-4o-mini-2024-07-18", Usage(1000, 0)) == pytest.approx(0.00015)


def test_a_cost_that_is_not_known_is_none() -> None:
    assert cost_usd("smollm2", MILLION) is None
    assert cost_usd("gpt-4o-mini", Usage()) is None
