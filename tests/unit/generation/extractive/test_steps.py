"""All steps of what is to be done lead."""

import pytest

from tests.support.leads import lead_of

FITTED = (
    "- Drill a hole of 8 mm into the pipe.",
    "- Push the probe in until its tip is in the middle.",
    "- Tighten the nut.",
)


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("How do I fit the probe?", FITTED),
        # The title may say it in another word.
        ("How do I install the probe?", FITTED),
        ("How do I clean the probe?", FITTED[1:2]),
    ],
)
def test_all_steps_lead_whose_title_says_what_is_to_be_done(
    asked: str, led: tuple[str, ...]
) -> None:
    titles = ("Manual", "3.1 Fitting the probe")
    assert lead_of(asked, FITTED, (0.2, 0.9, 0.1), titles=titles) == "\n".join(led)
