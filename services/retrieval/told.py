"""Tell how much of a question a span says, beside its words by the values and the columns that it has.

A row says what stands over its cells. A value says of what it is one: "780 g" how heavy something is,
"grau" its colour. Where no cosine is near such a saying, only this tells it from a span without one.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.decompose import own_terms
from libs.question.expected import (
    AnswerKind,
    Dimension,
    asks_price,
    attribute_of,
    holds_answer,
    says_required,
)
from libs.question.said import tells_who
from libs.table_rows import cells_of
from libs.text import words
from services.retrieval.model import Chunk, distinct_terms
from services.retrieval.question_terms import QuestionTerms

_DEPTH = "depth"
_LEAST_OF_ATTRIBUTE = 0.5
"""Share of the words for what is asked of a thing that an answer has, or tells by a value."""


def best_told(
    chunks: Sequence[Chunk], question_terms: QuestionTerms, analysis: QuestionAnalysis
) -> float:
    """Return the best coverage of a question by one span of the chunks, in [0, 1].

    Of a span that has what is asked of a thing, and a value of its kind where one is required; without
    the words that the value tells, and those that compare. 0 where no span has, or where of one of
    several things none says what they are compared in.
    """
    lexicon = load_lexicon(analysis.language)
    comparing = distinct_terms(" ".join(_comparing(analysis, lexicon)))
    asked_of = _attribute(analysis)
    best, saying = 0.0, list[frozenset[str]]()
    for text, header, titles in chain.from_iterable(map(_rows_of, chunks)):
        if not _has_required(text, header, analysis, lexicon):
            continue
        told = distinct_terms(" ".join(_words_told(text, analysis, lexicon))) | comparing
        terms = distinct_terms(text) | distinct_terms(header) | titles
        if asked_of and question_terms.share_of(asked_of, terms | told) < _LEAST_OF_ATTRIBUTE:
            continue
        saying.append(terms)
        best = max(best, question_terms.covered_beside(told, terms))
    return best if _are_all_said(saying, question_terms, analysis) else 0.0


def _are_all_said(
    saying: Sequence[frozenset[str]], question_terms: QuestionTerms, analysis: QuestionAnalysis
) -> bool:
    """Whether of each thing that is compared in something a span that says that has its own words."""
    if not analysis.sub_questions or not analysis.sub_questions[0].attribute:
        return True
    own = own_terms([distinct_terms(part.name) for part in analysis.sub_questions])
    return all(
        any(question_terms.share_of(" ".join(one), terms) == 1.0 for terms in saying) for one in own
    )


def is_value_asked(analysis: QuestionAnalysis) -> bool:
    """Whether what is asked for is named, so that words of the question beside it answer nothing."""
    closed = load_lexicon(analysis.language).closed.values()
    named = any(one.asked.search(analysis.question) for one in closed)
    return named or bool(_attribute(analysis))


def _attribute(analysis: QuestionAnalysis) -> str:
    """Return the words for what is asked of a thing, or in what things are compared; "" for none."""
    if analysis.sub_questions:
        return analysis.sub_questions[0].attribute
    return "" if analysis.expected.kind is AnswerKind.PERSON else analysis.expected.attribute


def _rows_of(chunk: Chunk) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield the text of each span, the header of its table, "" without one, and the terms over it."""
    header, is_row = chunk.table_header, bool(chunk.table_header)
    for span in chunk.spans:
        text = chunk.text_of(span)
        was_row, is_row = is_row, len(cells_of(text.partition("\n")[0])) > 1
        if is_row and not was_row:
            header = text.partition("\n")[0]
        titles = chunk.section_at(span.start)[0]
        yield text, header if is_row else "", distinct_terms("\n".join(titles))


def requires_value(analysis: QuestionAnalysis, lexicon: Lexicon) -> bool:
    """Whether only what has a value of the kind asked for answers, or gives a reason."""
    because = lexicon.expected.because.search(analysis.question) is not None
    return analysis.expected.required or (analysis.expected.kind is AnswerKind.CAUSE and because)


def _has_required(text: str, header: str, analysis: QuestionAnalysis, lexicon: Lexicon) -> bool:
    expected, question = analysis.expected, analysis.question
    for one in lexicon.closed.values():
        if one.asked.search(question) and not one.said.search(text):
            return False
    if not requires_value(analysis, lexicon):
        return True
    if says_required(expected, text, lexicon, question=question):
        return True
    return expected.kind is AnswerKind.PERSON and tells_who(text, header, lexicon)


def _words_told(text: str, analysis: QuestionAnalysis, lexicon: Lexicon) -> Iterator[str]:
    """Yield the words of a question that a value in `text` says: what is measured, a colour."""
    question, rules = analysis.question, lexicon.expected
    for one in lexicon.closed.values():
        if (asked := one.asked.search(question)) and one.said.search(text):
            # What it is asked of no value says.
            yield asked[0].replace(asked.groupdict().get("of") or "\n", " ")
    if analysis.expected.kind not in (AnswerKind.QUANTITY, AnswerKind.DATE):
        if lexicon.values.number.search(question):
            measuring = frozenset[str]().union(*rules.measuring.values())
            yield from (word for word in words(question) if word in measuring)
        return
    if not _is_measured(text, analysis, lexicon):
        return
    yield from (word for word in words(question) if word in rules.light)
    if asks_price(question, lexicon):
        yield from (found[0] for found in lexicon.prices.asked.finditer(question))
    names = frozenset[str]().union(*rules.measures.values())
    for pattern in (*rules.measured.values(), rules.often):
        for word in words(" ".join(found[0] for found in pattern.finditer(question))):
            # Of "Rauchgastemperatur" a temperature says no more than that it is one.
            yield next((name for name in names if word.endswith(name)), word)


def _is_measured(text: str, analysis: QuestionAnalysis, lexicon: Lexicon) -> bool:
    """Whether a value of the kind asked for in `text` says what it measures.

    A depth or a width is told by words of its own, which a number beside others does not say.
    """
    expected = analysis.expected
    if attribute_of(expected.kind, analysis.question, lexicon) is not None:
        return False
    # Without a rule that tells a depth from other lengths any length would be one.
    if Dimension.LENGTH in expected.dimensions and _DEPTH not in lexicon.attributes:
        return False
    return holds_answer(expected, text, lexicon)


def _comparing(analysis: QuestionAnalysis, lexicon: Lexicon) -> Iterator[str]:
    """Yield the words by which a question compares, which no thing that it compares is told by."""
    if analysis.sub_questions:
        found = lexicon.types.comparison.finditer(analysis.question)
        yield from (one[0] for one in found)
        yield from lexicon.sub_questions.bare
