"""The passages and the quoted units in, how sure the answer is out.

The probability is learnt from right and wrong answers; score.json says on which, and how well it does.
"""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from libs.calibration import Calibration, load_calibration
from services.generation.model import Citation, ConfidenceLevel, Locator, SearchResult

CALIBRATION = Path(__file__).with_name("score.json")

_MEDIUM = 0.70
_HIGH = 0.85

_RIVAL = 0.9
"""Share of the best unit's score from which another would do about as well."""


def score_answer(
    search: SearchResult,
    citations: tuple[Citation, ...],
    confidence: Calibration | None = None,
    *,
    things: int = 1,
) -> float:
    """Return the probability in [0, 1] that the answer is right, by the shipped coefficients or others.

    It grows with the score of the best quoted unit and with how far the best passage leads the second;
    it falls with the units that are about as good as the best and with the passages that are quoted.
    Of `things` that are compared, each is answered by passages of its own, so these count once a thing.
    The gate's probability, once it let a question pass, told right answers from wrong ones no better.
    """
    places = [citation.locator for citation in citations]
    features = describe_answer(search, places)
    features["sources"] /= things
    return (confidence or shipped_confidence()).probability(features)


def describe_answer(search: SearchResult, places: Sequence[Locator]) -> dict[str, float]:
    """Return the features of an answer that quotes `places`."""
    return {
        "unit": max((_unit_score(search, place) for place in places), default=0.0),
        "lead": _lead(search),
        "rivals": _rivals(search),
        "sources": float(len(_quoted(search, places))),
    }


def name_level(confidence: float) -> ConfidenceLevel:
    if confidence > _HIGH:
        return ConfidenceLevel.HIGH
    return ConfidenceLevel.MEDIUM if confidence >= _MEDIUM else ConfidenceLevel.LOW


@cache
def shipped_confidence() -> Calibration:
    return load_calibration(CALIBRATION)


def _lead(search: SearchResult) -> float:
    first, second = ([passage.scores.blended for passage in search.passages] + [0.0, 0.0])[:2]
    # A single passage leads nothing.
    return first - second if len(search.passages) > 1 else 0.0


def _rivals(search: SearchResult) -> float:
    """Return the logarithm of how many units are about as good as the best: an answer stands out."""
    scores = [unit.score for passage in search.passages for unit in passage.units]
    least = _RIVAL * max(scores, default=0.0)
    return math.log(max(1, sum(score >= least for score in scores)))


def _quoted(search: SearchResult, places: Sequence[Locator]) -> set[str]:
    """Return the chunk ids of the passages that the places stand in."""
    return {
        passage.chunk_id
        for place in places
        for passage in search.passages
        if passage.locator.document == place.document
        and passage.locator.start < place.end
        and passage.locator.end > place.start
    }


def _unit_score(search: SearchResult, place: Locator) -> float:
    """Return the best score of a unit that the place shares a character with."""
    return max(
        (
            unit.score
            for passage in search.passages
            if passage.locator.document == place.document
            for unit in passage.units
            if unit.start < place.end and unit.end > place.start
        ),
        default=0.0,
    )
