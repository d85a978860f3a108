"""Messages of the other services on one side, the gateway's own structs on the other."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.timestamp_pb2 import Timestamp
from quoth.common.v1 import locator_pb2, passage_pb2, timing_pb2
from quoth.generation.v1 import answer_pb2, generation_service_pb2
from quoth.ingest.v1 import book_pb2, edition_pb2, ingest_service_pb2
from quoth.retrieval.v1 import retrieval_service_pb2

from services.gateway.ingest_model import (
    Difference,
    DocumentChange,
    DocumentReport,
    Edition,
    IngestJob,
    IngestReport,
    JobState,
    JobWait,
    Loss,
    MissingRange,
    Source,
    Vacuumed,
)
from services.gateway.model import (
    Answer,
    AnswerMode,
    Block,
    BlockKind,
    Book,
    Check,
    Citation,
    Confidence,
    ConfidenceLevel,
    Document,
    DocumentSummary,
    Gate,
    Grounding,
    Message,
    ModelUse,
    Outcome,
    Passage,
    PassageScores,
    PassagesFound,
    Question,
    Refusal,
    RefusalCode,
    SearchResult,
    Section,
    SelectedText,
    Sentence,
    SentenceKind,
    SentenceReleased,
    Span,
    StageTiming,
    Verdict,
    WithheldSentence,
)
from services.gateway.ports import AnswerEvent

# A number that is not here comes from a newer service. A harmless word stands in for it, but not
# for a verdict or a refusal: those are never guessed.
_BLOCK_KIND: dict[int, BlockKind] = {
    passage_pb2.BLOCK_KIND_HEADING: "heading",
    passage_pb2.BLOCK_KIND_PARAGRAPH: "paragraph",
    passage_pb2.BLOCK_KIND_LIST_ITEM: "list_item",
    passage_pb2.BLOCK_KIND_TABLE: "table",
    passage_pb2.BLOCK_KIND_CODE: "code",
    passage_pb2.BLOCK_KIND_QUOTE: "quote",
    passage_pb2.BLOCK_KIND_FOOTNOTE: "footnote",
    passage_pb2.BLOCK_KIND_MATH: "math",
    passage_pb2.BLOCK_KIND_ADMONITION: "admonition",
    passage_pb2.BLOCK_KIND_CAPTION: "caption",
}
_OUTCOME: dict[int, Outcome] = {
    timing_pb2.STAGE_OUTCOME_OK: "ok",
    timing_pb2.STAGE_OUTCOME_CAPPED: "capped",
    timing_pb2.STAGE_OUTCOME_NOT_STARTED: "not_started",
    timing_pb2.STAGE_OUTCOME_CANCELLED: "cancelled",
    timing_pb2.STAGE_OUTCOME_FAILED: "failed",
}


def _list_words(enum: EnumTypeWrapper) -> dict[int, Any]:
    """Return a word for every number of `enum`: its name in lower case, without the enum's own."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.DESCRIPTOR.name).upper() + "_"
    return {number: name.removeprefix(prefix).lower() for name, number in enum.items() if number}


_VERDICT: dict[int, Verdict] = _list_words(answer_pb2.Verdict)
_REFUSAL_CODE: dict[int, RefusalCode] = _list_words(answer_pb2.RefusalCode)
_LEVEL: dict[int, ConfidenceLevel] = _list_words(answer_pb2.ConfidenceLevel)
_MODE: dict[int, AnswerMode] = _list_words(answer_pb2.AnswerMode)
_KIND: dict[int, SentenceKind] = _list_words(answer_pb2.SentenceKind)
_GROUNDING: dict[int, Grounding] = _list_words(answer_pb2.Grounding)
_WAITS: dict[int, JobWait] = _list_words(ingest_service_pb2.JobWait)
_STATE: dict[int, JobState] = _list_words(ingest_service_pb2.JobState)
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
        client_id=question.client,
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
    )


def to_header(source: Source) -> ingest_service_pb2.SourceHeader:
    return ingest_service_pb2.SourceHeader(
        book=source.book,
        title=source.title,
        file_name=source.file_name,
        language=source.language,
        profile=source.profile,
        dry_run=source.dry_run,
        allow_partial=source.allow_partial,
    )


def _to_selection(selection: SelectedText | None) -> locator_pb2.Selection | None:
    if selection is None:
        return None
    marked = None
    if selection.range is not None:
        marked = locator_pb2.Range(start=selection.range[0], end=selection.range[1])
    return locator_pb2.Selection(document=selection.document, range=marked, text=selection.text)


def _time(timestamp: Timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=UTC)


def _number(value: float) -> float:
    """Round a 32-bit number to what it holds, so that 0.85 stays 0.85."""
    return float(f"{value:.7g}")


def _block_kind(kind: int) -> BlockKind:
    return _BLOCK_KIND.get(kind, "paragraph")


def from_book(book: book_pb2.Book) -> Book:
    return Book(
        slug=book.slug,
        title=book.title,
        edition=book.edition,
        document_count=book.document_count,
        chunk_count=book.chunk_count,
        language=book.language,
        publish_time=_time(book.publish_time) if book.HasField("publish_time") else None,
    )


def from_summary(document: book_pb2.DocumentSummary) -> DocumentSummary:
    return DocumentSummary(
        path=document.path,
        title=document.title,
        length=document.length,
        content_hash=document.content_hash,
        chunk_count=document.chunk_count,
    )


def from_document(book: str, edition: int, document: book_pb2.Document) -> Document:
    return Document(
        book=book,
        edition=edition,
        path=document.summary.path,
        title=document.summary.title,
        length=document.summary.length,
        content_hash=document.summary.content_hash,
        chunk_count=document.summary.chunk_count,
        text=document.text,
        blocks=[_block(block) for block in document.blocks],
        sections=[
            Section(
                path=list(section.path),
                anchor=section.anchor,
                level=section.level,
                start=section.range.start,
                end=section.range.end,
            )
            for section in document.sections
        ],
    )


def _block(block: book_pb2.Block) -> Block:
    return Block(
        kind=_block_kind(block.kind),
        start=block.range.start,
        end=block.range.end,
        level=block.level,
        label=block.label,
        page=block.page or None,
    )


def from_job(job: ingest_service_pb2.IngestJob) -> IngestJob:
    return IngestJob(
        job_id=job.job_id,
        book=job.book,
        state=_STATE.get(job.state, "queued"),
        stage=job.stage,
        documents_total=job.documents_total,
        documents_done=job.documents_done,
        chunks_total=job.chunks_total,
        chunks_done=job.chunks_done,
        chunks_reused=job.chunks_reused,
        edition=job.edition or None,
        error=job.error or None,
        warnings=list(job.warnings),
        tokens_total=job.tokens_total,
        tokens_done=job.tokens_done,
        left_s=job.left_s or None,
        report=from_report(job.report) if job.HasField("report") else None,
        waits_for=_WAITS.get(job.waits_for),
    )


def from_report(report: edition_pb2.IngestReport) -> IngestReport:
    return IngestReport(
        edition=report.edition,
        reasons=list(report.reasons),
        documents=[_document_report(document) for document in report.documents],
        removed=list(report.removed),
        chunks_new=report.chunks_new,
        chunks_kept=report.chunks_kept,
        chunks_removed=report.chunks_removed,
        vectors_new=report.vectors_new,
        vectors_reused=report.vectors_reused,
        seconds=dict(report.seconds),
        warnings=list(report.warnings),
        language=report.language or None,
    )


def _document_report(report: edition_pb2.DocumentReport) -> DocumentReport:
    return DocumentReport(
        path=report.path,
        change=report.change,
        visible_characters=report.visible_characters,
        covered_characters=report.covered_characters,
        missing=[
            MissingRange(gap.range.start, gap.range.end, gap.text, gap.reason)
            for gap in report.missing
        ],
        blocks=dict(report.blocks),
        chunks=report.chunks,
        chunks_new=report.chunks_new,
        tokens=report.tokens,
        warnings=list(report.warnings),
        failure=report.failure or None,
        losses=[
            Loss(loss.kind, loss.place, loss.reason, loss.characters, loss.dropped)
            for loss in report.losses
        ],
        language=report.language or None,
    )


def from_edition(edition: edition_pb2.Edition) -> Edition:
    return Edition(
        number=edition.number,
        title=edition.title,
        document_count=edition.document_count,
        chunk_count=edition.chunk_count,
        publish_time=_time(edition.publish_time),
        current=edition.current,
        reasons=list(edition.reasons),
    )


def from_difference(response: ingest_service_pb2.DiffEditionsResponse) -> Difference:
    return Difference(
        from_edition=response.from_edition,
        to_edition=response.to_edition,
        documents=[
            DocumentChange(
                path=document.path,
                change=document.change,
                old_path=document.old_path or None,
                chunks_added=document.chunks_added,
                chunks_removed=document.chunks_removed,
            )
            for document in response.documents
        ],
        chunks_kept=response.chunks_kept,
        chunks_added=response.chunks_added,
        chunks_removed=response.chunks_removed,
    )


def from_vacuumed(response: ingest_service_pb2.VacuumBookResponse) -> Vacuumed:
    return Vacuumed(
        editions=list(response.editions),
        chunks=response.chunks,
        documents=response.documents,
        vectors=response.vectors,
    )


def _passage(passage: passage_pb2.Passage) -> Passage:
    return Passage(
        chunk_id=passage.chunk_id,
        document=passage.locator.document,
        start=passage.locator.range.start,
        end=passage.locator.range.end,
        section_path=list(passage.locator.section_path),
        url=passage.locator.url or None,
        page=passage.locator.page or None,
        anchor=passage.locator.anchor,
        text=passage.text,
        spans=[
            Span(
                start=span.range.start,
                end=span.range.end,
                kind=_block_kind(span.kind),
                score=_number(span.score),
                highlighted=span.highlighted,
            )
            for span in passage.spans
        ],
        scores=PassageScores(
            fused=_number(passage.scores.fused),
            dense=_number(passage.scores.dense),
            bm25=_number(passage.scores.bm25),
            dense_rank=passage.scores.dense_rank or None,
            bm25_rank=passage.scores.bm25_rank or None,
            boost=_number(passage.scores.boost) or None,
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
            probability=_number(response.gate.probability),
            threshold=_number(response.gate.threshold),
            passed=response.gate.passed,
            features={name: _number(value) for name, value in response.gate.features.items()},
        ),
        related_sections=list(response.related_sections),
        selection_widened=response.selection_widened,
        degraded=list(response.degraded),
        timings=_timings(response.timings),
    )


def from_event(response: generation_service_pb2.AnswerQuestionResponse) -> AnswerEvent | None:
    match response.WhichOneof("event"):
        case "passages":
            return PassagesFound([_passage(passage) for passage in response.passages.passages])
        case "sentence":
            return SentenceReleased(
                _sentence(response.sentence.sentence),
                [_citation(citation) for citation in response.sentence.citations],
            )
        case "answer":
            return _answer(response.answer)
        case _:
            return None


def _sentence(sentence: answer_pb2.Sentence) -> Sentence:
    return Sentence(
        text=sentence.text,
        citations=list(sentence.citations),
        checks=_checks(sentence.checks),
        kind=_KIND.get(sentence.kind, "paraphrased"),
        probability=_number(sentence.probability),
        stands_in=sentence.stands_in,
        role="support" if sentence.role == answer_pb2.SENTENCE_ROLE_SUPPORT else "lead",
    )


def _checks(checks: Iterable[answer_pb2.Check]) -> list[Check]:
    return [Check(_check_kind(check.kind), check.passed, check.reason) for check in checks]


def _check_kind(number: int) -> str:
    """Return the name of a kind; one of a newer service is "other"."""
    return _CHECK_KIND.get(number, "other")


def _model_use(use: answer_pb2.ModelUse) -> ModelUse:
    return ModelUse(use.model, use.input_tokens, use.output_tokens, use.cost_usd)


def _citation(citation: answer_pb2.Citation) -> Citation:
    return Citation(
        n=citation.number,
        quote=citation.quote,
        document=citation.locator.document,
        start=citation.locator.range.start,
        end=citation.locator.range.end,
        section_path=list(citation.locator.section_path),
        url=citation.locator.url or None,
        page=citation.locator.page or None,
        chunk_id=citation.chunk_id,
        snippet=citation.snippet,
        verdict=_VERDICT[citation.verdict],
        table_header=citation.table_header or None,
    )


def _answer(answer: answer_pb2.Answer) -> Answer:
    refusal = None
    if answer.HasField("refusal"):
        refusal = Refusal(
            code=_REFUSAL_CODE[answer.refusal.code],
            message=answer.refusal.message,
            related_sections=list(answer.refusal.related_sections),
            suggested_questions=list(answer.refusal.suggested_questions),
        )
    sentences = [_sentence(sentence) for sentence in answer.sentences]
    return Answer(
        answer_id=answer.answer_id,
        book=answer.book,
        edition=answer.edition,
        mode=_MODE.get(answer.mode, "book"),
        question=answer.question,
        text=refusal.message if refusal else " ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        citations=[_citation(citation) for citation in answer.citations],
        refusal=refusal,
        confidence=Confidence(_number(answer.confidence), _LEVEL.get(answer.confidence_level)),
        profile=answer.profile,
        degraded=list(answer.degraded),
        timings=_timings(answer.timings),
        timestamp=_time(answer.create_time),
        searched_question=answer.searched_question,
        checks=_checks(answer.checks),
        withheld=[
            WithheldSentence(_checks(sentence.checks), sentence.replaced)
            for sentence in answer.withheld
        ],
        model_use=_model_use(answer.model_use) if answer.HasField("model_use") else None,
        omitted=list(answer.omitted),
        suggested_questions=list(answer.suggested_questions),
        missing_entities=list(answer.missing_entities),
        grounding=_GROUNDING.get(answer.grounding, "cited"),
    )
