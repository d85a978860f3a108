"""An abbreviation stands for the words whose initials it is."""

import pytest

from libs.initials import spelled_out_in


@pytest.mark.parametrize(
    ("text", "phrase", "words"),
    [
        ("The arm has 7-DOF.", "degrees of freedom of the arm", {"degrees", "of", "freedom"}),
        ("LLM usage costs money.", "the language model calls", {"language", "model"}),
        ("Not an OS: it runs on one.", "an operating system", {"operating", "system"}),
        ("Two IMUs are fitted.", "inertial measurement unit", {"inertial", "measurement", "unit"}),
        # Not in capitals, or of other words.
        ("The dof is small.", "degrees of freedom", set()),
        ("The IMU is small.", "degrees of freedom", set()),
        ("It is small.", "", set()),
    ],
)
def test_an_abbreviation_stands_for_its_words(text: str, phrase: str, words: set[str]) -> None:
    assert spelled_out_in(text, phrase) == words


def test_an_abbreviation_may_have_to_be_the_whole() -> None:
    assert spelled_out_in("ROS runs.", "an operating system")
    assert not spelled_out_in("ROS runs.", "an operating system", whole=True)
