"""A measure of the question that no passage on its thing has is told."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.untold import list_untold
from tests.support.generation_fakes import passage


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Why are the sluices of the mill opened every hour?", ("every hour",)),
        ("Why are the sluices of the mill opened every ten minutes?", ()),
        ("Why do the sluices of the mill stay open for nine days?", ("nine days",)),
        ("Since the sluices of the mill are open for nine days, who shuts them?", ("nine days",)),
        ("How do I open the sluices of the mill for nine days?", ()),
    ],
)
def test_a_measure_that_no_passage_on_the_thing_has_is_told(
    question: str, told: tuple[str, ...]
) -> None:
    text = "The sluices of the mill are opened every 10 minutes, and stay open for two days."
    held = (
        passage(text, text),
        passage("Guests stay for nine days.", "Guests stay for nine days."),
    )
    assert list_untold(analyse_question(question), held) == told
