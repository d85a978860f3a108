"""Run `quoth eval`: tables on standard output, a JSON file if wanted, and an exit status."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import typer
from rich.console import Console

from deploy.cli.options import default_url
from deploy.cli.output import FAILED, NOT_RUNNING, WRONG_USE
from deploy.evaluation.benchmarks.drafts import DraftFiles
from deploy.evaluation.benchmarks.jobs import (
    Draw,
    Job,
    chunks_job,
    drafts_job,
    formats_job,
    gate_job,
    golden_job,
    grounding_job,
    injection_job,
    model_job,
    pilot_job,
    refusal_job,
    retrieval_job,
    selection_job,
)
from deploy.evaluation.benchmarks.model import AskedModel
from deploy.evaluation.benchmarks.runner import NotOurStackError, RunOptions, Variant, run_job
from deploy.evaluation.benchmarks.suite import list_tasks
from deploy.evaluation.datasets import DataError
from deploy.evaluation.product import NotPublishedError
from deploy.evaluation.profile_changes import SettingError, read_settings, read_sweep
from deploy.evaluation.progress import progress_for
from deploy.evaluation.report import history
from deploy.evaluation.report.comparison import compare
from deploy.evaluation.report.limits import Limit, LimitError, broken, read_limit
from deploy.evaluation.report.result import Result, read_result, with_both_names, write_result
from deploy.evaluation.report.tables import (
    difference_table,
    figure_table,
    part_tables,
    sweep_table,
)
from deploy.evaluation.stack import StackError
from deploy.rest_client.client import NotRunningError, ProblemError
from deploy.rest_client.packing import PackingError

BOOSTS, BOOSTED_QUESTIONS = "boost=1.0,1.2,1.5,2.0", 10
PILOTED = "course"
"""The profile that a pilot tries where none is named."""

_FILE_WIDTH = 140

_WRONG_USE = (DataError, LimitError, SettingError, NotOurStackError, PackingError)
_FAILURES = (StackError, NotPublishedError, ProblemError)


@contextmanager
def failures_printed(errors: Console) -> Iterator[None]:
    """Turn what can go wrong into one line and an exit status."""
    try:
        yield
    except (*_WRONG_USE, NotRunningError, *_FAILURES) as error:
        errors.print(str(error), style="red", markup=False)
        status = WRONG_USE if isinstance(error, _WRONG_USE) else FAILED
        status = NOT_RUNNING if isinstance(error, NotRunningError) else status
        raise typer.Exit(status) from error


@dataclass(frozen=True)
class Command:
    """The options that all benchmarks share, and the benchmarks themselves."""

    url: str = ""
    profile: str = ""
    changes: tuple[str, ...] = ()
    sweep: str = ""
    seed: int = 0
    limit: int = 0
    concurrency: int = 1
    fail_under: tuple[str, ...] = ()
    fail_over: tuple[str, ...] = ()
    json_file: Path | None = None

    def golden(self, file: Path, book: str, ingest: Path | None, judged: Path | None) -> None:
        self.run(lambda draw: golden_job(file, book, ingest, draw, judged), asks_book=bool(book))

    def selection(self, file: Path, ingest: Path) -> None:
        """Compare boosts of selected text over ten of its questions; a boost of 1 is none."""
        command = replace(self, sweep=self.sweep or BOOSTS, limit=self.limit or BOOSTED_QUESTIONS)
        command.run(lambda draw: selection_job(file, ingest, draw))

    def pilot(self, file: Path, ingest: Path, found_good: int | None, answers: Path | None) -> None:
        def prepare(draw: Draw) -> Job:
            return pilot_job(file, ingest, draw, found_good=found_good, answers=answers)

        replace(self, profile=self.profile or PILOTED).run(prepare)

    def retrieval(self, collection: Path, language: str) -> None:
        self.run(lambda draw: retrieval_job(collection, language, draw))

    def chunks(self, folder: Path, retrieved: int) -> None:
        self.run(lambda draw: chunks_job(folder, retrieved, draw))

    def grounding(self, files: Sequence[Path]) -> None:
        self.run(lambda draw: grounding_job(files, draw))

    def refusal(self, file: Path) -> None:
        self.run(lambda draw: refusal_job(file, draw))

    def gate(self, file: Path, ingest: Path) -> None:
        self.run(lambda draw: gate_job(file, ingest, draw))

    def injection(self, attacks: Path, contexts: Path, benign: Path) -> None:
        self.run(lambda draw: injection_job(attacks, contexts, benign, draw))

    def model(self, file: Path, ingest: Path, model: AskedModel, drafts: Path | None) -> None:
        self.run(lambda draw: model_job(file, ingest, model, drafts, draw))

    def drafts(self, files: DraftFiles, ingest: Path, verifier: str) -> None:
        self.run(lambda draw: drafts_job(files, ingest, verifier, draw))

    def formats(self, paths: Sequence[Path]) -> None:
        self.run(lambda draw: formats_job(paths, draw))

    def run(self, prepare: Callable[[Draw], Job], *, asks_book: bool = False) -> None:
        errors = console_for_errors()
        with failures_printed(errors):
            limits = self._limits()
            options = self._run_options(asks_book, errors)
            runs = run_job(prepare(Draw(self.limit, self.seed)), options)
            if self.json_file:
                _write(runs, options, self.json_file)
            _show(runs, options)
            lines = [
                f"{_swept(options, variant)}{line}"
                for variant, result in runs
                for line in broken(result, limits)
            ]
        _fail(errors, lines)

    def _run_options(self, asks_book: bool, errors: Console) -> RunOptions:
        # A book that is named is in the product that runs here, when no other is named.
        return RunOptions(
            url=self.url or (default_url() if asks_book else ""),
            profile=self.profile,
            changes=read_settings(self.changes),
            sweep=read_sweep(self.sweep) if self.sweep else None,
            seed=self.seed,
            concurrency=self.concurrency,
            progress=progress_for(errors),
        )

    def _limits(self) -> list[Limit]:
        return [
            *(read_limit(text, "under") for text in self.fail_under),
            *(read_limit(text, "over") for text in self.fail_over),
        ]


def console_for_tables() -> Console:
    """Return standard output; in a file or a pipe, lines are as wide as the tables need."""
    console = Console(markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    return console


def console_for_errors() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def _fail(errors: Console, lines: Sequence[str]) -> None:
    for line in lines:
        errors.print(f"failed: {line}", style="red", markup=False)
    if lines:
        raise typer.Exit(FAILED)


def _swept(options: RunOptions, variant: Variant) -> str:
    return f"{options.sweep.key}={variant.value}: " if options.sweep else ""


def _write(runs: Sequence[tuple[Variant, Result]], options: RunOptions, path: Path) -> None:
    if options.sweep is None:
        write_result(runs[0][1], path)
        return
    table = {
        "benchmark": runs[0][1].benchmark,
        "sweep": options.sweep.key,
        "runs": [{"value": variant.value, **result.as_json()} for variant, result in runs],
    }
    path.write_text(
        json.dumps(with_both_names(table), indent=1, ensure_ascii=False) + "\n", "utf-8"
    )


def _show(runs: Sequence[tuple[Variant, Result]], options: RunOptions) -> None:
    console = console_for_tables()
    if options.sweep is None:
        show_result(console, runs[0][1])
        return
    console.print(sweep_table(options.sweep.key, [(item.value, result) for item, result in runs]))


def show_result(console: Console, result: Result) -> None:
    """Print a result's tables and notes."""
    console.print(result.name, style="bold")
    console.print(figure_table(result))
    for table in part_tables(result):
        console.print()
        console.print(table)
    for note in result.notes[:10]:
        console.print(f"! {note}", style="yellow", markup=False, highlight=False)
    if len(result.notes) > 10:
        console.print(f"! and {len(result.notes) - 10} more", style="yellow")
    took, commit = result.run["took_s"], result.run["commit"] or "no commit"
    console.print(f"{took:.1f} s, seed {result.run['seed']}, {commit}", style="dim")


def compare_results(
    before: Path, after: Path, seed: int, json_file: Path | None, *, fail_on_worse: bool
) -> None:
    """Run `quoth eval compare`."""
    errors = console_for_errors()
    with failures_printed(errors):
        old, new = read_result(before), read_result(after)
        if old.benchmark != new.benchmark:
            raise DataError(f"{old.benchmark} and {new.benchmark} can't be compared.")
        differences = compare(old, new, seed=seed)
        if not differences:
            raise DataError("The two results have no rows in common.")
    console_for_tables().print(difference_table(differences))
    if json_file:
        listed = [
            {
                "figure": item.name,
                "verdict": item.verdict,
                "difference": item.paired.difference,
                **asdict(item.paired),
            }
            for item in differences
        ]
        table = {"seed": seed, "differences": listed}
        json_file.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    if fail_on_worse:
        worse = [item.name for item in differences if item.verdict == "worse"]
        _fail(errors, [f"{name} is worse beyond noise" for name in worse])


def measure_all(data: Path | None, *, keep: bool, guard: bool, only: str, seed: int) -> None:
    """Run `quoth eval all`: a product for each set, for a book's scores depend on its neighbours.

    What the product can't take in is named and left out; a set that fails does not stop the rest.
    """
    errors, console = console_for_errors(), console_for_tables()
    lines: list[str] = []
    for task in list_tasks(data):
        if only not in f"{task.benchmark} {task.name}":
            continue
        console.rule(f"{task.benchmark} {task.name}")
        try:
            options = RunOptions(seed=seed, progress=progress_for(errors))
            [(_, result)] = run_job(task.prepare(Draw()), options)
        except PackingError as error:
            console.print(f"left out: {error}", style="yellow", markup=False)
            continue
        except (*_WRONG_USE, *_FAILURES, NotRunningError) as error:
            lines.append(f"{task.benchmark} {task.name}: {error}")
            continue
        show_result(console, result)
        lines += _worse(console, result) if guard else []
        if keep:
            console.print(f"kept as {history.keep(result).name}", style="dim")
    if keep:
        history.draw_report()
    _fail(errors, lines)


def _worse(console: Console, result: Result) -> list[str]:
    worse = history.worse_than_kept(result)
    if worse:
        console.print(difference_table(worse))
    return [f"{result.name}: {item.name} is worse beyond noise" for item in worse]
