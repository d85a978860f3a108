"""A comparison is answered by what each thing is, and not by a sentence that but names both."""

import pytest

from tests.support.leads import lead_of, lead_places_of

BOTH = "Reports and briefs are given to the guild in spring."
REPORT = "Masters use a report to tell of the work that is done."
BRIEF = "A brief tells of the work that is planned."
APART = "A report is written by hand, whereas a brief is only told."
ASKED = "What is the difference between a report and a brief?"


@pytest.mark.parametrize(
    ("pieces", "led"),
    [
        ((BOTH, REPORT, BRIEF), [REPORT, BRIEF]),
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
