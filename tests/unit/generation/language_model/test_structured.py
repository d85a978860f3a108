"""Streamed JSON or lines become sentences with their claims, as early as can be."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.errors import ModelUnavailable
from services.generation.language_model.structured import DraftReader
from services.generation.model import Claim, DraftSentence

FIRST = {"text": "Motors turn.", "citations": [{"source": 1, "quote": "Motors } turn"}]}
SECOND = {"text": "Gears slip. They wear.", "citations": []}
BOTH = (
    DraftSentence("Motors turn.", (Claim(1, "Motors } turn"),)),
    DraftSentence("Gears slip.", ()),
    DraftSentence("They wear.", ()),
)


def written(*sentences: dict[str, Any], **more: Any) -> str:
    return json.dumps({"sentences": list(sentences), "confidence": 0.9, **more})


def read(pieces: Any) -> list[DraftSentence]:
    reader = DraftReader()
    found = [sentence for piece in pieces for sentence in reader.feed(piece)]
    return [*found, *reader.finish()]


@given(st.integers(1, 9))
def test_it_does_not_matter_how_the_text_is_cut(size: int) -> None:
    text = written(FIRST, SECOND)
    assert tuple(read(text[at : at + size] for at in range(0, len(text), size))) == BOTH


def test_a_sentence_is_there_as_soon_as_its_object_is_closed() -> None:
    reader = DraftReader()
    text = written(FIRST, SECOND)
    closed = text.index("}]}") + 3
    assert not reader.feed(text[: closed - 1])
    assert reader.feed(text[closed - 1 : closed]) == list(BOTH[:1])


def test_a_fence_around_the_object_is_no_part_of_it() -> None:
    assert tuple(read(["```", "json\n", written(FIRST), "\n```"])) == BOTH[:1]


@given(st.integers(1, 30))
def test_an_object_may_be_announced_and_have_its_keys_in_any_order(size: int) -> None:
    text = json.dumps({"confidence": 0.9, "kind": 'a "b', "sentences": [FIRST, SECOND]})
    text = f"Here is the JSON:\n\n```json\n{text}\n```"
    assert tuple(read(text[at : at + size] for at in range(0, len(text), size))) == BOTH


@given(st.integers(1, 30))
def test_a_line_that_ends_with_a_colon_is_a_line(size: int) -> None:
    text = "Motors turn:\nGears slip. They wear."
    lines = [one.text for one in read(text[at : at + size] for at in range(0, len(text), size))]
    assert lines == ["Motors turn:", "Gears slip.", "They wear."]


def test_lines_are_read_as_lines() -> None:
    text = 'Motors turn. [Source 1: "Motors } turn"]\nGears slip.'
    assert tuple(read(text)) == BOTH[:2]


def test_an_empty_list_says_that_nothing_answers() -> None:
    assert read([written()]) == []


def test_a_sentence_that_says_not_covered_is_a_refusal() -> None:
    assert read([written({"text": "NOT COVERED", "citations": []})]) == []


def test_marks_inside_the_text_are_claims_too() -> None:
    [sentence] = read([written({"text": "Motors turn. [Source 2]", "citations": []})])
    assert sentence.claims == (Claim(2),)


@pytest.mark.parametrize("source", ["1", 1.5, True, None, {}])
def test_a_malformed_citation_claims_nothing(
    source: bool | float | str | dict[str, Any] | None,
) -> None:
    item = {"text": "Motors turn.", "citations": [{"source": source, "quote": "x"}, "y"]}
    assert read([written(item)]) == [DraftSentence("Motors turn.", ())]


@pytest.mark.parametrize("text", ["{}", '{"answer": "Motors turn."}', '{"sentences": 3}', "{"])
def test_an_object_that_is_no_draft_is_an_error(text: str) -> None:
    with pytest.raises(ModelUnavailable):
        read([text])


def test_a_sentence_without_text_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        read([written({"text": 7, "citations": []})])


def test_half_a_character_is_marked() -> None:
    assert (
        "\N{REPLACEMENT CHARACTER}"
        in read([written({"text": "A \ud800 b.", "citations": []})])[0].text
    )
