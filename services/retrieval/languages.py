"""How well the embedding models that come with the product know a language, as it was measured."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from libs.embedding.port import ModelStamp

_Measured: TypeAlias = Mapping[str, Any]

_MEASURED = Path(__file__).with_name("languages.json")


def dense_weight(stamp: ModelStamp, language: str) -> float:
    """Return the part of a profile's `alpha` that this model's cosines deserve in a language.

    It is 1 for a model that nothing is said of.
    """
    measured = _measured().get(stamp.name)
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


@cache
def _measured() -> Mapping[str, _Measured]:
    table: Mapping[str, _Measured] = json.loads(_MEASURED.read_text(encoding="utf-8"))
    return table
