"""A line that says when a page was changed, or what to read, answers just who asks for that."""

import pytest

from services.generation.extractive.boilerplate import is_boilerplate
from services.generation.extractive.candidates import list_candidates
from services.generation.model import BlockKind, Locator, Passage, PassageScores, Span
from tests.support.leads import lead_of


def is_left_out(text: str, question: str, language: str, *titles: str) -> bool:
    place = Locator("a.md", 0, len(text), ("Book", *titles))
    kind = BlockKind.LIST_ITEM if titles else BlockKind.PARAGRAPH
    held = Passage("a", place, text, (Span(0, len(text), kind, 0.5),), PassageScores())
    (item,) = list_candidates([held], language)
    return is_boilerplate(item, question)


@pytest.mark.parametrize(
    ("language", "text", "asked", "other"),
    [
        (
            "en",
            "Last updated: May 2024 for the first module",
            "Which version is this page of?",
            "What do I build in the last module?",
        ),
        (
            "de",
            "Zuletzt geändert: Mai 2024, für Modul 1",
            "Wann wurde die Seite geändert?",
            "Was baue ich im letzten Modul?",
        ),
        (
            "fr",
            "Dernière mise à jour : mai 2024, module 1",
            "Quand a-t-elle été modifiée ?",
            "Que construit-on au dernier module ?",
        ),
        (
            "es",
            "Última actualización: mayo de 2024, módulo 1",
            "¿Cuándo se modificó?",
            "¿Qué se construye en el último módulo?",
        ),
    ],
)
def test_the_date_of_a_page_answers_only_who_asks_for_it(
    language: str, text: str, asked: str, other: str
) -> None:
    left_out = [is_left_out(text, question, language) for question in (asked, other)]
    assert left_out == [False, True]


@pytest.mark.parametrize(
    ("text", "asked", "other"),
    [
        ("Purpose: Make the drift visible.", "What is the purpose of it?", "How is drift told?"),
        (
            "Learning Objective: Students tell drift from lag.",
            "Which goals has it?",
            "What is lag?",
        ),
        ("Example 3: A Mismatched Frame", "Which example has it?", "What is a frame?"),
        ("[link] summarizes the steps of drift.", "Which figure has them?", "What are its steps?"),
        ("The steps are listed in Table 3 below.", "Which table has them?", "What are its steps?"),
        ("The chapter examines what drift is.", "What does the chapter say?", "What is drift?"),
    ],
)
def test_aims_of_a_lesson_answer_only_who_asks_for_that(text: str, asked: str, other: str) -> None:
    left_out = [is_left_out(text, question, "en") for question in (asked, other)]
    assert left_out == [False, True]
    for told in (
        *("Purpose: sets the time zone.", "Example: a frame of ash is light."),
        *("Figure 3 shows that drift grows.", "The graph shows lag, which drift follows."),
    ):
        assert not is_left_out(told, other, "en")


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Which papers am I told to read on grasping?", False),
        ("What should I read on grasping?", False),
        ("Which method is arXiv:1707.06347?", False),
        ("Which method is arXiv:1802.01561?", True),
        ("How does grasping work?", True),
    ],
)
def test_literature_answers_who_asks_what_to_read(question: str, *, left_out: bool) -> None:
    text = "Grasping: the two papers of Holt, arXiv:1707.06347"
    assert is_left_out(text, question, "en", "Further reading") is left_out


@pytest.mark.parametrize(
    ("row", "question", "left_out"),
    [
        ("2.3 Building on Windows | | How to build", "How do I build it?", True),
        ("2.3 Building on Windows | | How to build", "Which section is on building?", False),
        ("2.3 kg | 40 W | steel", "How heavy is it?", False),
    ],
)
def test_a_row_of_a_menu_answers_who_asks_for_a_section(
    row: str, question: str, *, left_out: bool
) -> None:
    spans = (Span(0, 8, BlockKind.TABLE, 0.1), Span(9, 9 + len(row), BlockKind.TABLE, 0.5))
    text = f"A | B | C\n{row}".replace("A | B | C", "A | B | ")
    place = Locator("a.md", 0, len(text), ("Book",))
    *_, item = list_candidates([Passage("a", place, text, spans, PassageScores())])
    assert item.text == row
    assert is_boilerplate(item, question) is left_out


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "First aid is covered in the dedicated safety chapter."),
        ("en", "If the pump is worn, refer to the list of parts."),
        ("de", "Die Pflege wird im Kapitel über Wartung ausführlich beschrieben."),
        ("fr", "La pose est complètement documentée dans le fichier pose.txt."),
        ("fr", "Si la pompe est usée, lisez le point 3 de la notice."),
        ("fr", "Nous vous suggérons de lire tout le paragraphe."),
    ],
)
def test_a_sentence_that_says_where_it_is_told_is_no_answer(language: str, text: str) -> None:
    asked = {"en": "How is it done?", "de": "Wie geht es?", "fr": "Comment faire ?"}
    assert is_left_out(text, asked[language], language)


@pytest.mark.parametrize(
    "text",
    [
        "If the pump is worn, fit a new seal.",
        "The key is kept in the drawer.",
        "The valve is described as a flap in the pipe.",
    ],
)
def test_a_sentence_that_tells_it_is_no_pointer(text: str) -> None:
    assert not is_left_out(text, "How is it done?", "en")


def test_next_steps_answer_only_who_asks_for_them() -> None:
    text = "Review the module on grippers for the tutorials"
    assert is_left_out(text, "What do I build with the gripper?", "en", "Next Steps")
    assert not is_left_out(text, "What are the next steps?", "en", "Next Steps")


def test_a_pointer_answers_no_question_for_which_things_there_are() -> None:
    pieces = ("For more information, see the guide in /usr/share/doc.", "The list shows all jars.")
    asked = "How can I see which jars are there?"
    assert lead_of(asked, pieces, (0.9, 0.5)) == pieces[1]
    assert lead_of("Which guide tells more of jars?", pieces, (0.9, 0.1)) == pieces[0]
