"""A word or a rate that a question takes for granted is held against its opposite in the book."""

import pytest

from libs.language.lexicon import load_lexicon
from services.generation.premise.rates import rates_in
from tests.unit.generation.premise.test_said_otherwise import find

OIL = "The oil of the press is changed every four months; it was last changed in May."
SAILS = "Sails are never folded wet, because they would rot."


@pytest.mark.parametrize(
    ("language", "question", "text", "asked"),
    [
        ("en", "Since the oil of the press is changed every week, who does it?", OIL, "every week"),
        ("en", "Why is the oil of the press changed daily?", OIL, "daily"),
        ("en", "Why are sails always folded wet?", SAILS, "always"),
        ("en", "Why does somebody guard the mill?", "Nobody guards the mill.", "Somebody"),
        ("en", "Why do guests pay half?", "Guests pay double.", "half"),
        # What the question denies is said to be always so, twice in the sentence.
        (
            "en",
            "Why is the keel of a long boat never painted?",
            "The keel is always heavy in a long boat, and the keel is always painted.",
            "never",
        ),
        # Another clause denies something else.
        (
            "en",
            "Why do the tails point toward the lamp?",
            "The tails point away from the lamp, not back along the path.",
            "toward",
        ),
        # What is said the other way round by how the word begins, among other things.
        (
            "de",
            "Da das Öl der Presse jede Woche gewechselt wird, wer tut es?",
            "Das Öl der Presse wird zweimal im Jahr gewechselt.",
            "jede Woche",
        ),
        ("de", "Warum faltet man Segel immer nass?", "Segel faltet man nie nass.", "immer"),
        (
            "fr",
            "Puisque l'huile de la presse est changée chaque mois, qui le fait ?",
            "L'huile de la presse est changée deux fois par an.",
            "chaque mois",
        ),
        (
            "es",
            "Como el aceite de la prensa se cambia cada mes, ¿quién lo hace?",
            "El aceite de la prensa se cambia dos veces al año.",
            "cada mes",
        ),
    ],
)
def test_an_opposite_is_told(language: str, question: str, text: str, asked: str) -> None:
    found, _, quote = find(question, text, language).partition(" > ")
    assert (found.lower(), quote) == (asked.lower(), text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # The same rate otherwise, and another of something else.
        ("Since the oil of the press is changed three times a year, who does it?", OIL),
        ("Since the belt of the press is changed every week, who does it?", OIL),
        # The word is said of the same thing as well.
        ("Why are sails always folded wet?", f"{SAILS}\nSails are always folded wet at sea."),
        # In some case only, beside another denial, and of something else.
        ("Why are sails always folded wet?", "If they are old, sails are never folded wet."),
        ("Why do guests pay half?", "Guests do not pay double."),
        ("Why do guests always fold wet sails?", SAILS),
        # Said as it is asked, and the other way round of something else, or denied.
        (
            "Why are names in lists case-sensitive?",
            "Names in lists are case-sensitive.\nTitles in lists of names are case-insensitive.",
        ),
        ("Why are names in lists sensitive?", "Names in lists are not insensitive."),
        # The question itself denies, or asks for no reason.
        ("Why are sails never folded wet?", SAILS),
        ("Are sails always folded wet?", SAILS),
    ],
)
def test_nothing_is_told_of_what_may_be_so(question: str, text: str) -> None:
    assert find(question, text, "en") == ""


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "every other day, twice a week, monthly", [2.0, 3.5, 30.0]),
        ("de", "alle zwei Wochen, dreimal im Jahr, täglich", [14.0, 121.67, 1.0]),
        ("fr", "tous les deux jours, trois fois par an", [2.0, 121.67]),
        ("es", "cada dos años, una vez al mes", [730.0, 30.0]),
        ("en", "in four years, two times, a yearbook", []),
    ],
)
def test_a_rate_is_read_in_days(language: str, text: str, days: list[float]) -> None:
    found = rates_in(text, load_lexicon(language))
    assert [round(one.days, 2) for one in found] == days


def test_one_sentence_on_the_very_thing_says_more_than_one_on_all_such_things() -> None:
    question = "Since harbour lamps are all enabled by default, how do I stop one?"
    own, others = "All harbour lamps are disabled by default.", "By default, all lamps are enabled."
    assert find(question, f"{own}\n{others}", "en") == f"enabled > {own}"
    assert find(question, f"{own}\nAll harbour lamps are enabled by default.", "en") == ""
    assert find(question, others, "en") == ""
