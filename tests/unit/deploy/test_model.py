"""Choosing a language model, and asking it the built-in question."""

import json
import os
from typing import Any

import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from deploy.cli.model import choose_model, choose_profile, with_model
from deploy.cli.model_check import ask_model
from libs.budget.stages import COMPLETE
from libs.profiles import load_profile
from services.generation.settings import Settings
from tests.support.scripted_model import Script, fails, says, scripted_model, sends_choices

KEY = "The brass key opens the north gate of the garden."
DRAFT = {"sentences": [{"text": "The brass key.", "citations": [{"source": 1, "quote": KEY}]}]}


async def checked(*scripts: Script, **settings: Any) -> Any:
    async with scripted_model(*scripts) as model:
        given = {"answerer": "openai", "model": "gpt-4o-mini", "model_url": model.url, **settings}
        return await ask_model(Settings(**given))


@pytest.mark.parametrize(
    ("name", "url", "answerer"),
    [
        ("gpt-4o-mini", "", "openai"),
        ("claude-sonnet-4-6", "", "anthropic"),
        ("claude-copy", "http://127.0.0.1:1/v1", "openai"),
        ("llama3.2", "http://127.0.0.1:1/v1", "openai"),
    ],
)
def test_a_name_and_a_url_say_over_which_api_a_model_is_asked(
    name: str, url: str, answerer: str
) -> None:
    chosen = choose_model(name, url)
    assert (chosen["GENERATION_ANSWERER"], chosen["GENERATION_MODEL"]) == (answerer, name)
    assert chosen.get("GENERATION_MODEL_URL", "") == url


def test_without_a_name_the_environment_stays_as_it_is() -> None:
    assert with_model({"GENERATION_MODEL": "mine"}, "", "") == {"GENERATION_MODEL": "mine"}


async def test_a_model_that_can_be_used_is_told_with_speed_structure_proof_and_price() -> None:
    told = sends_choices(
        {"delta": {"content": json.dumps(DRAFT)}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
        usage={"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000},
    )
    result = await checked(told)
    assert (result.error, result.structured, result.quotes) == ("", True, 1)
    assert result.cost_usd == pytest.approx(0.15)
    assert 0 < result.took_s <= COMPLETE.cap_s
    assert [line.split(":")[0] for line in result.describe()][1:] == [
        "Speed",
        "Structured output",
        "Proof",
        "Price",
    ]


async def test_lines_without_a_quote_are_told() -> None:
    result = await checked(says("The brass key opens it."))
    assert (result.structured, result.quotes) == (False, 0)
    assert "no quote given" in "\n".join(result.describe())


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("401 Unauthorized", "key is refused"),
        ("403 Forbidden", "may not use"),
        ("404 Not Found", "no such model"),
    ],
)
async def test_each_fault_of_the_model_is_named(status: str, told: str) -> None:
    result = await checked(fails(status))
    assert told in result.error
    assert told in result.describe()[0]


async def test_a_url_where_nobody_listens_is_named() -> None:
    settings = Settings(answerer="openai", model="m", model_url="http://127.0.0.1:9/v1")
    assert "nothing answers" in (await ask_model(settings)).error


def test_the_command_ends_with_an_error_that_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "http://127.0.0.1:9/v1"
    asked = CliRunner().invoke(app, ["model", "check", "--model", "m", "--model-url", url])
    assert asked.exit_code == 1
    assert "nothing answers at the URL" in asked.output
    asked = CliRunner().invoke(
        app, ["model", "check", "--model", "m", "--model-url", url, "--json"]
    )
    assert json.loads(asked.stdout)["error"]
    monkeypatch.delenv("GENERATION_MODEL", raising=False)
    assert CliRunner().invoke(app, ["model", "check"]).exit_code == 2


def test_a_url_without_a_model_is_a_wrong_call() -> None:
    asked = CliRunner().invoke(app, ["up", "--model-url", "http://127.0.0.1:9/v1"])
    assert asked.exit_code == 2
    assert "--model-url needs --model" in asked.output


def test_the_models_of_a_profile_are_used_where_their_keys_are_there() -> None:
    academic = load_profile("academic")
    keys = {"CO_API_KEY": "c", "ANTHROPIC_API_KEY": "a"}
    chosen, notes = choose_profile(academic, keys)
    assert chosen == {"QUOTH_EMBEDDER": "cohere", "QUOTH_EMBEDDER_MODEL": "embed-english-v3.0"}
    assert notes == [
        "Vectors are made by embed-english-v3.0 of cohere.",
        "Questions under academic are answered by claude-sonnet-4-6.",
    ]
    chosen, notes = choose_profile(academic, {})
    assert chosen == {}
    assert all(note.startswith("! academic names") for note in notes)
    assert ["CO_API_KEY" in notes[0], "ANTHROPIC_API_KEY" in notes[1]] == [True, True]


def test_the_environment_goes_before_a_profile_s_models() -> None:
    said = {"QUOTH_EMBEDDER": "local", "GENERATION_ANSWERER": "extractive", "CO_API_KEY": "c"}
    assert choose_profile(load_profile("academic"), said) == ({}, [])


def test_up_refuses_a_profile_that_is_not_there() -> None:
    ended = CliRunner().invoke(app, ["up", "--profile", "nothing"])
    assert ended.exit_code == 2
    assert "Known: academic" in ended.output


def test_up_gives_the_model_to_the_services(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}

    async def run_local(settings: object, report: object, on_ready: object) -> None:
        given.update(os.environ)

    monkeypatch.setattr("deploy.cli.app.run_local", run_local)
    for name in ("GENERATION_MODEL", "GENERATION_ANSWERER"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    told = CliRunner().invoke(app, ["up", "--model", "claude-sonnet-4-6"])
    assert (given["GENERATION_ANSWERER"], given["GENERATION_MODEL"]) == (
        "anthropic",
        "claude-sonnet-4-6",
    )
    assert "claude-sonnet-4-6" in told.output
