"""A folder of labelled sets in; the gate, the ranking of sentences and the confidence, learnt, out.

The product is started for the purpose, every set's book is ingested and every question searched once;
all three are learnt from that, and measured on books left out.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.evaluation import calibrate, metrics
from deploy.evaluation.calibrate import Learnt, write_learnt
from deploy.evaluation.forms.golden import FALSE_PREMISE, INJECTION
from deploy.evaluation.labelled import LabelledBook, foreign_rows
from deploy.evaluation.learn_answers import (
    LEAST_BOOKS,
    Judged,
    confidence_measured,
    gold_cited,
    judge_answers,
    learn_confidence,
    learn_ranking,
    learn_rankings_without,
)
from deploy.evaluation.observe import Observed, observe
from deploy.evaluation.session import Session
from libs import calibration
from libs.calibration import Calibration
from libs.embedding.choice import open_embedder
from libs.profiles import load_profile
from libs.vectors.schema import collection_name
from services.generation import score
from services.generation.adapters import extractive_answerer

GATE, RANKING, CONFIDENCE = "gate.json", "ranking.json", "confidence.json"
SHIPPED = {
    GATE: calibration.SHIPPED,
    RANKING: extractive_answerer.RANKING,
    CONFIDENCE: score.CALIBRATION,
}
"""Where the product keeps what it comes with."""

VARIABLES = {
    GATE: "RETRIEVAL_CALIBRATION",
    RANKING: "GENERATION_RANKING",
    CONFIDENCE: "GENERATION_CONFIDENCE",
}
"""By what the product is told to use others."""

FOREIGN = 100
"""Questions about other books that each book is asked."""

_UNJUDGED = (FALSE_PREMISE, INJECTION)


@dataclass(frozen=True)
class LearntAll:
    """What was learnt; a ranking only from several books, and then figures are of books left out."""

    gate: Learnt
    ranking: Calibration | None
    confidence: Calibration
    told: list[Judged]
    shown: dict[str, tuple[float, float]]
    """By book: gold cited by the shipped ranking and gate, and by what is learnt without the book."""

    @property
    def bins(self) -> list[metrics.Bin]:
        """The reliability of confidence on books left out."""
        return metrics.reliability_bins(
            [item.confidence for item in self.told], [item.right for item in self.told]
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
        rows = [*book.rows, *foreign_rows(book, books, FOREIGN, seed)]
        found += await observe(session, slug, book.name, rows, exact=book.exact)
    return found


def learn_all(
    observed: Sequence[Observed],
    files: Sequence[Path],
    *,
    threshold: float,
    seed: int,
    stamp: str,
    profile: str = "",
) -> LearntAll:
    """Learn the gate and the confidence and, from several books, the ranking.

    Raises DataError for too few rows of one label.
    """
    asked = [item for item in observed if item.kind not in _UNJUDGED and item.marked is None]
    gate = calibrate.learn(asked, threshold, seed, files, stamp)
    settings = load_profile(profile).generation
    books = dict.fromkeys(item.book for item in observed)
    shipped = dict.fromkeys(books, extractive_answerer.shipped_ranking())
    before = judge_answers(observed, shipped, settings)
    rankings = learn_rankings_without(observed) if len(books) >= LEAST_BOOKS else {}
    judged = judge_answers(observed, rankings, settings) if rankings else before
    confidence, told = learn_confidence(judged)
    old, new = gold_cited(observed, before), gold_cited(observed, judged)
    return LearntAll(
        gate,
        _ranking(observed, gate.calibration.data, new) if rankings else None,
        replace(
            confidence,
            data=f"{len(judged)} answers ({_counted(judged)}) to {gate.calibration.data}",
            measured=confidence_measured(told),
        ),
        told,
        {book: (old[book], new[book]) for book in new},
    )


def _ranking(observed: Sequence[Observed], data: str, cited: Mapping[str, float]) -> Calibration:
    measured = {f"gold_cited_{book}_unseen": value for book, value in cited.items()}
    return replace(learn_ranking(observed), data=f"quotations of {data}", measured=measured)


def _counted(judged: Sequence[Judged]) -> str:
    counts = Counter(item.book for item in judged)
    return ", ".join(f"{book} {count}" for book, count in counts.items())


def running_stamp(cache_dir: Path) -> str:
    """Return the collection of the embedder that the environment names."""
    embedder = open_embedder(cache_dir, "questions", os.environ)
    return collection_name(embedder.stamp)


def write_all(learnt: LearntAll, folder: Path, files: Sequence[Path], command: str) -> None:
    """Write the three files into a folder."""
    calibrate.write_calibration(learnt.gate, folder / GATE, files, command)
    if learnt.ranking is not None:
        write_learnt(learnt.ranking, folder / RANKING, files, command)
    bins = [vars(item) for item in learnt.bins]
    write_learnt(learnt.confidence, folder / CONFIDENCE, files, command, reliability=bins)


def ship(folder: Path) -> None:
    """Put what is in a folder in the place of what the product comes with."""
    for name, path in SHIPPED.items():
        path.write_bytes((folder / name).read_bytes())
