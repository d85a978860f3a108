"""A relation that is said the other way round does not lead."""

import pytest

from tests.support.leads import lead_of

REPORTS = ["The captain reports directly to the boatman.", "The boatman reports to the committee."]
CAUSES = ["Salt causes rust.", "Rust causes leaks."]
PASSIVE = ["Leaks are caused by rust.", "Rust is caused by salt."]


@pytest.mark.parametrize(
    ("question", "pieces", "led"),
    [
        ("Who does the boatman report to?", REPORTS, 1),
        ("To whom does the boatman report?", REPORTS, 1),
        ("Who reports to the boatman?", REPORTS[::-1], 1),
        ("What does rust cause?", CAUSES, 1),
        ("What can cause rust?", CAUSES[::-1], 1),
        ("What causes rust?", PASSIVE, 1),
        ("What does rust cause?", PASSIVE[::-1], 1),
        ("Which valve does the lever open?", ["The lever opens the gate valve.", "It is red."], 0),
        ("What areas does the screen have?", ["The screen has three areas.", "It is flat."], 0),
        # One sentence may say both ways, and the only one is better than none.
        ("What does rust cause?", ["Salt causes rust, and rust causes leaks.", "Rust is red."], 0),
        ("What does rust cause?", ["Salt causes rust."], 0),
    ],
)
def test_the_thing_stands_on_the_side_that_is_asked_for(
    question: str, pieces: list[str], led: int
) -> None:
    assert lead_of(question, pieces, [0.9, 0.8][: len(pieces)]) == pieces[led]
