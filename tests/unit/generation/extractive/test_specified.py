"""What a book tells whoever draws its pictures answers no reader, unless he asks for a picture."""

import pytest

from tests.support.leads import lead_of

TITLES = ("Book", "Flow", "Diagram: Flow Gauge")
SPECIFIED = "Behavior: The slider sets the flow of the gauge."


@pytest.mark.parametrize("told", ["Flow falls with height.", "Flow | falls"])
def test_prose_and_rows_below_it_lead(told: str) -> None:
    pieces = (SPECIFIED, "- Red: high flow of the gauge", told)
    nearness = (0.9, 0.8, 0.2)
    shown = lead_of("How does the flow fall?", pieces, nearness, titles=TITLES, between="\n\n")
    assert shown == told


def test_the_picture_leads_where_it_is_asked_for() -> None:
    pieces = (SPECIFIED, "Flow falls with height.")
    question = "What does the slider of the diagram set?"
    assert lead_of(question, pieces, (0.9, 0.2), titles=TITLES) == SPECIFIED


def test_the_same_below_another_title_leads() -> None:
    pieces = (SPECIFIED, "Flow falls with height.")
    titles = ("Book", "Flow", "The gauge")
    assert lead_of("What sets the flow?", pieces, (0.9, 0.2), titles=titles) == SPECIFIED
