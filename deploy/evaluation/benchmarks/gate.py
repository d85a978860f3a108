"""Measure what a book of any language refuses and answers wrongly, by questions without gold."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from deploy.evaluation.benchmarks.golden import DEPTH
from deploy.evaluation.datasets import DataError, Question
from deploy.evaluation.product import Json, Reply, each
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

_RATES = ("false_answer_rate", "false_refusal_rate")


def require_both(file: Path, questions: Sequence[Question]) -> None:
    """Raise DataError unless some questions are answerable and some are not."""
    if len({question.answerable for question in questions}) < 2:
        raise DataError(
            f"{file}: needs questions that the book answers and questions that it does not, "
            "told apart by answerable"
        )


async def measure_gate(
    session: Session, book: str, source: Path, questions: Sequence[Question]
) -> Measured:
    """Ingest the book without saying its language, and ask every question as a reader would."""
    await session.product.ingest(book, source, profile=session.profile, progress=session.progress)

    async def ask(question: Question) -> Row:
        request: Json = {"question": question.text, "profile": session.profile}
        found = await session.product.search(book, {**request, "max_passages": DEPTH})
        reply = await session.product.ask(book, {**request, "history": []})
        return score_question(question, found, reply)

    rows = await each(
        questions,
        ask,
        what="questions",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return summarise(rows)


def score_question(question: Question, found: Json, reply: Reply) -> Row:
    """Score one question. None stands where it does not count for a figure.

    One that got neither answer nor refusal counts as wrong, whatever would have been right.
    """
    answered = reply.has_answer
    refusal = (reply.answer or {}).get("refusal") or {}
    unrefused = answered or bool(reply.problem)
    first = found["passages"][:1]
    return {
        "id": question.row_id,
        "question": question.text,
        "answered": float(answered),
        "false_answer_rate": None if question.answerable else float(unrefused),
        "false_refusal_rate": float(not answered) if question.answerable else None,
        "passed": float(found["gate"]["passed"]),
        "probability": round(found["gate"]["probability"], 4),
        "refusal": refusal.get("code", ""),
        "section": first[0]["section_path"][-1:] if first else [],
        "error": reply.problem,
    }


def summarise(rows: Sequence[Row]) -> Measured:
    """Make the figures, counts beside the rates: sets of a language are small."""
    unanswerable = [row for row in rows if row["false_answer_rate"] is not None]
    answerable = [row for row in rows if row["false_refusal_rate"] is not None]
    means = {name: fmean([row[name] for row in rows if row[name] is not None]) for name in _RATES}
    figures = {
        "n": len(rows),
        "answerable": len(answerable),
        "wrongly_refused": sum(row["false_refusal_rate"] > 0 for row in answerable),
        "unanswerable": len(unanswerable),
        "wrongly_answered": sum(row["false_answer_rate"] > 0 for row in unanswerable),
        **means,
        "errors": sum(bool(row["error"]) for row in rows),
    }
    return Measured(figures, list(rows))
