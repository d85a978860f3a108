"""The steps of a procedure lead whole, with those that a step has of its own."""

import pytest

from tests.support.leads import lead_of, lead_places_of

STEPS = [
    "The process to reconcile an account is simple:",
    "- Gather the statement of the account",
    "- Compare each entry with your records",
    "- Find what differs. Look for:",
    "- Pending charges",
    "- Duplicate charges",
    "- Resolve what differs with the bank",
    "- Update the balance",
]
NEARNESS = [0.5, 0.2, 0.3, 0.4, 0.6, 0.5, 0.6, 0.5]


def test_steps_lead_with_the_steps_of_one_of_them() -> None:
    found = lead_places_of("How do I reconcile my account?", STEPS, NEARNESS)
    assert found == ["\n".join(STEPS)]


def test_a_sentence_that_tells_all_leads_before_steps_of_something_else() -> None:
    told = "You can create a new tab using Ctrl+T."
    pieces = [
        told,
        "If a shortcut is missing there:",
        "- Open the list of commands.",
        "- Click on one.",
        "- Press a key.",
    ]
    assert lead_of("How do I create a new tab?", pieces, [0.8, 0.1, 0.9, 0.7, 0.7]) == told


def test_a_step_that_tells_how_leads_with_all_of_its_list() -> None:
    pieces = ["Balances are good to reconcile.", *STEPS[:3], "- Update the balance"]
    found = lead_places_of("How do I reconcile a book?", pieces, [0.9, 0.1, 0.1, 0.1, 0.85])
    assert found == ["\n".join(pieces[1:])]


def test_one_of_several_ways_that_says_all_leads_alone() -> None:
    pieces = ["There are ways:", "- Press B to print a book.", "- Fold it."]
    found = lead_of("How do I print a book?", pieces, [0.1, 0.9, 0.1])
    assert pieces[2] not in found


def test_a_sentence_that_says_by_what_it_is_done_leads_with_the_steps_behind_it() -> None:
    told = "The bar can be hidden by changing the style of the theme."
    steps = ["- Open the dialog.", "- Go to the tab.", "- Click on the button."]
    question = "How do I hide the bar?"
    found = lead_places_of(question, [told, *steps], [0.9, 0.1, 0.1, 0.1])
    assert found == [told, "\n".join(steps)]
    others = ["- It is red.", "- It is wide.", "- Click on it."]
    assert lead_places_of(question, [told, *others], [0.9, 0.1, 0.1, 0.1]) == [told]


REPORT = (
    "A fire report needs to have a map.",
    "Your report should have:",
    "- the number of the engine",
    "- the hour",
)


@pytest.mark.parametrize(
    ("pieces", "nearness", "led"),
    [
        (REPORT, (0.5, 0.2, 0.6, 0.3), "\n".join(REPORT[1:])),
        # What says all of it itself leads where it is likelier.
        (("Any report should have a date.", *REPORT), (0.9, 0.1, 0.2, 0.6, 0.3), ""),
    ],
)
def test_a_list_leads_below_the_line_that_says_all_that_is_asked(
    pieces: tuple[str, ...], nearness: tuple[float, ...], led: str
) -> None:
    assert lead_of("What should a report have?", pieces, nearness) == (led or pieces[0])
