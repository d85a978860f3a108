"""Read and write the messages of our own contract; a broken request is InvalidInput."""

import re
from datetime import datetime
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp
from quoth.common.v1 import locator_pb2, passage_pb2, question_pb2
from quoth.generation.v1 import answer_pb2, feedback_pb2, generation_service_pb2

from libs.errors import InvalidInput, NotFound
from libs.rpc.named_page import named_page
from libs.rpc.timing import timings_to_proto
from libs.storable import is_storable
from services.generation.model import (
    Answer,
    AnswerMode,
    Check,
    CheckKind,
    Citation,
    ConfidenceLevel,
    Grounding,
    Locator,
    Message,
    Passage,
    PassagesFound,
    Question,
    Refusal,
    RefusalCode,
    Replayed,
    Role,
    Selection,
    Sentence,
    SentenceKind,
    SentenceReleased,
    SentenceRole,
    Verdict,
    Withheld,
)
from services.generation.records.model import Feedback, FeedbackReason, Rating
from services.generation.records.recall import NO_ANSWER, NO_SESSION
from services.generation.records.session import Session
from services.generation.transcript import ModelUse

_MAX_SELECTION = 5000
_MAX_MESSAGES = 10
_MAX_MESSAGE = 4000
_MAX_CLIENT_ID = 200
_MAX_TITLE = 1000
_MAX_LANGUAGES = 100
_MAX_AUTHORS = 20
_MAX_COMMENT = 2000
_MAX_KEY = 200
_MAX_USER_ID = 255
_NO_BOOK = "A book's name has 1 to 64 lower-case letters, digits and hyphens."
_BOOK = re.compile(r"[a-z0-9-]{1,64}")

_ROLES = {
    generation_service_pb2.ROLE_USER: Role.USER,
    generation_service_pb2.ROLE_ASSISTANT: Role.ASSISTANT,
}
_ROLE_NAMES = {role: f"ROLE_{role.name}" for role in Role}
_MODES = {
    AnswerMode.BOOK: answer_pb2.ANSWER_MODE_BOOK,
    AnswerMode.SELECTION: answer_pb2.ANSWER_MODE_SELECTION,
}
_VERDICTS = {
    Verdict.EXACT: answer_pb2.VERDICT_EXACT,
    Verdict.NORMALISED: answer_pb2.VERDICT_NORMALISED,
    Verdict.SUPPORTED: answer_pb2.VERDICT_SUPPORTED,
}
_ROLES_OF_SENTENCES = {
    SentenceRole.LEAD: answer_pb2.SENTENCE_ROLE_LEAD,
    SentenceRole.SUPPORT: answer_pb2.SENTENCE_ROLE_SUPPORT,
}
_REFUSALS = {
    RefusalCode.NOTHING_FOUND: answer_pb2.REFUSAL_CODE_NOTHING_FOUND,
    RefusalCode.NOT_COVERED: answer_pb2.REFUSAL_CODE_NOT_COVERED,
    RefusalCode.NOT_VERIFIED: answer_pb2.REFUSAL_CODE_NOT_VERIFIED,
    RefusalCode.NO_QUESTION: answer_pb2.REFUSAL_CODE_NO_QUESTION,
    RefusalCode.DECLINED: answer_pb2.REFUSAL_CODE_DECLINED,
}
_KINDS = {
    SentenceKind.QUOTED: answer_pb2.SENTENCE_KIND_QUOTED,
    SentenceKind.PARAPHRASED: answer_pb2.SENTENCE_KIND_PARAPHRASED,
}
_GROUNDINGS = {
    Grounding.VERBATIM: answer_pb2.GROUNDING_VERBATIM,
    Grounding.SUPPORTED: answer_pb2.GROUNDING_SUPPORTED,
    Grounding.CITED: answer_pb2.GROUNDING_CITED,
}
_CHECKS = {kind: f"CHECK_KIND_{kind.name}" for kind in CheckKind}
_RATINGS = {feedback_pb2.RATING_UP: Rating.UP, feedback_pb2.RATING_DOWN: Rating.DOWN}
_REASON_NAMES = {
    reason: f"FEEDBACK_REASON_{'UNSPECIFIED' if reason is FeedbackReason.NONE else reason.name}"
    for reason in FeedbackReason
}
_REASONS: dict[int, FeedbackReason] = {
    feedback_pb2.FeedbackReason.Value(name): reason for reason, name in _REASON_NAMES.items()
}
_LEVELS = {
    ConfidenceLevel.NONE: answer_pb2.CONFIDENCE_LEVEL_UNSPECIFIED,
    ConfidenceLevel.LOW: answer_pb2.CONFIDENCE_LEVEL_LOW,
    ConfidenceLevel.MEDIUM: answer_pb2.CONFIDENCE_LEVEL_MEDIUM,
    ConfidenceLevel.HIGH: answer_pb2.CONFIDENCE_LEVEL_HIGH,
}


def question_from_proto(request: generation_service_pb2.AnswerQuestionRequest) -> Question:
    """Read a request. What depends on the profile (length of the question) is checked later."""
    _check_edition(request.book, request.edition)
    if len(request.client_id) > _MAX_CLIENT_ID:
        raise InvalidInput(f"The client id exceeds {_MAX_CLIENT_ID} characters.")
    if request.session_id and request.history:
        raise InvalidInput("Send a session or a history, not both.")
    if len(request.idempotency_key) > _MAX_KEY:
        raise InvalidInput(f"The idempotency key exceeds {_MAX_KEY} characters.")
    if len(request.user_id) > _MAX_USER_ID:
        raise InvalidInput(f"The user id exceeds {_MAX_USER_ID} characters.")
    return Question(
        book=request.book,
        edition=request.edition,
        text=_clean(request.question, "question").strip(),
        selection=_selection(request.selection) if request.HasField("selection") else None,
        section_path=tuple(_clean(title, "section path") for title in request.section_path),
        history=_history(request),
        profile=request.profile,
        client_id=_clean(request.client_id, "client id"),
        title=_clean(request.book_title, "book's title")[:_MAX_TITLE],
        language=request.book_language,
        languages=tuple(request.book_languages[:_MAX_LANGUAGES]),
        reader_languages=tuple(request.reader_languages[:_MAX_LANGUAGES]),
        authors=tuple(_clean(one, "author") for one in request.book_authors[:_MAX_AUTHORS]),
        request_key=_clean(request.idempotency_key, "idempotency key"),
        session_id=session_id_from_proto(request.session_id) if request.session_id else None,
        user_id=_clean(request.user_id, "user id"),
        document=_clean(request.document, "document"),
        chapter=_clean(request.chapter, "chapter"),
        page=named_page(request.page, _clean(request.page_label, "page")),
    )


def edition_from_proto(request: generation_service_pb2.SuggestQuestionsRequest) -> Question:
    """Return a question that is still without words."""
    _check_edition(request.book, request.edition)
    return Question(
        request.book,
        request.edition,
        text="",
        profile=request.profile,
        title=_clean(request.book_title, "book's title")[:_MAX_TITLE],
        language=request.book_language,
        languages=tuple(request.book_languages[:_MAX_LANGUAGES]),
    )


def _check_edition(book: str, edition: int) -> None:
    if not _BOOK.fullmatch(book):
        raise InvalidInput(_NO_BOOK)
    if edition < 1:
        raise InvalidInput("The edition must be 1 or more.")


def event_to_proto(
    event: PassagesFound | SentenceReleased | Answer | Replayed,
) -> generation_service_pb2.AnswerQuestionResponse:
    response = generation_service_pb2.AnswerQuestionResponse
    if isinstance(event, PassagesFound):
        passages = generation_service_pb2.PassagesFound(
            passages=map(_passage, event.passages), answer_id=str(event.answer_id)
        )
        return response(passages=passages)
    if isinstance(event, SentenceReleased):
        sentence = generation_service_pb2.SentenceReleased(
            sentence=_sentence(event.sentence), citations=map(_citation, event.citations)
        )
        return response(sentence=sentence)
    if isinstance(event, Replayed):
        return response(answer=answer_to_proto(event.answer), replayed=True)
    return response(answer=answer_to_proto(event))


def answer_id_from_proto(text: str) -> UUID:
    """Read the id of an answer. Raises NotFound: what is no id is the id of none."""
    try:
        return UUID(text)
    except ValueError as error:
        raise NotFound(NO_ANSWER) from error


def session_id_from_proto(text: str) -> UUID:
    """Read the id of a session. Raises NotFound: what is no id is the id of none."""
    try:
        return UUID(text)
    except ValueError as error:
        raise NotFound(NO_SESSION) from error


def owner_from_proto(request: generation_service_pb2.CreateSessionRequest) -> tuple[str, str]:
    """Read whose session is to be begun, with which book."""
    if not _BOOK.fullmatch(request.book):
        raise InvalidInput(_NO_BOOK)
    if len(request.client_id) > _MAX_CLIENT_ID:
        raise InvalidInput(f"The client id exceeds {_MAX_CLIENT_ID} characters.")
    return request.book, _clean(request.client_id, "client id")


def session_to_proto(session: Session) -> generation_service_pb2.Session:
    return generation_service_pb2.Session(
        session_id=str(session.session_id),
        book=session.book,
        messages=[
            generation_service_pb2.SessionMessage(
                message=generation_service_pb2.Message(
                    role=_ROLE_NAMES[item.message.role], content=item.message.content
                ),
                create_time=_timestamp(item.create_time),
                answer_id=item.answer_id,
                chunk_ids=item.chunk_ids,
            )
            for item in session.messages
        ],
        create_time=_timestamp(session.create_time),
        expire_time=_timestamp(session.expire_time),
    )


def _timestamp(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def feedback_from_proto(feedback: feedback_pb2.Feedback) -> Feedback:
    rating = _RATINGS.get(feedback.rating)
    if rating is None:
        raise InvalidInput("Say whether the answer helped: up or down.")
    if len(feedback.comment) > _MAX_COMMENT:
        raise InvalidInput(f"The comment exceeds {_MAX_COMMENT} characters.")
    # A reason of a newer gateway is another than those that are known here.
    reason = _REASONS.get(feedback.reason, FeedbackReason.OTHER)
    return Feedback(rating, reason, _clean(feedback.comment, "comment"))


def feedback_to_proto(feedback: Feedback) -> feedback_pb2.Feedback:
    moment = feedback.create_time
    return feedback_pb2.Feedback(
        rating=f"RATING_{feedback.rating.name}",
        reason=_REASON_NAMES[feedback.reason],
        comment=feedback.comment,
        create_time=_timestamp(moment) if moment is not None else None,
    )


def _clean(text: str, what: str) -> str:
    if not is_storable(text):
        raise InvalidInput(f"The {what} holds a NUL or half a character (a lone surrogate).")
    return text


def _selection(selection: locator_pb2.Selection) -> Selection:
    text = _clean(selection.text, "selection")
    if len(text) > _MAX_SELECTION:
        raise InvalidInput(
            f"Selection exceeds {_MAX_SELECTION} characters ({len(text)} characters)"
        )
    document = _clean(selection.document, "selection's document")
    if not selection.HasField("range"):
        if not text.strip():
            raise InvalidInput("A selection needs its range or its text.")
        return Selection(document, text=text)
    start, end = selection.range.start, selection.range.end
    if not 0 <= start < end:
        raise InvalidInput("A selection's range must have 0 <= start < end.")
    return Selection(document, start, end, text)


def _history(request: generation_service_pb2.AnswerQuestionRequest) -> tuple[Message, ...]:
    if len(request.history) > _MAX_MESSAGES:
        raise InvalidInput(
            f"History exceeds {_MAX_MESSAGES} messages ({len(request.history)} messages)"
        )
    return tuple(map(_message, request.history))


def _message(message: generation_service_pb2.Message) -> Message:
    if not message.content.strip() or message.role == generation_service_pb2.ROLE_UNSPECIFIED:
        raise InvalidInput("Each message must have 'role' and 'content'")
    if message.role not in _ROLES:
        raise InvalidInput("Role must be 'user' or 'assistant'")
    if len(message.content) > _MAX_MESSAGE:
        raise InvalidInput(f"Each message must have at most {_MAX_MESSAGE} characters")
    return Message(_ROLES[message.role], _clean(message.content, "history"))


def _locator(place: Locator) -> locator_pb2.Locator:
    return locator_pb2.Locator(
        document=place.document,
        range=locator_pb2.Range(start=place.start, end=place.end),
        section_path=place.section_path,
        url=place.url,
        page=place.page,
        page_label=place.page_label,
        anchor=place.anchor,
    )


def _passage(passage: Passage) -> passage_pb2.Passage:
    scores = passage.scores
    return passage_pb2.Passage(
        chunk_id=passage.chunk_id,
        locator=_locator(passage.locator),
        text=passage.text,
        spans=[
            passage_pb2.Span(
                range=locator_pb2.Range(start=span.start, end=span.end),
                kind=passage_pb2.BlockKind.Name(span.kind),
                score=span.score,
                highlighted=span.highlighted,
            )
            for span in passage.spans
        ],
        scores=passage_pb2.PassageScores(
            fused=scores.fused,
            dense=scores.dense,
            bm25=scores.bm25,
            dense_rank=scores.dense_rank,
            bm25_rank=scores.bm25_rank,
        ),
        page_breaks=[
            passage_pb2.PageBreak(
                start=start, page=page, label=dict(passage.page_labels).get(page, "")
            )
            for start, page in passage.page_breaks
        ],
        table_header=passage.table_header,
        footnotes=passage.footnotes,
        sections=[
            passage_pb2.SectionStart(
                start=one.start, section_path=one.section_path, anchor=one.anchor, url=one.url
            )
            for one in passage.sections
        ],
    )


def _citation(citation: Citation) -> answer_pb2.Citation:
    return answer_pb2.Citation(
        number=citation.number,
        quote=citation.quote,
        locator=_locator(citation.locator),
        chunk_id=citation.chunk_id,
        snippet=citation.snippet,
        verdict=_VERDICTS[citation.verdict],
        table_header=citation.table_header,
    )


def _sentence(sentence: Sentence) -> answer_pb2.Sentence:
    return answer_pb2.Sentence(
        text=sentence.text,
        citations=sentence.citations,
        checks=map(_check, sentence.checks),
        kind=_KINDS[sentence.kind],
        probability=sentence.probability,
        stands_in=sentence.stands_in,
        role=_ROLES_OF_SENTENCES[sentence.role],
    )


def _check(check: Check) -> answer_pb2.Check:
    return answer_pb2.Check(kind=_CHECKS[check.kind], passed=check.passed, reason=check.reason)


def _withheld(withheld: Withheld) -> answer_pb2.WithheldSentence:
    # Its text did not pass: it leaves this service in the audit row only.
    return answer_pb2.WithheldSentence(
        checks=map(_check, withheld.checks), replaced=withheld.replaced
    )


def _model_use(use: ModelUse | None) -> answer_pb2.ModelUse | None:
    if use is None:
        return None
    return answer_pb2.ModelUse(
        model=use.model,
        input_tokens=use.usage.input_tokens,
        output_tokens=use.usage.output_tokens,
        cost_usd=use.cost_usd or 0.0,
    )


def _refusal(refusal: Refusal | None) -> answer_pb2.Refusal | None:
    if refusal is None:
        return None
    return answer_pb2.Refusal(
        code=_REFUSALS[refusal.code],
        message=refusal.message,
        related_sections=refusal.related_sections,
        suggested_questions=refusal.suggested_questions,
        nearest=map(_citation, refusal.nearest),
    )


def answer_to_proto(answer: Answer) -> answer_pb2.Answer:
    question = answer.question
    return answer_pb2.Answer(
        answer_id=str(answer.answer_id),
        book=question.book,
        edition=question.edition,
        mode=_MODES[question.mode],
        question=question.text,
        searched_question=answer.searched_question,
        sentences=map(_sentence, answer.sentences),
        citations=map(_citation, answer.citations),
        refusal=_refusal(answer.refusal),
        confidence=answer.confidence,
        confidence_level=_LEVELS[answer.confidence_level],
        profile=answer.profile,
        degraded=answer.degraded,
        timings=timings_to_proto(answer.timings),
        create_time=_timestamp(answer.create_time),
        checks=map(_check, answer.checks),
        withheld=map(_withheld, answer.withheld),
        model_use=_model_use(answer.model_use),
        verifier_use=_model_use(answer.verifier_use),
        omitted=answer.omitted,
        suggested_questions=answer.suggested_questions,
        missing_entities=answer.missing_entities,
        corrections=[
            question_pb2.SpellingCorrection(asked=item.asked, searched=item.searched)
            for item in answer.corrections
        ],
        grounding=_GROUNDINGS[answer.grounding],
    )
