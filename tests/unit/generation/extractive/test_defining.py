"""Who asks what a thing is gets the sentence that says so, in whatever way a textbook says it."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.defining import has_definition_for
from tests.support.leads import lead_of, lead_places_of, passage_of

NEAR = "Shaded beds are watered by hand."
"""What is nearest to each question, and explains nothing."""


@pytest.mark.parametrize(
    ("language", "question", "about", "told"),
    [
        ("en", "What is lag?", "Lag is seldom seen.", "Lag is time that a signal needs."),
        ("en", "What are taxes?", "Taxes | on wages", "Taxes are dues that a state collects."),
        ("en", "What is luff?", "Luff is cloth.", "Here is a pattern: Luff is the edge of a sail."),
        (
            "en",
            "What is heel?",
            "So the heel of the yawl is the angle that we see, and a measure of wind.",
            "The heel of a boat is the angle by which it leans over.",
        ),
        (
            "de",
            "Was ist der Verzug?",
            "Das ist der Verzug, den wir sahen.",
            "Der Verzug eines Schiffes ist die Zeit, die ihm fehlt.",
        ),
        ("en", "Who is Ida?", "Ida mends the pump.", "Imagine a warden named Ida."),
        (
            "de",
            "Was bedeutet Nachguss?",
            "Für den Nachguss haben viele viel getan.",
            "Oft wird auch von Nachguss oder Zuguss gesprochen, wenn der Guss später folgt.",
        ),
        (
            "de",
            "Was ist ein Überwurf?",
            "Der Überwurf kostet viel.",
            "Ein Mantel ohne Ärmel wird meist als Überwurf bezeichnet.",
        ),
        ("fr", "Qu'est-ce que le fluage ?", "Le fluage est lent.", "Le fluage désigne un retard."),
    ],
)
def test_a_sentence_that_explains_the_thing_leads(
    language: str, question: str, about: str, told: str
) -> None:
    assert told in lead_of(question, (NEAR, about, told), (0.6, 0.5, 0.3), language)


def test_a_negation_on_the_way_denies_nothing_of_the_thing() -> None:
    told = "Passive compliance is yielding that happens without any power."
    opening = "The soles of shoes are compliant."
    titles = ("Book", "Passive compliance")
    assert (
        lead_of("What is passive compliance?", (opening, told), (0.9, 0.8), titles=titles) == told
    )


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is anchoring bias?"),
        ("en", "What are anchoring biases?"),
        ("en", "Explain anchoring bias."),
        ("en", "What is the Cole bias?"),
        ("de", "Was ist Ankerverzerrung?"),
    ],
)
def test_a_thing_that_is_named_nowhere_is_not_explained(language: str, question: str) -> None:
    pieces = ("Bias is a tilt in how a system sees.", "Three labels tell where bias enters.")
    assert lead_of(question, pieces, (0.9, 0.8), language) == ""


@pytest.mark.parametrize(
    ("question", "pieces"),
    [
        ("What is anchoring bias?", ("It is a tilt in judging.", "Anchoring is a bias too.")),
        ("What is the current version?", ("This is version 2.1 of the guide.",)),
        ("What is the Cole bias?", ("A bias of judging, as Cole has it, is a tilt.",)),
        ("What is tilt bias?", ("A bias is a lean.", "We call it so.")),
    ],
)
def test_a_thing_that_titles_name_or_that_has_no_bare_name_is_answered(
    question: str, pieces: tuple[str, ...]
) -> None:
    nearness = (0.9, 0.8)[: len(pieces)]
    assert lead_of(question, pieces, nearness, titles=("Book", "The tilt bias"))


def test_each_clause_leads_with_what_it_asks_of_the_same_thing() -> None:
    told, why = "Stagflation is a slump with rising prices.", "Stagflation hurts since wages lag."
    asked = "What is stagflation and why does it hurt?"
    pieces = ("Prices do not usually rise with stagflation, which is why it hurts so.", told, why)
    assert told in lead_places_of(asked, pieces, (0.9, 0.3, 0.5))


def test_a_sentence_below_a_term_that_says_what_it_is_leads_before_the_first() -> None:
    told = "A string being fuzzy means that it changed."
    pieces = ("Fuzzy strings", "You will meet marked ones.", told, "Rest.")
    assert lead_of("What is a fuzzy string?", pieces, (0.5, 0.9, 0.6, 0.1)) == told


@pytest.mark.parametrize(
    ("question", "passing", "told"),
    [
        (
            "What is the mode?",
            "The mode is 33, since it occurs five times.",
            "Technically, the mode is the value that occurs most.",
        ),
        (
            "What is the mode?",
            "The mode is 33, since it occurs five times.",
            "For simple sets the value that occurs most is the mode.",
        ),
        (
            "What is a sampling frame?",
            "Sampling frames are dull.",
            "Here the sampling frame—the list of all who may be asked—has gaps.",
        ),
        (
            "What is a random sample?",
            "In a random sample all siblings have a chance.",
            "Each group is as likely as others, which is called a random sample (RS).",
        ),
        (
            "Qu'est-ce que le mode ?",
            "Le mode est 33, car il revient.",
            "Techniquement, le mode est la valeur la plus fréquente.",
        ),
    ],
)
def test_a_definition_leads_before_a_value_or_a_mention(
    question: str, passing: str, told: str
) -> None:
    language = "fr" if question.startswith("Qu") else "en"
    assert lead_of(question, (passing, told), (0.9, 0.5), language) == told


def test_a_value_leads_that_no_definition_stands_beside() -> None:
    told = "The default port is 33, since 22 is taken."
    assert lead_of("What is the default port?", (NEAR, told), (0.5, 0.6)) == told


def test_a_sentence_that_only_counts_up_to_the_thing_does_not_define_it() -> None:
    told = "The mode shows where the peak is."
    pieces = ("The third is the mode.", told)
    assert lead_of("What is the mode?", pieces, (0.9, 0.8)) == told


@pytest.mark.parametrize(
    ("question", "sentences", "told"),
    [
        (
            "What is a burn chart?",
            (NEAR, "Ask for a “burn chart” — a graph of what remains to be done."),
            "Ask for a “burn chart” — a graph of what remains to be done.",
        ),
        (
            "What is tillage?",
            (NEAR, "The way to do it is tillage.", "This is the practice of turning the soil."),
            "The way to do it is tillage. This is the practice of turning the soil.",
        ),
        # Another thing is asked, and "this" is of what the sentence before ends in.
        (
            "What is soil?",
            (NEAR, "The way to do it is tillage of soil beds.", "This is the practice of turning."),
            NEAR,
        ),
    ],
)
def test_a_definition_is_told_behind_a_dash_a_question_or_this_is(
    question: str, sentences: tuple[str, ...], told: str
) -> None:
    nearness = (0.9, *[0.1] * (len(sentences) - 1))
    assert lead_of(question, sentences, nearness, between=" ") == told


def test_a_thing_that_a_sentence_defines_passes_the_gate() -> None:
    chart = "Ask for a “burn chart” — a graph of what remains to be done."
    held = (passage_of((NEAR, chart), (0.5, 0.5)),)
    assert has_definition_for(analyse_question("What is a burn chart?"), held)
    assert not has_definition_for(analyse_question("What is a bed?"), held)
    assert not has_definition_for(analyse_question("Who draws a burn chart?"), held)


def test_code_that_has_the_name_of_a_thing_does_not_say_what_it_is() -> None:
    used, near = "$ keyframe 100 1.0", "A keyframe is told of."
    assert lead_of("What is a keyframe?", (used, near), (0.9, 0.2)) == near
    spelled = "$ apt-key adv --recv-key F6E6"
    assert lead_of("What is key F6E6 for?", (spelled, NEAR), (0.9, 0.2)) == spelled


def test_a_thing_that_only_code_spells_is_told_where_it_is_spelt_so() -> None:
    near = "A colony has 2 cells and 2 walls."
    assert lead_of("What is 2+2?", (near,), (0.9,)) == ""
    assert lead_of("What is set_width?", ("Call Set_Width to be wide.",), (0.9,))
