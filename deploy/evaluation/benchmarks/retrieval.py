"""Measure how well the product's search ranks the documents of a judged collection."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from deploy.evaluation import metrics
from deploy.evaluation.datasets import RetrievalSet
from deploy.evaluation.product import Json, each
from deploy.evaluation.report.plain import write_documents
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

_PASSAGES = 50


async def measure_retrieval(
    session: Session, book: str, judged: RetrievalSet, language: str = ""
) -> Measured:
    """Ingest one document a row, search every question, and rank documents by their best passage."""
    with tempfile.TemporaryDirectory() as folder:
        names = write_documents(Path(folder), judged.documents)
        job = await session.product.ingest(
            book,
            Path(folder),
            profile=session.profile,
            language=language,
            progress=session.progress,
        )

    async def search(item: tuple[str, str]) -> Row:
        started = time.perf_counter()
        question, text = item
        request: Json = {
            "question": text[:4000],
            "max_passages": _PASSAGES,
            "profile": session.profile,
        }
        found = await session.product.search(book, request)
        ranked = rank_documents(found["passages"], names)
        return {
            **score_ranking(question, ranked, judged.gains[question]),
            "ms": round((time.perf_counter() - started) * 1000, 2),
        }

    rows = await each(
        list(judged.questions.items()),
        search,
        what="questions",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return summarise(rows, len(judged.documents), job)


def rank_documents(passages: Sequence[Json], names: dict[str, str]) -> list[str]:
    """Return document ids by their best passage, best first."""
    ranked: dict[str, None] = {}
    for passage in passages:
        ranked.setdefault(names[passage["document"]])
    return list(ranked)


def score_ranking(question: str, ranked: Sequence[str], gains: dict[str, float]) -> Row:
    return {
        "id": question,
        "ndcg_at_10": metrics.ndcg_at(ranked, gains, 10),
        "recall_at_5": metrics.recall_at(ranked, gains, 5),
        "mrr_at_10": metrics.reciprocal_rank_at(ranked, gains, 10),
        "zero_result_rate": float(not ranked),
        "best": ranked[0] if ranked else "",
    }


def summarise(rows: Sequence[Row], documents: int, job: Json) -> Measured:
    """Compute the figures; a `zero_result_rate` over 0.15 is an alarm."""
    names = ("ndcg_at_10", "recall_at_5", "mrr_at_10", "zero_result_rate")
    times = [row["ms"] for row in rows]
    figures = {
        "n": len(rows),
        "documents": documents,
        "chunks": job.get("chunks_total"),
        **{name: fmean(row[name] for row in rows) for name in names},
        "p50_ms": metrics.percentile(times, 0.50),
        "p95_ms": metrics.percentile(times, 0.95),
    }
    return Measured(figures, list(rows))
