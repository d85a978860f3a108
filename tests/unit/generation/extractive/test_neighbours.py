"""The sentence beside the likeliest leads with it, unless that says all that is asked."""

import pytest

from tests.support.leads import lead_of

MADE = "In 1887 Frank Orr invented the cable ferry, which is drawn by oxen."
RAN = "The cable ferry ran by night."


@pytest.mark.parametrize(
    ("question", "led"),
    [
        ("Who invented the cable ferry?", MADE),
        ("When was the cable ferry invented?", MADE),
        ("By what is the cable ferry drawn?", f"{MADE} {RAN}"),
    ],
)
def test_a_sentence_with_all_words_and_the_value_leads_alone(question: str, led: str) -> None:
    assert lead_of(question, (MADE, RAN), (0.9, 0.7), between=" ") == led
