"""A step that is asked for by its place in a list is that step, in whatever words it is said."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.steps import name_step
from services.generation.model import (
    BlockKind,
    Locator,
    Neighbour,
    Passage,
    PassageScores,
    Question,
    SentenceRole,
    Span,
)
from services.generation.retrieve import accept_listed
from tests.support.generation_fakes import prompt, search_result
from tests.support.leads import lead_of

H, L = BlockKind.HEADING, BlockKind.LIST_ITEM
STEPS = (
    "Write your name on the board. Use chalk.",
    "Put a ticket under your pots.",
    "Pay for the shelf at the honesty box that you booked it by.",
)


def page(*, cut: bool = False) -> Passage:
    text, spans = "", []
    for kind, body in ((H, "Booking a shelf"), *((L, step) for step in STEPS)):
        text += "\n" if text else ""
        spans.append(Span(len(text), len(text) + len(body), kind, 0.9 if body == STEPS[2] else 0.1))
        text += body
    place = Locator("a.md", 0, len(text), ("Book", "Booking a shelf"))
    if not cut:
        return Passage("c", place, text, tuple(spans), PassageScores())
    start = spans[2].start
    inner = Locator("a.md", start, len(text), place.section_path)
    before = Neighbour(spans[1], STEPS[0])
    return Passage(
        "c", inner, text[start:], tuple(spans[2:]), PassageScores(), neighbours=(before,)
    )


def lead(question: str, passage: Passage) -> str:
    return passage.text_of(choose_places(prompt((passage,), question))[0].span)


@pytest.mark.parametrize(
    ("asked", "step"), [("first", STEPS[0]), ("second", STEPS[1]), ("last", STEPS[2])]
)
def test_the_step_at_the_place_that_is_asked_for_leads(asked: str, step: str) -> None:
    assert lead(f"What is the {asked} step of booking a shelf?", page()) == step


def test_a_step_that_the_passage_lacks_is_not_said_to_be_the_first() -> None:
    assert lead("What is the first step of booking a shelf?", page(cut=True)) != STEPS[1]
    assert lead("What is the fifth step of booking a shelf?", page()) == STEPS[2]
    assert lead("What is the last step of booking a shelf?", page(cut=True)) == STEPS[2]


@pytest.mark.parametrize(
    ("language", "question", "place"),
    [
        ("en", "What is the first step of firing?", 0),
        ("en", "What was the first pump?", None),
        ("en", "What is step 3 of firing?", 2),
        ("en", "What is step 0 of firing?", None),
        ("de", "Was ist Schritt 2?", 1),
        ("fr", "Quelle est l'étape 4 ?", 3),
        ("de", "Was ist der zweite Schritt beim Brennen?", 1),
        ("es", "¿Cuál es el último paso?", -1),
        ("fr", "Quelle est la première étape ?", 0),
        ("pt", "Qual é o terceiro passo?", 2),
        ("ru", "Какой первый шаг?", 0),
        ("zh", "第一步是什么？", None),
    ],
)
def test_a_step_is_asked_for_by_the_words_of_the_language(
    language: str, question: str, place: int | None
) -> None:
    named = name_step(question, load_lexicon(language))
    assert (named and named[0]) == place


def test_a_bare_step_is_of_the_list_that_there_is() -> None:
    said = "The hall of the club has a shelf for what was made by its members in the year."
    place = Locator("a.md", 1000, 1000 + len(said), ("Book", "The hall"))
    spans = (Span(1000, 1000 + len(said), BlockKind.PARAGRAPH, 0.95),)
    hall = Passage("h", place, said, spans, PassageScores())
    places = choose_places(prompt((hall, page()), "What is the first step?"))
    assert (places[0].source, page().text_of(places[0].span)) == (2, STEPS[0])


@pytest.mark.parametrize(
    ("asked", "chapter", "passes"),
    [
        ("What is the first step of booking a shelf?", "", True),
        ("What is the first step to book shelves?", "", True),
        ("What is the first step of booking a room?", "", False),
        ("What is the first step?", "2", True),
        ("What is the first step?", "", False),
        ("What is the first chalk?", "2", False),
    ],
)
def test_a_step_passes_the_gate_by_what_stands_over_its_list(
    asked: str, chapter: str, passes: bool
) -> None:
    found = search_result((page(),), passed=False, probability=0.2)
    question = Question("book", 1, asked, chapter=chapter, language="en")
    accepted = accept_listed(found, question, analyse_question(asked, "en"))
    assert accepted.gate.passed == passes


FITTED = (
    "- Drill a hole of 8 mm into the pipe.",
    "- Push the probe in until its tip is in the middle.",
    "- Tighten the nut.",
)


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("How do I fit the probe?", FITTED),
        # The title may say it in another word.
        ("How do I install the probe?", FITTED),
        ("How do I clean the probe?", FITTED[1:2]),
    ],
)
def test_all_steps_lead_whose_title_says_what_is_to_be_done(
    asked: str, led: tuple[str, ...]
) -> None:
    titles = ("Manual", "3.1 Fitting the probe")
    assert lead_of(asked, FITTED, (0.2, 0.9, 0.1), titles=titles) == "\n".join(led)


JOIN = ["Anyone over sixteen may become a member.", "To join:"]
DONE = ["- Fill in the blue form.", "- Come to a welcome evening.", "- Pay fifteen pounds."]


@pytest.mark.parametrize(
    ("question", "leads"),
    [("How do I become a member?", "\n".join([JOIN[1], *DONE])), ("Who may join?", JOIN[0])],
    ids=["how", "who"],
)
def test_steps_lead_that_the_likeliest_paragraph_ends_with(question: str, leads: str) -> None:
    text = "\n".join([" ".join(JOIN), *DONE])
    spans = [
        Span(
            text.index(piece),
            text.index(piece) + len(piece),
            L if piece in DONE else BlockKind.PARAGRAPH,
            0.9 if piece == JOIN[0] else 0.1,
        )
        for piece in (*JOIN, *DONE)
    ]
    place = Locator("a.md", 0, len(text), ("House", "Members"))
    held = Passage("a", place, text, tuple(spans), PassageScores(fused=0.5))
    lead = choose_places(prompt((held,), question))
    assert [held.text_of(one.span) for one in lead if one.role is SentenceRole.LEAD] == [leads]


APP = [
    "Only the big one can be operated by the app.",
    "It is green.",
    "Hold both keys for a second.",
]


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("How do I connect the big one to the app?", APP[2]),
        ("What is operated by the app?", APP[0]),
    ],
    ids=["how", "which"],
)
def test_the_way_leads_that_is_told_behind_what_can_be_done(question: str, leads: str) -> None:
    assert lead_of(question, APP, [0.95, 0.1, 0.1], between=" ") == leads
