"""Assess whether the passages found answer the question."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from libs.embedding import Vectors
from libs.language.lexicon import load_lexicon
from libs.ml import LogisticModel
from libs.profiles import Retrieval
from libs.question.analyse import QuestionAnalysis
from libs.question.attributes import asked_attribute, is_of_life, words_for
from libs.question.deictic import terms_to_say
from libs.question.expected import attribute_of, says_required
from libs.question.synonyms import known_as
from libs.text import words
from services.retrieval.defined import defines
from services.retrieval.model import (
    HEADING,
    Candidate,
    Chunk,
    Gate,
    Passage,
    distinct_terms,
)
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.state import ASSESSED, Fetched, ScopedQuery
from services.retrieval.told import best_told, is_value_asked, requires_value

_TOLD = "coverage_told"
_NEAR = -0.25
"""Least cosine of a span of what is on the subject of a question, in deviations from the mean of the
best chunk's that the classifier was fitted to (.33 for the one that is shipped). Of 168 questions that
the books of `tests/quality/questions/paraphrase/open` answer in other words 70 % reach it, of 180 about
other books 6 %, of 900 about other books than nine large ones 22 %: a reader is shown quotations then,
no answer. The best cosine of a chunk reaches as far with the first two, and with 33 % of the last."""

_NEAR_WORDS = 0.2
"""Least share of a question's words in one passage, where no cosine tells: four in ten of 96 questions
in other words than the book's in five languages reach it, one in ten of 120 about other books."""

UNREAD = QuestionAnalysis("")
"""Of a question that asks for nothing in particular."""


def assess_answerability(
    candidates: Sequence[Candidate],
    ranked: Sequence[Passage],
    question_terms: QuestionTerms,
    model: LogisticModel,
    settings: Retrieval,
    *,
    analysis: QuestionAnalysis = UNREAD,
    question: Vectors | None = None,
) -> Gate:
    """Judge the first of `ranked`; a search that found nothing never passes.

    Without the vector of the `question` none that does not pass is near by the cosine of a span.
    """
    if not ranked:
        return Gate(0.0, settings.gate_threshold, {}, passed=False)
    features = describe_result(candidates, ranked, question_terms, analysis, read=model.features)
    gate = _judge(ranked, features, model, settings)
    return replace(gate, near=gate.passed or _is_near(ranked, features, model, question))


def _is_near(
    ranked: Sequence[Passage],
    features: Mapping[str, float],
    model: LogisticModel,
    question: Vectors | None,
) -> bool:
    """Whether what was found is on the subject of the question, as far as the cosines can tell."""
    if "cosine_best" not in model.features:
        return features["coverage_best"] >= _NEAR_WORDS
    if question is None:
        return False
    at = model.features.index("cosine_best")
    least = model.means[at] + _NEAR * model.scales[at]
    return any(
        cosine >= least and span.kind != HEADING
        for passage in ranked[:ASSESSED]
        for span, cosine in zip(
            passage.chunk.spans, passage.chunk.span_cosines(question), strict=True
        )
    )


def pass_defined(gate: Gate, ranked: Sequence[Passage], things: Sequence[Collection[str]]) -> Gate:
    """Let entries for all `things` pass, each found by one of its keys: they answer, however short."""
    found = (any(defines(passage, keys) for passage in ranked[:ASSESSED]) for keys in things)
    if gate.passed or not things or not all(found):
        return gate
    return replace(gate, probability=max(gate.probability, gate.threshold), passed=True)


def pass_titled(gate: Gate, ranked: Sequence[Passage], question: str) -> Gate:
    """Let a section pass whose title is all of the question, as that of a page's topic is."""
    asked = words(question)
    titled = (item.chunk.section_path[-1:] for item in ranked[:ASSESSED])
    if gate.passed or not any(words(title) == asked for path in titled for title in path):
        return gate
    return replace(gate, probability=max(gate.probability, gate.threshold), passed=True)


def close_unsaid(gate: Gate, candidates: Sequence[Candidate], ranked: Sequence[Passage]) -> Gate:
    """Close for a part of a chunk that has no word of the question: its scores are of the whole chunk.

    `ranked` are cut to the section and pages that are asked of, `candidates` are as they were found.
    """
    whole = {item.chunk.chunk_id: (item.chunk.start, item.chunk.end) for item in candidates}
    cut = any(
        whole.get(item.chunk.chunk_id) not in (None, (item.chunk.start, item.chunk.end))
        for item in ranked[:ASSESSED]
    )
    if not cut or gate.features.get("coverage_together", 1.0) > 0.0:
        return gate
    return replace(gate, probability=0.0, passed=gate.threshold <= 0.0, disclaim=False)


def judge_selection(asked: ScopedQuery, fetched: Fetched, nearest: Sequence[Passage]) -> Gate:
    """Judge the question alone by the selected text that is nearest to it."""
    cosines = [max(item.chunk.span_cosines(fetched.question), default=0.0) for item in nearest]
    texts = [item.terms for item in fetched.alone]
    terms = QuestionTerms.weigh(asked.query.question, texts, fetched.language)
    features = describe_result(fetched.alone, nearest, terms) if nearest else {}
    return assess_selection(
        nearest,
        {**features, **describe_selection(nearest, asked.analysis, max(cosines, default=0.0))},
        asked.tools.selection_model or asked.tools.answerability_model,
        asked.profile,
        deictic=asked.analysis.deictic,
        yes_no=asked.analysis.types.yes_no,
    )


def assess_selection(
    ranked: Sequence[Passage],
    features: dict[str, float],
    model: LogisticModel,
    settings: Retrieval,
    *,
    deictic: bool,
    yes_no: bool = False,
) -> Gate:
    """Judge a question about selected text: any text answers a deictic one.

    That is no text without a word of it where it is asked whether something is so.
    """
    if not ranked:
        return Gate(0.0, settings.gate_threshold, {}, passed=False)
    if deictic and not (yes_no and features.get("coverage_near") == 0.0):
        return Gate(1.0, settings.gate_threshold, features, passed=True)
    gate = _judge(ranked, features, model, settings)
    are_near = features.get("coverage_near", 0.0) >= 1.0 and features.get("several", 0.0) > 0.0
    if gate.passed or settings.gate != "calibrated" or not are_near:
        return gate
    # Few words of a question say little to a vector; that they all stand together says more.
    return replace(gate, probability=max(gate.probability, gate.threshold), passed=True)


def _judge(
    ranked: Sequence[Passage],
    features: dict[str, float],
    model: LogisticModel,
    settings: Retrieval,
) -> Gate:
    threshold = settings.gate_threshold
    if settings.gate == "none":
        return Gate(1.0, 0.0, features, passed=True)
    if settings.gate == "calibrated":
        number = model.probability(features)
    else:
        number = min(1.0, max(0.0, _RAW[settings.gate](ranked[:ASSESSED])))
    # Above, not at, the threshold: the rule that comes with fused scores says so.
    enough = number > threshold if settings.gate == "fused" else number >= threshold
    disclaim = not enough and settings.low_score == "disclaim"
    return Gate(number, threshold, features, passed=enough or disclaim, disclaim=disclaim)


_RAW: Mapping[str, Callable[[Sequence[Passage]], float]] = {
    "max_dense": lambda ranked: max(passage.candidate.dense for passage in ranked),
    "mean_dense": lambda ranked: fmean(passage.candidate.dense for passage in ranked),
    "fused": lambda ranked: max(passage.fused for passage in ranked),
}


def describe_result(
    candidates: Sequence[Candidate],
    ranked: Sequence[Passage],
    question_terms: QuestionTerms,
    analysis: QuestionAnalysis = UNREAD,
    *,
    read: Collection[str] = (_TOLD,),
) -> dict[str, float]:
    """Return the features of a search that found something: raw cosines and shares in [0, 1].

    What spans tell, which takes as long as all the others, is among them where `read` names it.

    `question_terms` were weighed by the candidates. A model picks its features by name; the others are
    there to be fitted to.
    """
    chunks = [passage.chunk for passage in ranked[:ASSESSED]]
    asked = question_terms.weights
    together = [term for term in asked if any(term in chunk.terms for chunk in chunks)]
    spans = [_best_span(chunk, question_terms) for chunk in chunks]
    said = max(
        [_best_saying(chunk, question_terms, analysis) for chunk in chunks]
        if requires_value(analysis, load_lexicon(analysis.language))
        else spans
    )
    told = best_told(chunks, question_terms, analysis) if _TOLD in read else said
    return {
        "cosine_first": ranked[0].candidate.dense,
        "cosine_best": max(candidate.dense for candidate in candidates),
        "coverage_span": max(spans),
        "coverage_said": said,
        _TOLD: told if is_value_asked(analysis) else max(said, told),
        "coverage_best": max(question_terms.covered_by(chunk.terms) for chunk in chunks),
        "coverage_together": question_terms.covered_by(together),
        "coverage_anywhere": question_terms.covered_by(question_terms.held),
        "bm25_margin": _bm25_margin(candidates),
    }


def _best_span(chunk: Chunk, question_terms: QuestionTerms) -> float:
    """Return the best coverage by one span and the titles above it."""
    titles = chunk.title_terms
    return max(
        (
            question_terms.covered_by(distinct_terms(chunk.text_of(span)) | titles)
            for span in chunk.spans
        ),
        default=0.0,
    )


def _best_saying(chunk: Chunk, question_terms: QuestionTerms, analysis: QuestionAnalysis) -> float:
    """Return the same of a span with the one before it, where it has a value of the kind asked for."""
    expected, lexicon = analysis.expected, load_lexicon(analysis.language)
    attribute = attribute_of(expected.kind, analysis.question, lexicon)
    done = attribute or asked_attribute(analysis.question, lexicon, is_quantity=False)
    said = distinct_terms(words_for(done, analysis.question)) if done else frozenset()
    best, before = 0.0, chunk.title_terms
    for text in map(chunk.text_of, chunk.spans):
        terms = distinct_terms(text) | chunk.title_terms
        # Who did it is told by near words alone: what is built is not founded by who built it.
        if done and (done.said if attribute else done.asked).search(text):
            terms |= said
        if says_required(expected, text, lexicon, question=analysis.question):
            best = max(best, question_terms.covered_by(terms | before))
        before = terms | before if attribute and is_of_life(attribute, lexicon) else terms
    return best


def _bm25_margin(candidates: Sequence[Candidate]) -> float:
    """Return the margin of the best BM25 score over the five best; 0 when no term is shared."""
    best = sorted((candidate.bm25 for candidate in candidates), reverse=True)[:ASSESSED]
    best += [0.0] * (ASSESSED - len(best))
    return (best[0] - fmean(best)) / (best[0] + 1)


_SEVERAL = 2
"""Words of a question of which it says something that all stand together."""

SELECTION_FEATURES = ("cosine_span", "coverage_near", "terms_missing")
"""Features of whether selected text answers. All of it is near the question, so what counts is whether
the question's words, or synonyms, stand close together in it, and how many are missing."""


def describe_selection(
    ranked: Sequence[Passage], question: QuestionAnalysis, nearest: float
) -> dict[str, float]:
    """Return the features of selected text; `nearest` is the best cosine of one of its spans."""
    lexicon = load_lexicon(question.language)
    asked = terms_to_say(question.question, lexicon)
    held = [terms for passage in ranked for terms in _terms_near(passage.chunk)]
    if question.types.yes_no:
        # "Unknown" says whether it is known.
        turned = lexicon.claims.reversing
        held = [terms | {turned.sub("", term) for term in terms} for terms in held]
    everything = frozenset[str]().union(*held)
    names = [known_as(term, question.language) for term in asked]
    near = max((sum(not name.isdisjoint(terms) for name in names) for terms in held), default=0)
    return {
        "cosine_span": nearest,
        "coverage_near": near / max(1, len(names)),
        "terms_missing": float(sum(name.isdisjoint(everything) for name in names)),
        "several": float(len(names) >= _SEVERAL),
    }


def _terms_near(chunk: Chunk) -> Iterator[frozenset[str]]:
    """Yield the terms of each span with those beside it and the titles over it."""
    terms = [distinct_terms(chunk.text_of(span)) for span in chunk.spans]
    for at in range(len(terms)):
        yield chunk.title_terms.union(*terms[max(0, at - 1) : at + 2])
