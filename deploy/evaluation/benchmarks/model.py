"""Measure how much of what a language model says is false, and how much of that is shown.

The model is given all the time it needs: its drafts are collected first, then put through the product's
own checks. Kept drafts can be checked again without the model.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import httpx
import jiter

from deploy.evaluation.benchmarks.golden import to_request
from deploy.evaluation.datasets import GoldenRow
from deploy.evaluation.product import BookText, Json, each
from deploy.evaluation.quotations import squeeze
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session
from deploy.evaluation.stack import TOKEN
from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import ModelUnavailable, QuothError
from libs.profiles import load_profile
from libs.question.analyse import QuestionAnalysis
from libs.rpc.context import begin_request
from libs.rpc.transport import Transport
from libs.tokens import TokenCounter
from services.generation.adapters.models.openai_answerer import OpenAIAnswerer
from services.generation.checks.entailment import LEAST_SUPPORT, support
from services.generation.checks.words_verifier import WordsVerifier
from services.generation.clients import RetrievalClient
from services.generation.ensemble import VerifierEnsemble
from services.generation.language_model.messages import is_declined
from services.generation.language_model.structured import DraftReader
from services.generation.model import (
    BlockKind,
    DraftSentence,
    Gate,
    Locator,
    Message,
    Passage,
    Prompt,
    Question,
    Role,
    SearchResult,
    Selection,
    SentenceReleased,
    Span,
)
from services.generation.pipeline import Pipeline
from services.generation.prompt import pack_prompt
from services.generation.records.model import AuditRow
from services.generation.rewrite import read_question
from services.generation.transcript import Transcript

_SEARCH_S = 5.0
_RETRIEVAL_PORT = 2
"""Ports after the page's at which a product of our own serves retrieval."""


@dataclass(frozen=True)
class AskedModel:
    """Which model to ask, and how: `patience_s` a draft, `prompt_tokens` of passages and question."""

    url: str
    name: str = ""
    patience_s: float = 300.0
    prompt_tokens: int = 1000
    max_tokens: int = 200


@dataclass(frozen=True)
class KeptDraft:
    """What a model wrote for one question, and the passages it was given."""

    row_id: str
    kind: str
    question: str
    passages: tuple[Passage, ...]
    response: str
    failure: str = ""


class Replay:
    """An answerer that gives a draft again, whole."""

    def __init__(self, response: str) -> None:
        self._response = response

    async def write(
        self,
        prompt: Prompt,  # noqa: ARG002 - the port's
        transcript: Transcript,
        allowed_s: float,  # noqa: ARG002 - the port's
    ) -> AsyncGenerator[DraftSentence, None]:
        transcript.response = self._response
        for sentence in read_draft(self._response):
            yield sentence


class _Given:
    """A passage source that returns what was found before, with its gate open."""

    def __init__(self, passages: tuple[Passage, ...]) -> None:
        self._passages = passages

    async def search(
        self,
        question: Question,  # noqa: ARG002 - the port's
        analysis: QuestionAnalysis,  # noqa: ARG002 - the port's
        allowed_s: float,  # noqa: ARG002 - the port's
    ) -> SearchResult:
        return SearchResult(self._passages, Gate(1.0, 0.0, passed=True))


class _Unkept:
    """An audit log that keeps nothing."""

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Forget the row."""

    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        """Forget the sentences."""


def read_draft(response: str) -> list[DraftSentence]:
    """Return the sentences of a model's text, none when it declines.

    What it did not finish is read as though it had ended there: the product shows nothing of it.
    """
    if is_declined(response):
        return []
    reader = DraftReader()
    sentences = reader.feed(_closed(response))
    with suppress(ModelUnavailable):
        sentences += reader.finish()
    return sentences


def _closed(response: str) -> str:
    """Return a broken JSON object closed where it breaks off; other text as it is."""
    if not response.lstrip().startswith("{"):
        return response
    try:
        held = jiter.from_json(response.strip().encode(), partial_mode="trailing-strings")
    except ValueError:
        return response
    whole = [item for item in held.get("sentences") or () if isinstance(item.get("text"), str)]
    return json.dumps({"sentences": whole})


def cite_everything(draft: KeptDraft) -> KeptDraft:
    """Return the draft as if each sentence had cited every passage: the best case for what it says."""
    sources = [{"source": number, "quote": ""} for number in range(1, len(draft.passages) + 1)]
    texts = [sentence.text for sentence in read_draft(draft.response) if sentence.text.strip()]
    cited = [{"text": text, "citations": sources} for text in texts]
    return replace(draft, response=json.dumps({"sentences": cited}))


async def measure_model(
    session: Session,
    book: str,
    rows: Sequence[GoldenRow],
    model: AskedModel,
    *,
    cache: Path,
    kept: Path | None = None,
) -> Measured:
    """Collect the drafts that `kept` does not hold, and check all of them."""
    counter = TokenCounter(cache)
    drafts = {draft.row_id: draft for draft in read_drafts(kept)}
    missing = [row for row in rows if row.row_id not in drafts]
    if missing:
        for draft in await _collect(session, book, missing, model, counter=counter, kept=kept):
            drafts[draft.row_id] = draft
    return await check_drafts([drafts[row.row_id] for row in rows], counter)


async def _collect(
    session: Session,
    book: str,
    rows: Sequence[GoldenRow],
    model: AskedModel,
    *,
    counter: TokenCounter,
    kept: Path | None,
) -> list[KeptDraft]:
    text = await session.product.read_book(book)
    url = httpx.URL(session.product.url)
    address = f"{url.host}:{(url.port or 80) + _RETRIEVAL_PORT}"
    client = RetrievalClient(address, Transport(token=TOKEN))
    answerer = OpenAIAnswerer(url=model.url, key="none", model=model.name)

    async def draft(row: GoldenRow) -> KeptDraft:
        begin_request()
        asked = _to_question(row, book, text, session.profile)
        found = await client.search(asked, read_question(asked), _SEARCH_S)
        prompt = _pack(asked, found.passages, model, counter)
        transcript, failure = Transcript(), ""
        try:
            async with aclosing(answerer.write(prompt, transcript, model.patience_s)) as stream:
                async for _ in stream:
                    pass
        except QuothError as error:
            failure = str(error)
        written = KeptDraft(
            row.row_id, row.kind, row.question, prompt.passages, transcript.response, failure
        )
        keep_draft(written, kept)
        return written

    try:
        return await each(rows, draft, what="drafts", progress=session.progress)
    finally:
        await client.close()
        await answerer.close()


def _to_question(row: GoldenRow, book: str, text: BookText, profile: str) -> Question:
    request = to_request(row, text, profile)
    selected = request.get("selection")
    return Question(
        book=book,
        edition=1,
        text=row.question,
        selection=Selection(**selected) if selected else None,
        history=tuple(Message(Role(item["role"]), item["content"]) for item in row.history),
        profile=profile,
    )


def _pack(
    asked: Question, passages: tuple[Passage, ...], model: AskedModel, counter: TokenCounter
) -> Prompt:
    settings = replace(load_profile(asked.profile).generation, max_tokens=model.max_tokens)
    prompt, _ = pack_prompt(
        asked,
        read_question(asked),
        passages,
        settings=settings,
        budget_tokens=model.prompt_tokens,
        counter=counter,
    )
    return prompt


async def check_drafts(drafts: Sequence[KeptDraft], counter: TokenCounter) -> Measured:
    """Put every draft through the checks, as whole drafts whether the model finished them or not."""
    rows = [
        {
            **_score(draft, await _shown(draft, counter)),
            "shown_if_cited": await _shown(cite_everything(draft), counter),
        }
        for draft in drafts
    ]
    return summarise(rows)


async def _shown(draft: KeptDraft, counter: TokenCounter) -> list[str]:
    set_current_budget(Budget(stages.TOTAL_S, stages.GENERATION, clock=_stand_still))
    pipeline = Pipeline(
        source=_Given(draft.passages),
        answerers={"openai": Replay(draft.response)},
        log=_Unkept(),
        counter=counter,
        prompt_tokens=1_000_000,
        ensemble=VerifierEnsemble([words := WordsVerifier()], words),
        answerer="openai",
    )
    asked = Question(book="b", edition=1, text=draft.question)
    try:
        events = [event async for event in pipeline.answer_question(asked)]
    finally:
        await pipeline.close()
    return [event.sentence.text for event in events if isinstance(event, SentenceReleased)]


def _stand_still() -> float:
    """A clock for drafts that are checked to their end, however long they are."""
    return 0.0


def _score(draft: KeptDraft, shown: Sequence[str]) -> Row:
    said = [sentence for sentence in read_draft(draft.response) if squeeze(sentence.text)]
    texts = [passage.text for passage in draft.passages]
    held = squeeze("\n".join(texts))
    claims = [claim for sentence in said for claim in sentence.claims]
    own = [text for text in shown if squeeze(text) not in held]
    return {
        "id": draft.row_id,
        "kind": draft.kind,
        "question": draft.question,
        "said": len(said),
        "uncited": sum(not sentence.claims for sentence in said),
        "verbatim": sum(squeeze(sentence.text) in held for sentence in said),
        "unsupported": sum(not _is_supported(sentence.text, texts) for sentence in said),
        "sources_invented": sum(
            not claim.section and not 1 <= claim.source <= len(texts) for claim in claims
        ),
        "quotes": sum(bool(claim.quote) for claim in claims),
        "quotes_invented": sum(
            bool(claim.quote) and squeeze(claim.quote) not in held for claim in claims
        ),
        "shown": len(shown),
        "shown_in_own_words": len(own),
        "shown_unsupported": sum(not _is_supported(text, texts) for text in shown),
        "declined": float(is_declined(draft.response)),
        "error": draft.failure,
        "draft": draft.response,
        "seen": list(shown),
        "own_words": own,
    }


def _is_supported(sentence: str, passages: Sequence[str]) -> bool:
    """Whether a passage holds the sentence, or supports it more likely than not."""
    held = squeeze(sentence)
    return any(
        held in squeeze(passage) or support(sentence, passage) >= LEAST_SUPPORT
        for passage in passages
    )


def summarise(rows: Sequence[Row]) -> Measured:
    """Make the figures of checked drafts; rates are shares of the sentences said, or shown."""
    said, shown = sum(row["said"] for row in rows), sum(row["shown"] for row in rows)
    quotes = sum(row["quotes"] for row in rows)

    def share(name: str, total: int) -> float | None:
        return sum(row[name] for row in rows) / total if total else None

    figures: dict[str, Any] = {
        "n": len(rows),
        "said": said,
        "said_unsupported": share("unsupported", said),
        "said_uncited": share("uncited", said),
        "said_verbatim": share("verbatim", said),
        "quotes_invented": share("quotes_invented", quotes),
        "sources_invented": sum(row["sources_invented"] for row in rows),
        "shown": shown,
        "shown_in_own_words": sum(row["shown_in_own_words"] for row in rows),
        "shown_unsupported": share("shown_unsupported", shown) or 0.0,
        "shown_if_cited": sum(len(row["shown_if_cited"]) for row in rows),
        "answers": fmean(row["shown"] > 0 for row in rows),
        "declined": fmean(row["declined"] for row in rows),
        "errors": sum(bool(row["error"]) for row in rows),
    }
    notes = [
        f"{row['id']}, in the model's words: {text}" for row in rows for text in row["own_words"]
    ]
    return Measured(figures, list(rows), notes)


def keep_draft(draft: KeptDraft, path: Path | None) -> None:
    """Add one JSON object to the file, with the passages: they are the book's text."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(draft), ensure_ascii=False) + "\n")


def read_drafts(path: Path | None) -> list[KeptDraft]:
    """Read what `keep_draft` wrote; nothing when there is no such file."""
    if path is None or not path.exists():
        return []
    lines = path.read_text("utf-8").split("\n")[:-1]
    return [_draft(json.loads(line)) for line in lines]


def _draft(record: Json) -> KeptDraft:
    return KeptDraft(**{**record, "passages": tuple(map(_passage, record["passages"]))})


def _passage(record: Json) -> Passage:
    place = {**record["locator"], "section_path": tuple(record["locator"]["section_path"])}
    spans = tuple(Span(**{**span, "kind": BlockKind(span["kind"])}) for span in record["spans"])
    return Passage(record["chunk_id"], Locator(**place), record["text"], spans)
