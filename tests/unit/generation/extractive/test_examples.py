"""Who asks for an example is led to one, and not to what the thing is."""

import pytest

from tests.support.leads import lead_of

DEFINED = "A weir is a low wall across a river."


@pytest.mark.parametrize(
    ("question", "pieces", "shown"),
    [
        (
            "Give an example of a weir.",
            (DEFINED, "For example, the weir at Marl is two metres high."),
            "For example, the weir at Marl is two metres high.",
        ),
        (
            "What is an example of weak induction?",
            ("Weak induction is of few cases.", '- Weak induction: "Two were polite, so all are."'),
            '- Weak induction: "Two were polite, so all are."',
        ),
        (
            "Give me an example of a weir.",
            ("Work | Height | Example", "Weir | low | Marl", "Dam | high | Orr"),
            "Weir | low | Marl",
        ),
    ],
)
def test_an_example_leads(question: str, pieces: tuple[str, ...], shown: str) -> None:
    nearness = [0.9, *[0.2] * (len(pieces) - 1)]
    assert lead_of(question, pieces, nearness) == shown


def test_a_list_below_that_word_goes_before_a_bracket() -> None:
    pieces = ("- Some hold back floods (at Orr, for example)", "Examples:", "- The wall at Marl")
    shown = lead_of("Give an example of a weir.", pieces, (0.9, 0.2, 0.2), titles=("Book", "Weirs"))
    assert shown == "Examples:\n- The wall at Marl"


def test_an_example_of_another_thing_does_not() -> None:
    pieces = (DEFINED, "For example, the dam at Orr is high.")
    assert lead_of("Give an example of a weir.", pieces, (0.9, 0.2)) == DEFINED
