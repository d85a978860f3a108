"""How sure an answer is: calibrated to right and wrong answers, or by a formula of the profile.

confidence.json says which answers the calibrated probability was fitted to, and how well it does.
"""

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from libs.language.lexicon import load_lexicon
from libs.ml import LogisticModel, load_model
from libs.question.added import speaks_of, words_added
from libs.question.analyse import QuestionAnalysis
from libs.question.entities import holds_listing
from libs.question.expected import TYPED, AnswerKind, holds_answer
from libs.question.how_many import count_asked, count_told
from libs.question.said import share_of_words
from libs.text import sentence_ranges
from services.generation.coverage.comparison import count_things, share_said
from services.generation.model import (
    Citation,
    ConfidenceLevel,
    Locator,
    Prompt,
    SearchResult,
    Sentence,
    SentenceRole,
)

SHIPPED_MODEL = Path(__file__).with_name("confidence.json")

MEDIUM = 0.70
HIGH = 0.85
"""From the one on an answer is of medium confidence, above the other of high."""

LEAST = 0.25
"""Below it the book's own words are no answer to a plain question: of such answers to questions that
six reviewers wrote of 36 books which nobody had seen, 3 were right, 10 wrong, and 20 answered what the
book does not say. They are quoted as nearest, so that a reader who knows better sees them."""

_SIMILAR = 0.9
"""Share of the best span's score from which another would do about as well."""

CALIBRATED = "calibrated"
"""The gate whose probability says how likely it is that the passages answer."""

_ANSWERABLE = "log_odds_answerable"
_SUREST = 1e-6
"""How near to 0 and 1 a probability still says more."""

_UNREAD = QuestionAnalysis("")

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
    sentences: tuple[Sentence, ...] = (),
    model: LogisticModel | None = None,
    of_selection: bool = False,
    gate: str = CALIBRATED,
    follow_up: str = "",
) -> float:
    """Return the confidence in [0, 1] by the profile's formula; `response` is what a model wrote.

    `sentences` are those of the answer, which tell what of `cited` leads. `gate` is by what the profile
    judged whether the passages answer. A `follow_up` is what the reader said, where `analysis` is of it
    made whole.
    """
    if formula == "two_part":
        return two_part(search, response)
    if formula == "mean_similarity":
        return mean_similarity(search)
    if analysis.whole_page:
        return 1.0  # What stands on a page is told by its number alone.
    if analysis.about_book is not None:
        # Its passages are found by where they stand, not by how near they are.
        return search.gate.probability
    score = score_answer(search, cited, model, analysis, of_selection=of_selection, gate=gate)
    rated = score * share_said(analysis, cited) * share_tellable(analysis)
    is_of_before = analysis.follow_up and not _says_added(follow_up, analysis, cited[:1])
    first = "\n".join(line for one in cited[:1] for line in (one.table_header, one.quote))
    most = min(
        most_of_reason(analysis, first),
        most_of_asked(analysis, _lead_of(sentences, cited) or cited[:1]),
    )
    return min(rated, HIGH if is_of_before else 1.0, most)


def _lead_of(sentences: Sequence[Sentence], cited: Sequence[Citation]) -> list[Citation]:
    """Return what the sentences cite that answer, without those that stand beside them."""
    leads = [one for one in sentences if one.role is SentenceRole.LEAD]
    numbers = {number for one in leads for number in one.citations}
    return [one for one in cited if one.number in numbers]


def _says_added(follow_up: str, analysis: QuestionAnalysis, lead: Sequence[Citation]) -> bool:
    """Whether the lead has a word that the follow-up itself asks by, beside those asked before.

    "Why him?" and "And now?" have no such word, so that nothing tells whether they are answered.
    """
    lexicon = load_lexicon(analysis.language)
    added = words_added(follow_up, analysis.question, lexicon)
    texts = ("\n".join((*one.locator.section_path, one.table_header, one.quote)) for one in lead)
    return any(speaks_of(added, text, lexicon, analysis.language) for text in texts)


def is_plain(prompt: Prompt, found: SearchResult) -> bool:
    """Whether a question asks one thing of the book by itself, as those do that `LEAST` is measured on.

    Answers to others, about selected text, follow-ups, comparisons, programs, misspelled words and what
    the book says otherwise, are surer than they are rated, and so are those to one within a story.
    """
    analysis = prompt.analysis
    leans = prompt.selection or prompt.explain or analysis.follow_up or analysis.several_places
    has_parts = analysis.sub_questions or prompt.parts_asked or analysis.page
    is_told = len(sentence_ranges(analysis.question)) > 1
    is_of_book = analysis.about_book is not None or holds_listing(analysis.question)
    is_corrected = prompt.other_value or found.corrections
    return not (leans or has_parts or is_told or is_of_book or is_corrected)


_OF_LISTING = 0.5
"""What is left of the confidence where the question holds a program: of 153 quizzes about one 38 % were
answered right, of other questions 82 %."""


def share_tellable(analysis: QuestionAnalysis) -> float:
    """Return what confidence is multiplied by: what a program does is seldom said by a sentence."""
    return _OF_LISTING if holds_listing(analysis.question) else 1.0


_MOST_UNEXPLAINED = MEDIUM - 1e-4
_OF_FACT = 0.7
"""Share of the words of a "why" question from which a lead that marks a reason gives it for just that:
of 17 such answers from seven books that nobody had seen 11 were right, of 21 others 7."""


def most_of_reason(analysis: QuestionAnalysis, lead: str) -> float:
    """Return what the confidence in [0, 1] of an answer to "why" is at most; 1.0 for other questions.

    How near a sentence is to the question says that it tells of the same, and not why that is so.
    """
    if analysis.expected.kind is not AnswerKind.CAUSE or analysis.sub_questions:
        return 1.0
    lexicon = load_lexicon(analysis.language)
    gives_reason = lexicon.values.cause.search(lead) is not None
    is_of_this = share_of_words(analysis.question, lead, lexicon) >= _OF_FACT
    return 1.0 if gives_reason and is_of_this else _MOST_UNEXPLAINED


def most_of_asked(analysis: QuestionAnalysis, lead: Sequence[Citation]) -> float:
    """Return what the confidence in [0, 1] of an answer is at most that may lack what is asked for.

    That is a date, a quantity, or as many things as the question says there are: `HIGH` where `lead`
    has none such, and 1.0 where it has or nothing of the kind is asked for.
    """
    lexicon = load_lexicon(analysis.language)
    told = "\n".join(line for one in lead for line in (one.table_header, one.quote))
    if analysis.expected.kind in (AnswerKind.DATE, AnswerKind.QUANTITY):
        return 1.0 if holds_answer(analysis.expected, told, lexicon) else HIGH
    if analysis.expected.kind not in (AnswerKind.LIST, AnswerKind.ANY) or analysis.sub_questions:
        return 1.0
    # Each thing has a citation of its own, or one quotation names them all.
    told_in_one = max((count_told(one.quote) for one in lead), default=0)
    is_all = max(len(lead), told_in_one) >= count_asked(analysis.question, lexicon)
    return 1.0 if is_all else HIGH


def score_answer(
    search: SearchResult,
    citations: tuple[Citation, ...],
    confidence: LogisticModel | None = None,
    analysis: QuestionAnalysis = _UNREAD,
    *,
    of_selection: bool = False,
    gate: str = CALIBRATED,
) -> float:
    """Return the probability in [0, 1] that the answer is right, by the shipped coefficients or others.

    Of several things that are compared, each is answered by passages of its own, so these count once a
    thing. What a gate that is not calibrated makes of the passages counts as much as a mean answer's.
    """
    model = confidence or shipped_confidence()
    places = [citation.locator for citation in citations]
    features = describe_answer(search, places, analysis, of_selection=of_selection)
    features["quoted_passages"] /= count_things(analysis)
    if gate != CALIBRATED or search.gate.probability >= 1.0:
        features[_ANSWERABLE] = model.mean_of(_ANSWERABLE)
    return model.probability(features)


ANSWER_FEATURES = (
    *("best_span_score", "passage_margin", "log_similar_spans", "quoted_passages"),
    *(_ANSWERABLE, "says_asked"),
)
"""What confidence is told by, as `describe_answer` names it."""


def describe_answer(
    search: SearchResult,
    places: Sequence[Locator],
    analysis: QuestionAnalysis = _UNREAD,
    *,
    of_selection: bool = False,
) -> dict[str, float]:
    """Return the features of an answer to `analysis` that quotes `places`, its lead first.

    Of the few passages of selected text one always leads, whatever is asked.
    """
    return {
        "best_span_score": max((_span_score(search, place) for place in places), default=0.0),
        "passage_margin": 0.0 if of_selection else _margin(search),
        "log_similar_spans": _log_similar_spans(search),
        "quoted_passages": float(len(_quoted(search, places))),
        _ANSWERABLE: _log_odds(search.gate.probability),
        "says_asked": float(_says_asked(search, places[:1], analysis)),
    }


def _log_odds(probability: float) -> float:
    bounded = min(1 - _SUREST, max(_SUREST, probability))
    return math.log(bounded / (1 - bounded))


def _says_asked(
    search: SearchResult, places: Sequence[Locator], analysis: QuestionAnalysis
) -> bool:
    """Whether one of `places` has a value of the type that is asked for, if one type is."""
    lexicon = load_lexicon(analysis.language)
    return analysis.expected.kind in TYPED and any(
        holds_answer(analysis.expected, _text_at(search, place), lexicon) for place in places
    )


def _text_at(search: SearchResult, place: Locator) -> str:
    """Return what stands there; "" when no passage holds it."""
    for passage in search.passages:
        held = passage.locator
        if held.document == place.document and held.start <= place.start < held.end:
            return passage.text[place.start - held.start : place.end - held.start]
    return ""


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
