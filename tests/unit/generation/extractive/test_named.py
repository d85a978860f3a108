"""What names the very thing that is asked about leads before what is only alike."""

from dataclasses import dataclass

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.named import naming_first
from tests.support.leads import lead_of


@dataclass(frozen=True)
class Said:
    odds: float
    text: str


def led(question: str, *said: Said) -> str:
    return naming_first(analyse_question(question), said, lambda one: one.text)[0].text


LIKE = Said(0.5, "Files of a type are looked for in many places.")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("In which places is mime.types looked for?", "It reads mime.types of the system first."),
        ("Which algorithm is arXiv:1707.06347?", "Schulman (2017), arXiv:1707.06347."),
        ("What does the quantifier E+ match?", "E+ | Matches one or more occurrences of E."),
        ("What does `/**:` mean in a parameter file?", "With /**: it holds of all nodes."),
    ],
)
def test_a_spelling_that_only_code_has_leads_however_unlikely(question: str, named: str) -> None:
    assert led(question, LIKE, Said(0.0001, named)) == named


def test_a_name_leads_where_it_is_likely() -> None:
    question = "BNO055: how many axes and which sensors?"
    named = "The BNO055 has nine axes."
    assert led(question, LIKE, Said(0.03, named)) == named
    assert led(question, LIKE, Said(0.02, named)) == LIKE.text


def test_the_span_that_names_more_comes_first_in_the_order_that_was() -> None:
    one, both = Said(0.4, "VACUUM is run by a daemon."), Said(0.3, "It never runs VACUUM FULL.")
    question = "At what hour does the daemon run VACUUM FULL?"
    assert led(question, LIKE, one, both) == both.text
    said = naming_first(analyse_question(question), (LIKE, one, both), lambda said: said.text)
    assert said[1:] == [LIKE, one]


def test_part_of_a_longer_name_is_another_one() -> None:
    assert led("Where is mime.types?", LIKE, Said(0.4, "See my-mime.types2.")) == LIKE.text


@pytest.mark.parametrize(
    "question",
    [
        "Is a block like `{ /* ... */ }` an expression?",
        "What does it print?\n```\nlet a = BNO055 /** 1;\n```",
        "Where are files of a type looked for?",
    ],
)
def test_a_program_of_the_readers_names_nothing(question: str) -> None:
    assert led(question, LIKE, Said(0.4, "BNO055 /* */ /** of all nodes")) == LIKE.text


ENTRIES = [
    *("'h'", "Prints an explanation of the last error."),
    *("'H'", "Toggles the printing of help messages (see the 'h' command above)."),
    *("'(.,.)p'", "Prints the addressed lines."),
    *("'P'", "Toggles the command prompt on and off."),
]


@pytest.mark.parametrize(
    ("question", "language", "entry"),
    [
        ("What does the H command do?", "en", "'H'"),
    ],
)
def test_a_command_of_one_letter_is_told_by_its_case(
    question: str, language: str, entry: str
) -> None:
    nearness = [0.0, 0.5, 0.0, 0.6, 0.0, 0.5, 0.0, 0.6]
    led_by = lead_of(question, ENTRIES, nearness, language, between="\n\n")
    assert led_by.startswith(f"{entry}\n")


def test_a_letter_in_another_case_is_meant_where_no_entry_has_its_own() -> None:
    led_by = lead_of("What does the Z command do?", ["'z'", "Scrolls."], [0, 0.5], between="\n\n")
    assert led_by.endswith("Scrolls.")
