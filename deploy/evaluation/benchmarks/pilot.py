"""Hold a profile against six criteria on one module, before the whole book goes in."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from deploy.evaluation.benchmarks.golden import measure_golden
from deploy.evaluation.datasets import GoldenRow
from deploy.evaluation.graded import LARGER_MODEL
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

REVIEWED = 10
"""Answers that a person reads."""

SWITCH_TO = "course-fixed"
"""The profile to try where too few answers are right: segments of one size instead of sections."""


@dataclass(frozen=True)
class Criterion:
    """A figure with the limit that decides and the target that is hoped for; times are milliseconds."""

    name: str
    limit: float
    target: float
    at_most: bool = False

    def is_met(self, value: float) -> bool:
        return value <= self.limit if self.at_most else value >= self.limit


ACCURACY = Criterion("correct", 0.80, 0.90)
NOTHING_FOUND = Criterion("zero_result_rate", 0.15, 0.0, at_most=True)
CRITERIA = (
    ACCURACY,
    Criterion("cited", 0.70, 0.90),
    Criterion("retrieval_recall_at_5", 0.80, 0.90),
    NOTHING_FOUND,
    Criterion("p95_ms", 5000.0, 3000.0, at_most=True),
    Criterion("found_good", 0.70, 0.90),
)
"""Limits are the source documents' (course): 80 and 70 % are their kill switches, 15 % is their alarm,
5 s their time, 70 % their risk line of satisfaction. That of retrieval is ours: they give none."""


async def measure_pilot(
    session: Session,
    book: str,
    rows: Sequence[GoldenRow],
    *,
    found_good: int | None,
    answers: Path | None,
) -> Measured:
    """Ask golden questions to the module and judge what came of them.

    `found_good` says how many of the ten answers in the file `answers` a person found good; None while
    nobody has read them.
    """
    measured = await measure_golden(session, book, rows)
    if answers is not None:
        await asyncio.to_thread(answers.write_text, to_review(measured.rows), "utf-8")
    zero = [row["zero_result_rate"] for row in measured.rows if row["zero_result_rate"] is not None]
    figures = {
        **measured.figures,
        "zero_result_rate": fmean(zero) if zero else None,
        "found_good": None if found_good is None else found_good / REVIEWED,
    }
    return Measured(judge(figures), measured.rows, [*advise(figures), *measured.notes])


def judge(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures with how many criteria are met, missed and still open."""
    judged = {
        one.name: one.is_met(figures[one.name])
        for one in CRITERIA
        if figures.get(one.name) is not None
    }
    counts = {
        "criteria_met": sum(judged.values()),
        "criteria_missed": len(judged) - sum(judged.values()),
        "criteria_open": len(CRITERIA) - len(judged),
    }
    return {**counts, **figures}


def advise(figures: Mapping[str, Any]) -> list[str]:
    """Say of each criterion what it came to, and what to do where it is missed."""
    lines = []
    for one in CRITERIA:
        value = figures.get(one.name)
        bound = (
            f"{'at most' if one.at_most else 'at least'} {one.limit:g}, hoped for {one.target:g}"
        )
        if value is None:
            lines.append(f"{one.name}: open, {bound}")
        else:
            verdict = "met" if one.is_met(value) else "MISSED"
            lines.append(f"{one.name}: {value:.3g}, {bound}: {verdict}")
    if _is_missed(ACCURACY, figures):
        lines.append(f"too few are right: ingest and try again with --profile {SWITCH_TO}")
    if _is_missed(NOTHING_FOUND, figures):
        lines.append(f"too little is found: {LARGER_MODEL}")
    return lines


def _is_missed(criterion: Criterion, figures: Mapping[str, Any]) -> bool:
    value = figures.get(criterion.name)
    return value is not None and not criterion.is_met(value)


def to_review(rows: Sequence[Row]) -> str:
    """Return ten answers from all over the questions, as Markdown for a person to read."""
    answered = [row for row in rows if row["answered"]]
    drawn = answered[:: max(1, len(answered) // REVIEWED)][:REVIEWED]
    titled = enumerate(((row["question"], row["text"]) for row in drawn), 1)
    parts = [f"## {number}. {question}\n\n{text}\n" for number, (question, text) in titled]
    intro = "How many of these answer the question, and nothing but the question?"
    return f"# {len(drawn)} answers to read\n\n{intro}\n\n" + "\n".join(parts)
