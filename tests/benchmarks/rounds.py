"""Measure whole lives of the product, as many as are asked for."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.corpora import (
    Corpus,
    Question,
    first_documents,
    more_corpora,
    sample_corpus,
    sample_questions,
)
from tests.benchmarks.figures import Figures
from tests.benchmarks.gateway_overhead import measure_gateway
from tests.benchmarks.measure_checks import measure_checks
from tests.benchmarks.measure_ingest import ingest, measure_ingest, split_corpus
from tests.benchmarks.measure_load import measure_overload, measure_throughput
from tests.benchmarks.measure_memory import measure_memory
from tests.benchmarks.measure_questions import measure_questions
from tests.benchmarks.measure_reading import (
    measure_reading,
    measure_reindexing,
    measure_without_embedding,
)
from tests.benchmarks.measure_replicas import measure_replicas
from tests.benchmarks.measure_verifiers import measure_verifiers
from tests.benchmarks.peers.side_by_side import PeerMissing, measure_peer, summarise_peer
from tests.benchmarks.product import Product, product_in
from tests.benchmarks.scale import measure_scale

Say = Callable[[str], None]
QUICK_DOCUMENTS = 4


@dataclass(frozen=True)
class Extent:
    """How much is measured. `questions` are asked of each kind, one after the other."""

    mode: str
    rounds: int
    questions: int
    load_s: float
    overload_s: float
    peer_rounds: int
    more_books: bool
    scale: tuple[int, ...]
    seed: int = 7
    alone_mb: tuple[float, ...] = (1, 6, 24)
    overload_repeats: int = 3


FULL = Extent("full", 3, 120, 10.0, 6.0, 3, more_books=True, scale=(3000, 20000))
QUICK = Extent(
    "quick",
    1,
    30,
    2.5,
    3.0,
    1,
    more_books=False,
    scale=(3000,),
    alone_mb=(1, 6),
    overload_repeats=1,
)


@dataclass
class Measured:
    """Everything that was found out."""

    figures: Figures = field(default_factory=Figures)
    overload: list[dict[str, Any]] = field(default_factory=list)
    peers: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Material:
    """The book that is asked, larger ones that are only ingested, and the questions."""

    asked: Corpus
    larger: Sequence[Corpus]
    questions: Sequence[Question]


def gather(extent: Extent, stack: ExitStack) -> Material:
    """Return the material; `stack` holds its temporary folders."""
    corpus, questions = sample_corpus(), sample_questions()
    if extent.mode == "quick":
        corpus = stack.enter_context(first_documents(corpus, QUICK_DOCUMENTS))
        names = {name.as_posix() for name in corpus.documents}
        questions = [question for question in questions if names.intersection(question.documents)]
    return Material(corpus, more_corpora() if extent.more_books else (), questions)


async def measure_product(extent: Extent, material: Material, measured: Measured, say: Say) -> None:
    """Run the rounds: each begins with an empty home, and sees a cold and a warm start."""
    for number in range(1, extent.rounds + 1):
        say(f"round {number} of {extent.rounds}")
        with (
            TemporaryDirectory(prefix="quoth-bench-") as folder,
            product_in(Path(folder, "home")) as product,
        ):
            await _measure_life(
                extent, material, measured, product, say, is_last=number == extent.rounds
            )


async def _measure_life(
    extent: Extent,
    material: Material,
    measured: Measured,
    product: Product,
    say: Say,
    *,
    is_last: bool,
) -> None:
    figures, asked = measured.figures, material.asked
    say("  start, cold and warm; memory")
    for word in ("cold", "warm"):
        product.stop()
        start = product.start()
        figures.add(f"start.{word}.wall", start.wall_s, "s")
        figures.add(f"start.{word}.cpu", start.cpu_s, "s CPU", guarded=True)
    before_mb = await measure_memory(figures, product, "idle")
    say(f"  ingest of {asked.slug}")
    await measure_ingest(figures, product, asked)
    after_mb = await measure_memory(figures, product, "asked_book")
    figures.add(f"memory.grown.{asked.slug}", after_mb - before_mb, "MB")
    say("  questions one after the other")
    await measure_questions(figures, product, asked.slug, material.questions, extent.questions)
    if is_last:
        say("  questions while the book is indexed anew")
        await measure_reindexing(figures, product, asked, material.questions, extent.questions)
        await ingest(product, asked)
    say("  1, 8 and 32 clients")
    capacity = await measure_throughput(
        figures, product, asked.slug, material.questions, extent.load_s
    )
    figures.add("overload.capacity", capacity, "answers/s", better="higher")
    if is_last:
        say(f"  overload: an open load around {capacity:.0f} answers/s")
        await _overload(extent, material, measured, product, capacity)
    before_mb = await measure_memory(figures, product, "after_load")
    if is_last:
        # Once: minutes each, and nearly all of it is the embedding that the ratios divide by.
        await _ingest_larger(material, figures, product, say, before_mb)


async def _overload(
    extent: Extent, material: Material, measured: Measured, product: Product, capacity: float
) -> None:
    measured.overload += await measure_overload(
        product,
        material.asked.slug,
        material.questions,
        capacity_per_s=capacity,
        duration_s=extent.overload_s,
        repeats=extent.overload_repeats,
        seed=extent.seed,
    )
    for row in measured.overload:
        name = f"overload.{row['times_capacity']:g}.goodput"
        measured.figures.add(name, row["share_of_peak"], "of the peak", better="higher")


async def _ingest_larger(
    material: Material, figures: Figures, product: Product, say: Say, before_mb: float
) -> None:
    for corpus in material.larger:
        say(f"  ingest of {corpus.slug}")
        chunks = await measure_ingest(figures, product, corpus)
        after_mb = await measure_memory(figures, product, f"with.{corpus.slug}")
        figures.add(f"memory.grown.{corpus.slug}", after_mb - before_mb, "MB")
        figures.add(
            f"memory.grown_per_1000_chunks.{corpus.slug}",
            1e3 * (after_mb - before_mb) / chunks,
            "MB",
        )
        before_mb = after_mb


async def measure_fleet(extent: Extent, material: Material, measured: Measured, say: Say) -> None:
    """Ask six replicas of retrieval, and lose and add some."""
    say("replicas of retrieval: one, six; one killed, frozen, cut off, drained, added")
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        home = Path(folder, "home")
        await measure_replicas(measured.figures, home, material.questions, extent.load_s)


def measure_sizes(extent: Extent, measured: Measured, cache_dir: Path, say: Say) -> None:
    """Read and ingest without embedding; search among more chunks than the books at hand have."""
    corpora = [sample_corpus(), *(more_corpora() if extent.more_books else ())]
    say("the gateway alone; checks of a sentence; answers by verifier; reading alone; no embedding")
    measure_gateway(measured.figures)
    measure_checks(measured.figures)
    measure_verifiers(measured.figures)
    measure_reading(measured.figures, corpora, cache_dir)
    measure_without_embedding(measured.figures, cache_dir, extent.alone_mb)
    # Once: minutes, nearly all of them for making the chunks.
    say(f"search among {extent.scale} chunks")
    measure_scale(measured.figures, extent.scale, extent.seed, cache_dir)


def measure_peers(
    extent: Extent,
    material: Material,
    measured: Measured,
    pythons: Sequence[tuple[str, Path]],
    cache_dir: Path,
    say: Say,
) -> None:
    """Run each (name, its Python) on the same book and questions, in turns."""
    chunks = split_corpus(material.asked, cache_dir)
    characters = round(fmean(len(chunk.body) for chunk in chunks))
    measured.notes.append(f"Peers split to {characters} characters, our mean, without overlap.")
    runs: dict[str, list[dict[str, Any]]] = {}
    missing: set[str] = set()
    for number in range(1, extent.peer_rounds + 1):
        say(f"peers, round {number} of {extent.peer_rounds}")
        for name, python in pythons:
            if name in missing:
                continue
            try:
                run = measure_peer(
                    name,
                    python,
                    material.asked,
                    material.questions[: extent.questions],
                    chunk_characters=characters,
                    cache_dir=cache_dir,
                    warm_up=3,
                )
            except PeerMissing as reason:
                missing.add(name)
                measured.notes.append(str(reason))
                say(f"  {reason}")
                continue
            say(f"  {name}: {run['ask_cpu_ms']:.1f} ms CPU a question")
            runs.setdefault(name, []).append(run)
    measured.peers += [summarise_peer(found) for found in runs.values()]
