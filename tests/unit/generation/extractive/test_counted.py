"""What counts the very things that are asked for leads, if it is about as likely as the best."""

import pytest

from tests.support.leads import lead_of

BANK = "Your vacation goes over to the next year with a bank of 27 days."
DAYS = "The mill gives 20 days of vacation and more to those who stay."


@pytest.mark.parametrize(
    ("nearness", "led"),
    [((0.9, 0.8), DAYS), ((0.9, 0.2), BANK)],
)
def test_a_number_right_before_what_is_counted_leads(
    nearness: tuple[float, float], led: str
) -> None:
    pieces = (f"- {BANK}", f"- {DAYS}")
    assert lead_of("How many days of vacation are there?", pieces, nearness) == f"- {led}"
