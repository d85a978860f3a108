"""Messages of retrieval and generation on one side, the gateway's own structs on the other."""

from collections.abc import Iterable

from msgspec.structs import replace
from quoth.common.v1 import locator_pb2, passage_pb2, question_pb2, timing_pb2
from quoth.generation.v1 import answer_pb2, feedback_pb2, generation_service_pb2
from quoth.retrieval.v1 import retrieval_service_pb2

from libs.language.asked_in import language_asked_in
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.rpc.named_page import page_label, page_number
from services.gateway.model.answers import (
    Answer,
    AnswerMode,
    Check,
    Citation,
    Confidence,
    ConfidenceLevel,
    Feedback,
    FeedbackReason,
    FeedbackRequest,
    Grounding,
    Message,
    ModelUse,
    PassagesFound,
    Question,
    Refusal,
    RefusalCode,
    SelectedText,
    Sentence,
    SentenceKind,
    SentenceReleased,
    Session,
    SessionMessage,
    Verdict,
    WithheldSentence,
)
from services.gateway.model.passages import (
    Gate,
    Outcome,
    Passage,
    PassageScores,
    SearchResult,
    Span,
    SpellingCorrection,
    StageTiming,
)
from services.gateway.ports import AnswerEvent
from services.gateway.wire.citation_styles import style_of, write_marker
from services.gateway.wire.values import block_kind, list_words, rounded, to_time

# A number that is not here comes from a newer service. A harmless word stands in for it, but not
# for a verdict or a refusal: those are never guessed.
_OUTCOME: dict[int, Outcome] = {
    timing_pb2.STAGE_OUTCOME_OK: "ok",
    timing_pb2.STAGE_OUTCOME_CAPPED: "capped",
    timing_pb2.STAGE_OUTCOME_NOT_STARTED: "not_started",
    timing_pb2.STAGE_OUTCOME_CANCELLED: "cancelled",
    timing_pb2.STAGE_OUTCOME_FAILED: "failed",
}
_VERDICT: dict[int, Verdict] = list_words(answer_pb2.Verdict)
_REFUSAL_CODE: dict[int, RefusalCode] = list_words(answer_pb2.RefusalCode)
_LEVEL: dict[int, ConfidenceLevel] = list_words(answer_pb2.ConfidenceLevel)
_MODE: dict[int, AnswerMode] = list_words(answer_pb2.AnswerMode)
_KIND: dict[int, SentenceKind] = list_words(answer_pb2.SentenceKind)
_REASON: dict[int, FeedbackReason] = list_words(feedback_pb2.FeedbackReason)
_GROUNDING: dict[int, Grounding] = list_words(answer_pb2.Grounding)
_CHECK_KIND = {
    number: name.removeprefix("CHECK_KIND_").lower()
    for name, number in answer_pb2.CheckKind.items()
}
_ROLE = {
    "user": generation_service_pb2.ROLE_USER,
    "assistant": generation_service_pb2.ROLE_ASSISTANT,
}


def to_question(
    question: Question, history: list[Message], *, answer_only: bool
) -> generation_service_pb2.AnswerQuestionRequest:
    return generation_service_pb2.AnswerQuestionRequest(
        book=question.book,
        edition=question.edition,
        question=question.text,
        selection=_to_selection(question.selection),
        section_path=question.section_path,
        history=[
            generation_service_pb2.Message(role=_ROLE[message.role], content=message.content)
            for message in history
        ],
        profile=question.profile,
        answer_only=answer_only,
        book_title=question.title,
        book_language=question.language,
        book_languages=question.languages,
        client_id=question.client,
        idempotency_key=question.request_key,
        session_id=question.session_id,
        user_id=question.user_id,
        document=question.document,
        chapter=question.chapter,
        page=page_number(question.page),
        page_label=page_label(question.page),
        reader_languages=question.reader_languages,
        book_authors=question.authors,
    )


def to_feedback(
    answer_id: str, client: str, said: FeedbackRequest
) -> generation_service_pb2.RateAnswerRequest:
    return generation_service_pb2.RateAnswerRequest(
        answer_id=answer_id,
        client_id=client,
        feedback=feedback_pb2.Feedback(
            rating=f"RATING_{said.rating.upper()}",
            reason=f"FEEDBACK_REASON_{(said.reason or 'unspecified').upper()}",
            comment=said.comment,
        ),
    )


def from_feedback(feedback: feedback_pb2.Feedback) -> Feedback:
    return Feedback(
        "up" if feedback.rating == feedback_pb2.RATING_UP else "down",
        _REASON.get(feedback.reason),
        feedback.comment,
        to_time(feedback.create_time),
    )


def from_session(session: generation_service_pb2.Session) -> Session:
    return Session(
        session.session_id,
        session.book,
        [
            SessionMessage(
                "user" if item.message.role == _ROLE["user"] else "assistant",
                item.message.content,
                to_time(item.create_time),
                item.answer_id or None,
                list(item.chunk_ids),
            )
            for item in session.messages
        ],
        to_time(session.create_time),
        to_time(session.expire_time),
    )


def to_search(question: Question, max_passages: int) -> retrieval_service_pb2.SearchPassagesRequest:
    return retrieval_service_pb2.SearchPassagesRequest(
        book=question.book,
        edition=question.edition,
        question=question.text,
        profile=question.profile,
        max_passages=max_passages,
        section_path=question.section_path,
        selection=_to_selection(question.selection),
        document=question.document,
        chapter=question.chapter,
        page=page_number(question.page),
        page_label=page_label(question.page),
        book_title=question.title,
    )


def _to_selection(selection: SelectedText | None) -> locator_pb2.Selection | None:
    if selection is None:
        return None
    place = None
    if selection.range is not None:
        place = locator_pb2.Range(start=selection.range[0], end=selection.range[1])
    return locator_pb2.Selection(document=selection.document, range=place, text=selection.text)


def _passage(passage: passage_pb2.Passage) -> Passage:
    locator, scores = passage.locator, passage.scores  # each look at them makes an object
    place = locator.range
    return Passage(
        chunk_id=passage.chunk_id,
        document=locator.document,
        start=place.start,
        end=place.end,
        section_path=list(locator.section_path),
        url=locator.url or None,
        page=locator.page or None,
        page_label=locator.page_label or None,
        anchor=locator.anchor,
        text=passage.text,
        spans=[
            Span(
                start=span.range.start,
                end=span.range.end,
                kind=block_kind(span.kind),
                score=rounded(span.score),
                highlighted=span.highlighted,
            )
            for span in passage.spans
        ],
        scores=PassageScores(
            fused=rounded(scores.fused),
            dense=rounded(scores.dense),
            bm25=rounded(scores.bm25),
            dense_rank=scores.dense_rank or None,
            bm25_rank=scores.bm25_rank or None,
            boost=rounded(scores.boost) or None,
        ),
        table_header=passage.table_header or None,
        footnotes=list(passage.footnotes),
    )


def _timings(timings: Iterable[timing_pb2.StageTiming]) -> list[StageTiming]:
    return [
        StageTiming(
            stage=timing.stage,
            allowed_ms=round(timing.allowed_ms, 3),
            used_ms=round(timing.used_ms, 3),
            outcome=_OUTCOME.get(timing.outcome, "ok"),
        )
        for timing in timings
    ]


def from_search_result(
    question: Question, response: retrieval_service_pb2.SearchPassagesResponse
) -> SearchResult:
    return SearchResult(
        book=question.book,
        edition=question.edition,
        question=question.text,
        passages=[_passage(passage) for passage in response.passages],
        gate=Gate(
            probability=rounded(response.gate.probability),
            threshold=rounded(response.gate.threshold),
            passed=response.gate.passed,
            features={name: rounded(value) for name, value in response.gate.features.items()},
        ),
        related_sections=list(response.related_sections),
        selection_widened=response.selection_widened,
        degraded=list(response.degraded),
        timings=_timings(response.timings),
        searched_question=response.searched_question or question.text,
        corrections=_corrections(response.corrections),
        avg_similarity=rounded(response.avg_similarity),
    )


def _corrections(
    corrections: Iterable[question_pb2.SpellingCorrection],
) -> list[SpellingCorrection]:
    return [SpellingCorrection(item.asked, item.searched) for item in corrections]


def from_event(response: generation_service_pb2.AnswerQuestionResponse) -> AnswerEvent | None:
    match response.WhichOneof("event"):
        case "passages":
            return PassagesFound(
                [_passage(passage) for passage in response.passages.passages],
                response.passages.answer_id,
            )
        case "sentence":
            return SentenceReleased(
                _sentence(response.sentence.sentence),
                [_citation(citation) for citation in response.sentence.citations],
            )
        case "answer":
            answer = from_answer(response.answer)
            return replace(answer, replayed=True) if response.replayed else answer
        case _:
            return None


def _sentence(sentence: answer_pb2.Sentence) -> Sentence:
    return Sentence(
        text=sentence.text,
        citations=list(sentence.citations),
        checks=_checks(sentence.checks),
        kind=_KIND.get(sentence.kind, "paraphrased"),
        probability=rounded(sentence.probability),
        stands_in=sentence.stands_in,
        role="support" if sentence.role == answer_pb2.SENTENCE_ROLE_SUPPORT else "lead",
    )


def _checks(checks: Iterable[answer_pb2.Check]) -> list[Check]:
    return [Check(_check_kind(check.kind), check.passed, check.reason) for check in checks]


def _check_kind(number: int) -> str:
    """Return the name of a kind; one of a newer service is "other"."""
    return _CHECK_KIND.get(number, "other")


def _model_use(use: answer_pb2.ModelUse) -> ModelUse:
    return ModelUse(use.model, use.input_tokens, use.output_tokens, use.cost_usd or None)


def _citation(citation: answer_pb2.Citation) -> Citation:
    locator = citation.locator  # each look at it makes an object
    place = locator.range
    return Citation(
        n=citation.number,
        quote=citation.quote,
        document=locator.document,
        start=place.start,
        end=place.end,
        section_path=list(locator.section_path),
        url=locator.url or None,
        page=locator.page or None,
        page_label=locator.page_label or None,
        chunk_id=citation.chunk_id,
        snippet=citation.snippet,
        verdict=_VERDICT[citation.verdict],
        table_header=citation.table_header or None,
    )


def _marked(citation: answer_pb2.Citation, style: str) -> Citation:
    """Return the citation as the profile writes it."""
    read = _citation(citation)
    return replace(read, marker=write_marker(read, style))


def _refusal(refusal: answer_pb2.Refusal, style: str) -> Refusal:
    return Refusal(
        code=_REFUSAL_CODE[refusal.code],
        message=refusal.message,
        related_sections=list(refusal.related_sections),
        suggested_questions=list(refusal.suggested_questions),
        nearest=[_marked(citation, style) for citation in refusal.nearest],
    )


def _warn_of(question: str, shown: str) -> str:
    """Say in the question's language that what answers it may not; what is `shown` tells of two alike.

    "Por que" begins a question in Portuguese as in Spanish.
    """
    language = language_asked_in(question, language_asked_in(shown))
    own = load_lexicon(language).refusals.low_confidence
    return own or load_lexicon(FALLBACK).refusals.low_confidence


def from_answer(answer: answer_pb2.Answer) -> Answer:
    sentences = [_sentence(sentence) for sentence in answer.sentences]
    style, level = style_of(answer.profile), _LEVEL.get(answer.confidence_level)
    refusal = _refusal(answer.refusal, style) if answer.HasField("refusal") else None
    text = refusal.message if refusal else " ".join(sentence.text for sentence in sentences)
    return Answer(
        answer_id=answer.answer_id,
        book=answer.book,
        edition=answer.edition,
        mode=_MODE.get(answer.mode, "book"),
        question=answer.question,
        text=text,
        sentences=sentences,
        citations=[_marked(citation, style) for citation in answer.citations],
        refusal=refusal,
        confidence=Confidence(rounded(answer.confidence), level),
        profile=answer.profile,
        degraded=list(answer.degraded),
        timings=_timings(answer.timings),
        timestamp=to_time(answer.create_time),
        searched_question=answer.searched_question,
        checks=_checks(answer.checks),
        withheld=[
            WithheldSentence(_checks(sentence.checks), sentence.replaced)
            for sentence in answer.withheld
        ],
        model_use=_model_use(answer.model_use) if answer.HasField("model_use") else None,
        verifier_use=(_model_use(answer.verifier_use) if answer.HasField("verifier_use") else None),
        omitted=list(answer.omitted),
        suggested_questions=list(answer.suggested_questions),
        notice=_warn_of(answer.question, text) if level == "low" and not refusal else "",
        missing_entities=list(answer.missing_entities),
        corrections=_corrections(answer.corrections),
        grounding=_GROUNDING.get(answer.grounding, "cited"),
    )
