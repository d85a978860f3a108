"""A logistic regression: coefficients read from a file, applied to features."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from libs.errors import WrongIndex
from libs.settings import SettingsError


@dataclass(frozen=True)
class Band:
    """Probabilities from `start` on are told moved by `shift`, at least `least` and at most `most`."""

    start: float
    shift: float
    least: float
    most: float


@dataclass(frozen=True)
class LogisticModel:
    """Coefficients of a logistic regression over standardised features: (value - mean) / scale.

    `stamp` names the embedding model and text recipe they were fitted on. `data` and `measured` say
    from what, and how well they do on unseen questions; only people read them.
    """

    stamp: str
    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    data: str = ""
    measured: dict[str, float] = field(default_factory=dict)
    threshold: float = 0.5
    """Least probability that counts as positive."""

    bands: tuple[Band, ...] = ()
    """By rising `start`, the first 0: what is promised of probabilities in a range is kept in each."""

    def mean_of(self, feature: str) -> float:
        """Return what the feature was on average where it was fitted; 0.0 when it has no part."""
        return dict(zip(self.features, self.means, strict=True)).get(feature, 0.0)

    def require_stamp(self, stamp: str) -> None:
        """Raise WrongIndex when the coefficients were fitted on another index than `stamp`."""
        if stamp != self.stamp:
            raise WrongIndex(
                "The answerability classifier was fitted for another embedding model, or for an index "
                "of another version of Quoth; calibrate first, or choose a raw threshold."
            )

    def require_features(self, known: Collection[str]) -> None:
        """Raise SettingsError when it was fitted to features that are not `known`."""
        strange = [name for name in self.features if name not in known]
        if strange:
            named = ", ".join(strange)
            raise SettingsError(
                f"The model was fitted by another version of Quoth, to {named}: fit it again."
            )

    def probability(self, features: Mapping[str, float]) -> float:
        """Return a probability in [0, 1]. Raises KeyError when a feature is missing."""
        logit = self.intercept + sum(
            coefficient * (features[name] - mean) / scale
            for name, mean, scale, coefficient in zip(
                self.features, self.means, self.scales, self.coefficients, strict=True
            )
        )
        # Beyond 500 exp() overflows, and the probability is 0 or 1 to every digit anyway.
        return tell(1 / (1 + math.exp(-max(-500.0, min(500.0, logit)))), self.bands)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")


def tell(probability: float, bands: Sequence[Band]) -> float:
    """Return the probability as its band tells it; as it is where there are no bands."""
    of_it = [band for band in bands if band.start <= probability]
    if not of_it:
        return probability
    return min(of_it[-1].most, max(of_it[-1].least, probability + of_it[-1].shift))


def load_models(path: Path, shipped: Path) -> list[LogisticModel]:
    """Load a file, or all JSON files of a folder; `shipped` comes after them.

    Raises SettingsError, naming the file's fault, when one can't be used.
    """
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return [load_model(found) for found in [*paths, shipped]]


_RENAMED = {"bm25_lead": "bm25_margin", "triples": "trigrams"}
"""Names of features in files of version 0.1, and what they are called today."""


def load_model(path: Path) -> LogisticModel:
    """Raise SettingsError, naming the file's fault, when it can't be used."""
    try:
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        model = LogisticModel(
            stamp=table["stamp"],
            features=tuple(_RENAMED.get(name, name) for name in table["features"]),
            means=tuple(map(float, table["means"])),
            # Files of version 0.1 say deviations.
            scales=tuple(map(float, table.get("scales") or table["deviations"])),
            coefficients=tuple(map(float, table["coefficients"])),
            intercept=float(table["intercept"]),
            data=table.get("data", ""),
            measured=table.get("measured", {}),
            threshold=float(table.get("threshold", 0.5)),
            bands=tuple(Band(**band) for band in table.get("bands", ())),
        )
    except OSError as error:
        raise SettingsError(f"model {path.name}: can't be read") from error
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(f"model {path.name}: missing or wrong entry {error}") from error
    lengths = {
        len(model.features),
        len(model.means),
        len(model.scales),
        len(model.coefficients),
    }
    if len(lengths) != 1 or any(scale <= 0 for scale in model.scales):
        raise SettingsError(f"model {path.name}: its lists do not belong together")
    return model
