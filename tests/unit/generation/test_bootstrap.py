"""What can't answer is refused at the start, and not at the first question."""

import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from libs.language.asked_in import load_lexicons
from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.settings import SettingsError
from services.generation import bootstrap as wiring
from services.generation.adapters.models import anthropic_answerer
from services.generation.adapters.models.anthropic_answerer import AnthropicAnswerer
from services.generation.bootstrap import bootstrap, open_answerers
from services.generation.settings import Settings
from tests.support.generation_fakes import FakeAuditLog, FakeSource
from tests.support.retrieval_fakes import ClosingEmbedder, FakeEmbedder


@pytest.fixture
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    async def start(**fields: Any) -> None:
        cache = tmp_path_factory.getbasetemp() / "cache"
        service = await bootstrap(
            Settings(cache_dir=cache, **fields), source=FakeSource(), log=FakeAuditLog()
        )
        await service.close()

    return start


@pytest.mark.parametrize(
    ("answerer", "named"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")],
)
async def test_a_model_that_cannot_be_asked_is_refused_at_the_start(
    start: Callable[..., Any], answerer: str, named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        await start(answerer=answerer)


@pytest.mark.parametrize(
    "fields",
    [
        {"answerer": "openai", "openai_key": "k"},
        {"answerer": "openai", "model_key": "k"},
        {"answerer": "openai", "model_url": "http://127.0.0.1:9/v1"},
        {"answerer": "openai", "openai_url": "http://127.0.0.1:9/v1"},
        {"answerer": "anthropic", "anthropic_key": "k"},
        {"answerer": "extractive"},
        {},
    ],
)
async def test_one_with_a_key_or_a_server_of_its_own_starts(
    start: Callable[..., Any], fields: dict[str, str]
) -> None:
    await start(**fields)


async def test_the_first_question_waits_for_no_language(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_lexicons.cache_clear()
    load_lexicon.cache_clear()
    await start()
    loaded = load_lexicon.cache_info().misses
    with monkeypatch.context() as patched:
        patched.setattr(re, "compile", lambda *_: pytest.fail("a pattern is compiled"))
        analyse_question("What is a servo?", "en")
    assert load_lexicon.cache_info().misses == loaded


@pytest.mark.parametrize(
    ("fields", "opened"),
    [
        ({}, {"extractive"}),
        ({"openai_key": "k"}, {"extractive", "openai"}),
        ({"openai_url": "http://127.0.0.1:9/v1"}, {"extractive", "openai"}),
        ({"anthropic_key": "k"}, {"extractive", "anthropic"}),
        ({"openai_key": "k", "answerer": "extractive"}, {"extractive"}),
    ],
)
async def test_models_that_profiles_name_are_opened_where_their_key_is_there(
    fields: dict[str, Any], opened: set[str]
) -> None:
    async with AsyncExitStack() as stack:
        assert open_answerers(Settings(**fields), stack).keys() == opened


@pytest.mark.parametrize(
    ("answerer", "url", "key"),
    [
        ("", "https://api.anthropic.com", "claudes"),
        ("anthropic", "http://127.0.0.1:9", "models"),
    ],
)
async def test_the_key_of_one_provider_is_never_sent_to_another(
    answerer: str, url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, str] = {}

    def make(**fields: str) -> AnthropicAnswerer:
        made.update(fields)
        return AnthropicAnswerer(**fields)

    monkeypatch.setattr(anthropic_answerer, "AnthropicAnswerer", make)
    settings = Settings(
        answerer=answerer,
        model_url="http://127.0.0.1:9",
        model_key="models",
        anthropic_key="claudes",
        model="m",
    )
    async with AsyncExitStack() as stack:
        open_answerers(settings, stack)
    assert (made["url"], made["key"]) == (url, key)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"verifier": "oracle"}, "GENERATION_VERIFIER"),
        ({"verifier": "model"}, "GENERATION_VERIFIER_MODEL"),
        ({"verifier": "words,nli"}, "GENERATION_NLI_DIR"),
    ],
)
async def test_a_verifier_that_cant_be_used_is_refused_at_the_start(
    fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        await bootstrap(Settings(**fields), source=FakeSource(), answerers={}, log=FakeAuditLog())


@pytest.mark.parametrize(("answerer", "opened"), [("openai", 1), ("extractive", 0)])
async def test_an_embedding_model_is_opened_only_for_what_a_language_model_leaves_uncited(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, answerer: str, opened: int
) -> None:
    asked: list[str] = []

    def note(cache_dir: Path, purpose: str) -> FakeEmbedder:
        asked.append(purpose)
        return FakeEmbedder()

    monkeypatch.setattr("services.generation.bootstrap.open_embedder", note)
    await start(answerer=answerer, model_key="k")
    assert asked == ["questions"] * opened


async def test_a_model_that_compares_sentences_is_closed_with_the_service(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ClosingEmbedder()
    monkeypatch.setattr(wiring, "open_embedder", lambda *_: own)
    await start(openai_key="k")
    assert own.is_closed
