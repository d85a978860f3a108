"""Prompts are packed to a budget of tokens, and say what did not fit."""

import json
from dataclasses import replace

import pytest

from libs.profiles import load_profile
from libs.tokens import TokenCounter
from services.generation.adapters.json_draft import RULES, SCHEMA
from services.generation.adapters.openai_prompt import render_messages
from services.generation.model import Message, Role, Selection
from services.generation.prompt import (
    HISTORY_DROPPED,
    PASSAGES_DROPPED,
    fit_window,
    pack_prompt,
)
from tests.support.generation_fakes import PASSAGES, passage, prompt, question


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


def pack(counter, budget_tokens, passages=PASSAGES, **fields):
    return pack_prompt(
        question(**fields),
        "searched",
        passages,
        settings=load_profile("").generation,
        budget_tokens=budget_tokens,
        counter=counter,
    )


def test_what_fits_is_kept_whole(counter):
    packed, degraded = pack(counter, 6000)
    assert packed.passages == PASSAGES
    assert packed.question == "searched"
    assert degraded == []


def test_a_passage_that_does_not_fit_is_dropped_and_told(counter):
    packed, degraded = pack(counter, counter.count(PASSAGES[0].text) + 5)
    assert packed.passages == PASSAGES[:1]
    assert degraded == [PASSAGES_DROPPED]


def test_a_small_passage_still_fits_behind_a_large_one(counter):
    text = "word " * 200
    large = passage(text, document=text)
    packed, degraded = pack(counter, 100, passages=(PASSAGES[0], large, PASSAGES[1]))
    assert packed.passages == PASSAGES
    assert degraded == [PASSAGES_DROPPED]


def test_the_best_passage_is_always_kept(counter):
    packed, _ = pack(counter, 1)
    assert packed.passages == PASSAGES[:1]


def test_history_keeps_its_newest_messages_in_a_quarter(counter):
    history = tuple(Message(Role.USER, f"{number} " + "word " * 30) for number in range(10))
    packed, degraded = pack(counter, 400, history=history)
    assert packed.history == history[-len(packed.history) :]
    assert 0 < len(packed.history) < 10
    assert HISTORY_DROPPED in degraded


def test_only_a_selection_without_a_question_is_to_be_explained(counter):
    marked = Selection("actuators.mdx", 3, 9)
    assert pack(counter, 6000, text="", selection=marked)[0].explain == marked
    assert pack(counter, 6000, selection=marked)[0].explain is None


def test_messages_hold_sources_history_and_question_as_data():
    asked = prompt(history=(Message(Role.USER, "Earlier?"),))
    system, user = (str(message["content"]) for message in render_messages(asked))
    mark = system.split("[data ")[1].split("]")[0]
    for text in ("[Source 1]", "[Source 2]", "user: Earlier?", asked.question):
        assert text in user
    assert user.count(f"[data {mark}]") == user.count(f"[end {mark}]") == 4
    assert asked.question not in system


def test_a_source_has_the_header_and_the_footnotes_that_are_outside_of_it_beside_it(counter):
    book = replace(PASSAGES[0], table_header="Name | Speed", footnotes=("In a dive.",))
    text = render_messages(prompt(passages=(book,)))[1]["content"]
    before, after = text.split(book.text)
    assert before.endswith("Table header (for reading only): Name | Speed\n")
    assert after.startswith("\nFootnote (for reading only): In a dive.\n[end ")
    long = replace(book, footnotes=("note " * 600,))
    assert pack(counter, 500, (PASSAGES[1], long))[0].passages == (PASSAGES[1],)


def test_marks_differ_from_request_to_request():
    assert render_messages(prompt())[0] != render_messages(prompt())[0]


def test_marked_text_is_given_to_the_model_to_explain():
    asked = prompt(explain=Selection("actuators.mdx", text="It holds 21 MPa."))
    assert "It holds 21 MPa." in str(render_messages(asked)[1]["content"])


@pytest.mark.parametrize(
    ("model", "budget_tokens"),
    [
        ("gpt-4o-mini", 125_000),
        ("gpt-4-turbo", 125_000),
        ("gpt-4o-mini-2024-07-18", 125_000),
        ("gpt-4-0613", 8_192 - 1_800 - 1_200),
        ("claude-sonnet-4-6", 197_000),
        ("somebody-elses-model", 1_000_000),
        ("", 1_000_000),
    ],
)
def test_a_prompt_leaves_room_for_rules_and_answer_in_the_models_window(model, budget_tokens):
    assert fit_window(1_000_000, model, 1_800) == budget_tokens
    assert fit_window(500, model, 1_800) == 500


def test_a_window_smaller_than_the_answer_leaves_nothing():
    assert fit_window(6_000, "gpt-4", 9_000) == 0


@pytest.mark.parametrize("name", ["quoth", "integrated", "academic", "course"])
def test_rules_and_marks_fit_the_room_that_is_kept_for_them(counter, name):
    settings = replace(load_profile("").generation, prompt=name, context="relevance")
    ten = tuple(replace(found, text="") for found in PASSAGES * 5)
    asked = replace(prompt(ten, text=""), settings=settings)
    text = "".join(str(message["content"]) for message in render_messages(asked, RULES))
    assert counter.count(text) + counter.count(json.dumps(SCHEMA)) <= 1_200
