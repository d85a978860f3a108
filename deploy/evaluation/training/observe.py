"""Ask a running product labelled questions, and keep what it found for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deploy.evaluation.benchmarks.golden import LocatedGold, locate_gold, to_request
from deploy.evaluation.datasets import GoldenRow, Need
from deploy.evaluation.product import BookText, Json, each
from deploy.evaluation.session import Session
from libs.question.analyse import QuestionAnalysis
from services.generation.model import (
    BlockKind,
    Locator,
    Message,
    Passage,
    PassageScores,
    Question,
    Role,
    Selection,
    Span,
)
from services.generation.rewrite import read_question


@dataclass(frozen=True)
class Observed:
    """What the product found for one labelled question, and how it judged the answerability."""

    book: str
    row_id: str
    kind: str
    answerable: bool
    features: dict[str, float]
    probability: float
    passed: bool
    analysis: QuestionAnalysis = field(default_factory=lambda: QuestionAnalysis(""))
    passages: tuple[Passage, ...] = ()
    gold: tuple[LocatedGold, ...] = field(default=(), repr=False)
    need: Need = "any"
    selection: Selection | None = None
    exact: bool = True
    asked: str = ""
    history: tuple[Message, ...] = ()
    grades: Mapping[str, int] | None = None
    """Of sentences that were shown for it, by their key; None where nobody judged."""

    def is_met_by(self, places: Sequence[tuple[str, int, int]]) -> bool:
        """Whether ranges of documents show the gold that the question needs."""
        spans = [{"document": name, "start": start, "end": end} for name, start, end in places]
        met = [gold.is_met_by(spans) for gold in self.gold]
        return bool(met) and (all(met) if self.need == "all" else any(met))


async def observe(
    session: Session, book: str, name: str, rows: Sequence[GoldenRow], *, exact: bool = True
) -> list[Observed]:
    """Search every question as an answer would."""
    text = await session.product.read_book(book)
    located = {row.row_id: tuple(locate_gold(row, text)) for row in rows}

    async def search(row: GoldenRow) -> Observed:
        request, analysis = _request(row, text, session.profile)
        found = await session.product.search(book, request)
        gate = found["gate"]
        return Observed(
            book=name,
            row_id=row.row_id,
            kind=row.kind,
            answerable=row.answerable,
            features=gate["features"],
            probability=gate["probability"],
            passed=gate["passed"],
            analysis=analysis,
            passages=tuple(map(read_passage, found["passages"])),
            gold=located[row.row_id],
            need=row.need,
            selection=_selection(request),
            exact=exact,
            asked=row.question,
            grades=row.grades,
            history=tuple(
                Message(Role(message["role"]), message["content"]) for message in row.history
            ),
        )

    return await each(
        rows,
        search,
        what=f"questions to {name}",
        progress=session.progress,
        concurrency=session.concurrency,
    )


def _request(row: GoldenRow, text: BookText, profile: str) -> tuple[Json, QuestionAnalysis]:
    """Return the search that answering makes, and the analysis of the question made whole."""
    request = to_request(row, text, profile)
    history = tuple(Message(Role(item["role"]), item["content"]) for item in request.pop("history"))
    selection = _selection(request)
    question = Question("book", 1, row.question, selection=selection, history=history)
    analysis = read_question(question)
    return {**request, "question": analysis.question}, analysis


def _selection(request: Json) -> Selection | None:
    held = request.get("selection")
    if held is None:
        return None
    return Selection(
        held["document"], held.get("start", -1), held.get("end", -1), held.get("text", "")
    )


def read_passage(held: Json) -> Passage:
    """Return a passage of the REST interface as generation knows it."""
    scores = held["scores"]
    place = Locator(
        held["document"], held["start"], held["end"], tuple(held["section_path"]), held["url"]
    )
    spans = tuple(
        Span(span["start"], span["end"], BlockKind[span["kind"].upper()], span["score"])
        for span in held["spans"]
    )
    return Passage(
        held["chunk_id"],
        place,
        held["text"],
        spans,
        PassageScores(
            scores["fused"],
            scores["dense"],
            scores["bm25"],
            scores["dense_rank"] or 0,
            scores["bm25_rank"] or 0,
        ),
    )
