"""The title of a picture left among the sentences of a book is no answer to what a thing is, or how."""

import pytest

from tests.support.leads import lead_of

TITLE = "Gate Keeper Settings"
SAID = "Below the fence, one gate keeper watches all who come."
NAMED = "Ada Byron Lovelace"


@pytest.mark.parametrize(
    ("question", "title", "leads"),
    [
        ("What is a gate keeper?", TITLE, False),
        ("How do I watch a gate keeper?", TITLE, False),
        # Who asks for a name gets one, and a few words that say something may answer.
        ("Who is the gate keeper?", f"Gate Keeper {NAMED}", True),
        ("What is a gate keeper?", "Gate keeper watching everybody", True),
        ("What is a gate keeper?", "Whoever Watches Everybody", True),
    ],
)
def test_a_title_left_among_sentences_does_not_tell_what_a_thing_is(
    question: str, title: str, *, leads: bool
) -> None:
    pieces = ("The fence is green and long.", SAID, title)
    led = lead_of(question, pieces, (0.1, 0.4, 0.9), between="\n\n")
    assert led.endswith(title if leads else SAID)
