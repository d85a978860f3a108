"""Measure how often several formats of one book lead to the same section."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from deploy.evaluation.datasets import DataError, Question
from deploy.evaluation.product import Json, each
from deploy.evaluation.quotations import squeeze
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session
from libs.language.entries import alternatives
from libs.language.layout import load_layout

_NUMBERING = re.compile(
    rf"^\s*(?:chapter|part)\s(?:{alternatives(load_layout().numbers)})[.:]?\s+"
    r"|^\s*(?:chapter|section|appendix|part)?\s*(?:[A-Z]|\d+)?(?:\.\d+)*[.:)]?\s+",
    re.IGNORECASE,
)
_SHARED_CHARACTERS = 60


async def measure_formats(
    session: Session, paths: Sequence[Path], questions: Sequence[Question]
) -> Measured:
    """Ingest each format as a book of its own and ask all of them the same questions.

    What the book does not answer is not asked: formats that agree on it agree by chance. Raises
    DataError when that leaves no question.
    """
    questions = [question for question in questions if question.answerable]
    if not questions:
        raise DataError(
            "The formats of a book are compared by questions that it answers: none is here."
        )
    books = {f"format-{number}": path for number, path in enumerate(paths, start=1)}
    for book, path in books.items():
        await session.product.ingest(book, path, profile=session.profile, progress=session.progress)

    async def ask(question: Question) -> Row:
        request = {"question": question.text[:4000], "profile": session.profile}
        found = {book: await session.product.search(book, request) for book in books}
        best = {book: result["passages"][:1] for book, result in found.items()}
        return score_question(
            question, {book: held[0] for book, held in best.items() if held}, list(books)
        )

    rows = await each(
        questions,
        ask,
        what="questions",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return summarise(rows, books)


def score_question(question: Question, best: Mapping[str, Json], books: Sequence[str]) -> Row:
    """Compare what each pair of formats found first. One that finds nothing agrees with none."""
    pairs = list(combinations(books, 2))
    sections = {book: section_name(best[book]) if book in best else "" for book in books}
    texts = {book: squeeze(best[book]["text"]) if book in best else "" for book in books}
    same = {
        f"{one}/{other}": float(bool(sections[one]) and sections[one] == sections[other])
        for one, other in pairs
    }
    return {
        "id": question.row_id,
        "question": question.text,
        "agreement": fmean(same.values()),
        "text_agreement": fmean(
            float(_shares_text(texts[one], texts[other])) for one, other in pairs
        ),
        "pairs": same,
        "sections": sections,
    }


def section_name(passage: Json) -> str:
    """Return the innermost title of a passage without numbering, spelling or markup."""
    path = passage.get("section_path") or []
    return squeeze(_NUMBERING.sub("", path[-1], count=1) or path[-1]) if path else ""


def _shares_text(one: str, other: str) -> bool:
    """Whether the longer text contains a run of the shorter one, wherever the chunks begin."""
    short, long = sorted((one, other), key=len)
    step = _SHARED_CHARACTERS // 2
    starts = range(0, max(len(short) - _SHARED_CHARACTERS, 0) + 1, step)
    return any(short[at : at + _SHARED_CHARACTERS] in long for at in starts if len(short) > 0)


def summarise(rows: Sequence[Row], books: Mapping[str, Path]) -> Measured:
    """Make the figures over all pairs, and for each pair."""
    figures: dict[str, Any] = {
        "n": len(rows),
        "formats": {book: path.name for book, path in books.items()},
        "agreement": fmean(row["agreement"] for row in rows),
        "text_agreement": fmean(row["text_agreement"] for row in rows),
        "by_pair": {pair: fmean(row["pairs"][pair] for row in rows) for pair in rows[0]["pairs"]},
    }
    return Measured(figures, list(rows))
