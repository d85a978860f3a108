"""Who asks how to do something is told by the sentence that begins with that, not by a last step."""

import pytest

from tests.support.leads import lead_of

LAST = "Press the seal, and the new ledger is opened."
TASK = "To open a new ledger, cut the string and number the leaves."


@pytest.mark.parametrize(
    ("language", "question", "pieces", "led"),
    [
        ("en", "How do I open a new ledger?", (LAST, "It is of calf.", TASK), TASK),
        ("en", "How do I open a new ledger?", (LAST, "It is of calf."), LAST),
        (
            "en",
            "How do I open a new ledger?",
            (LAST, "It is of calf.", "To bind a ledger, cut the string."),
            LAST,
        ),
        (
            "de",
            "Wie kann ich ein neues Heft anlegen?",
            (
                "Drücken Sie das Siegel, um ein neues Heft zu haben.",
                "Es ist aus Kalbsleder.",
                "Um ein neues Heft anzulegen, schneiden Sie die Schnur ab.",
            ),
            "Um ein neues Heft anzulegen, schneiden Sie die Schnur ab.",
        ),
    ],
)
def test_a_task_is_told_where_its_name_stands_before_what_to_do(
    language: str, question: str, pieces: tuple[str, ...], led: str
) -> None:
    nearness = (0.9, 0.1, 0.7)[: len(pieces)]
    assert lead_of(question, pieces, nearness, language, between="\n\n") == led


def test_a_task_that_is_far_less_likely_does_not_lead() -> None:
    asked = "How do I open a new ledger?"
    assert lead_of(asked, (LAST, "It is of calf.", TASK), (0.9, 0.1, 0.3), between="\n\n") == LAST
