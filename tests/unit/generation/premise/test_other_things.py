"""A premise that a cell, a word of a class, a name or a denial of the book speaks against is told."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.model import BlockKind
from services.generation.premise.find import find_other_value
from services.generation.refuse import refuse_empty
from tests.support.generation_fakes import passage, question, search_result

STOVES = "Stove | Fuel | Weight\nFinch | coal | 88 kg\nFinch Grand | peat | 97 kg"


def find(asked: str, text: str, language: str = "en") -> str:
    kind = BlockKind.TABLE if " | " in text else BlockKind.PARAGRAPH
    held = passage(text, text, kind, section_path=("Book", "1"))
    other = find_other_value(analyse_question(asked, language), [held])
    return f"{other.asked} > {other.quote}" if other else ""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        # It is so, no row has it, or no one row is named.
        ("Why does the Finch need coal?", ""),
        ("Why does the Finch need wood?", ""),
        ("Why is coal burnt?", ""),
        ("Why does the Finch Grand smell of coal when cold rain falls?", ""),
    ],
)
def test_a_cell_of_another_row_is_told(asked: str, found: str) -> None:
    assert find(asked, STOVES) == found


@pytest.mark.parametrize(
    ("language", "asked", "told"),
    [
        ("en", "Why does the cook serve soup in Lent?", "The cook serves no soup in Lent."),
        (
            "en",
            "Why does the shed stand beside the quay?",
            "The shed stands by the mill, not beside the quay.",
        ),
        ("de", "Warum lieferte Kolb die Glocke?", "Die Glocke lieferte Kolb nicht."),
        ("fr", "Pourquoi le quai a-t-il été vendu ?", "Le quai n'a jamais été vendu."),
    ],
)
def test_a_denial_of_the_book_is_told(language: str, asked: str, told: str) -> None:
    assert find(asked, told, language) == f" > {told}"
    analysis, found = analyse_question(asked, language), search_result((passage(told, told),))
    texts = load_profile("").refusals
    own = question(asked, language=language)
    refusal = refuse_empty(found, own, texts, analysis, withheld=False, has_model=False)
    assert load_lexicon(language).refusals.denied.replace("{quote}", told) in refusal.message


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "Why does the shed stand beside the quay?",
            "The shed stands beside the quay and never moves.",
        ),
        ("Why are masts stored upright?", "Masts are stored upright, so that they do not warp."),
        ("Why does the cook not serve soup?", "The cook does not serve soup."),
        ("Why does the cook serve soup?", "The cook does not serve fish."),
    ],
)
def test_no_denial_of_something_else_is_told(asked: str, told: str) -> None:
    assert find(asked, told) == ""


@pytest.mark.parametrize(
    ("language", "asked", "told", "value"),
    [
        (
            "en",
            "Why is the pier tarred every nine years?",
            "The pier is tarred every six years.",
            "nine years",
        ),
        (
            "en",
            "Why is the dam 12 miles long?",
            "The dam is old. It is twenty-one miles long.",
            "12 miles",
        ),
        ("en", "Why does the siren run on 24 volts?", "The siren gets by on 36 volts.", "24 volts"),
        (
            "de",
            "Warum arbeitet die Pumpe mit 230 bar?",
            "Die Pumpe arbeitet mit einem Druck von 320 bar.",
            "230 bar",
        ),
        (
            "fr",
            "Pourquoi la cloche est-elle remplie sous 5 bars ?",
            "La cloche est remplie à une pression de 3 bars.",
            "5 bars",
        ),
        (
            "en",
            "Why was the bell stolen in 2018?",
            "The bell was stolen by thieves in 2019.",
            "2018",
        ),
    ],
)
def test_a_value_is_told_beside_what_measures_it(
    language: str, asked: str, told: str, value: str
) -> None:
    assert find(asked, told, language).startswith(f"{value} > ")


def test_a_pronoun_stands_for_what_was_done() -> None:
    told = "The gauge was broken by a barge. Ada Lindt mended it. Tom Birch wrote the report."
    assert find("Why did Tom Birch mend the gauge?", told) == "Tom Birch > Ada Lindt mended it."


def test_a_doer_is_told_from_a_place() -> None:
    told = "Finch was founded by Ada Lindt in a shed on Quay Street. Tom Birch drew it."
    assert find("When did Tom Birch found Finch?", told).startswith("Tom Birch > Finch was founded")


def test_a_preposition_is_no_money() -> None:
    told = "La cloche pèse peu. La lampe marche sous 12 volts."
    assert find("Pourquoi la lampe marche-t-elle sous 24 volts ?", told, "fr").startswith(
        "24 volts"
    )


LAMPS = "A grey lamp means that the pump runs. A pink lamp means that the sluice is open."
SORTING = (
    "The default sorting is forward, stroke-free, and plain. "
    "But one can turn the sorting, sort stroke sensitively with a key, and stop."
)
GIFTS = "The miller gave the bell; the guild of the tanners gave the organ."


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        # It is so, of one thing two sentences say more, or the verb is another.
        ("Why does a grey lamp mean that the pump runs?", LAMPS, ""),
        ("Why is the brick tower so tall?", "The tower is tall. The tower is of brick.", ""),
        ("Since the tanners sold the bell, who bought the bell?", GIFTS, ""),
        # What stands behind what is said of it is no thing that has it.
        ("Why is sorting stroke-sensitive by default?", SORTING, ""),
    ],
)
def test_a_thing_is_told_of_which_the_clause_beside_it_says_it(
    asked: str, told: str, found: str
) -> None:
    assert find(asked, told) == found


WEIGHTS = "Boat | Length (m) | Mass (kg)\nTern | 4 | 210\nPetrel | 6 | 540"
YEARS = "Year | Sheds | Cranes\n1820 | 3 | 1\n1850 | 7 | 2"
COLUMNS = "Feature | Tern | Petrel\nHull | larch | oak\nBuilt for | racing | cargo"


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        # By the unit over the column, by what it counts in a year, and of a thing that heads a column.
        ("Why does the Tern weigh 300 kg?", WEIGHTS, "300 kg > Tern | 4 | 210"),
        ("Since the Tern weighs 300 kg, who rows it?", WEIGHTS, "300 kg > Tern | 4 | 210"),
        ("Why were there 9 sheds in 1850?", YEARS, "9 sheds > 1850 | 7 | 2"),
        ("Why does the Tern weigh 210 kg?", WEIGHTS, ""),
        ("Why were there 7 sheds in 1850?", YEARS, ""),
        ("Since the hull of the Tern is larch, who built it?", COLUMNS, ""),
    ],
)
def test_a_value_that_stands_in_a_table_is_told(asked: str, told: str, found: str) -> None:
    assert find(asked, told) == found


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        ("Since the fair is in May, who came?", "The fair is in July and in August.", ""),
        (
            "Since the keeper refused to sell the boat, where is it?",
            "The keeper would not sell the boat.",
            "",
        ),
    ],
)
def test_a_stated_clause_is_held_against_the_book(asked: str, told: str, found: str) -> None:
    assert find(asked, told).partition(" > ")[0] == found
