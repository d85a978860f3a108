"""A file of coefficients in, a probability for a set of features out."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from libs.errors import WrongIndex
from libs.settings import SettingsError

SHIPPED = Path(__file__).with_name("default.json")


@dataclass(frozen=True)
class Calibration:
    """Coefficients of a logistic regression over features brought to mean 0 and deviation 1.

    `stamp` names the embedding model and text recipe they were learnt on. `data` and `measured` say
    from what, and how well they do on questions they have not seen; nothing reads them but people.
    """

    stamp: str
    features: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    data: str = ""
    measured: dict[str, float] = field(default_factory=dict)

    def require_stamp(self, stamp: str) -> None:
        """Raise WrongIndex when the coefficients were learnt on another index than `stamp`."""
        if stamp != self.stamp:
            raise WrongIndex(
                "The answer gate was learnt for another embedding model, or for what another version "
                "of Quoth indexed; calibrate first, or choose a raw threshold."
            )

    def probability(self, features: Mapping[str, float]) -> float:
        """Return a probability in [0, 1]. Raises KeyError when a feature is missing."""
        logit = self.intercept + sum(
            coefficient * (features[name] - mean) / deviation
            for name, mean, deviation, coefficient in zip(
                self.features, self.means, self.deviations, self.coefficients, strict=True
            )
        )
        # Beyond 500 exp() overflows, and the probability is 0 or 1 to every digit anyway.
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")


def load_calibrations(path: Path) -> list[Calibration]:
    """Load a file, or all JSON files of a folder; the shipped one comes after them.

    Raises SettingsError, naming the file's fault, when one can't be used.
    """
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return [load_calibration(found) for found in [*paths, SHIPPED]]


def load_calibration(path: Path = SHIPPED) -> Calibration:
    """Raise SettingsError, naming the file's fault, when it can't be used."""
    try:
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        calibration = Calibration(
            stamp=table["stamp"],
            features=tuple(table["features"]),
            means=tuple(map(float, table["means"])),
            deviations=tuple(map(float, table["deviations"])),
            coefficients=tuple(map(float, table["coefficients"])),
            intercept=float(table["intercept"]),
            data=table.get("data", ""),
            measured=table.get("measured", {}),
        )
    except OSError as error:
        raise SettingsError(f"calibration {path.name}: can't be read") from error
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(f"calibration {path.name}: missing or wrong entry {error}") from error
    lengths = {
        len(calibration.features),
        len(calibration.means),
        len(calibration.deviations),
        len(calibration.coefficients),
    }
    if len(lengths) != 1 or any(deviation <= 0 for deviation in calibration.deviations):
        raise SettingsError(f"calibration {path.name}: its lists do not belong together")
    return calibration
