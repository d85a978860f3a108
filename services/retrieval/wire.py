"""Translate between the contract's messages and our model; no decisions."""

from typing import cast

from quoth.common.v1 import locator_pb2, passage_pb2, question_pb2
from quoth.retrieval.v1 import retrieval_service_pb2

from libs.rpc.named_page import named_page
from libs.rpc.question import analysis_from_proto
from libs.rpc.timing import timings_to_proto
from services.retrieval.model import (
    Chunk,
    HighlightedPassage,
    MissingPart,
    Neighbour,
    Query,
    SearchResult,
    Selection,
)


def query_from_proto(request: retrieval_service_pb2.SearchPassagesRequest) -> Query:
    return Query(
        book=request.book,
        edition=request.edition,
        question=request.question,
        profile=request.profile,
        max_passages=request.max_passages,
        section_path=tuple(request.section_path),
        selection=_selection(request.selection) if request.HasField("selection") else None,
        analysis=analysis_from_proto(request.analysis, request.question)
        if request.HasField("analysis")
        else None,
        document=request.document,
        chapter=request.chapter,
        page=named_page(request.page, request.page_label),
        title=request.book_title,
    )


def _selection(message: locator_pb2.Selection) -> Selection:
    place = (message.range.start, message.range.end) if message.HasField("range") else None
    return Selection(message.document, place, message.text)


def result_to_proto(result: SearchResult) -> retrieval_service_pb2.SearchPassagesResponse:
    gate = result.gate
    return retrieval_service_pb2.SearchPassagesResponse(
        passages=[_passage(item) for item in result.passages],
        gate=retrieval_service_pb2.GateVerdict(
            probability=gate.probability,
            threshold=gate.threshold,
            passed=gate.passed,
            features=gate.features,
            disclaim=gate.disclaim,
            near=gate.near,
        ),
        related_sections=result.related_sections,
        selection_widened=result.selection_widened,
        degraded=result.degraded,
        timings=timings_to_proto(result.timings),
        searched_question=result.searched,
        corrections=[
            question_pb2.SpellingCorrection(asked=item.asked, searched=item.searched)
            for item in result.corrections
        ],
        unknown_words=result.unknown_words,
        avg_similarity=result.avg_similarity,
        asked_parts=[
            retrieval_service_pb2.AskedPart(title=one.title, chunk_ids=one.chunk_ids)
            for one in result.asked_parts
        ],
        asked_of_parts=result.asked_of_parts,
        question_without_book=result.without_book,
        missing_part=_missing(result.missing_part) if result.missing_part else None,
    )


def _missing(part: MissingPart) -> retrieval_service_pb2.MissingPart:
    return retrieval_service_pb2.MissingPart(kind=part.kind, number=part.number, last=part.last)


def _passage(item: HighlightedPassage) -> passage_pb2.Passage:
    candidate, chunk = item.passage.candidate, item.passage.chunk
    return passage_pb2.Passage(
        chunk_id=chunk.chunk_id,
        locator=_locator(chunk),
        text=chunk.text,
        spans=[
            passage_pb2.Span(
                range=locator_pb2.Range(start=span.start, end=span.end),
                kind=cast("passage_pb2.BlockKind", span.kind),
                score=score,
                highlighted=carries,
            )
            for span, score, carries in zip(
                chunk.spans, item.span_scores, item.highlighted, strict=True
            )
        ],
        scores=passage_pb2.PassageScores(
            fused=item.passage.fused,
            dense=candidate.dense,
            bm25=candidate.bm25,
            dense_rank=candidate.dense_rank,
            bm25_rank=candidate.bm25_rank,
            boost=item.passage.boost,
        ),
        page_breaks=[
            passage_pb2.PageBreak(start=at, page=page, label=chunk.label_of(page))
            for at, page in chunk.page_breaks
        ],
        table_header=chunk.table_header,
        footnotes=chunk.footnotes,
        sections=[
            passage_pb2.SectionStart(
                start=start, section_path=path, anchor=anchor, url=chunk.url_of(anchor)
            )
            for start, path, anchor in chunk.sections
        ],
        neighbours=map(_neighbour, chunk.neighbours),
        lead_ins=[_lead_in(*one) for one in chunk.lead_ins],
    )


def _lead_in(start: int, end: int, until: int, is_term: bool) -> passage_pb2.LeadIn:
    place = locator_pb2.Range(start=start, end=end)
    return passage_pb2.LeadIn(range=place, until=until, is_term=is_term)


def _neighbour(one: Neighbour) -> passage_pb2.Neighbour:
    return passage_pb2.Neighbour(
        range=locator_pb2.Range(start=one.start, end=one.end),
        kind=cast("passage_pb2.BlockKind", one.kind),
        text=one.text,
        same_block=one.same_block,
    )


def _locator(chunk: Chunk) -> locator_pb2.Locator:
    return locator_pb2.Locator(
        document=chunk.document,
        range=locator_pb2.Range(start=chunk.start, end=chunk.end),
        section_path=chunk.section_path,
        url=chunk.url,
        page=chunk.page,
        page_label=chunk.label_of(chunk.page),
        anchor=chunk.anchor,
    )
