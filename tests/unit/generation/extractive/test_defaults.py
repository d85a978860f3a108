"""A default is answered by what says it, and not by how it is changed."""

import pytest

from tests.support.leads import lead_of, lead_places_of

CHANGED = "The default pager can be changed by setting PAGER."


@pytest.mark.parametrize(
    ("language", "question", "changed", "told"),
    [
        ("en", "What is the default pager?", CHANGED, "The pager is less by default."),
        (
            "de",
            "Wie lautet die Voreinstellung für den Rand?",
            "Der Rand kann mit RAND geändert werden.",
            "Der Rand hat normalerweise 3 cm.",
        ),
        (
            "fr",
            "Quelle est la marge par défaut ?",
            "La marge peut être modifiée avec MARGE.",
            "La marge est de 3 cm par défaut.",
        ),
    ],
)
def test_the_sentence_that_tells_a_default_leads(
    language: str, question: str, changed: str, told: str
) -> None:
    assert lead_of(question, (changed, "Rest.", told), (0.9, 0.2, 0.5), language) == told


def test_how_a_default_is_changed_is_no_answer_where_none_is_told() -> None:
    pieces = ("The margins could be set by TOP and BOTTOM.", "The page has a top margin.")
    assert not lead_of("What is the default top margin?", pieces, (0.9, 0.3))


def test_how_a_default_is_changed_answers_who_asks_how() -> None:
    assert lead_of("How can I change the default pager?", (CHANGED, "Rest."), (0.9, 0.2)) == CHANGED


def test_the_default_is_shown_with_the_sentence_that_names_its_thing() -> None:
    pieces = ("You can set RULE to a pattern.", "The default setting is dashes.", "Rest.")
    asked = "What is the default value of RULE?"
    assert lead_places_of(asked, pieces, (0.9, 0.4, 0.1), between=" ") == [" ".join(pieces[:2])]


def test_the_line_of_an_entry_may_tell_its_default() -> None:
    pieces = ("autosave (default: yes)", "It keeps what was typed.", "Rest is kept.")
    assert "default: yes" in lead_of("What is the default of autosave?", pieces, (0.5, 0.9, 0.1))


TIMEOUTS = (
    "Setting | Description",
    "idle_timeout SECONDS | How long an idle client is kept. Default is 60.",
    "most_clients NUMBER | How many there may be beside idle_timeout. Default is 100.",
)


def test_a_row_tells_the_default_of_what_it_begins_with() -> None:
    assert lead_of("What is the default of idle_timeout?", TIMEOUTS, (0.1, 0.5, 0.9)).endswith(
        TIMEOUTS[1]
    )


def test_a_default_of_a_joined_name_is_told_by_the_sentence_that_says_which_it_is() -> None:
    told = "The default auto-fill order is name, then town."
    pieces = (told, "Rest.", "Groups take this order by default.")
    assert lead_of("What is the default auto-fill order?", pieces, (0.9, 0.2, 0.4)) == told


def test_whether_something_is_on_by_default_is_told_by_what_it_is_by_default() -> None:
    told = "By default the night light is off."
    pieces = ("You can switch the night light on in the settings.", "Rest.", told)
    asked = "Is the night light on by default?"
    assert lead_of(asked, pieces, (0.9, 0.2, 0.5)) == told
    assert lead_of("Is the night light bright?", pieces, (0.9, 0.2, 0.5)) == pieces[0]
