"""Call the retrieval service, and read its messages as our model."""

from quoth.common.v1 import locator_pb2, passage_pb2, timing_pb2
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc

from libs.budget import Outcome, StageTiming
from libs.errors import QuothError
from libs.question.analyse import QuestionAnalysis
from libs.rpc.channel import open_channel
from libs.rpc.named_page import page_label, page_number
from libs.rpc.question import analysis_to_proto
from libs.rpc.retrying_reads import RetryingReads
from libs.rpc.transport import OPEN, Transport
from services.generation.model import (
    BlockKind,
    Correction,
    Gate,
    Locator,
    Neighbour,
    Passage,
    PassageScores,
    Question,
    SearchResult,
    Selection,
    Span,
)
from services.generation.parts_asked import MissingPart, PartsAsked
from services.generation.sections import LeadIn, SectionStart

_OUTCOMES = {
    timing_pb2.STAGE_OUTCOME_OK: Outcome.OK,
    timing_pb2.STAGE_OUTCOME_CAPPED: Outcome.CAPPED,
    timing_pb2.STAGE_OUTCOME_NOT_STARTED: Outcome.NOT_STARTED,
    timing_pb2.STAGE_OUTCOME_CANCELLED: Outcome.CANCELLED,
    timing_pb2.STAGE_OUTCOME_FAILED: Outcome.FAILED,
}


class RetrievalClient:
    """Calls the retrieval service at an address. Close it when done."""

    def __init__(self, address: str, transport: Transport = OPEN) -> None:
        self._channel = open_channel(address, transport)
        self._stub = retrieval_service_pb2_grpc.RetrievalServiceStub(self._channel)
        self._reads = RetryingReads("retrieval")

    async def close(self) -> None:
        await self._channel.close()

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        """Search, once more if the connection broke before an answer; a search changes nothing."""
        request = _to_request(question, analysis)
        return _from_response(await self._reads.call(self._stub.SearchPassages, request, allowed_s))


def _to_request(
    question: Question, analysis: QuestionAnalysis
) -> retrieval_service_pb2.SearchPassagesRequest:
    return retrieval_service_pb2.SearchPassagesRequest(
        book=question.book,
        edition=question.edition,
        question=analysis.question,
        profile=question.profile,
        section_path=question.section_path,
        selection=_selection(question.selection) if question.selection else None,
        analysis=analysis_to_proto(analysis),
        document=question.document,
        chapter=question.chapter,
        page=page_number(question.page),
        page_label=page_label(question.page),
        book_title=question.title,
    )


def _selection(selection: Selection) -> locator_pb2.Selection:
    message = locator_pb2.Selection(document=selection.document, text=selection.text)
    if selection.start >= 0:
        message.range.start = selection.start
        message.range.end = selection.end
    return message


def _from_response(response: retrieval_service_pb2.SearchPassagesResponse) -> SearchResult:
    gate = response.gate
    return SearchResult(
        passages=tuple(map(_passage, response.passages)),
        gate=Gate(gate.probability, gate.threshold, gate.passed, gate.near),
        related_sections=tuple(response.related_sections),
        selection_widened=response.selection_widened,
        degraded=tuple(response.degraded),
        timings=tuple(map(_timing, response.timings)),
        searched_question=response.searched_question,
        corrections=tuple(Correction(item.asked, item.searched) for item in response.corrections),
        unknown_words=tuple(response.unknown_words),
        parts_asked=_parts_asked(response),
        missing_part=_missing_part(response),
        without_book=response.question_without_book,
    )


def _parts_asked(response: retrieval_service_pb2.SearchPassagesResponse) -> PartsAsked | None:
    parts = tuple(frozenset(part.chunk_ids) for part in response.asked_parts)
    return PartsAsked(response.asked_of_parts, parts) if parts else None


def _missing_part(response: retrieval_service_pb2.SearchPassagesResponse) -> MissingPart | None:
    part = response.missing_part
    has_one = response.HasField("missing_part")
    return MissingPart(part.kind, part.number, part.last) if has_one else None


def _passage(message: passage_pb2.Passage) -> Passage:
    place = message.locator
    passage = Passage(
        chunk_id=message.chunk_id,
        locator=Locator(
            document=place.document,
            start=place.range.start,
            end=place.range.end,
            section_path=tuple(place.section_path),
            url=place.url,
            page=place.page,
            page_label=place.page_label,
            anchor=place.anchor,
        ),
        text=message.text,
        spans=tuple(
            Span(
                span.range.start, span.range.end, BlockKind(span.kind), span.score, span.highlighted
            )
            for span in message.spans
        ),
        scores=_scores(message.scores),
        page_breaks=tuple((change.start, change.page) for change in message.page_breaks),
        page_labels=tuple((one.page, one.label) for one in message.page_breaks if one.label),
        table_header=message.table_header,
        footnotes=tuple(message.footnotes),
        sections=tuple(
            SectionStart(one.start, tuple(one.section_path), one.anchor, one.url)
            for one in message.sections
        ),
        neighbours=tuple(map(_neighbour, message.neighbours)),
        lead_ins=tuple(map(_lead_in, message.lead_ins)),
    )
    _check_passage(passage)
    return passage


def _scores(message: passage_pb2.PassageScores) -> PassageScores:
    return PassageScores(
        message.fused, message.dense, message.bm25, message.dense_rank, message.bm25_rank
    )


def _neighbour(message: passage_pb2.Neighbour) -> Neighbour:
    span = Span(message.range.start, message.range.end, BlockKind(message.kind))
    return Neighbour(span, message.text, message.same_block)


def _lead_in(message: passage_pb2.LeadIn) -> LeadIn:
    return LeadIn(message.range.start, message.range.end, message.until, message.is_term)


def _check_passage(passage: Passage) -> None:
    """Refuse a passage whose text and offsets disagree: every citation would be wrong."""
    place = passage.locator
    whole = 0 <= place.start < place.end and place.end - place.start == len(passage.text)
    inside = all(place.start <= span.start < span.end <= place.end for span in passage.spans)
    beside = all(
        one.span.start >= 0
        and len(one.text) == one.span.end - one.span.start > 0
        and (one.span.end <= place.start or one.span.start >= place.end)
        for one in passage.neighbours
    )
    if not whole or not inside or not beside or not place.document or not passage.chunk_id:
        raise QuothError("The index holds a damaged passage.")


def _timing(timing: timing_pb2.StageTiming) -> StageTiming:
    outcome = _OUTCOMES.get(timing.outcome, Outcome.FAILED)
    return StageTiming(timing.stage, timing.allowed_ms, timing.used_ms, outcome)
