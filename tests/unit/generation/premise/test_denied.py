"""What a question takes for granted is told to be denied where all of it is, and in every case."""

import pytest

from tests.unit.generation.premise.test_said_otherwise import find


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # That it is allowed, or a duty, or safe, is denied by what is not allowed.
        ("en", "Why can petrol be kept in sheds?", "Petrol must not be kept in sheds."),
        ("en", "Why must huts have tin roofs?", "Tin roofs are not allowed on huts; use slate."),
        ("en", "Why is the pond safe to swim in?", "Nobody may swim in the pond."),
        ("de", "Warum sind im Hof Hunde erlaubt?", "Hunde sind im Hof nicht erlaubt."),
        # What is denied may end a list, and its reason is no more that is denied.
        ("en", "Why may I plant elder?", "Elder, ash and oak may not be planted because of roots."),
        # Said of the very case that is asked about.
        (
            "en",
            "Why are notes saved when the editor is closed?",
            "When you close the editor, its notes vanish; they are not saved.",
        ),
        # How and when take for granted that it can be done.
        ("en", "How can I smoke in the hall?", "It is not allowed to smoke in the hall."),
        ("en", "When is smoking permitted in the hall?", "Smoking is never permitted in the hall."),
        ("en", "How do I use dots in labels?", "There is no support for dots in labels."),
        # That it is there, is used or wanted says no more than that.
        ("en", "Why is the bell on the gate?", "The bell is not present on the gate."),
        (
            "en",
            "Why does the mill need a bell?",
            "A bell is by no means necessary to use the mill.",
        ),
        ("de", "Warum hat die Mühle eine Glocke?", "In der Mühle ist keine Glocke vorhanden."),
        # What the book is about says no more, either.
        ("de", "Warum klingelt die Glocke nachts?", "Die Glocke im Buch klingelt nachts nicht."),
        # Another sentence that has all words has them only with its titles and the one before.
        (
            "en",
            "Why is the water of the pond safe to drink?",
            "The water of the pond is not drinking water.\nDrinking water is found at the hut.",
        ),
    ],
)
def test_all_that_is_denied_is_told(language: str, question: str, text: str) -> None:
    assert find(question, text, language) == f" > {text.splitlines()[0]}"


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # Where it is there, but not so often, large or for all.
        ("en", "Why is the bell on the gate?", "The bell is not present on the back gate."),
        ("en", "Why does the mill need a bell?", "The mill does not need a second bell."),
        # In some case only.
        ("en", "Why does the bell ring?", "In winter, the bell does not ring."),
        ("en", "Why is the gate locked at night?", "The gate is not locked until night."),
        (
            "en",
            "Why are notes kept in the editor?",
            "If it fails, notes are not kept in the editor.",
        ),
        # Of some of them only.
        ("en", "Why may members use the weir?", "Members under 18 may not use the weir."),
        ("en", "Why is the pool safe for children?", "The pool is not safe for small children."),
        # Denied twice, it is so.
        ("en", "Why must dogs be on a lead?", "Dogs that are not on a lead are not allowed."),
        ("en", "Why do sheds need a permit?", "No shed is allowed without a permit."),
        ("de", "Warum brauchen Hunde eine Leine?", "Hunde sind ohne Leine nicht erlaubt."),
        (
            "fr",
            "Pourquoi faut-il une laisse aux chiens ?",
            "Les chiens sans laisse ne sont pas permis.",
        ),
        # What is not so of itself may be made so.
        ("en", "How do I show colours in the list?", "Colours are not shown in the list."),
        # Another clause or sentence says it.
        (
            "en",
            "How can I smoke in the hall?",
            "It is not allowed to smoke in the hall.\nYou smoke in the hall behind a curtain.",
        ),
        ("en", "Why are keys kept at the office?", "Keys are kept at the office, not at home."),
    ],
)
def test_no_denial_is_told_of_what_may_be_so(language: str, question: str, text: str) -> None:
    assert find(question, text, language) == ""


FAIR = "The fair is run by its guests."
OFFICE = "As such, there is no central office or point of control."


def test_a_denial_may_be_of_the_thing_that_the_sentence_before_names() -> None:
    question = "Why does the fair have a central office?"
    assert find(question, f"{FAIR}\n{OFFICE}", "en") == f" > {OFFICE}"
    assert find(question, f"The mill is run by its guests.\n{OFFICE}", "en") == ""
    # Who takes for granted that there is none is told nothing.
    assert find("Why is there no central office at the fair?", f"{FAIR}\n{OFFICE}", "en") == ""


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Why do huts have a tiled stove?", "Huts have no tiled stove or bell."),
        ("de", "Warum haben Hütten einen Kachelofen?", "Hütten haben keinen Kachelofen oder Herd."),
        (
            "fr",
            "Pourquoi les cabanes ont-elles un poêle ?",
            "Les cabanes n'ont pas de poêle ou four.",
        ),
    ],
)
def test_each_of_two_things_that_are_denied_together_is(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language) == f" > {text}"


def test_a_sentence_of_a_long_cell_denies_what_its_row_names() -> None:
    sets = " ".join(f"This sets wheel {at} and its many spokes in the yard." for at in range(6))
    denied = "It does not ring at night."
    rows = f"Name | Meaning\nBell | {sets} {denied}"
    assert find("Why does the bell ring at night?", rows, "en") == f" > {denied}"
