"""What was said before is not contradicted."""

import pytest

from services.generation.checks.consistency import is_consistent


@pytest.mark.parametrize(
    ("sentence", "earlier", "consistent"),
    [
        ("The motor weighs 5 kg.", "The motor weighs 7 kg.", False),
        ("The motor is fast.", "The motor is not fast.", False),
        ("The motor is faster than the pump.", "The motor is slower than the pump.", False),
        ("The motor weighs 5 kg.", "The pump of the left leg weighs 7 kg.", True),
        ("The motor weighs 5 kg.", "The motor weighs 5 kg.", True),
        ("The left arrow moves the list.", "The right arrow moves the list.", True),
    ],
)
def test_sentences_that_contradict_each_other_are_told(
    sentence: str, earlier: str, consistent: bool
) -> None:
    assert is_consistent(sentence, [earlier]) is consistent
