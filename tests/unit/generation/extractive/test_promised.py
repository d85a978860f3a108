"""A lead that says what follows is shown with it, and one that tells a way with the command for it."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import Locator, Passage, PassageScores, SentenceRole
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, lead_places_of, passage_of

FOLLOWING = ("The zone of a clock is set by the following.", "$ setzone Oslo", "$ restart clock")
KERNEL = (
    "You can remove the kernels that you do not need.",
    "They take up room.",
    "To do so, use this command:",
    "$ purge kernel-5",
)
STATES = ("Below are the states with paid leave.", "- Oregon", "- Maine", "Other text stands here.")
SIGNS = (
    "Doctors know the following signs of drift.",
    "Ask one if you see any.",
    "- Rust",
    "- Dust",
)
TOLD = (
    "Doctors know the following sign of drift: rust.",
    "Ask one if you see any.",
    "- Tea",
    "- Milk",
)
AFTER = ("Doctors know signs of drift, following the rain.", "They ask.", "- Tea", "- Milk")
OPEN = ("To learn the zone of a clock, execute the command", "$ zone --show")

PLAIN = ("The zone is set by you.", "$ date")


@pytest.mark.parametrize(
    ("question", "pieces", "between", "last"),
    [
        ("How can I learn the zone of a clock?", OPEN, "\n", OPEN[-1]),
        ("How do I set the zone of a clock?", FOLLOWING, "\n", FOLLOWING[-1]),
        ("Which states have paid leave?", STATES, "\n", STATES[2]),
        # The command that the paragraph leads to answers how, and not what only is.
        ("How can I remove kernels that I do not need?", KERNEL, " ", KERNEL[-1]),
        ("May I remove kernels that I do not need?", KERNEL, " ", KERNEL[0]),
        # Nothing is announced.
        (
            "How is the zone set?",
            ("The zone is set by you.", "$ date"),
            "\n",
            "The zone is set by you.",
        ),
    ],
)
def test_a_lead_is_shown_with_what_it_promises(
    question: str, pieces: tuple[str, ...], between: str, last: str
) -> None:
    nearness = (0.9, *[0.1] * (len(pieces) - 1))
    led = "\n".join(lead_places_of(question, pieces, nearness, between=between))
    assert led.startswith(pieces[0])
    assert led.endswith(last)


@pytest.mark.parametrize(
    ("pieces", "last"), [(SIGNS, SIGNS[-1]), (TOLD, TOLD[0]), (AFTER, AFTER[0])]
)
def test_a_sentence_may_stand_between_a_lead_and_the_list_that_it_promises(
    pieces: tuple[str, ...], last: str
) -> None:
    spans = passage_of(pieces, (0.9, 0.1, 0.1, 0.1)).spans
    text = f"{pieces[0]} {pieces[1]}\n" + "\n".join(pieces[2:])
    held = Passage("a", Locator("a.md", 0, len(text), ("Book",)), text, spans, PassageScores())
    asked = analyse_question("How are the signs of drift known to doctors?", "en")
    places = choose_places(replace(prompt((held,), asked.question), analysis=asked), BY_SIMILARITY)
    led = [held.text_of(one.span) for one in places if one.role is SentenceRole.LEAD]
    assert led[-1].endswith(last)


@pytest.mark.parametrize(
    ("question", "behind", "shown"),
    [
        ("How can I read the errors of the pump?", "The easiest way to do so is a log.", True),
        ("How can I read the errors of the pump?", "Then turn the page.", True),
        ("How can I read the errors of the pump?", "Many of them are old.", False),
        ("Why can errors of the pump scroll away?", "Then turn the page.", False),
    ],
)
@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_a_lead_is_shown_with_how_to_do_what_it_speaks_of(
    question: str, behind: str, between: str, *, shown: bool
) -> None:
    first = "You can read errors of the pump, but they scroll away because they are many."
    led = lead_places_of(question, (first, behind), (0.9, 0.0), between=between)
    assert led == [f"{first}{between}{behind}" if shown else first]


def test_first_items_of_a_long_list_are_shown() -> None:
    items = [f"- {'State of the north ' * 12}{number}" for number in range(9)]
    pieces = ("Below are the states with paid leave.", *items)
    led = lead_places_of("Which states have paid leave?", pieces, (0.9, *[0.1] * 9))
    shown = "\n".join(led)
    assert items[0] in shown
    assert items[-1] not in shown
