"""How well the embedding models that come with the product know a language, as it was measured."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from libs.embedding.port import ModelStamp

_Measured: TypeAlias = Mapping[str, Any]

PACKAGED = "all-MiniLM-L6-v2"
"""The name of the model that is used where no other is chosen."""

OFFERED = "QUOTH_EMBEDDER=local-multilingual"
"""What chooses the packaged model of a hundred languages, at half the speed."""

_MEASURED = Path(__file__).with_name("languages.json")


def dense_weight(stamp: ModelStamp, language: str) -> float:
    """Return the part of a profile's `alpha` that this model's cosines deserve in a language.

    It is 1 for a model that nothing is said of.
    """
    return _weight(stamp.name, language)


def _weight(model: str, language: str) -> float:
    measured = _measured().get(model)
    if measured is None:
        return 1.0
    weights: Mapping[str, float] = measured["weights"]
    return weights.get(language, weights["other"])


def is_judged_by_cosines(stamp: ModelStamp, language: str) -> bool:
    """Whether this model's cosines tell, in a language, what a book answers from what it does not.

    In a language that it was not made for all texts are near one another.
    """
    measured = _measured().get(stamp.name)
    return measured is None or language in measured["judged_by_cosines"]


def knows(model: str, language: str) -> bool:
    """Whether the model of this name is as good in a language as in others; so is one not measured."""
    return _weight(model, language) >= 1.0


@cache
def _measured() -> Mapping[str, _Measured]:
    table: Mapping[str, _Measured] = json.loads(_MEASURED.read_text(encoding="utf-8"))
    return table
