"""Run `quoth calibrate`: fit the models, show what that changes, and write the files."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deploy.cli.measure import (
    console_for_errors,
    console_for_tables,
    failures_printed,
)
from deploy.cli.options import default_url
from deploy.evaluation.datasets import DataError, read_golden
from deploy.evaluation.product import Product
from deploy.evaluation.progress import progress_for
from deploy.evaluation.report.plots import draw_reliability
from deploy.evaluation.report.tables import bin_table
from deploy.evaluation.session import Session
from deploy.evaluation.stack import run_stack
from deploy.evaluation.training import answerability, models
from deploy.evaluation.training.labelled_books import list_books
from deploy.evaluation.training.models import FittedModels
from deploy.evaluation.training.observe import Observed, observe
from deploy.evaluation.training.reader_threshold import fit_reader_threshold, read_answered

MOST_QUESTIONS = 250
"""Of each set, drawn by the seed: more would only make the large ones heavier."""

_CURVE = (0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)


@dataclass(frozen=True)
class Calibration:
    """The options of both forms: one running book's own questions, or a folder of labelled sets."""

    out: Path
    diagram: Path | None
    threshold: float
    half_width: float
    profile: str
    seed: int
    cache_dir: Path

    def of_book(
        self, files: Sequence[Path], elsewhere: Sequence[Path], book: str, url: str
    ) -> None:
        """Fit answerability and confidence for a book of the running product."""
        with failures_printed(console_for_errors()):
            if not files or not book:
                raise DataError("Name the questions and --book, or a folder of sets by --data.")
            rows = answerability.select_rows(
                [row for path in files for row in read_golden(path)],
                [row for path in elsewhere for row in read_golden(path)],
            )

            async def search() -> list[Observed]:
                async with Product(url or default_url()) as product:
                    return await observe(self._session(product), book, book, rows)

            self._fit(asyncio.run(search()), [*files, *elsewhere], book)

    def of_sets(self, data: Path, *, ship: bool) -> None:
        """Fit answerability, ranking, support and confidence on a product started for the purpose."""
        with failures_printed(console_for_errors()):
            books = list_books(data, MOST_QUESTIONS, self.seed)

            async def search(url: str) -> list[Observed]:
                async with Product(url) as product:
                    return await models.observe_books(self._session(product), books, self.seed)

            with run_stack() as url:
                observed = asyncio.run(search(url))
            files = list(dict.fromkeys(path for book in books for path in book.read))
            fitted = self._fit(observed, files, f"{len(books)} books")
            show_reader(console_for_tables(), fitted.answerability, read_answered(data))
            if ship:
                models.ship(self.out)
                console_for_tables().print("put in the place of what the product comes with")

    def _session(self, product: Product) -> Session:
        progress = progress_for(console_for_errors())
        return Session(product, self.profile, self.seed, progress=progress)

    def _fit(self, observed: Sequence[Observed], files: Sequence[Path], title: str) -> FittedModels:
        fitted = models.fit_models(
            observed,
            files,
            threshold=self.threshold,
            seed=self.seed,
            stamp=models.running_stamp(self.cache_dir),
            profile=self.profile,
        )
        command = shlex.join(["quoth", *sys.argv[1:]])
        models.write_all(fitted, self.out, files, command)
        if self.diagram:
            bins = {
                "answerability, before": fitted.answerability.before.bins,
                "answerability": fitted.answerability.after.bins,
            }
            draw_reliability(self.diagram, {**bins, "confidence": fitted.bins}, title)
        console = console_for_tables()
        show_answerability(console, fitted.answerability, self.half_width)
        show_answers(console, fitted)
        for name, variable in models.VARIABLES.items():
            if (self.out / name).exists():
                console.print(f"{variable}={self.out / name}", markup=False, highlight=False)
        return fitted


def show_answerability(
    console: Console, fitted: answerability.FittedAnswerability, half_width: float
) -> None:
    """Print what a fitted classifier changes, its curve and reliability, and how many rows it lacks."""
    changes = Table(
        "answerability", "before", "after", "95 % after", "rows", "rows missing", box=None
    )
    for name in ("false_answers", "false_refusals"):
        old, new = getattr(fitted.before, name), getattr(fitted.after, name)
        changes.add_row(
            name.replace("_", " "),
            f"{old.value:.3f}",
            f"{new.value:.3f}",
            f"{new.interval.low:.3f} … {new.interval.high:.3f}",
            str(new.cases),
            f"{new.rows_missing(half_width)} for ± {half_width:g}",
        )
    for name in ("ece", "auc", "brier"):
        old, new = getattr(fitted.before, name), getattr(fitted.after, name)
        changes.add_row(name, f"{old:.3f}", f"{new:.3f}", "", "", "")
    points = Table("threshold", "false answers", "false refusals", box=None)
    for point in fitted.curve:
        if point.threshold in _CURVE:
            points.add_row(
                f"{point.threshold:.2f}",
                f"{point.false_answers:.3f}",
                f"{point.false_refusals:.3f}",
            )
    reliability = bin_table("answerability, on questions it did not see", fitted.after.bins)
    for table in (changes, points, reliability):
        console.print(table)
        console.print()


def show_reader(
    console: Console, fitted: answerability.FittedAnswerability, answered: answerability.Rate
) -> None:
    """Print the threshold for a language model, by how often one answered what no book says."""
    point = fit_reader_threshold(fitted.curve, answered)
    console.print(
        f"gate_threshold_model {point.threshold:.2f}: of {answered.cases} recorded unanswerable "
        f"questions a language model answered {answered.errors}",
        highlight=False,
    )
    console.print()


def show_answers(console: Console, fitted: FittedModels) -> None:
    """Print how answers do by book, and what confidence is worth."""
    books = Table("book", "gold cited, shipped", "gold cited, fitted", box=None)
    for book, (old, new) in fitted.shown.items():
        books.add_row(book, f"{old:.3f}", f"{new:.3f}")
    console.print(books)
    console.print()
    console.print(bin_table("confidence, on answers it did not see", fitted.bins))
    support = fitted.support.measured if fitted.support else {}
    for name, value in (fitted.confidence.measured | support).items():
        console.print(f"{name.replace('_', ' ')}: {value:g}", highlight=False)
    console.print()
