"""Measure what ingesting a book costs against the floor, and what it costs again."""

import time
from dataclasses import dataclass
from pathlib import Path

from deploy.rest_client.client import Gateway
from deploy.rest_client.packing import open_source
from libs.profiles import load_profile
from libs.tokens import TokenCounter
from services.ingest.embedding_text import dense_text
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Chunk
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.benchmarks.corpora import Corpus, one_changed
from tests.benchmarks.embedding_floor import measure_floor
from tests.benchmarks.figures import Figures
from tests.benchmarks.product import Product, ProductError


@dataclass(frozen=True)
class Ingest:
    """What one ingest took, from sending the book to its edition being what readers see."""

    wall_s: float
    cpu_s: float
    chunks: int
    reused: int


async def ingest(product: Product, corpus: Corpus) -> Ingest:
    """Ingest a book over REST. Raises ProductError when it does not get published."""
    with product.measured() as use:
        began = time.perf_counter()
        job = {}
        async with Gateway(product.url) as gateway:
            with open_source(corpus.path) as source:
                name = {"file_name": source.file_name}
                job = await gateway.start_ingest(corpus.slug, source.path, name)
            async for state in gateway.follow_ingest(corpus.slug, job["job_id"]):
                job = state
        wall_s = time.perf_counter() - began
    if job["state"] != "published":
        raise ProductError(f"{corpus.slug} was not published: {job['error']}")
    return Ingest(wall_s, use.total_s, job["chunks_total"], job["chunks_reused"])


async def measure_ingest(figures: Figures, product: Product, corpus: Corpus) -> int:
    """Ingest, embed the same texts alone, ingest again unchanged, and with one changed document.

    Returns the number of chunks.
    """
    name = f"ingest.{corpus.slug}"
    chunks = split_corpus(corpus, product.cache_dir)
    texts = {dense_text(chunk) for chunk in chunks}  # equal texts are embedded once
    first = await ingest(product, corpus)
    if first.chunks != len(chunks):
        raise ProductError(f"{corpus.slug}: {first.chunks} chunks published, {len(chunks)} split")
    floor = measure_floor(sorted(texts), product.cache_dir)
    again = await ingest(product, corpus)
    with one_changed(corpus) as changed:
        third = await ingest(product, changed)
    figures.add(f"{name}.chunks", first.chunks, "", better="higher")
    figures.add(f"{name}.wall", first.wall_s, "s")
    figures.add(f"{name}.cpu", first.cpu_s, "s CPU")
    figures.add(f"{name}.floor.wall", floor.wall_s, "s")
    figures.add(f"{name}.floor.cpu", floor.cpu_s, "s CPU")
    figures.add(f"{name}.wall_over_floor", first.wall_s / floor.wall_s, "×")
    figures.add(f"{name}.cpu_over_floor", first.cpu_s / floor.cpu_s, "×", guarded=True)
    figures.add(f"{name}.rate", corpus.size_mb / first.wall_s, "MB/s", better="higher")
    figures.add(f"{name}.chunk_rate", first.chunks / first.wall_s, "chunks/s", better="higher")
    for word, run in (("unchanged", again), ("one_changed", third)):
        figures.add(f"{name}.{word}.wall", run.wall_s, "s")
        figures.add(f"{name}.{word}.cpu", run.cpu_s, "s CPU", guarded=True)
        figures.add(f"{name}.{word}.wall_share", run.wall_s / first.wall_s, "of the first")
        figures.add(f"{name}.{word}.cpu_share", run.cpu_s / first.cpu_s, "of the first")
        figures.add(f"{name}.{word}.reused", run.reused, "chunks", better="higher")
    per_100 = again.wall_s * 100 / len(corpus.documents)
    figures.add(f"{name}.unchanged.wall_per_100_documents", per_100, "s")
    return first.chunks


def split_corpus(corpus: Corpus, cache_dir: Path) -> list[Chunk]:
    """Return the chunks that the product makes of the book, made by its own stages."""
    with open_source(corpus.path) as packed, packed.path.open("rb") as file:
        source = fetch_source(packed.file_name, file, Limits())
    plan = plan_book(source)
    language = plan.book_file.language or "en"
    chunking, tokens = load_profile("").chunking, TokenCounter(cache_dir)
    documents = [parse_document(placed)[0] for placed in plan.documents]
    return [
        chunk
        for document in documents
        for chunk in split_document(corpus.slug, language, document, chunking, tokens)
    ]
