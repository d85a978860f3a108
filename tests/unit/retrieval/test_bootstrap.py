"""What the first search would wait for is there before it comes."""

import re

import pytest

from libs.language.asked_in import load_lexicons
from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from services.retrieval import bootstrap as wiring
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings
from tests.support.retrieval_fakes import ClosingEmbedder, FakeEmbedder, FakeIndex


def test_the_first_search_waits_for_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    load_lexicons.cache_clear()
    load_lexicon.cache_clear()
    bootstrap(Settings(), index=FakeIndex(), embedder=FakeEmbedder())
    loaded = load_lexicon.cache_info().misses
    with monkeypatch.context() as patched:
        patched.setattr(re, "compile", lambda *_: pytest.fail("a pattern is compiled"))
        analyse_question("What is a servo?", "en")
    assert load_lexicon.cache_info().misses == loaded


async def test_a_model_that_was_opened_is_closed_with_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, given = ClosingEmbedder(), ClosingEmbedder()
    monkeypatch.setattr(wiring, "open_embedder", lambda *_: own)
    for embedder in (None, given):
        service = bootstrap(Settings(), index=FakeIndex(), embedder=embedder)
        await service.close()
    assert (own.is_closed, given.is_closed) == (True, False)
