"""What a sentence announces by its number leads with it, and nothing where the number is asked for."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.announced import has_list_for
from tests.support.leads import lead_of, lead_places_of, passage_of

MODES = (
    "The controller has three modes.",
    "In Economy mode the fire burns slowly.",
    "In Normal mode the gas is held at 260 °C.",
    "In Power mode it may rise to 340 °C.",
    "The fan starts by itself.",
)
GERMAN = ("Der Regler kennt zwei Stufen.", "Die erste ist leise.", "Die zweite ist laut.", "Ende.")


@pytest.mark.parametrize(
    ("language", "question", "sentences", "led"),
    [
        ("en", "Which modes are there?", MODES, MODES[:4]),
        ("en", "What are the modes of the controller?", MODES, MODES[:4]),
        ("en", "How many modes are there?", MODES, MODES[:1]),
        # Where they are none of them tells.
        ("en", "Where are the modes of the controller?", MODES, MODES[:1]),
        # One sentence may tell of two of them.
        ("en", "Which modes are there?", MODES[:3], MODES[:3]),
        # What is counted is not what is asked for.
        ("en", "Which controllers are there?", MODES, MODES[:1]),
        ("de", "Welche Stufen gibt es?", GERMAN, GERMAN[:3]),
    ],
)
def test_so_many_sentences_lead_as_are_announced(
    language: str, question: str, sentences: tuple[str, ...], led: tuple[str, ...]
) -> None:
    nearness = (0.9, *[0.1] * (len(sentences) - 1))
    assert lead_of(question, sentences, nearness, language, between=" ") == " ".join(led)


USES = (
    "A plant uses water for three things:",
    "- Photosynthesis: light turns it into sugar, with carbon dioxide from the air around.",
    "- Transpiration: what leaves through the pores cools them, as sweat does with people.",
    "- Structure: cells are stiff with it, and wilt where the roots find too little rain.",
)


@pytest.mark.parametrize(
    ("question", "pieces", "led"),
    [
        ("What do plants use water for?", USES, USES),
        ("What wilts where roots find little rain?", USES, USES[3:]),
        ("Do plants use water for things?", USES, USES[3:]),
        # One more than is announced: these are other things.
        ("What do plants use water for?", (*USES, "- Soil holds it."), USES[3:4]),
    ],
)
def test_a_list_leads_whole_that_its_introduction_announces(
    question: str, pieces: tuple[str, ...], led: tuple[str, ...]
) -> None:
    nearness = (0.2, 0.3, 0.3, 0.9, 0.1)[: len(pieces)]
    assert lead_of(question, pieces, nearness) == "\n".join(led)


OPENING = ("The workshop is open at these times:", "- Weekdays, 9 to 22", "- Sundays, 10 to 16")
KEPT = ("The following may be kept on a plot:", "- six hens", "- four rabbits")


@pytest.mark.parametrize(
    ("language", "question", "pieces", "nearest", "led"),
    [
        # The line over the list says all that is asked, and no item has a word of it.
        ("en", "When is the workshop open?", OPENING, 1, 3),
        ("en", "Which animals may be kept on a plot?", KEPT, 1, 3),
        # An item that has one answers itself.
        ("en", "When is the workshop open on weekdays?", OPENING, 1, 0),
    ],
)
def test_a_list_leads_whole_below_a_line_that_says_all(
    language: str, question: str, pieces: tuple[str, ...], nearest: int, led: int
) -> None:
    nearness = [0.9 if at == nearest else 0.1 for at in range(len(pieces))]
    whole = "\n".join(pieces)
    lead = lead_of(question, pieces, nearness, language)
    assert (lead == whole) is bool(led), lead


@pytest.mark.parametrize(
    ("question", "pieces", "is_listed"),
    [
        ("Which may be kept on a plot?", KEPT, True),
        ("What is in the box?", ("The box contains:", "- a hose", "- a filter"), True),
        # The line says more than the one word of the question.
        ("What is in the box?", ("The box is shut by these screws:", "- M4", "- M5"), False),
        ("Which plants may be kept in a greenhouse?", KEPT, False),
    ],
)
def test_a_list_below_a_line_that_says_all_needs_no_gate(
    question: str, pieces: tuple[str, ...], is_listed: bool
) -> None:
    held = passage_of(pieces, [0.1] * len(pieces))
    assert has_list_for(analyse_question(question), (held,)) is is_listed


def test_a_sentence_that_tells_it_is_shown_alone() -> None:
    sentences = ("The limit of the weir is two metres.", "Some cannot climb it.")
    assert (
        lead_of("What is the limit of the weir?", sentences, (0.9, 0.0), between=" ")
        == sentences[0]
    )


def test_all_bare_items_lead_below_a_line_that_says_half() -> None:
    pieces = ("A weight loss may result from:", "- Swarming.", "- Robbing.", "- Rain.")
    found = lead_places_of("What can cause a loss of weight?", pieces, (0.5, 0.9, 0.2, 0.1))
    assert found == ["\n".join(pieces)]


STAGES = (
    "A pot goes through three stages.",
    "They are the same for all.",
    "- Drying",
    "- First firing",
    "- Glost firing",
)


@pytest.mark.parametrize(
    ("question", "pieces", "count"),
    [
        ("What are the three stages of a pot?", STAGES, 4),
        # Another number of items is a list of something else.
        ("What are the three stages of a pot?", (*STAGES, "- Sale"), 1),
        ("How many stages does a pot go through?", STAGES, 1),
    ],
)
def test_the_next_list_of_as_many_leads_with_the_sentence_that_counts_them(
    question: str, pieces: tuple[str, ...], count: int
) -> None:
    lead = lead_places_of(question, pieces, (0.9, *[0.1] * (len(pieces) - 1)))
    assert len(lead) == count
    assert lead[0] == STAGES[0]


@pytest.mark.parametrize(("told", "leads"), [("A valve is a gate.", True), ("Gates rust.", False)])
def test_a_sentence_that_says_all_leads_before_a_list(told: str, *, leads: bool) -> None:
    pieces = (told, "What a valve has to have:", "- a seat", "- a stem")
    assert (lead_of("What is a valve?", pieces, (0.9, 0.1, 0.3, 0.2)) == told) is leads


def test_a_list_of_things_leads_below_the_line_that_lacks_but_their_name() -> None:
    pieces = (
        "The office takes in parcels abroad from the following:",
        "- Carts",
        "- Sledges",
        "- Boats",
        "To send with any of these, ask which parcels abroad are sent.",
    )
    question = "Which vehicle types are parcels abroad taken in from?"
    assert lead_of(question, pieces, (0.2, 0.1, 0.1, 0.1, 0.9)) == "\n".join(pieces[:4])


LEVELS = ("Meanings of the log settings are:", "- 0: none", "- 1: flushed", "- 4: traced")
REPORTED = (
    "Your report should contain:",
    "- a sketch of the mill",
    "- the day of the frost",
    "- the names of all who were there",
)


@pytest.mark.parametrize(
    ("question", "pieces", "whole"),
    [
        # Each item has a word of its own of the question.
        ("What do the log levels 0, 1 and 4 mean?", LEVELS, True),
        ("What does the log level 1 mean?", LEVELS, False),
        # None has any, and the line half of all.
        ("What should the report of the frost contain?", REPORTED, False),
        ("What should the yearly report contain?", REPORTED, True),
    ],
)
def test_a_list_leads_whole_of_which_no_item_is_asked_for_alone(
    question: str, pieces: tuple[str, ...], *, whole: bool
) -> None:
    nearness = (0.1, 0.1, 0.9, 0.1)[: len(pieces)]
    assert (lead_of(question, pieces, nearness) == "\n".join(pieces)) is whole
