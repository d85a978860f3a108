"""The passages and the quoted units in, how sure the answer is out.

The probability is learnt from right and wrong answers; score.json says on which, and how well it does.
"""

from functools import cache
from pathlib import Path

from libs.calibration import Calibration, load_calibration
from services.generation.model import Citation, ConfidenceLevel, SearchResult

CALIBRATION = Path(__file__).with_name("score.json")

_MEDIUM = 0.70
_HIGH = 0.85


def score_answer(search: SearchResult, citations: tuple[Citation, ...]) -> float:
    """Return the probability in [0, 1] that the answer is right.

    It grows with the score of the best quoted unit and with how far the best passage leads the second.
    The gate's probability, once it let a question pass, told right answers from wrong ones no better.
    """
    return _calibration().probability(
        {
            "unit": max((_unit_score(search, citation) for citation in citations), default=0.0),
            "lead": _lead(search),
        }
    )


def name_level(confidence: float) -> ConfidenceLevel:
    if confidence > _HIGH:
        return ConfidenceLevel.HIGH
    return ConfidenceLevel.MEDIUM if confidence >= _MEDIUM else ConfidenceLevel.LOW


@cache
def _calibration() -> Calibration:
    return load_calibration(CALIBRATION)


def _lead(search: SearchResult) -> float:
    first, second = ([passage.scores.blended for passage in search.passages] + [0.0, 0.0])[:2]
    # A single passage leads nothing.
    return first - second if len(search.passages) > 1 else 0.0


def _unit_score(search: SearchResult, citation: Citation) -> float:
    """Return the best score of a unit that the citation shares a character with."""
    place = citation.locator
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
