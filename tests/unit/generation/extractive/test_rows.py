"""Of a table that would lead whole, the rows lead that the question asks of."""

import pytest

from tests.support.leads import lead_places_of

FROGS = (
    "Species | Band | Heard | Cleaned",
    "Moor frog | 400 Hz | March | every 3 weeks",
    "Common toad | 500 Hz | March | yearly",
    "Tree frog | 900 Hz | May | weekly",
)
MACHINES = (
    "Machine | Room | Induction needed | Fee",
    "Lathe | 2 | yes | £3",
    "Scroll saw | 1 | no | free",
    "Drill | 1 | no | £1",
)
KEYS = (
    "Key | Function",
    "Power | Switches it on",
    "Clock | Starts the timer",
    "Clock and Drop | Sets it back to what it was when it left the factory",
)
DEVICES = ("| Ember 300 | Ember 500", "Power | 4 W | 9 W", "Weight | 320 g | 780 g")


@pytest.mark.parametrize(
    ("question", "pieces", "rows"),
    [
        ("Which bands do moor frogs use?", FROGS, (1,)),
        ("Which species are heard in March?", FROGS, (1, 2)),
        # A cell of more words tells more.
        ("Which species are cleaned every 3 weeks?", FROGS, (1,)),
        # What is denied has a no in its column, and what is affirmed a yes.
        ("Which machines need no induction?", MACHINES, (2, 3)),
        ("Which machines can be used without an induction?", MACHINES, (2, 3)),
        ("Which machines need an induction?", MACHINES, (1,)),
        ("Which machines are there?", MACHINES, (1, 2, 3)),
        # Some words of the question are those of one row, and not of the header.
        ("Which keys reset it to factory settings?", KEYS, (3,)),
        ("How do the Ember 300 and the Ember 500 differ in power?", DEVICES, (1,)),
        ("How do the Ember 300 and the Ember 500 differ?", DEVICES, (1, 2)),
    ],
)
def test_the_rows_lead_that_are_asked_of(
    question: str, pieces: tuple[str, ...], rows: tuple[int, ...]
) -> None:
    nearness = (0.1, *[0.9] * (len(pieces) - 1))
    assert lead_places_of(question, pieces, nearness) == [pieces[at] for at in rows]
