"""How well the embedding models that come with the product know a language, as it was measured."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from libs.embedding.port import ModelStamp

_MEASURED = Path(__file__).with_name("languages.json")


def dense_weight(stamp: ModelStamp, language: str) -> float:
    """Return the part of a profile's `alpha` that this model's cosines deserve in a language.

    It is 1 for a model that nothing is said of.
    """
    weights = _weights().get(stamp.name)
    return weights.get(language, weights["other"]) if weights else 1.0


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    table = json.loads(_MEASURED.read_text(encoding="utf-8"))
    return {name: entry["weights"] for name, entry in table.items()}
