"""Carry the analysis of a question over the wire."""

from typing import cast

from quoth.common.v1 import question_pb2

from libs.question.about_book import AboutBook, BookAspect
from libs.question.analyse import QuestionAnalysis
from libs.question.decompose import SubQuestion
from libs.question.expected import AnswerKind, Dimension, ExpectedAnswer
from libs.question.types import QuestionType
from libs.rpc.named_page import named_page, page_label, page_number

_NAMES = {AnswerKind.ANY: "UNSPECIFIED"}
_KINDS = {
    kind: cast(
        "question_pb2.AnswerKind",
        question_pb2.AnswerKind.Value(f"ANSWER_KIND_{_NAMES.get(kind, kind.name)}"),
    )
    for kind in AnswerKind
}
_KIND_OF = {number: kind for kind, number in _KINDS.items()}
_DIMENSIONS = {
    dimension: cast(
        "question_pb2.Dimension", question_pb2.Dimension.Value(f"DIMENSION_{dimension.name}")
    )
    for dimension in Dimension
}
_DIMENSION_OF = {number: dimension for dimension, number in _DIMENSIONS.items()}
_ASPECTS = {
    aspect: cast(
        "question_pb2.BookAspect", question_pb2.BookAspect.Value(f"BOOK_ASPECT_{aspect.name}")
    )
    for aspect in BookAspect
}
_ASPECT_OF = {number: aspect for aspect, number in _ASPECTS.items()}


def analysis_to_proto(analysis: QuestionAnalysis) -> question_pb2.QuestionAnalysis:
    """Return all but what the request has beside it, and what making a follow-up whole needs."""
    expected = analysis.expected
    return question_pb2.QuestionAnalysis(
        language=analysis.language,
        types=question_pb2.QuestionTypes(**vars(analysis.types)),
        expected=question_pb2.ExpectedAnswer(
            kind=_KINDS[expected.kind],
            dimensions=sorted(_DIMENSIONS[dimension] for dimension in expected.dimensions),
            attribute=expected.attribute,
            required=expected.required,
        ),
        names=analysis.names,
        years=analysis.years,
        sub_questions=[
            question_pb2.SubQuestion(
                question=part.question,
                name=part.name,
                plain=part.plain,
                definiendum=part.definiendum,
                attribute=part.attribute,
            )
            for part in analysis.sub_questions
        ],
        definiendum=analysis.definiendum,
        several_places=analysis.several_places,
        follow_up=analysis.follow_up,
        deictic=analysis.deictic,
        small_talk=analysis.small_talk,
        literals=analysis.literals,
        about_book=_about_book_to_proto(analysis.about_book) if analysis.about_book else None,
        page=page_number(analysis.page),
        page_label=page_label(analysis.page),
        whole_page=analysis.whole_page,
    )


def _about_book_to_proto(asked: AboutBook) -> question_pb2.AboutBook:
    return question_pb2.AboutBook(
        aspect=_ASPECTS[asked.aspect],
        kind=asked.kind,
        number=asked.number,
        place=asked.place,
        title=asked.title,
    )


def analysis_from_proto(message: question_pb2.QuestionAnalysis, question: str) -> QuestionAnalysis:
    """Return the analysis of `question`; a kind, dimension or aspect of a later version is not
    stated."""
    types, expected = message.types, message.expected
    return QuestionAnalysis(
        question,
        message.language,
        types=QuestionType(
            **{field.name: getattr(types, field.name) for field in types.DESCRIPTOR.fields}
        ),
        expected=ExpectedAnswer(
            _KIND_OF.get(expected.kind, AnswerKind.ANY),
            frozenset(
                _DIMENSION_OF[number] for number in expected.dimensions if number in _DIMENSION_OF
            ),
            expected.attribute,
            expected.required,
        ),
        names=tuple(message.names),
        years=tuple(message.years),
        sub_questions=tuple(
            SubQuestion(part.question, part.name, part.plain, part.attribute, part.definiendum)
            for part in message.sub_questions
        ),
        definiendum=message.definiendum,
        several_places=message.several_places,
        follow_up=message.follow_up,
        deictic=message.deictic,
        small_talk=message.small_talk,
        literals=tuple(message.literals),
        about_book=_about_book_from_proto(message.about_book),
        page=named_page(message.page, message.page_label),
        whole_page=message.whole_page,
    )


def _about_book_from_proto(message: question_pb2.AboutBook) -> AboutBook | None:
    aspect = _ASPECT_OF.get(message.aspect)
    if aspect is None:
        return None
    return AboutBook(aspect, message.kind, message.number, message.place, message.title)
