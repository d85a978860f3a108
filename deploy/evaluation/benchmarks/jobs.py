"""Prepare each benchmark: read its files, and say what has to run."""

import random
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from deploy.evaluation.benchmarks import obedient_model
from deploy.evaluation.benchmarks.chunks import RETRIEVED, measure_chunks
from deploy.evaluation.benchmarks.drafts import (
    DraftFiles,
    Recording,
    measure_drafts,
)
from deploy.evaluation.benchmarks.drafts import read_claims as read_recorded_claims
from deploy.evaluation.benchmarks.drafts import read_drafts as read_recorded_drafts
from deploy.evaluation.benchmarks.formats import measure_formats
from deploy.evaluation.benchmarks.gate import measure_gate, require_both
from deploy.evaluation.benchmarks.golden import measure_golden
from deploy.evaluation.benchmarks.grounding import measure_grounding
from deploy.evaluation.benchmarks.injection import measure_injection
from deploy.evaluation.benchmarks.model import AskedModel, measure_model, read_drafts
from deploy.evaluation.benchmarks.pilot import measure_pilot
from deploy.evaluation.benchmarks.played_model import PlayedModel
from deploy.evaluation.benchmarks.refusal import measure_refusal
from deploy.evaluation.benchmarks.retrieval import measure_retrieval
from deploy.evaluation.datasets import (
    DataError,
    read_carriers,
    read_chunks,
    read_claims,
    read_golden,
    read_planted,
    read_questions,
    read_refusals,
    read_retrieval,
)
from deploy.evaluation.judgements import add_judgements
from deploy.evaluation.report.result import Measured
from deploy.evaluation.session import Session

T = TypeVar("T")

BOOK = "measured"
"""Slug of a book that is ingested to be measured."""

Measure = Callable[[Session], Awaitable[Measured]]
Environment = Callable[[], AbstractContextManager[Mapping[str, str]]]


@dataclass(frozen=True)
class Job:
    """One benchmark over its files. `environment` lasts as long as the product runs."""

    benchmark: str
    measure: Measure
    data: tuple[Path, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)
    environment: Environment = field(default=lambda: nullcontext({}))
    needs_product: bool = True
    needs_own_product: bool = False


@dataclass(frozen=True)
class Draw:
    """Which rows to take: all of them, or `limit` by the seed."""

    limit: int = 0
    seed: int = 0

    def from_rows(self, rows: Sequence[T]) -> list[T]:
        """Return the rows in their order."""
        if not self.limit or self.limit >= len(rows):
            return list(rows)
        drawn = random.Random(self.seed).sample(range(len(rows)), self.limit)  # noqa: S311
        return [rows[at] for at in sorted(drawn)]


def golden_job(
    file: Path, book: str, ingest: Path | None, draw: Draw, judged: Path | None = None
) -> Job:
    """Ask a book that is there, or one that is ingested first. Raises DataError."""
    if not book and ingest is None:
        raise DataError("Name the book: --book SLUG for one that is there, or --ingest PATH.")
    rows = draw.from_rows(add_judgements(read_golden(file), judged))
    slug = book or BOOK

    async def measure(session: Session) -> Measured:
        if ingest is not None:
            await session.product.ingest(
                slug, ingest, profile=session.profile, progress=session.progress
            )
        return await measure_golden(session, slug, rows)

    return Job("golden", measure, (file,) if ingest is None else (file, ingest))


def pilot_job(
    file: Path,
    ingest: Path,
    draw: Draw,
    *,
    found_good: int | None = None,
    answers: Path | None = None,
) -> Job:
    """Ingest one module and hold it against the criteria of a pilot. Raises DataError."""
    rows = draw.from_rows(read_golden(file))

    async def measure(session: Session) -> Measured:
        await session.product.ingest(
            BOOK, ingest, profile=session.profile, progress=session.progress
        )
        return await measure_pilot(session, BOOK, rows, found_good=found_good, answers=answers)

    return Job("pilot", measure, (file, ingest))


def selection_job(file: Path, ingest: Path, draw: Draw) -> Job:
    """Ask only the questions about selected text, in the whole book and with the selection boosted."""
    with_selection = [row for row in read_golden(file) if row.selection is not None]
    if not with_selection:
        raise DataError(f"{file}: no row has a selection")
    rows = draw.from_rows(with_selection)

    async def measure(session: Session) -> Measured:
        await session.product.ingest(
            BOOK, ingest, profile=session.profile, progress=session.progress
        )
        return await measure_golden(session, BOOK, rows)

    changes = {"retrieval.selection_policy": "boost", "retrieval.rerank": "boost"}
    return Job("selection", measure, (file, ingest), changes)


def retrieval_job(collection: Path, language: str, draw: Draw) -> Job:
    judged = read_retrieval(collection)
    judged = replace(judged, questions=dict(draw.from_rows(list(judged.questions.items()))))
    return Job(
        "retrieval",
        lambda session: measure_retrieval(session, BOOK, judged, language),
        (collection,),
    )


def chunks_job(folder: Path, retrieved: int, draw: Draw) -> Job:
    chunk_set = read_chunks(folder)
    chunk_set = replace(chunk_set, questions=tuple(draw.from_rows(chunk_set.questions)))
    return Job(
        "chunks",
        lambda session: measure_chunks(session, BOOK, chunk_set, retrieved or RETRIEVED),
        (folder,),
    )


def refusal_job(file: Path, draw: Draw) -> Job:
    rows = draw.from_rows(read_refusals(file))
    return Job("refusal", lambda session: measure_refusal(session, BOOK, rows), (file,))


def gate_job(file: Path, ingest: Path, draw: Draw) -> Job:
    """Ask what a book answers and what it does not. Raises DataError."""
    questions = draw.from_rows(read_questions(file))
    require_both(file, questions)
    return Job(
        "gate",
        lambda session: measure_gate(session, BOOK, ingest, questions),
        (file, ingest),
    )


def formats_job(paths: Sequence[Path], draw: Draw) -> Job:
    """Take the formats of a book and, last, the questions. Raises DataError."""
    if len(paths) < 3:
        raise DataError("Give at least two formats of a book, and the questions last.")
    questions = draw.from_rows(read_questions(paths[-1]))
    return Job(
        "formats",
        lambda session: measure_formats(session, paths[:-1], questions),
        tuple(paths),
    )


def grounding_job(files: Sequence[Path], draw: Draw) -> Job:
    """The check alone: no product has to run."""
    claims = {path.stem: draw.from_rows(read_claims(path)) for path in files}

    async def measure(session: Session) -> Measured:
        return measure_grounding(claims, session.progress)

    return Job("grounding", measure, tuple(files), needs_product=False)


def injection_job(attacks: Path, contexts: Path, benign: Path, draw: Draw) -> Job:
    """The product, its gate open, asks a model of ours that obeys."""
    planted = draw.from_rows(read_planted(attacks))
    harmless = draw.from_rows(read_planted(benign))
    carriers = read_carriers(contexts)
    model = obedient_model.ObedientModel()

    @contextmanager
    def environment() -> Iterator[Mapping[str, str]]:
        with obedient_model.serve(model) as url:
            yield {
                "GENERATION_ANSWERER": "openai",
                "GENERATION_MODEL_URL": url,
                "GENERATION_MODEL_KEY": "obedient",
            }

    return Job(
        "injection",
        lambda session: measure_injection(session, model, planted, harmless, carriers),
        (attacks, contexts, benign),
        changes={"retrieval.gate_threshold": 0.0, "retrieval.gate_threshold_model": 0.0},
        environment=environment,
        needs_own_product=True,
    )


def drafts_job(files: DraftFiles, ingest: Path, verifier: str, draw: Draw) -> Job:
    """Replay recorded drafts through the product; the verifier `model` is the recorded judge."""
    recording = Recording(
        read_golden(files.golden),
        draw.from_rows(read_recorded_drafts(files.drafts)),
        read_recorded_claims(files.claims) if files.claims else [],
    )
    model = PlayedModel()

    @contextmanager
    def environment() -> Iterator[Mapping[str, str]]:
        with obedient_model.serve(model) as url:
            yield {
                "GENERATION_ANSWERER": "openai",
                "GENERATION_MODEL_URL": url,
                "GENERATION_MODEL_KEY": "played",
                "GENERATION_VERIFIER": verifier,
                "GENERATION_VERIFIER_MODEL": "played",
            }

    async def measure(session: Session) -> Measured:
        await session.product.ingest(
            BOOK, ingest, profile=session.profile, progress=session.progress
        )
        return await measure_drafts(session, BOOK, model, recording)

    return Job(
        "drafts",
        measure,
        (*files.paths, ingest),
        environment=environment,
        needs_own_product=True,
    )


def model_job(file: Path, ingest: Path, model: AskedModel, drafts: Path | None, draw: Draw) -> Job:
    """Let a language model answer, and see what of it the checks let through."""
    rows = draw.from_rows(read_golden(file))
    known = {draft.row_id for draft in read_drafts(drafts)}
    kept = all(row.row_id in known for row in rows)

    async def measure(session: Session) -> Measured:
        if not kept:
            await session.product.ingest(
                BOOK, ingest, profile=session.profile, progress=session.progress
            )
        with tempfile.TemporaryDirectory() as cache:
            return await measure_model(session, BOOK, rows, model, cache=Path(cache), kept=drafts)

    return Job("model", measure, (file, ingest), needs_product=not kept, needs_own_product=True)
