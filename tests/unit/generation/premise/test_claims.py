"""A clause that a question takes for granted is told to be otherwise where the book denies it."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import BlockKind
from services.generation.other_value import OtherValue
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY
from tests.unit.generation.premise.test_said_otherwise import find

OVEN = "The stove is no oven: bread dries out in it."
RTOS = "Kestrel is not an OS. It runs on top of one."
BELLS = "The bells do not ring at night."
GLOVES = "Gloves are worn for welding, but never at the lathe, because they can be drawn in."
TABLE = "Boat | Sail | Motor\nTern | Yes | No\nPetrel | No | Yes"


@pytest.mark.parametrize(
    ("language", "question", "text", "found"),
    [
        (
            "en",
            "Since the stove is an oven, where do I put the bread?",
            OVEN,
            f"the stove is an oven > {OVEN}",
        ),
        (
            "en",
            "The stove is an oven, so how long does bread take?",
            OVEN,
            f"The stove is an oven > {OVEN}",
        ),
        # By the initials of what it is said to be.
        (
            "en",
            "Kestrel is an operating system, so how do I install it?",
            RTOS,
            f"Kestrel is an operating system > {RTOS}",
        ),
        ("en", "Why do the bells ring at night?", BELLS, f" > {BELLS}"),
        (
            "de",
            "Da die Glocken nachts läuten, wie schläft man dort?",
            "Die Glocken läuten nachts nicht. Nachts läuten keine Glocken.",
            " > Die Glocken läuten nachts nicht. Nachts läuten keine Glocken.",
        ),
        (
            "de",
            "Da der Ofen ein Backofen ist, wo kommt das Brot hin?",
            "Der Ofen ist kein Backofen.",
            "der Ofen ein Backofen ist > Der Ofen ist kein Backofen.",
        ),
        # A row says "No" of just that.
        ("en", "How do I start the motor of the Tern?", TABLE, "Motor: Tern > Tern | Yes | No"),
        ("en", "How do I hoist the sail of the Tern?", TABLE, ""),
    ],
)
def test_a_denied_claim_is_told(language: str, question: str, text: str, found: str) -> None:
    assert find(question, text, language) == found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # Denied of another case, of more than is claimed, or of another thing.
        ("Why do the bells ring at night?", "If it storms, the bells do not ring at night."),
        ("Why do the bells ring at night?", "The bells do not ring at night in Lent."),
        ("Why do the bells ring at night?", "The horn does not sound at night, the bells ring."),
        # Said elsewhere.
        ("Why do the bells ring at night?", f"{BELLS}\nAt night the bells of Orn ring."),
        # Asked, and not taken for granted.
        ("Do the bells ring at night?", BELLS),
        ("Why do the bells not ring at night?", BELLS),
        ("Does the Tern have a motor?", TABLE),
        ("Which of the boats has a motor: Tern or Petrel?", TABLE),
    ],
)
def test_a_claim_that_may_be_so_is_not_told(question: str, text: str) -> None:
    assert find(question, text, "en") == ""


def test_a_question_that_stands_on_what_is_denied_is_not_answered() -> None:
    held = passage(OVEN, OVEN, BlockKind.PARAGRAPH)
    question = "Since the stove is an oven, where do I put the bread?"
    analysis = analyse_question(question)
    other = OtherValue("the stove is an oven", OVEN)
    asked = replace(prompt((held,), question), analysis=analysis, other_value=other)
    assert choose_places(asked, BY_SIMILARITY) == []
    assert choose_places(replace(asked, other_value=None), BY_SIMILARITY)


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        (
            "Since the mill was built in 1900, who ran it?",
            "The mill was built in 1870. Ada Lindt ran it.",
            "1900 > The mill was built in 1870. Ada Lindt ran it.",
        ),
        # What lacks something has it not.
        (
            "Since the Tern lacks a motor, how big is that of the Petrel?",
            "The Tern has no motor.",
            "",
        ),
        # Alternatives, and what is to be explained, are not taken for granted.
        ("In which year was the mill built: 1900 or 1870?", "The mill was built in 1870.", ""),
        ("What is a short history of Marrow?", "Abbot Ode paid for the history of Orn.", ""),
    ],
)
def test_a_first_clause_is_held_against_the_book(question: str, text: str, found: str) -> None:
    assert find(question, text, "en") == found


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # The claim denies as well, in a word of its own.
        ("en", "Since gloves are forbidden at the lathe, what are they worn for?", GLOVES),
        ("en", "Gloves are banned at the lathe, so what are they worn for?", GLOVES),
        ("en", "As gloves are too dangerous at the lathe, what are they worn for?", GLOVES),
        (
            "de",
            "Da Handschuhe an der Drehbank verboten sind, wozu trägt man sie?",
            "Handschuhe trägt man zum Schweißen, nie an der Drehbank.",
        ),
        (
            "fr",
            "Comme les gants sont interdits au tour, quand les porte-t-on ?",
            "Les gants se portent pour souder, jamais au tour.",
        ),
        # A word for it that is in no list, and of which the book denies nothing.
        ("en", "Since gloves are a menace at the lathe, what are they worn for?", GLOVES),
        ("en", "Since gloves are stored by the lathe, what are they worn for?", GLOVES),
        (
            "de",
            "Da Handschuhe an der Drehbank liegen, wozu trägt man sie?",
            "Handschuhe trägt man zum Schweißen, nie an der Drehbank.",
        ),
        ("en", "How do I use the forbidden sail of the Petrel?", TABLE),
    ],
)
def test_a_claim_that_denies_as_the_book_does_is_not_corrected(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language) == ""


def test_a_claim_that_something_is_allowed_is_denied_by_a_never() -> None:
    question = "Since gloves are allowed at the lathe, which ones do I take?"
    assert find(question, GLOVES, "en") == f"gloves are allowed at the lathe > {GLOVES}"


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        (
            "en",
            "Since a tenant has to know the caretaker in advance, how do they meet?",
            "Tenants and caretakers don't know each other. Each has a key.",
        ),
        (
            "de",
            "Da Mieter den Hauswart im Voraus kennen, wo treffen sie sich?",
            "Mieter und Hauswart müssen einander nicht kennen.",
        ),
    ],
)
def test_a_verb_alone_that_is_denied_denies_what_is_claimed_of_it(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language).endswith(f"> {text}")


def test_a_thing_that_is_no_longer_so_is_denied() -> None:
    text = "The mill no longer grinds rye, and wheat is dear."
    found = find("Since the mill still grinds rye, who buys it?", text, "en")
    assert found == f"the mill still grinds rye > {text}"


def test_a_sentence_behind_a_denial_does_not_affirm_it() -> None:
    question = "Since the wheel is turned by hand, who does that?"
    denial = "The wheel is not turned by hand."
    other = "That wheel, however, once was."
    assert find(question, f"{denial}\n{other}", "en").endswith(f"> {denial}")
    agreed = "That wheel is turned by hand."
    assert find(question, f"{denial}\n{agreed}", "en") == ""


def test_a_value_beside_what_is_forbidden_is_held_against_the_book() -> None:
    said = "The wall was built in 1870."
    question = "Since the forbidden wall was built in 1900, who paid for it?"
    assert find(question, said.replace("wall", "forbidden wall"), "en").startswith("1900 > ")


def test_the_number_of_a_part_names_no_row() -> None:
    table = "Lesson | Task | Hand in\n1 | Listening walk | No\n2 | Map | Yes"
    assert find("What must I hand in for project 1?", table, "en") == ""
