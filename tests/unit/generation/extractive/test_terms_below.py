"""Terms below a line, each over what is said of it, answer as the items of a list do."""

import pytest

from services.generation.extractive.terms_below import terms_below
from tests.support.leads import lead_places_of, passage_of

KINDS = "You can bar gates for two kinds of guests:"
TERMS = ("Owner", "The guest that built the gate.", "Others", "All guests of some other house.")
BEHIND = "For each kind of guest, other gates can be barred by you."
QUESTION = "For which two kinds of guests can I bar gates?"


@pytest.mark.parametrize(
    ("question", "line", "shown"),
    [
        (QUESTION, KINDS, True),
        # As many as the line says, and all that is asked.
        (QUESTION, "You can bar gates for two of three kinds of guests:", True),
        (QUESTION, "You can bar gates for three kinds of guests, not two:", True),
        (QUESTION, "You can bar five gates for nine kinds of guests:", False),
        (QUESTION, "You can see two kinds of guests:", False),
    ],
)
def test_terms_lead_below_a_line_that_says_all_that_is_asked(
    question: str, line: str, *, shown: bool
) -> None:
    pieces = (line, *TERMS, BEHIND)
    led = lead_places_of(question, pieces, (0.4, 0.1, 0.1, 0.1, 0.1, 0.9), between="\n\n")
    whole = "\n\n".join((line, *TERMS))
    assert (led == [whole]) is shown


def test_terms_that_a_lead_promises_are_shown_with_it() -> None:
    pieces = ("Gates may bar guests, as follows:", *TERMS, BEHIND)
    promised = ("Guests of a gate are as follows.", *TERMS, BEHIND)
    led = lead_places_of("Which guests has a gate?", promised, (0.9, *[0.1] * 5), between="\n\n")
    assert led == ["\n\n".join((promised[0], *TERMS))]
    assert terms_below(passage_of(pieces, [0.1] * 6, between="\n\n"), 0) == [(1, 2), (3, 4)]


def test_one_term_or_paragraphs_without_any_are_no_list() -> None:
    for pieces in (("Guests:", *TERMS[:2], BEHIND), ("Guests:", TERMS[1], TERMS[3], BEHIND)):
        held = passage_of(pieces, [0.1] * 4, between="\n\n")
        assert terms_below(held, 0) == []
