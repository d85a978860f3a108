"""Measure whether the product answers just the questions that its paragraph answers."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from deploy.evaluation import metrics
from deploy.evaluation.datasets import RefusalRow
from deploy.evaluation.product import Json, Reply, each
from deploy.evaluation.quotations import squeeze
from deploy.evaluation.report.plain import write_documents
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

_LONGEST_MARK = 5000


async def measure_refusal(session: Session, book: str, rows: Sequence[RefusalRow]) -> Measured:
    """Ingest every paragraph as a document, and ask with that paragraph selected.

    So nothing but the paragraph can answer: what is measured is not the search but answerability, the
    answerer and the checks.
    """
    contexts = list(dict.fromkeys(row.context for row in rows))
    numbers = {context: str(number) for number, context in enumerate(contexts)}
    with tempfile.TemporaryDirectory() as folder:
        texts = {numbers[context]: ("", context) for context in contexts}
        names = write_documents(Path(folder), texts)
        await session.product.ingest(
            book, Path(folder), profile=session.profile, progress=session.progress
        )
    text = await session.product.read_book(book)
    documents = {name: document for document, name in names.items()}

    async def ask(row: RefusalRow) -> Row:
        document = documents[numbers[row.context]]
        end = min(len(text.documents[document].text), _LONGEST_MARK)
        request: Json = {
            "question": row.question,
            "profile": session.profile,
            "selection": {"document": document, "start": 0, "end": end},
        }
        return score_row(row, await session.product.ask(book, request))

    scored = await each(
        rows,
        ask,
        what="questions",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return summarise(scored)


def score_row(row: RefusalRow, reply: Reply) -> Row:
    """Score one answer. An answer is right when it shows one of the expected texts."""
    shown = squeeze(reply.answer["text"]) if reply.answer and reply.has_answer else ""
    right = any(squeeze(answer) in shown for answer in row.answers if squeeze(answer))
    answered = float(reply.has_answer)
    confidence = reply.answer["confidence"]["score"] if reply.answer else 0.0
    return {
        "id": row.row_id,
        "label": float(row.answerable),
        "answered": answered,
        "score": confidence,
        "answered_right": float(right) if row.answerable else None,
        "false_answer_rate": None if row.answerable else answered,
        "false_refusal_rate": 1 - answered if row.answerable else None,
        "error": reply.problem,
        "ms": round(reply.took_ms, 2),
    }


def summarise(rows: Sequence[Row]) -> Measured:
    """Make the figures; `balanced_accuracy` is that of the decision to answer."""
    labels = [row["label"] > 0 for row in rows]
    decision = metrics.decide([row["answered"] for row in rows], labels, 0.5)
    means = {}
    for name in ("answered", "answered_right", "false_answer_rate", "false_refusal_rate"):
        held = [row[name] for row in rows if row[name] is not None]
        means[name] = fmean(held) if held else None
    times = [row["ms"] for row in rows]
    figures = {
        "n": len(rows),
        "answerable": sum(labels),
        **means,
        "balanced_accuracy": decision.balanced_accuracy,
        "f1": decision.f1,
        "auc": metrics.area_under_curve([row["score"] for row in rows], labels),
        "errors": sum(bool(row["error"]) for row in rows),
        "p50_ms": metrics.percentile(times, 0.50),
        "p95_ms": metrics.percentile(times, 0.95),
    }
    return Measured(figures, list(rows))
