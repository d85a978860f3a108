"""Which units are shown together: a short list or paragraph whole; of two as likely the shorter."""

from services.generation.adapters.blocks import group_units
from services.generation.adapters.quotable import list_quotables
from services.generation.model import BlockKind, Locator, Passage, Unit

K = BlockKind


def ranked(*lines, gap="\n"):
    """Units (kind, odds, text) of one passage with `gap` between them, by their odds."""
    text, units = "", []
    for kind, _, body in lines:
        text += gap if text else ""
        units.append(Unit(len(text), len(text) + len(body), kind))
        text += body
    passage = Passage("a", Locator("a.md", 0, len(text), ("Part",)), text, tuple(units))
    odds = {body: chance for _, chance, body in lines}
    pairs = [(odds[item.text], item) for item in list_quotables([passage])]
    return sorted(pairs, key=lambda pair: -pair[0])


def shown(pairs):
    return [[item.text for item in group.items] for group in group_units(pairs)]


def test_a_short_list_is_one_group_in_its_own_order():
    pairs = ranked(
        (K.PARAGRAPH, 0.1, "The arm has these parts:"),
        (K.LIST_ITEM, 0.2, "A shoulder"),
        (K.LIST_ITEM, 0.9, "An elbow"),
        (K.LIST_ITEM, 0.3, "A wrist"),
        (K.PARAGRAPH, 0.4, "All of them are printed."),
    )
    assert shown(pairs) == [["A shoulder", "An elbow", "A wrist"], ["All of them are printed."]]
    assert group_units(pairs)[0].odds == 0.2 + 0.9 + 0.3


def test_lists_under_two_leads_are_two_groups():
    pairs = ranked(
        (K.PARAGRAPH, 0.1, "Strengths:"),
        (K.LIST_ITEM, 0.9, "It is fast"),
        (K.PARAGRAPH, 0.1, "Weaknesses:"),
        (K.LIST_ITEM, 0.8, "It is loud"),
    )
    assert shown(pairs) == [["It is fast"], ["It is loud"]]


def test_the_sentences_of_a_short_paragraph_stay_together_and_two_paragraphs_apart():
    lines = (
        (K.PARAGRAPH, 0.9, "It drifts over time."),
        (K.PARAGRAPH, 0.1, "Other sensors correct it."),
    )
    assert shown(ranked(*lines, gap=" ")) == [[text for _, _, text in lines]]
    assert shown(ranked(*lines, gap="\n\n")) == [[text] for _, _, text in lines]


def test_of_a_long_paragraph_each_sentence_stands_alone():
    lines = tuple((K.PARAGRAPH, 0.5 - at / 10, f"Sentence {at} is long. " * 4) for at in range(3))
    assert [len(texts) for texts in shown(ranked(*lines, gap=" "))] == [1, 1, 1]


def test_of_two_as_likely_the_shorter_comes_first():
    pairs = ranked(
        (K.PARAGRAPH, 0.5, "It is long and says the same " * 8 + "."),
        (K.PARAGRAPH, 0.5, "It is short."),
        gap="\n\n",
    )
    assert shown(pairs)[0] == ["It is short."]


def test_every_unit_is_in_one_group():
    pairs = ranked(
        *((K.LIST_ITEM, at / 10, f"Item {at} of a long list") for at in range(12)),
        *((K.TABLE, at / 20, f"row {at} | value") for at in range(3)),
    )
    texts = [text for group in shown(pairs) for text in group]
    assert sorted(texts) == sorted(item.text for _, item in pairs)
