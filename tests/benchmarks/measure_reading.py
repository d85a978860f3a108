"""Measure what ingest costs without embedding, and what re-indexing costs those who ask."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from libs.profiles import load_profile
from libs.tokens import TokenCounter
from services.ingest.model.book import Source, SourceFile
from services.ingest.parsers.formats import is_document
from services.ingest.plan import plan_book
from services.ingest.ports.reading import ReadTask
from services.ingest.read import read_document
from tests.benchmarks.asking import Asked, asking
from tests.benchmarks.corpora import Corpus, Question, more_pdfs, rewritten
from tests.benchmarks.figures import Figures, percentile
from tests.benchmarks.ingest_alone import measure_alone
from tests.benchmarks.measure_ingest import ingest
from tests.benchmarks.product import Product


def measure_reading(figures: Figures, corpora: Sequence[Corpus], cache_dir: Path) -> None:
    """Parse and split on one core, in this process: Markdown by size, PDF by page."""
    tokens = TokenCounter(cache_dir)
    for corpus in corpora:
        files = [
            SourceFile(name.as_posix(), (corpus.path / name).read_bytes())
            for name in corpus.documents
            if is_document(name.as_posix())
        ]
        _read(files[:1], tokens)
        spent_s, _ = _read(files, tokens)
        rate = corpus.size_mb / spent_s
        figures.add(f"reading.{corpus.slug}.rate", rate, "MB/s CPU", better="higher")
    for path in more_pdfs():
        spent_s, pages = _read([SourceFile(path.name, path.read_bytes())], tokens)
        figures.add(f"reading.{path.stem}.rate", pages / spent_s, "pages/s CPU", better="higher")


def _read(files: Sequence[SourceFile], tokens: TokenCounter) -> tuple[float, int]:
    """Return CPU seconds and the last page."""
    began, page = time.process_time(), 0
    for placed in plan_book(Source(files)).documents:
        read = read_document(ReadTask("bench", "en", placed, load_profile("").chunking), tokens)
        page = max([page, *(block.page for block in read.document.blocks)])
    return time.process_time() - began, page


def measure_without_embedding(
    figures: Figures, cache_dir: Path, megabytes: Sequence[float]
) -> None:
    """Ingest made-up books of these sizes with vectors that cost nothing; their memory by size."""
    for size in megabytes:
        found = measure_alone(cache_dir, size)
        name = f"alone.{size:g}mb"
        total_s = found.cpu_s + found.child_cpu_s
        figures.add(f"{name}.source", found.source_mb, "MB", better="higher")
        figures.add(f"{name}.rate", found.source_mb / total_s, "MB/s CPU", better="higher")
        figures.add(f"{name}.grown", found.grown_mb, "MB")
        figures.add(f"{name}.child_peak", found.child_peak_mb, "MB")


async def measure_reindexing(
    figures: Figures,
    product: Product,
    corpus: Corpus,
    questions: Sequence[Question],
    number: int,
) -> None:
    """Ask `number` questions alone, then while the book is indexed anew, with all its texts new."""
    async with asking(product.url, corpus.slug, questions) as asker:
        alone, under = Asked(), Asked()
        for place in range(number):
            await asker.answer(place, "alone", alone)
        indexing = asyncio.create_task(_index_for_ever(product, corpus))
        try:
            for place in range(number):
                await asker.answer(place, "under", under)
            made_meanwhile = not indexing.done()
        finally:
            indexing.cancel()
            with suppress(asyncio.CancelledError):
                await indexing
    assert made_meanwhile, "the indexing has ended before the questions"
    for name, asked in (("alone", alone), ("under", under)):
        figures.add(f"reindexing.{name}.p95", percentile(asked.walls_ms, 0.95), "ms")
    ratio = percentile(under.walls_ms, 0.95) / percentile(alone.walls_ms, 0.95)
    figures.add("reindexing.p95_ratio", ratio, "×")


async def _index_for_ever(product: Product, corpus: Corpus) -> None:
    mark = 0
    while True:
        mark += 1
        with rewritten(corpus, f"anew{mark}") as changed:
            await ingest(product, changed)
