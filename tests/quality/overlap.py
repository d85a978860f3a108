"""Fit the classifier of books in languages that the packaged embedding model does not know.

    python -m tests.quality.overlap http://127.0.0.1:8080 answerability_overlap.json

Puts the small books of `questions/small/open` and the hut into a running product, asks it their
questions, and fits to the features of the gate. Measured on each language by a model of the others.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from deploy.evaluation.product import Product
from deploy.evaluation.progress import Progress
from deploy.evaluation.training.logistic import LabelledRow, cross_validate, fit_model
from deploy.rest_client.client import ProblemError
from libs.ml import LogisticModel

_QUESTIONS = Path(__file__).with_name("questions")
_FEATURES = ("coverage_told",)
_ENGLISH = "en"
_THRESHOLD = 0.5


def list_sets() -> Iterator[tuple[Path, Path]]:
    """Yield each book with its questions; English is judged by cosines and left out."""
    for book in sorted(_QUESTIONS.joinpath("small", "open").glob("*.md")):
        if book.stem != _ENGLISH:
            yield book, book.with_suffix(".jsonl")
    for book in sorted(_QUESTIONS.joinpath("hut").glob("*.md")):
        yield book, _QUESTIONS / "gate" / f"{book.stem}.jsonl"


async def read_rows(url: str) -> list[LabelledRow]:
    """Return the features of every question, grouped by the language of its book."""
    rows: list[LabelledRow] = []
    async with Product(url) as product:
        for book, questions in list_sets():
            slug = f"{book.parent.name}-{book.stem}"
            try:
                await product.read_book(slug)
            except ProblemError as error:
                if error.status != 404:
                    raise
                await product.ingest(slug, book, progress=Progress())
            for row in map(json.loads, questions.read_text("utf-8").splitlines()):
                found = await product.search(slug, {"question": row["question"], "profile": ""})
                features = found["gate"]["features"]
                rows.append(LabelledRow(features, row["answerable"], book.stem))
    return rows


def fit(rows: list[LabelledRow]) -> LogisticModel:
    """Return the classifier, with the shares that it has wrong in languages it was not fitted to."""
    told = cross_validate(rows, _FEATURES)
    passed = [
        (row.label, probability >= _THRESHOLD) for row, probability in zip(rows, told, strict=True)
    ]
    answerable = [opened for label, opened in passed if label]
    others = [opened for label, opened in passed if not label]
    measured = {
        "false_answers": round(sum(others) / len(others), 4),
        "false_refusals": round(1 - sum(answerable) / len(answerable), 4),
    }
    data = (
        f"{len(answerable)} answerable and {len(others)} unanswerable questions of ours to eleven "
        "small books in nine languages (tests/quality/questions); measured on left-out languages"
    )
    return replace(fit_model(rows, _FEATURES, ""), data=data, measured=measured)


if __name__ == "__main__":
    fit(asyncio.run(read_rows(sys.argv[1]))).save(Path(sys.argv[2]))
