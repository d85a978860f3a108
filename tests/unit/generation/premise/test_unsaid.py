"""What a question takes for granted and no sentence says is told."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.untold import list_untold
from services.generation.premise.claims import find_unsaid_premise
from tests.support.generation_fakes import passage
from tests.unit.generation.premise.test_said_otherwise import find

TABS = "The file parameter must not be commented out, and it must name a disk."


def test_a_denial_is_told_beside_what_is_so() -> None:
    assert find("Why should file be commented out?", TABS, "en") == f" > {TABS}"


MILL = "The mill was built by the guild and has a green door."


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Why did the guild sell the mill?", "guild sell the mill"),
        ("Was the mill built by a baron?", "mill built by a baron"),
        # All said, nearly nothing said, denied by the question, or no premise.
        ("Was the mill built by the guild?", ""),
        ("Why do owls sing in the mill?", ""),
        ("Why did the guild not sell the mill?", ""),
        ("Who sold the mill to the guild?", ""),
        # All but one of many words said, but no name, number, colour or opposite that is another.
        ("Why did the guild build the old mill with a green door?", ""),
        ("Why did Ada's guild build the mill with a green door?", "Ada's guild build the mill"),
        ("Why did the guild build the mill with a green and blue door?", "guild build the mill"),
        ("Why did the guild build the new mill with a green door?", "guild build the new mill"),
        ("Was the old mill with a green door built by the guild?", "old mill with a green door"),
        # What one would do is not said to be so.
        ("Why would I build a mill in a garden?", ""),
    ],
)
def test_a_premise_that_no_sentence_has_is_told_in_its_words(question: str, claim: str) -> None:
    found = find_unsaid_premise(analyse_question(question), (passage(MILL, MILL),))
    assert found.startswith(claim)
    assert bool(found) is bool(claim)


@pytest.mark.parametrize(
    ("question", "text", "is_doubted"),
    [
        # The verb turned round, and a noun for another.
        ("Pourquoi la lampe brille-t-elle la nuit ?", "La lampe brille la nuit.", False),
        (
            "Pourquoi la ville a-t-elle demandé le nom « Pont Vert du Moulin » ?",
            "La ville a demandé que nous l'appelions « Pont Vert du Moulin ».",
            False,
        ),
        ("Pourquoi choisir un moulin de la ville ?", "Les moulins de Lyon sont vieux.", False),
        ("Pourquoi la lampe de la tour brille-t-elle ?", "La lampe de la tour est là.", True),
    ],
)
def test_a_premise_that_french_says_is_not_doubted(
    question: str, text: str, is_doubted: bool
) -> None:
    analysis = analyse_question(question, "fr")
    assert bool(find_unsaid_premise(analysis, (passage(text, text),))) is is_doubted


@pytest.mark.parametrize(
    ("question", "untold"),
    [
        ("Is the door of the mill blue?", ("blue",)),
        ("Does the mill have 500 doors?", ("500",)),
        ("Is the door of the mill green?", ()),
        ("Is the door of the mill green or blue?", ()),
        ("How many of the 500 doors are green?", ()),
        ("May the mill door be green?", ()),
    ],
)
def test_a_number_or_colour_that_no_passage_has_is_told(
    question: str, untold: tuple[str, ...]
) -> None:
    assert list_untold(analyse_question(question), (passage(MILL, MILL),)) == untold


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Why is a stable mooring important?", "A mill needs a stable mooring first of all."),
        ("de", "Warum ist eine stabile Leine wichtig?", "Grundlage ist eine stabile Leine."),
        ("fr", "Pourquoi une corde solide est-elle utile ?", "Il faut une corde solide."),
        ("es", "¿Por qué es importante una cuerda sólida?", "Hace falta una cuerda sólida."),
        ("pt", "Por que é importante uma corda sólida?", "É preciso uma corda sólida."),
    ],
)
def test_a_book_need_not_call_important_what_it_asks_for(
    language: str, question: str, text: str
) -> None:
    assert find_unsaid_premise(analyse_question(question, language), (passage(text, text),)) == ""
    other = question.replace("stable", "heavy").replace("stabile", "schwere")
    told = find_unsaid_premise(analyse_question(other, language), (passage(text, text),))
    assert bool(told) is (other != question)
