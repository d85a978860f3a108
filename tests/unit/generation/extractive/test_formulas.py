"""Who asks how a thing is calculated is led to its formula."""

import pytest

from tests.support.leads import lead_of

TOLD = "The flow rate is told by the gauge."
FORMULA = r"\text{Flow Rate} = \frac{\text{Volume}}{\text{Time}}"


@pytest.mark.parametrize(
    "question",
    [
        "What is the formula for the flow rate?",
        "How is the flow rate calculated?",
        "How do you calculate the flow rate?",
    ],
)
def test_the_formula_leads(question: str) -> None:
    worked = r"\text{Flow Rate} = \frac{6}{3} = 2"
    assert lead_of(question, (TOLD, worked, FORMULA), (0.9, 0.5, 0.2)) == FORMULA


def test_the_formula_of_another_thing_does_not() -> None:
    other = "Head = pressure / weight"
    assert lead_of("How is the flow rate calculated?", (TOLD, other), (0.9, 0.5)) == TOLD


def test_a_formula_unasked_leads_nothing() -> None:
    assert lead_of("What is the flow rate?", (TOLD, FORMULA), (0.9, 0.2)) == TOLD
