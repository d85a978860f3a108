"""A measure is said by its unit: no word for what it measures need stand in the sentence."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.measures import find_measure
from services.generation.model import Question
from services.generation.retrieve import accept_listed
from tests.support.generation_fakes import passage, search_result


def said(asked: str, language: str, text: str) -> str:
    held = passage(text, text)
    found = find_measure(analyse_question(asked, language), list_candidates((held,), language))
    return held.text_of(found.span) if found else ""


@pytest.mark.parametrize(
    ("language", "asked", "told"),
    [
        ("en", "What voltage does the siren need?", "The siren gets by on 36 volts."),
        ("en", "How powerful is the mixer?", "The mixer is rated at 400 W."),
        ("de", "Welche Spannung braucht die Sirene?", "Die Sirene kommt mit 36 Volt aus."),
        ("de", "Wie viel Strom zieht der Mixer?", "Der Mixer begnügt sich mit 2 A."),
        ("de", "Wie schwer ist die Glocke?", "Die Glocke bringt 1.200 kg auf die Waage."),
        ("fr", "Quelle est la tension de la sirène ?", "La sirène se contente de 36 volts."),
        ("es", "¿Qué tensión tiene la sirena?", "La sirena se conforma con 36 voltios."),
        ("pt", "Qual é a tensão da sirene?", "A sirene é alimentada a 36 volts."),
        ("ru", "Какое напряжение нужно сирене?", "Сирена обходится 36 В."),
    ],
)
def test_a_unit_says_what_is_measured(language: str, asked: str, told: str) -> None:
    assert said(asked, language, told) == told


def test_a_measure_is_shown_with_what_its_pronoun_points_to() -> None:
    told = "The mill has a motor. It takes 5 kW."
    assert said("What is the power of the motor?", "en", told) == told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        # Another thing, another dimension, no value, or a thing of which much may be measured.
        ("What voltage does the siren need?", "The mixer gets by on 36 volts."),
        ("What voltage does the siren need?", "The siren weighs 36 kg."),
        ("What voltage does the siren need?", "The siren does not run on 36 volts."),
        ("How long is the siren?", "The siren howls for 36 metres."),
        ("Which siren has the highest voltage?", "The siren gets by on 36 volts."),
    ],
)
def test_no_measure_is_found_in_what_says_none_of_the_thing(asked: str, told: str) -> None:
    assert said(asked, "en", told) == ""


def test_a_measure_is_answered_though_the_gate_did_not_pass() -> None:
    told = "The siren gets by on 36 volts."
    asked = "What voltage does the siren need?"
    found = search_result((passage(told, told),), passed=False, probability=0.2)
    assert accept_listed(found, Question("book", 1, asked), analyse_question(asked)).gate.passed
