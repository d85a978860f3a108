"""How sure an answer is: calibrated to right and wrong answers, or by a formula of the profile.

confidence.json says which answers the calibrated probability was fitted to, and how well it does.
"""

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from libs.ml import LogisticModel, load_model
from libs.question.analyse import QuestionAnalysis
from libs.question.entities import holds_listing
from services.generation.coverage.comparison import count_things, share_said
from services.generation.model import Citation, ConfidenceLevel, Locator, SearchResult

SHIPPED_MODEL = Path(__file__).with_name("confidence.json")

MEDIUM = 0.70
HIGH = 0.85
"""From the one on an answer is of medium confidence, above the other of high."""

_SIMILAR = 0.9
"""Share of the best span's score from which another would do about as well."""

_RETRIEVAL_SHARE = 0.6
_LEAST_RETRIEVAL = 0.6
_UNSTATED = 0.80
"""What a model is taken to think of its answer when it does not say."""

_STATED = re.compile(r"\**confidence\**\s*:\**\s*(-?\d+(?:\.\d+)?)\**\.?", re.IGNORECASE)
_PROPERTY = re.compile(r'"confidence"\s*:\s*(-?\d+(?:\.\d+)?)\s*\}[\s`]*\Z')
"""Of structured output: the last property of the whole, which no text of the book can be."""

_NEAREST = 5


def rate_answer(
    formula: str,
    search: SearchResult,
    *,
    analysis: QuestionAnalysis,
    response: str,
    cited: tuple[Citation, ...],
    model: LogisticModel | None = None,
    of_selection: bool = False,
) -> float:
    """Return the confidence in [0, 1] by the profile's formula; `response` is what a model wrote."""
    if formula == "two_part":
        return two_part(search, response)
    if formula == "mean_similarity":
        return mean_similarity(search)
    if analysis.about_book is not None:
        # Its passages are found by where they stand, not by how near they are.
        return search.gate.probability
    score = score_answer(
        search, cited, model, things=count_things(analysis), of_selection=of_selection
    )
    return score * share_said(analysis, cited) * share_tellable(analysis)


_OF_LISTING = 0.5
"""What is left of the confidence where the question holds a program: of 153 quizzes about one 38 % were
answered right, of other questions 82 %."""


def share_tellable(analysis: QuestionAnalysis) -> float:
    """Return what confidence is multiplied by: what a program does is seldom said by a sentence."""
    return _OF_LISTING if holds_listing(analysis.question) else 1.0


def score_answer(
    search: SearchResult,
    citations: tuple[Citation, ...],
    confidence: LogisticModel | None = None,
    *,
    things: int = 1,
    of_selection: bool = False,
) -> float:
    """Return the probability in [0, 1] that the answer is right, by the shipped coefficients or others.

    It grows with the score of the best quoted span and with how far the best passage leads the second;
    it falls with the spans that are about as good as the best and with the passages that are quoted.
    Of `things` that are compared, each is answered by passages of its own, so these count once a thing.
    The gate's probability, once it let a question pass, told right answers from wrong ones no better.
    """
    places = [citation.locator for citation in citations]
    features = describe_answer(search, places, of_selection=of_selection)
    features["quoted_passages"] /= things
    return (confidence or shipped_confidence()).probability(features)


ANSWER_FEATURES = ("best_span_score", "passage_margin", "log_similar_spans", "quoted_passages")
"""What confidence is told by, as `describe_answer` names it."""


def describe_answer(
    search: SearchResult, places: Sequence[Locator], *, of_selection: bool = False
) -> dict[str, float]:
    """Return the features of an answer that quotes `places`.

    Of the few passages of selected text one always leads, whatever is asked.
    """
    return {
        "best_span_score": max((_span_score(search, place) for place in places), default=0.0),
        "passage_margin": 0.0 if of_selection else _margin(search),
        "log_similar_spans": _log_similar_spans(search),
        "quoted_passages": float(len(_quoted(search, places))),
    }


def name_level(confidence: float) -> ConfidenceLevel:
    if confidence > HIGH:
        return ConfidenceLevel.HIGH
    return ConfidenceLevel.MEDIUM if confidence >= MEDIUM else ConfidenceLevel.LOW


@cache
def shipped_confidence() -> LogisticModel:
    return load_model(SHIPPED_MODEL)


def _margin(search: SearchResult) -> float:
    first, second = ([passage.scores.fused for passage in search.passages] + [0.0, 0.0])[:2]
    # A single passage leads nothing.
    return first - second if len(search.passages) > 1 else 0.0


def _log_similar_spans(search: SearchResult) -> float:
    """Return the logarithm of how many spans are about as good as the best: an answer stands out."""
    scores = [span.score for passage in search.passages for span in passage.spans]
    least = _SIMILAR * max(scores, default=0.0)
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


def _span_score(search: SearchResult, place: Locator) -> float:
    """Return the best score of a span that the place shares a character with."""
    return max(
        (
            span.score
            for passage in search.passages
            if passage.locator.document == place.document
            for span in passage.spans
            if span.start < place.end and span.end > place.start
        ),
        default=0.0,
    )


def mean_similarity(search: SearchResult) -> float:
    """Return the mean cosine of the first five passages, brought to [0, 1]."""
    nearest = [passage.scores.dense for passage in search.passages[:_NEAREST]]
    return _bounded(math.fsum(nearest) / len(nearest)) if nearest else 0.0


def two_part(search: SearchResult, response: str) -> float:
    """Return 0.6 times retrieval's best score, taken as 0.60 to 1.0, and 0.4 times the model's."""
    best = max((passage.scores.fused for passage in search.passages), default=0.0)
    retrieval = max(_LEAST_RETRIEVAL, _bounded(best))
    return _RETRIEVAL_SHARE * retrieval + (1 - _RETRIEVAL_SHARE) * read_estimate(response)


def read_estimate(response: str) -> float:
    """Return the estimate in [0, 1] on the last line of a model's text, 0.80 when there is none.

    Only a last line that is nothing else counts: a line of the book may look like one. In JSON, it is
    the last property.
    """
    last = response.strip().rpartition("\n")[2].strip()
    stated = _STATED.fullmatch(last) or _PROPERTY.search(response)
    return _bounded(float(stated[1])) if stated else _UNSTATED


def _bounded(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
