"""Amounts of money are read with the money before or behind them, in each language's words."""

import pytest

from services.generation.premise.amounts import amounts


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "It costs £40, or £3.50 off.", [(40.0, "gbp"), (3.5, "gbp")]),
        ("en", "Rs. 60 or ₹ 1,500 or 25 rupees", [(60.0, "inr"), (1500.0, "inr"), (25.0, "inr")]),
        ("en", "$ 3 million and $20k", [(3e6, "usd"), (2e4, "usd")]),
        ("en", "3 million dollars", [(3e6, "usd")]),
        ("de", "2.500 Franken und 3,50 €", [(2500.0, "chf"), (3.5, "eur")]),
        ("de", "3 Millionen Euro", [(3e6, "eur")]),
        ("es", "3 millones de euros", [(3e6, "eur")]),
        ("fr", "12 000 francs", [(12000.0, "chf")]),
        ("pt", "R$ 15,90", [(15.9, "brl")]),
        ("ru", "200 рублей", [(200.0, "rub")]),
        ("en", "40 kg, version $1x, 12 francophones", []),
    ],
)
def test_an_amount_is_read_with_its_money(
    language: str, text: str, found: list[tuple[float, str]]
) -> None:
    assert [(one.value, one.money) for one in amounts(text, language)] == found
