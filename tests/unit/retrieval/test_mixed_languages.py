"""A book of several languages: a question is read by its own, and scores of several stay comparable."""

from dataclasses import replace

import pytest
from msgspec import structs

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.embedding.local import LocalEmbedder
from libs.language.asked_in import language_read_by
from libs.ml import LogisticModel
from libs.question.analyse import analyse_question
from libs.text import terms
from services.retrieval.model import Chunk, Query, SearchResult
from services.retrieval.pipeline import search_passages
from services.retrieval.state import Tools
from tests.support.retrieval_fakes import (
    STAMP,
    FakeEmbedder,
    FakeIndex,
    make_chunk,
    make_tools,
    open_gate,
)


@pytest.fixture(autouse=True)
def _budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


class _Model(FakeEmbedder):
    """Takes the place of the packaged model, which hardly knows Japanese."""

    stamp = replace(STAMP, name=LocalEmbedder.stamp.name)


def _said(text: str, language: str, position: int) -> Chunk:
    chunk = make_chunk(text, document=f"{language}.md", position=position)
    return structs.replace(chunk, language=language)


_ENGLISH = [
    _said("The lamp turns once a minute above the cliff.", "en", 0),
    _said("A keeper paints the tower white each summer.", "en", 1),
]
_JAPANESE = _said("登り窯には五つの部屋があります。", "ja", 2)
_GERMAN = _said("Lindenhonig kristallisiert langsam.", "de", 3)

_BY_COSINES, _BY_WORDS = 0.25, 0.75
"""The probabilities that tell which of the two classifiers judged."""


def _always(probability: float) -> LogisticModel:
    odds = {_BY_COSINES: -1.0986, _BY_WORDS: 1.0986}
    return replace(open_gate(_Model.stamp), coefficients=(0.0,), intercept=odds[probability])


def _tools() -> Tools:
    index = FakeIndex(*_ENGLISH, _JAPANESE, _GERMAN)
    index.spoken = ("en", "ja", "de")
    return make_tools(
        index=index,
        embedder=_Model(),
        answerability_model=_always(_BY_COSINES),
        overlap_model=_always(_BY_WORDS),
    )


async def _search(question: str) -> SearchResult:
    return await search_passages(Query("book", 1, question), _tools())


@pytest.mark.parametrize(
    ("question", "judge"),
    [
        ("登り窯には部屋がいくつありますか", _BY_WORDS),
        ("How often does the lamp turn?", _BY_COSINES),
        # Told by what shares its only word.
        ("Lindenhonig", _BY_WORDS),
        ("Lamp cliff", _BY_COSINES),
        # In none of the book's languages: what is nearest judges.
        ("¿Cada cuánto gira la lamp?", _BY_COSINES),
    ],
)
async def test_the_gate_is_that_of_the_question_s_language(question: str, judge: float) -> None:
    found = await _search(question)
    assert found.gate.probability == pytest.approx(judge, abs=0.01)


async def test_terms_are_those_of_the_language_that_the_caller_found() -> None:
    text = "Lamp 3"
    query = Query("book", 1, text, analysis=analyse_question(text, "ja"))
    found = await search_passages(query, _tools())
    assert found.gate.probability == pytest.approx(_BY_WORDS, abs=0.01)


async def test_words_in_a_language_that_the_model_does_not_know_outrank_nothing_near() -> None:
    question = "How often does the lamp turn?"
    names = structs.replace(_JAPANESE, terms=frozenset(terms(question)))
    index = FakeIndex(*_ENGLISH, names)
    index.spoken = ("en", "ja")
    found = await search_passages(Query("book", 1, question), replace(_tools(), index=index))
    assert found.passages[0].passage.chunk.document == "en.md"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Wie schnell kristallisiert Lindenhonig?", "de.md"),
        ("When is the tower painted?", "en.md"),
    ],
)
async def test_each_language_of_a_book_answers_its_own_questions(question: str, first: str) -> None:
    found = await _search(question)
    assert found.passages[0].passage.chunk.document == first
    assert language_read_by(question, "en", ("ja", "de")) == first[:2]
