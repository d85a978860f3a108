"""A comparison is answered by what each thing is, and not by a sentence that but names both."""

import pytest

from tests.support.leads import lead_of, lead_places_of

BOTH = "Reports and briefs are given to the guild in spring."
REPORT = "Masters use a report to tell of the work that is done."
BRIEF = "A brief tells of the work that is planned."
APART = "A report is written by hand, whereas a brief is only told."
HELD = "A report holds what was done."
BRIEFS = "Brief: plans the work of spring"
ASKED = "What is the difference between a report and a brief?"


@pytest.mark.parametrize(
    ("pieces", "led"),
    [
        ((BOTH, REPORT, BRIEF), [REPORT, BRIEF]),
        # Two that begin with one each stand before what only says that they are two.
        ((f"{BOTH[:-1]} and differ.", HELD, BRIEF), [HELD, BRIEF]),
        # So do lines that are labelled with one each, with what stands behind them.
        (
            (
                BOTH,
                "A brief is read by a report's side.",
                "Report: tells of work",
                "It is long.",
                BRIEFS,
            ),
            ["Report: tells of work\nIt is long.", BRIEFS],
        ),
        # What says something of each stands first.
        ((APART, REPORT, BRIEF), [APART, BRIEF]),
    ],
)
def test_each_thing_is_told_by_what_it_is(pieces: tuple[str, ...], led: list[str]) -> None:
    assert lead_places_of(ASKED, pieces, (0.9, 0.5, 0.4, 0.1, 0.1)[: len(pieces)]) == led


def test_a_sentence_that_says_both_and_why_leads_for_two_things() -> None:
    pieces = (
        "The upper mill is old.",
        "The lower mill is near.",
        "Grinding in the upper mill is slower than in the lower mill, because its wheel is small.",
    )
    asked = "Why is grinding in the upper mill slower than grinding in the lower mill?"
    assert lead_of(asked, pieces, (0.9, 0.8, 0.3)) == pieces[2]
