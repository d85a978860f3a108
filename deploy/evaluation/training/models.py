"""Fit answerability, the ranking of sentences and the confidence to a folder of labelled sets.

The product is started for the purpose, every set's book is ingested and every question searched once;
all three are fitted to that, and measured on books left out.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.evaluation import metrics
from deploy.evaluation.session import Session
from deploy.evaluation.training import answerability
from deploy.evaluation.training.answerability import FittedAnswerability, write_model
from deploy.evaluation.training.answers import (
    LEAST_BOOKS,
    Judged,
    confidence_measured,
    fit_confidence,
    fit_rankings_without,
    fit_sentence_ranking,
    gold_cited,
    judge_answers,
)
from deploy.evaluation.training.labelled_books import (
    OF_SELECTIONS,
    LabelledBook,
    foreign_rows,
    foreign_selections,
)
from deploy.evaluation.training.observe import Observed, observe
from deploy.evaluation.training.support import (
    fit_support,
    fit_supports_without,
    grade_offers,
)
from libs.embedding.choice import open_embedder
from libs.ml import LogisticModel
from libs.profiles import load_profile
from libs.vectors.schema import collection_name
from services.generation import confidence
from services.generation.confidence import CALIBRATED
from services.generation.extractive import answerer, support
from services.retrieval.settings import SHIPPED_MODEL, SHIPPED_SELECTION_MODEL

ANSWERABILITY, RANKING, CONFIDENCE = "answerability.json", "ranking.json", "confidence.json"
SUPPORT = "support.json"
SELECTION_ANSWERABILITY = "answerability_selection.json"
SHIPPED = {
    ANSWERABILITY: SHIPPED_MODEL,
    SELECTION_ANSWERABILITY: SHIPPED_SELECTION_MODEL,
    RANKING: answerer.RANKING,
    SUPPORT: support.SUPPORT,
    CONFIDENCE: confidence.SHIPPED_MODEL,
}
"""Where the product keeps what it comes with."""

VARIABLES = {
    ANSWERABILITY: "RETRIEVAL_ANSWERABILITY",
    RANKING: "GENERATION_RANKING",
    SUPPORT: "GENERATION_SUPPORT",
    CONFIDENCE: "GENERATION_CONFIDENCE",
}
"""By what the product is told to use others."""

FOREIGN = 100
"""Questions about other books that each book is asked."""


@dataclass(frozen=True)
class FittedModels:
    """What was fitted; a ranking only from several books, and then figures are of books left out."""

    answerability: FittedAnswerability
    ranking: LogisticModel | None
    confidence: LogisticModel
    answers: list[Judged]
    selection: LogisticModel | None
    """Answerability of questions about selected text, from sets that select paragraphs."""

    support: LogisticModel | None
    """What helps beside a lead, from sets whose answers were judged."""

    shown: dict[str, tuple[float, float]]
    """By book: gold cited by the shipped models, and by those fitted without the book."""

    @property
    def bins(self) -> list[metrics.Bin]:
        """The reliability of confidence on books left out."""
        return metrics.reliability_bins(
            [item.confidence for item in self.answers], [item.right for item in self.answers]
        )


async def observe_books(
    session: Session, books: Sequence[LabelledBook], seed: int
) -> list[Observed]:
    """Ingest each book and search its questions, and others' that it does not answer."""
    found: list[Observed] = []
    for book in books:
        slug = re.sub(r"[^a-z0-9]+", "-", book.name.lower()).strip("-")
        with tempfile.TemporaryDirectory() as folder:
            await session.product.ingest(
                slug,
                book.source(Path(folder)),
                profile=session.profile,
                language=book.language,
                progress=session.progress,
            )
        foreign = foreign_rows(book, books, FOREIGN, seed)
        selections = foreign_selections(book, books, FOREIGN, seed)
        rows = [*book.rows, *foreign, *book.of_selections, *selections]
        found += await observe(session, slug, book.name, rows, exact=book.exact)
    return found


def fit_models(
    observed: Sequence[Observed],
    files: Sequence[Path],
    *,
    threshold: float,
    seed: int,
    stamp: str,
    profile: str = "",
) -> FittedModels:
    """Fit answerability and confidence and, from several books, the ranking and what supports a lead.

    Raises DataError for too few rows of one label.
    """
    of_selections = [item for item in observed if item.kind in OF_SELECTIONS]
    observed = [item for item in observed if item.kind not in OF_SELECTIONS]
    asked = [item for item in observed if answerability.says_what_to_do(item)]
    fitted = answerability.fit_answerability(asked, threshold, seed, files, stamp)
    settings = load_profile(profile)
    if settings.retrieval.gate == CALIBRATED:
        observed = answerability.judge_left_out(observed, settings.retrieval.gate_threshold)
    books = dict.fromkeys(item.book for item in observed)
    shipped = dict.fromkeys(books, answerer.shipped_ranking())
    before = judge_answers(observed, shipped, settings.generation)
    rankings = fit_rankings_without(observed) if len(books) >= LEAST_BOOKS else {}
    graded = grade_offers(observed, rankings or shipped)
    supports = fit_supports_without(graded, list(books))
    judged = judge_answers(observed, rankings or shipped, settings.generation, supports)
    confidence, answers = _fit_confidence(judged, fitted.model.data)
    old, new = gold_cited(observed, before), gold_cited(observed, judged)
    return FittedModels(
        fitted,
        _ranking(observed, fitted.model.data, new) if rankings else None,
        confidence,
        answers,
        answerability.fit_selection(of_selections, threshold, files, stamp)
        if of_selections
        else None,
        fit_support(graded),
        {book: (old[book], new[book]) for book in new},
    )


def _ranking(observed: Sequence[Observed], data: str, cited: Mapping[str, float]) -> LogisticModel:
    measured = {f"gold_cited_{book}_unseen": value for book, value in cited.items()}
    return replace(fit_sentence_ranking(observed), data=f"quotations of {data}", measured=measured)


def _fit_confidence(judged: Sequence[Judged], data: str) -> tuple[LogisticModel, list[Judged]]:
    confidence, answers = fit_confidence(judged)
    data = f"{len(judged)} answers ({_counted(judged)}) to {data}"
    return replace(confidence, data=data, measured=confidence_measured(answers)), answers


def _counted(judged: Sequence[Judged]) -> str:
    counts = Counter(item.book for item in judged)
    return ", ".join(f"{book} {count}" for book, count in counts.items())


def running_stamp(cache_dir: Path) -> str:
    """Return the collection of the embedder that the environment names."""
    embedder = open_embedder(cache_dir, "questions", os.environ)
    return collection_name(embedder.stamp)


def write_all(fitted: FittedModels, folder: Path, files: Sequence[Path], command: str) -> None:
    """Write what was fitted into a folder, each model into its file."""
    answerability.write_answerability(fitted.answerability, folder / ANSWERABILITY, files, command)
    if fitted.selection is not None:
        write_model(fitted.selection, folder / SELECTION_ANSWERABILITY, files, command)
    if fitted.ranking is not None:
        write_model(fitted.ranking, folder / RANKING, files, command)
    if fitted.support is not None:
        write_model(fitted.support, folder / SUPPORT, files, command)
    bins = [vars(item) for item in fitted.bins]
    write_model(fitted.confidence, folder / CONFIDENCE, files, command, reliability=bins)


def ship(folder: Path) -> None:
    """Put what is in a folder in the place of what the product comes with."""
    for name, path in SHIPPED.items():
        if (folder / name).exists():
            path.write_bytes((folder / name).read_bytes())
