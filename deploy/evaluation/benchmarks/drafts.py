"""Replay a model's recorded drafts through the product: what of the true and the false is shown.

The prompts' sizes are what the product sent, in tokens of four characters.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

from deploy.evaluation.benchmarks.golden import (
    FALSE_PREMISE,
    is_found,
    locate_gold,
    score_row,
    to_request,
)
from deploy.evaluation.benchmarks.played_model import PlayedModel, RecordedDraft
from deploy.evaluation.datasets import DataError, GoldenRow
from deploy.evaluation.product import BookText, Reply, each
from deploy.evaluation.quotations import squeeze
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

_RATES = (
    "answered",
    "gold_cited",
    "gold_cited_of_found",
    "correct",
    "false_answer_rate",
    "false_refusal_rate",
    "false_refusal_rate_of_found",
)
"""`of_found`: of the answerable questions whose gold was among the passages."""

_CORRECTED = ("shown", "replaced")


@dataclass(frozen=True)
class DraftFiles:
    """The files of a recording: drafts, the golden questions that they answer, and claims."""

    drafts: Path
    golden: Path
    claims: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        given = (self.drafts, self.golden, self.claims)
        return tuple(path for path in given if path is not None)


@dataclass(frozen=True)
class RecordedClaim:
    """A sentence of a draft, or a false version of it, with the recorded judge's probability."""

    row_id: str
    draft: str
    sentence: str
    true_sentence: str
    is_true: bool
    category: str
    judged: float


def read_drafts(path: Path) -> list[RecordedDraft]:
    """Raise DataError, naming the line, for what is no draft."""
    return [
        RecordedDraft(
            item["id"], item["question"], item["sentences"], float(item.get("confidence", 0.8))
        )
        for item in _read(path, ("id", "question", "sentences"))
    ]


def read_claims(path: Path) -> list[RecordedClaim]:
    """Raise DataError, naming the line, for what is no claim."""
    named = ("id", "draft", "sentence", "true_sentence", "label", "category", "judge")
    return [
        RecordedClaim(
            item["id"],
            item["draft"],
            item["sentence"],
            item["true_sentence"],
            bool(item["label"]),
            item["category"],
            float(item["judge"]["p"] if item["judge"]["supported"] else 0.0),
        )
        for item in _read(path, named)
    ]


def _read(path: Path, named: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            item = json.loads(line)
            missing = [name for name in named if name not in item]
        except (ValueError, TypeError) as error:
            raise DataError(f"{path.name}, line {number}: {error}") from error
        if missing:
            raise DataError(f"{path.name}, line {number}: {', '.join(missing)} is missing")
        yield item


def replace_sentence(draft: RecordedDraft, claim: RecordedClaim) -> RecordedDraft:
    """Return the draft with the claim in its true sentence's place. Raises DataError without one."""
    if all(said["text"] != claim.true_sentence for said in draft.sentences):
        raise DataError(f"{claim.row_id}: its true sentence is not in draft {claim.draft}")
    return replace(
        draft,
        sentences=[
            {**said, "text": claim.sentence} if said["text"] == claim.true_sentence else said
            for said in draft.sentences
        ],
    )


@dataclass(frozen=True)
class Recording:
    """What is replayed, read."""

    rows: Sequence[GoldenRow]
    drafts: Sequence[RecordedDraft]
    claims: Sequence[RecordedClaim]


async def measure_drafts(
    session: Session,
    book: str,
    model: PlayedModel,
    recording: Recording,
) -> Measured:
    """Ask every golden question that has a draft, then each again with a false sentence in it."""
    text = await session.product.read_book(book)
    golden = {row.row_id: row for row in recording.rows}
    drafts = {item.row_id: item for item in recording.drafts if item.row_id in golden}
    model.verdicts = {claim.sentence: claim.judged for claim in recording.claims}

    async def play(draft: RecordedDraft) -> Reply:
        model.tell(draft)
        request = to_request(golden[draft.row_id], text, session.profile)
        return await session.product.ask(book, request)

    async def play_true(draft: RecordedDraft) -> Row:
        return score_draft(draft, golden[draft.row_id], await play(draft), text)

    async def play_false(claim: RecordedClaim) -> Row:
        reply = await play(replace_sentence(drafts[claim.draft], claim))
        return {
            "id": claim.row_id,
            "category": claim.category,
            "shown_false": float(squeeze(claim.sentence) in _shown(reply)),
            "sentence": claim.sentence,
            "error": reply.problem,
        }

    false = [item for item in recording.claims if not item.is_true and item.draft in drafts]
    true_rows = await each(
        list(drafts.values()), play_true, what="drafts", progress=session.progress
    )
    tokens = list(model.prompt_tokens)
    false_rows = await each(false, play_false, what="false claims", progress=session.progress)
    return summarise(true_rows, false_rows, tokens)


def score_draft(draft: RecordedDraft, row: GoldenRow, reply: Reply, text: BookText) -> Row:
    """Score the answer made of a draft, and count its sentences that are shown, replaced or lost.

    A recorded draft to a false premise begins with what corrects it: where that is shown or quoted, the
    premise is corrected, whether or not the gold names the place that it was taken from.
    """
    located = locate_gold(row, text)
    scored = score_row(row, located, reply, text)
    shown, cited = _shown(reply), [squeeze(item["quote"]) for item in reply.citations]
    outcomes = [_outcome(sentence, shown, cited) for sentence in draft.sentences]
    if row.kind == FALSE_PREMISE and outcomes[:1] and outcomes[0] in _CORRECTED:
        scored |= {"correct": 1.0, "false_answer_rate": 0.0}
    found = row.answerable and reply.passages is not None and is_found(row, located, reply.passages)
    for name in ("gold_cited", "false_refusal_rate"):
        scored[f"{name}_of_found"] = scored[name] if found else None
    withheld = reply.answer["withheld"] if reply.answer else []
    return {
        **{name: scored[name] for name in ("id", "kind", "question", *_RATES, "error")},
        **{name: outcomes.count(name) for name in ("shown", "replaced", "lost")},
        "false_alarms": [held["checks"][-1]["kind"] for held in withheld if held["checks"]],
        "characters": len(scored["text"]),
        "citations": len(reply.citations),
    }


def _shown(reply: Reply) -> set[str]:
    sentences = reply.answer["sentences"] if reply.answer else []
    return {squeeze(sentence["text"]) for sentence in sentences}


def _outcome(sentence: Mapping[str, Any], shown: set[str], cited: Sequence[str]) -> str:
    """Say whether the sentence is shown or, by what is cited, the book's own in its place."""
    if squeeze(sentence["text"]) in shown:
        return "shown"
    quotes = [squeeze(item["quote"]) for item in sentence["citations"]]
    stands_in = any(quote in other or other in quote for quote in quotes for other in cited)
    return "replaced" if stands_in else "lost"


def summarise(
    true_rows: Sequence[Row], false_rows: Sequence[Row], prompt_tokens: Sequence[int]
) -> Measured:
    """Make the figures; rates over sentences, claims and questions."""
    said = sum(row["shown"] + row["replaced"] + row["lost"] for row in true_rows)
    kinds = sorted({row["category"] for row in false_rows})
    answers = [row for row in true_rows if row["answered"]]
    figures: dict[str, Any] = {
        "n": len(true_rows),
        "sentences": said,
        **{
            f"{outcome}_true": sum(row[outcome] for row in true_rows) / said if said else None
            for outcome in ("shown", "replaced", "lost")
        },
        "claims": len(false_rows),
        "shown_false": _mean(false_rows, "shown_false"),
        "by_category": {
            kind: _mean([row for row in false_rows if row["category"] == kind], "shown_false")
            for kind in kinds
        },
        "false_alarms": dict(
            Counter(kind for row in true_rows for kind in row["false_alarms"]).most_common()
        ),
        **{name: _mean(true_rows, name) for name in _RATES},
        "characters_p50": _median([row["characters"] for row in answers]),
        "citations_p50": _median([row["citations"] for row in answers]),
        "prompt_tokens_p50": _median(prompt_tokens),
        "errors": sum(bool(row["error"]) for row in (*true_rows, *false_rows)),
    }
    notes = [
        f"false and shown, {row['category']}: {row['sentence']}"
        for row in false_rows
        if row["shown_false"]
    ]
    return Measured(figures, [*true_rows, *false_rows], notes)


def _mean(rows: Sequence[Row], name: str) -> float | None:
    values = [row[name] for row in rows if row[name] is not None]
    return fmean(values) if values else None


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None
