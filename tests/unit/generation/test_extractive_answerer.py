"""What is shown of the passages: few pieces, that answer, in the book's words and order."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from services.generation.adapters.extractive_answerer import ExtractiveAnswerer, choose_pieces
from services.generation.adapters.question_form import read_form
from services.generation.model import (
    BlockKind,
    Locator,
    Passage,
    PassageScores,
    Selection,
    Transcript,
    Unit,
)
from tests.support.generation_fakes import prompt

K = BlockKind


def book(*lines, document="a.mdx", start=100, blended=0.5):
    """A passage of units (kind, score, text), one a line."""
    text, units = "", []
    for kind, score, body in lines:
        text += "\n" if text else ""
        units.append(Unit(start + len(text), start + len(text) + len(body), kind, score))
        text += body
    place = Locator(document, start, start + len(text), ("Chapter", "Section"))
    scores = PassageScores(blended=blended)
    return Passage(f"{document}-{start}", place, text, tuple(units), scores)


def show(*passages, text="How strong is it?", max_sentences=3, **fields):
    asked = prompt(passages, text, **fields)
    settings = replace(asked.settings, max_sentences=max_sentences)
    chosen = choose_pieces(replace(asked, settings=settings))
    return [piece.text for piece in chosen]


async def drafted(*passages, text="How strong is it?", **fields):
    written = ExtractiveAnswerer().write(prompt(passages, text, **fields), Transcript(), 1.0)
    return [sentence async for sentence in written]


def test_the_best_pieces_are_shown_in_reading_order():
    first = book(
        (K.PARAGRAPH, 0.7, "Alpha comes first."), (K.PARAGRAPH, 0.9, "Beta comes after it.")
    )
    assert show(first, max_sentences=1) == ["Beta comes after it."]
    assert show(first) == ["Alpha comes first.", "Beta comes after it."]


def test_documents_come_in_the_order_of_their_best_passage():
    passages = (
        book((K.PARAGRAPH, 0.9, "Second of the best."), document="b.mdx", start=500),
        book((K.PARAGRAPH, 0.8, "Of another document."), document="a.mdx"),
        book((K.PARAGRAPH, 0.8, "First in the best document."), document="b.mdx", start=100),
    )
    assert show(*passages) == [
        "First in the best document.",
        "Second of the best.",
        "Of another document.",
    ]


def test_what_is_far_weaker_than_the_best_is_left_out():
    weak = book(
        (K.PARAGRAPH, 0.9, "It lifts 40 kg easily."), (K.PARAGRAPH, 0.1, "Paint it blue now.")
    )
    assert show(weak) == ["It lifts 40 kg easily."]


def test_headings_and_repetitions_are_not_shown():
    twice = (
        book((K.HEADING, 0.9, "Strength of it"), (K.PARAGRAPH, 0.8, "It lifts 40 kg.")),
        book((K.PARAGRAPH, 0.8, "It lifts 40 kg."), document="b.mdx"),
        book((K.PARAGRAPH, 0.8, "It lifts 40 kg.")),
    )
    assert show(*twice) == ["It lifts 40 kg."]


async def test_a_short_list_is_shown_with_what_leads_to_it():
    listed = book(
        (K.PARAGRAPH, 0.2, "It has three limits:"),
        (K.LIST_ITEM, 0.9, "Drift over time"),
        (K.LIST_ITEM, 0.1, "Noise"),
        (K.LIST_ITEM, 0.1, "Cost"),
        (K.PARAGRAPH, 0.2, "Nothing to do with it."),
    )
    texts = [sentence.text for sentence in await drafted(listed)]
    assert texts == ["It has three limits:", "Drift over time", "Noise", "Cost"]


def test_of_a_long_list_the_items_around_the_best_are_shown():
    items = [
        (K.LIST_ITEM, 0.9 if index == 20 else 0.1, f"item {index} " * 8) for index in range(40)
    ]
    (shown,) = show(book(*items), max_sentences=1)
    assert "item 20" in shown
    assert len(shown) <= 350
    (shown,) = show(book(*items), text="List every item.", max_sentences=1)
    assert 350 < len(shown) <= 1200


async def test_a_table_row_brings_its_header_along():
    table = book(
        (K.TABLE, 0.3, "Part | Price"),
        (K.TABLE, 0.2, "Brain | $249"),
        (K.TABLE, 0.9, "Eyes | $349"),
    )
    texts = [sentence.text for sentence in await drafted(table, text="What do the eyes cost?")]
    assert texts == ["Part | Price", "Eyes | $349"]


def test_code_waits_until_it_is_asked_for():
    mixed = book((K.CODE, 0.8, "ros2 run a b"), (K.PARAGRAPH, 0.75, "The node is started by hand."))
    assert show(mixed, text="Who begins this?", max_sentences=1) == ["The node is started by hand."]
    assert show(mixed, text="Which command begins this?", max_sentences=1) == ["ros2 run a b"]
    assert show(book((K.CODE, 0.8, "ros2 run a b"))) == ["ros2 run a b"]


def test_a_number_is_preferred_where_one_is_asked_for():
    numbered = book((K.PARAGRAPH, 0.7, "It weighs a lot."), (K.PARAGRAPH, 0.7, "It weighs 40 kg."))
    assert show(numbered, text="How heavy is it?", max_sentences=1) == ["It weighs 40 kg."]


def test_a_definition_is_preferred_where_one_is_asked_for():
    defined = book(
        (K.PARAGRAPH, 0.7, "Servos hold a position gladly."),
        (K.PARAGRAPH, 0.7, "A servo is a motor with feedback."),
    )
    assert show(defined, text="What is a servo?", max_sentences=1) == [
        "A servo is a motor with feedback."
    ]


def test_an_answer_stays_short():
    long = [
        book((K.PARAGRAPH, 0.9, f"word{index} " * 60), start=index * 1000) for index in range(9)
    ]
    assert sum(map(len, show(*long, max_sentences=9))) <= 800


def test_marked_text_is_explained_by_what_stands_beside_it():
    passage = book(
        (K.PARAGRAPH, 0.9, "The marked sentence."), (K.PARAGRAPH, 0.6, "What follows it.")
    )
    marked = Selection("a.mdx", 100, 120)
    assert show(passage, explain=marked) == ["What follows it."]
    whole = Selection("a.mdx", 0, 1000)
    assert show(passage, explain=whole) == ["The marked sentence.", "What follows it."]


def test_questions_are_read_for_what_they_ask():
    assert read_form("List every joint type.").list_of_things
    assert read_form("How does A differ from B?").comparison
    assert read_form("How many axes has it?").amount
    assert read_form("What does `colcon build` do?").code
    assert read_form("What is a node?").definition
    assert not any(vars(read_form("Why is the sky blue?")).values())


units = st.tuples(
    st.sampled_from(list(K)),
    st.floats(0, 1),
    st.text(alphabet="ab :|?1\U0001f600", min_size=1, max_size=30),
)


@given(
    passages=st.lists(st.lists(units, min_size=1, max_size=8), max_size=4),
    text=st.text(max_size=40),
)
async def test_every_draft_sentence_is_the_book_word_for_word(passages, text):
    cut = [book(*lines, start=1000 * number) for number, lines in enumerate(passages)]
    for sentence in await drafted(*cut, text=text):
        (claim,) = sentence.claims
        passage = cut[claim.source - 1]
        assert sentence.text == claim.quote
        assert passage.text[claim.start : claim.start + len(claim.quote)] == claim.quote
