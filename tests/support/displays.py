"""What a reader sees at `verbatim` of drafts that quote a document of one file."""

from collections.abc import AsyncIterator, Iterable, Sequence

from libs.budget import stages
from libs.budget.budget import Budget
from libs.profiles import load_profile
from services.generation.model import BlockKind as Kind
from services.generation.model import (
    Claim,
    DraftSentence,
    Grounding,
    Locator,
    Neighbour,
    Passage,
    Span,
)
from services.generation.sections import LeadIn
from services.generation.verify import Verification
from services.ingest.model.book import Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.generation_fakes import ensemble
from tests.support.ingest_fakes import LetterTokens
from tests.support.retrieval_fakes import FakeEmbedder


def passages_of(name: str, data: bytes, language: str = "en") -> tuple[Passage, ...]:
    """Return the chunks of the document as passages, with what stands beside them."""
    file = SourceFile(name, data)
    [placed] = plan_book(Source([file])).documents
    document, _ = parse_document(placed)
    chunking = load_profile("").chunking
    return tuple(
        Passage(
            chunk.chunk_id,
            Locator(chunk.document, chunk.start, chunk.end, chunk.section_path),
            chunk.body,
            tuple(Span(span.start, span.end, Kind[span.kind.name]) for span in chunk.spans),
            neighbours=tuple(
                Neighbour(Span(it.start, it.end, Kind[it.kind.name]), it.text, it.same_block)
                for it in chunk.neighbours
            ),
            lead_ins=tuple(map(LeadIn._make, chunk.lead_ins)),
        )
        for chunk in split_document("b", language, document, chunking, LetterTokens())
    )


async def show_verbatim(
    passages: tuple[Passage, ...], quoted: Sequence[tuple[str, str]], language: str = ""
) -> str:
    """What a reader sees of sentences with their quotations, in one line."""
    drafts = []
    for text, quote in quoted:
        held = [number for number, one in enumerate(passages, 1) if quote in one.text]
        drafts.append(DraftSentence(text, (Claim((held or [1])[0], quote),)))
    checking = Verification(
        passages,
        question="",
        level=Grounding.VERBATIM,
        settings=load_profile("").generation,
        ensemble=ensemble(),
        budget=Budget(30.0, stages.GENERATION, clock=lambda: 0.0),
        embedder=FakeEmbedder(),
        language=language,
    )
    texts = [released.sentence.text async for released in checking.release(_written(drafts))]
    return " ".join(" ".join(texts).split())


async def _written(drafts: Iterable[DraftSentence]) -> AsyncIterator[DraftSentence]:
    for draft in drafts:
        yield draft
