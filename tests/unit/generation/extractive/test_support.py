"""A piece is shown beside a lead where it likely helps there, by a model that was fitted to grades."""

from dataclasses import replace

import pytest

from services.generation.extractive.answerer import choose_places, lead_answer, shipped_ranking
from services.generation.extractive.support import (
    FEATURES,
    Offer,
    describe_offer,
    list_offers,
    shipped_support,
)
from services.generation.model import Passage, Selection, SentenceRole
from tests.support.generation_fakes import prompt
from tests.unit.generation.extractive.test_answerer import K, book

QUESTION = "How strong is the arm?"
LEAD = "The arm is strong: 40 kg."
AGAIN = "The arm of the old machine is strong too: 30 kg."
APART = "How the arm was painted is told by nobody who was there in autumn."


def arm(*others: tuple[float, str]) -> Passage:
    return book(
        (K.PARAGRAPH, 0.95, LEAD),
        (K.HEADING, 0.1, "Arm"),
        *((K.PARAGRAPH, score, text) for score, text in others),
    )


def offers(*passages: Passage, text: str = QUESTION) -> dict[str, Offer]:
    answer = lead_answer(prompt(passages, text), shipped_ranking())
    return {offer.item.text: offer for offer in list_offers(answer)}


def test_a_piece_that_helps_less_than_the_threshold_asks_is_not_shown() -> None:
    passage = arm((0.5, AGAIN))
    asked = prompt((passage,), QUESTION)
    chance = shipped_support().probability(describe_offer(offers(passage)[AGAIN]))
    for threshold, roles in (
        (chance - 0.01, [SentenceRole.LEAD, SentenceRole.SUPPORT]),
        (chance + 0.01, [SentenceRole.LEAD]),
    ):
        support = replace(shipped_support(), threshold=threshold)
        assert [place.role for place in choose_places(asked, support=support)] == roles


def test_a_piece_that_speaks_of_the_question_helps_likelier_than_another() -> None:
    found = offers(arm((0.5, AGAIN), (0.5, APART)))
    model = shipped_support()
    chances = {text: model.probability(describe_offer(offer)) for text, offer in found.items()}
    assert chances[AGAIN] > chances[APART]


def test_a_selected_sentence_with_the_words_leads_however_little_it_helps() -> None:
    apart = "A strong arm is told of by nobody who was there in autumn."
    selected, other = arm((0.9, AGAIN)), book((K.PARAGRAPH, 0.3, apart), document="b.mdx")
    chosen = Selection("b.mdx", 100, 100 + len(apart))
    asked = prompt((selected, other), QUESTION, selection=chosen)
    nothing_helps = replace(shipped_support(), threshold=1.0)
    shown = [(place.document, place.role) for place in choose_places(asked, support=nothing_helps)]
    assert shown == [("b.mdx", SentenceRole.LEAD)]


@pytest.mark.parametrize("scores", [(0.9, 0.4, 0.5, 0.6), (0.5, 0.9, 0.4, 0.6)])
def test_steps_are_shown_in_the_order_of_their_list(scores: tuple[float, ...]) -> None:
    steps = (
        "Switch off the arm of the machine.",
        "Earth the strong arm with the copper strap that hangs beside it.",
        "Open the cap of the arm.",
        "Pour the oil of the arm in slowly.",
    )
    listed = [(K.LIST_ITEM, score, text) for score, text in zip(scores, steps, strict=True)]
    passage = book((K.PARAGRAPH, 0.1, "To fill the arm:"), *listed)
    all_help = replace(shipped_support(), threshold=0.0)
    asked = prompt((passage,), "Which machine has an arm of steel?")
    places = choose_places(asked, support=all_help)
    starts = [place.span.start for place in places]
    assert len(starts) > 2
    assert starts == sorted(starts)


def test_the_lead_itself_is_not_offered() -> None:
    assert set(offers(arm((0.5, AGAIN)))) == {AGAIN}


@pytest.mark.parametrize("name", FEATURES)
def test_every_feature_has_its_weight(name: str) -> None:
    assert name in shipped_support().features
