"""Who asks what letters stand for is led to where the book spells them out."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.short_forms import has_long_form_for
from tests.support.leads import lead_of, passage_of

LIKE = "ODMR servers are still not widely deployed."


@pytest.mark.parametrize(
    ("language", "question", "told"),
    [
        ("en", "What does ODMR stand for?", "You can use On-Demand Mail Relay (ODMR) here."),
        ("en", "What is ODMR short for?", "ODMR (On-Demand Mail Relay) was made for that."),
        ("en", "What does SM stand for?", "We went the way of the SpiderMonkey (SM) engine."),
        ("en", "What does DOF stand for?", "Count the degrees of freedom (DOF) of the arm."),
        (
            "en",
            "What does ODMR stand for?",
            "On-demand mail relay, often shortened to ODMR, is old.",
        ),
        ("de", "Wofür steht VDI?", "Der Verein Deutscher Ingenieure, kurz VDI, ist alt."),
        (
            "fr",
            "Que signifie le sigle SNCF ?",
            "La Société nationale des chemins de fer, en abrégé SNCF.",
        ),
        (
            "es",
            "¿Qué significan las siglas ONU?",
            "La Organización de Naciones Unidas, abreviada ONU.",
        ),
        ("de", "Wofür steht VDI?", "Der Verein Deutscher Ingenieure (VDI) ist alt."),
        ("fr", "Que signifie le sigle SNCF ?", "La Société nationale des chemins de fer (SNCF)."),
        ("es", "¿Qué significan las siglas ONU?", "La Organización de Naciones Unidas (ONU)."),
        ("pt", "O que significa a sigla ONU?", "A Organização das Nações Unidas (ONU)."),
    ],
)
def test_a_span_that_spells_it_out_leads(language: str, question: str, told: str) -> None:
    assert lead_of(question, (LIKE, told), (0.9, 0.2), language) == told


def test_a_row_spells_out_what_its_cell_says() -> None:
    rows = ("Line | Name", "SCL | Serial Clock", "SDA | Serial Data")
    assert lead_of("What does SDA stand for?", rows, (0.1, 0.9, 0.2)) == rows[2]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does ODMR stand for?", "Mail may be relayed (ODMR) on demand."),
        ("What does ODMR stand for?", "On-Demand Mail Relay (ATRN) is used."),
        ("What does ODMR do?", "You can use On-Demand Mail Relay (ODMR) here."),
    ],
)
def test_nothing_else_does(question: str, told: str) -> None:
    assert lead_of(question, (LIKE, told), (0.9, 0.2)) == LIKE


def test_the_gate_lets_it_pass() -> None:
    held = passage_of(("You can use On-Demand Mail Relay (ODMR) here.",), (0.1,))
    assert has_long_form_for(analyse_question("What does ODMR stand for?", "en"), (held,))
    assert not has_long_form_for(analyse_question("What does ATRN stand for?", "en"), (held,))


ACROSTIC = ("Memory trick: TIP (it sticks!)", "- Taste", "- Income", "- Price")


def test_a_list_of_other_letters_does_not() -> None:
    held = (passage_of((*ACROSTIC[:3], "- Rent"), (0.1,) * 4),)
    assert not has_long_form_for(analyse_question("What does TIP stand for?", "en"), held)


def test_words_between_commas_spell_what_stands_before_them() -> None:
    told = "Determinants (TIP): Taste, Income of all, Price"
    assert lead_of("What does TIP stand for?", (LIKE, told), (0.9, 0.2)) == told
