"""Prompts are packed to a budget of tokens, and say what did not fit."""

import json
from dataclasses import replace
from random import Random
from typing import Any, Literal

import pytest

from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from libs.tokens import TokenCounter
from services.generation.language_model.messages import render_conversation, render_messages
from services.generation.language_model.structured import RULES, SCHEMA
from services.generation.model import (
    Locator,
    Message,
    Passage,
    PassageScores,
    Prompt,
    Role,
    Selection,
)
from services.generation.prompt import (
    HISTORY_DROPPED,
    PASSAGES_DROPPED,
    fit_window,
    pack_prompt,
)
from services.generation.sections import SectionStart
from tests.support.generation_fakes import DOCUMENT, PASSAGES, passage, prompt, question


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


def pack(
    counter: TokenCounter,
    budget_tokens: int,
    passages: tuple[Passage, ...] = PASSAGES,
    **fields: Any,
) -> tuple[Prompt, tuple[str, ...]]:
    return pack_prompt(
        question(**fields),
        analyse_question("searched"),
        passages,
        settings=load_profile("").generation,
        budget_tokens=budget_tokens,
        counter=counter,
    )


def test_passages_that_fit_are_kept_whole(counter: TokenCounter) -> None:
    packed, degraded = pack(counter, 6000)
    assert packed.passages == PASSAGES
    assert packed.question == "searched"
    assert degraded == ()


def test_a_passage_that_does_not_fit_is_dropped_and_told(counter: TokenCounter) -> None:
    packed, degraded = pack(counter, counter.count(PASSAGES[0].text) + 5)
    assert packed.passages == PASSAGES[:1]
    assert degraded == (PASSAGES_DROPPED,)


def test_a_small_passage_still_fits_behind_a_large_one(counter: TokenCounter) -> None:
    text = "word " * 200
    large = passage(text, document=text)
    packed, degraded = pack(counter, 100, passages=(PASSAGES[0], large, PASSAGES[1]))
    assert packed.passages == PASSAGES
    assert degraded == (PASSAGES_DROPPED,)


def test_the_best_passage_is_always_kept(counter: TokenCounter) -> None:
    packed, _ = pack(counter, 1)
    assert packed.passages == PASSAGES[:1]


def test_history_keeps_its_newest_messages_in_a_quarter(counter: TokenCounter) -> None:
    history = tuple(Message(Role.USER, f"{number} " + "word " * 30) for number in range(10))
    packed, degraded = pack(counter, 400, history=history)
    assert packed.history == history[-len(packed.history) :]
    assert 0 < len(packed.history) < 10
    assert HISTORY_DROPPED in degraded


def test_only_a_selection_without_a_question_is_to_be_explained(counter: TokenCounter) -> None:
    selection = Selection("actuators.mdx", 3, 9)
    assert pack(counter, 6000, text="", selection=selection)[0].explain == selection
    assert pack(counter, 6000, selection=selection)[0].explain is None


@pytest.mark.control("V5")
def test_messages_hold_sources_history_and_question_as_data() -> None:
    asked = prompt(history=(Message(Role.USER, "Earlier?"), Message(Role.ASSISTANT, "Later.")))
    system, earlier, answered, user = (
        str(message["content"]) for message in render_messages(asked)
    )
    mark = system.split("[data ")[1].split("]")[0]
    for text in ("[Source 1]", "[Source 2]", asked.question):
        assert text in user
    assert user.count(f"[data {mark}]") == user.count(f"[end {mark}]") == 3
    assert (earlier, answered) == ("Earlier?", "Later.")
    assert asked.question not in system


def test_a_source_has_the_header_and_the_footnotes_that_are_outside_of_it_beside_it(
    counter: TokenCounter,
) -> None:
    book = replace(PASSAGES[0], table_header="Name | Speed", footnotes=("In a dive.",))
    text = str(render_messages(prompt(passages=(book,)))[1]["content"])
    before, after = text.split(book.text)
    assert before.endswith("Table header (for reading only): Name | Speed\n")
    assert after.startswith("\nFootnote (for reading only): In a dive.\n[end ")
    long = replace(book, footnotes=("note " * 600,))
    assert pack(counter, 500, (PASSAGES[1], long))[0].passages == (PASSAGES[1],)


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("numbered", "A is one.\n\nB is two."),
        ("headings", "Section: W > A (Page 4)\nA is one.\n\nSection: W > B (Page 5)\nB is two."),
        ("relevance", "{0}W > A{1}A is one.\n\n{0}W > B{1}B is two."),
    ],
)
def test_each_section_that_shares_a_source_is_named_where_it_begins(
    context: Literal["numbered", "headings", "relevance"], expected: str
) -> None:
    text = "A is one.\n\nB is two."
    place = Locator("d", 50, 50 + len(text), ("W", "A"), page=4)
    sections = (SectionStart(50, ("W", "A")), SectionStart(61, ("W", "B")))
    book = Passage(
        "c", place, text, scores=PassageScores(0.8), page_breaks=((61, 5),), sections=sections
    )
    asked = prompt(passages=(book,))
    asked = replace(asked, settings=replace(asked.settings, context=context))
    user = str(render_messages(asked)[1]["content"])
    assert f"]\n{expected.format('Section: ', ' | Relevance: 0.80 | ')}\n[end" in user


@pytest.mark.control("V5")
def test_marks_differ_from_request_to_request() -> None:
    assert render_messages(prompt())[0] != render_messages(prompt())[0]


def test_selected_text_is_given_to_the_model_to_explain() -> None:
    selection = Selection("actuators.mdx", text="It holds 21 MPa")
    text = str(render_messages(prompt(selection=selection, explain=selection))[-1]["content"])
    assert "The reader selected" in text
    assert "Actuators > Hydraulic\nIt holds 21 MPa\n" in text
    assert "explain from the sources" in text
    assert prompt().question not in text


def test_a_question_about_selected_text_comes_with_the_text_and_its_place() -> None:
    start = DOCUMENT.index("It holds")
    by_range = Selection("actuators.mdx", start, start + len("It holds 21 MPa"))
    text = str(render_messages(prompt(selection=by_range))[-1]["content"])
    assert "Actuators > Hydraulic\nIt holds 21 MPa\n" in text
    assert text.index("It holds 21 MPa\n") < text.index(prompt().question)
    unknown = Selection("motors.mdx", text="It hums.")
    text = str(render_messages(prompt(selection=unknown))[-1]["content"])
    assert "motors.mdx\nIt hums.\n" in text


def test_a_follow_up_is_asked_in_the_readers_words_behind_the_conversation() -> None:
    said = (Message(Role.USER, "What is it?"), Message(Role.ASSISTANT, "A pump."))
    whole = "What is it? And how big?"
    messages = render_messages(prompt(text=whole, history=said, follow_up="And how big?"))
    assert [message["content"] for message in messages[1:-1]] == ["What is it?", "A pump."]
    assert whole not in str(messages[-1]["content"])
    assert "And how big?" in str(messages[-1]["content"])
    alone = render_messages(prompt(text=whole, history=said[:1], follow_up="And how big?"))
    assert len(alone) == 2
    assert whole in str(alone[-1]["content"])


def test_a_conversation_is_given_in_turn_from_the_readers_first_to_an_answer() -> None:
    reader, quoth = Role.USER, Role.ASSISTANT
    said = [(quoth, "Hi."), (reader, "a"), (reader, "b"), (quoth, "c"), (quoth, "d"), (reader, "e")]
    turns = render_conversation(tuple(Message(role, text) for role, text in said))
    assert turns == [
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c\nd"},
    ]


@pytest.mark.parametrize(
    ("model", "budget_tokens"),
    [
        ("gpt-4o-mini", 124_900),
        ("gpt-4-turbo", 124_900),
        ("gpt-4o-mini-2024-07-18", 124_900),
        ("gpt-4-0613", 8_192 - 1_800 - 1_300),
        ("claude-sonnet-4-6", 196_900),
        ("somebody-elses-model", 1_000_000),
        ("", 1_000_000),
    ],
)
def test_a_prompt_leaves_room_for_rules_and_answer_in_the_models_window(
    model: str, budget_tokens: int
) -> None:
    assert fit_window(1_000_000, model, 1_800) == budget_tokens
    assert fit_window(500, model, 1_800) == 500


def test_a_window_smaller_than_the_answer_leaves_nothing() -> None:
    assert fit_window(6_000, "gpt-4", 9_000) == 0


@pytest.mark.parametrize("name", ["verbatim", "supported", "integrated", "academic", "course"])
def test_rules_and_marks_fit_the_room_that_is_kept_for_them(
    counter: TokenCounter, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(1)
    longest = max((chance.randbytes(8).hex() for _ in range(500)), key=counter.count)
    monkeypatch.setattr("secrets.token_hex", lambda _: longest)
    settings = replace(load_profile("").generation, prompt=name, context="relevance")
    ten = tuple(replace(found, text="") for found in PASSAGES * 5)
    asked = replace(prompt(ten, text=""), settings=settings)
    text = "".join(str(message["content"]) for message in render_messages(asked, RULES))
    assert counter.count(text) + counter.count(json.dumps(SCHEMA)) <= 1_300


@pytest.mark.parametrize("between", [" ", "\n  "])
def test_text_that_is_marked_by_its_words_alone_has_its_range(
    counter: TokenCounter, between: str
) -> None:
    held = PASSAGES[0]
    said = " ".join(held.text.split(" ")[1:4])
    at = held.locator.start + held.text.index(said)
    marked = Selection(held.locator.document, text=said.replace(" ", between))
    packed, _ = pack(counter, 6000, (held,), text="Explain this", selection=marked)
    assert packed.selection == replace(marked, start=at, end=at + len(said))
    elsewhere = replace(marked, document="other.md")
    packed, _ = pack(counter, 6000, (held,), text="Explain this", selection=elsewhere)
    assert packed.selection == elsewhere


def test_marked_text_that_goes_beyond_a_passage_has_the_range_of_what_is_in_it(
    counter: TokenCounter,
) -> None:
    held = PASSAGES[0]
    marked = Selection(held.locator.document, text=f"Before it. {held.text} Behind it.")
    packed, _ = pack(counter, 6000, (held,), text="Explain this", selection=marked)
    assert packed.selection == replace(marked, start=held.spans[0].start, end=held.spans[-1].end)
