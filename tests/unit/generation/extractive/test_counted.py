"""What counts the very things that are asked for leads, if it is about as likely as the best."""

import pytest

from tests.support.leads import lead_of

BANK = "Your vacation goes over to the next year with a bank of 27 days."
DAYS = "The mill gives 20 days of vacation and more to those who stay."


@pytest.mark.parametrize("number", ["20", "twenty"])
@pytest.mark.parametrize(("nearness", "is_led"), [(0.8, True), (0.7, False)])
def test_a_number_right_before_what_is_counted_leads(
    number: str, nearness: float, is_led: bool
) -> None:
    pieces = (f"- {BANK}", f"- {DAYS.replace('20', number)}")
    led = lead_of("How many days of vacation are there?", pieces, (0.9, nearness))
    assert led == pieces[is_led]
