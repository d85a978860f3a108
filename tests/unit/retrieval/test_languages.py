"""What is known of a model's languages is told apart from what is not."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.embedding import Vectors
from libs.embedding.languages import PACKAGED, dense_weight, knows
from libs.embedding.local import LocalEmbedder
from libs.embedding.port import ModelStamp
from libs.errors import WrongIndex
from libs.ml import LogisticModel, load_model
from services.retrieval.model import Query
from services.retrieval.pipeline import search_passages
from services.retrieval.settings import SHIPPED_OVERLAP_MODEL
from tests.support.retrieval_fakes import (
    STAMP,
    FakeEmbedder,
    FakeIndex,
    make_chunk,
    make_tools,
    open_gate,
)


def test_a_model_weighs_less_in_a_language_that_it_does_not_know() -> None:
    stamp = LocalEmbedder.stamp
    assert dense_weight(stamp, "en") == 1.0
    assert 0 <= dense_weight(stamp, "zh") < dense_weight(stamp, "de") <= 1.0
    assert dense_weight(stamp, "xx") < 1.0


def test_a_model_that_was_not_measured_keeps_the_profiles_weight() -> None:
    other = ModelStamp("other", "1", 3, 512, "mean")
    assert dense_weight(other, "zh") == dense_weight(other, "en") == 1.0


def test_the_languages_of_the_packaged_model_are_told_by_its_name() -> None:
    assert LocalEmbedder.stamp.name == PACKAGED
    assert [one for one in ("en", "de", "zh", "ru", "xx") if knows(PACKAGED, one)] == ["en", "de"]
    assert knows("multilingual-e5-small", "zh")


class _Model(FakeEmbedder):
    """Measured in English; all that it embeds in another language is near."""

    stamp = replace(LocalEmbedder.stamp, dimensions=STAMP.dimensions)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), STAMP.dimensions), STAMP.dimensions**-0.5, np.float32)


def _by_words() -> LogisticModel:
    return LogisticModel("", ("coverage_best",), (0.5,), (0.1,), (5.0,), 0.0)


@pytest.mark.parametrize(("language", "passed"), [("ru", False), ("en", True)])
async def test_a_language_that_the_model_does_not_know_is_judged_by_words(
    language: str, *, passed: bool
) -> None:
    chunk = make_chunk("Установка системы с диска.")
    index = FakeIndex(structs.replace(chunk, span_vectors=b""))
    index.spoken = (language,)
    tools = make_tools(
        index=index,
        embedder=_Model(),
        answerability_model=replace(open_gate(_Model.stamp), means=(-1.0,)),
        overlap_model=_by_words(),
    )
    set_current_budget(Budget(60.0, RETRIEVAL))
    asked = Query("book", 1, "Как запустить контейнер Docker?")
    assert (await search_passages(asked, tools)).gate.passed is passed


@pytest.mark.parametrize(("overlap", "passed"), [(_by_words(), False), (None, None)])
async def test_a_model_that_nothing_was_fitted_on_is_judged_by_words(
    overlap: LogisticModel | None, *, passed: bool | None
) -> None:
    index = FakeIndex(structs.replace(make_chunk("How to install it."), span_vectors=b""))
    fitted_on = ModelStamp("other", "1", STAMP.dimensions, 512, "mean")
    other = replace(open_gate(fitted_on), means=(-1.0,))
    tools = make_tools(
        index=index, embedder=_Model(), answerability_model=other, overlap_model=overlap
    )
    set_current_budget(Budget(60.0, RETRIEVAL))
    asked = Query("book", 1, "Where do penguins sleep?")
    if passed is None:
        with pytest.raises(WrongIndex, match="calibrate first"):
            await search_passages(asked, tools)
    else:
        assert (await search_passages(asked, tools)).gate.passed is passed


def test_the_shipped_model_of_words_needs_no_vectors() -> None:
    model = load_model(SHIPPED_OVERLAP_MODEL)
    assert not [name for name in model.features if name.startswith("cosine")]
