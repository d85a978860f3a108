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


def test_notes_among_steps_part_them_in_no_two_lists() -> None:
    pieces = [
        "To file a key, perform these steps:",
        "- Open the dialog.",
        "- Run the command:",
        "$ file --key",
        "- Click on the button.",
    ]
    question = "How do I file a key?"
    found = lead_places_of(question, pieces, [0.1, 0.9, 0.2, 0.1, 0.2])
    assert found == ["\n".join(pieces)]


TITLED = ["Outline of the way to print a book.", "- Ink.", "- Paper.", "- A press."]


@pytest.mark.parametrize(
    ("question", "title", "shown"),
    [
        ("What is the procedure to print a book?", TITLED[0], 4),
        # A definition is given by the sentence.
        ("What does it mean to print a book?", TITLED[0], 1),
    ],
)
def test_a_list_is_shown_with_the_line_that_is_its_title(
    question: str, title: str, shown: int
) -> None:
    pieces = [title, *TITLED[1:]]
    assert lead_of(question, pieces, [0.9, 0.0, 0.0, 0.0]) == "\n".join(pieces[:shown])


FAULT = "Yellow spots are where the disc was read and did not match."


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("There are two main causes:", True),
        ("They are drawn like this:", False),
        # Not a line that leads to the list.
        ("They have causes.", False),
    ],
)
def test_the_list_right_behind_that_has_more_of_what_is_asked_is_shown(
    line: str, *, shown: bool
) -> None:
    pieces = [FAULT, line, "- a bad disc", "- a bad drive"]
    led = lead_of("What causes yellow spots?", pieces, [0.9, 0.0, 0.0, 0.0])
    assert led == ("\n".join(pieces) if shown else FAULT)


def test_paragraphs_that_instruct_in_turn_are_steps() -> None:
    pieces = [
        "Select the folder of the image of which you create the file.",
        "Select a name for it.",
        "Create it by clicking on the button.",
        "The image is large.",
    ]
    question = "How do I create the file of the image?"
    assert lead_places_of(question, pieces, [0.9, 0.1, 0.1, 0.1]) == pieces[:3]
    assert lead_places_of(question, pieces[:2], [0.9, 0.1]) == pieces[:1]


def test_a_list_of_things_is_shown_with_every_item() -> None:
    pieces = ["The robot obeys these commands:", "- Go home", "- What do you see?", "- Stop it"]
    led = lead_of("Which commands does the robot obey?", pieces, [0.1, 0.9, 0.8, 0.8])
    assert led == "\n".join(pieces)
