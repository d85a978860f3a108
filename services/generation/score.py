"""The gate and the quoted units in, how sure the answer is out."""

from services.generation.model import Citation, ConfidenceLevel, SearchResult

_MEDIUM = 0.70
_HIGH = 0.85


def score_answer(search: SearchResult, citations: tuple[Citation, ...]) -> float:
    """Return the confidence in [0, 1]: the gate's probability, tempered by the best quoted unit.

    A quote that retrieval did not compare with the question leaves the probability as it is.
    """
    probability = min(1.0, max(0.0, search.gate.probability))
    best = max((_unit_score(search, citation) for citation in citations), default=0.0)
    return (probability * min(1.0, best)) ** 0.5 if best > 0 else probability


def name_level(confidence: float) -> ConfidenceLevel:
    if confidence > _HIGH:
        return ConfidenceLevel.HIGH
    return ConfidenceLevel.MEDIUM if confidence >= _MEDIUM else ConfidenceLevel.LOW


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
