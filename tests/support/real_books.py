"""The real books beside the checkout, each read from its source once in a run.

    def test_it(read_book: ReadBook) -> None:
        documents = read_book(BOOKS / "debian_policy" / "policy.pdf")

What parsing gives depends on the source alone; of the largest PDF it takes twelve seconds of processor
time, for each of the files of tests that look at it. What is read is for all of them: change nothing.
"""

import fcntl
import hashlib
import os
import pickle
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import pytest

from deploy.rest_client.packing import open_source
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Document, SourceFile
from services.ingest.parse import parse_with_pictures
from services.ingest.parsers.archive import Limits
from services.ingest.plan import plan_book

BOOKS = Path(__file__).parents[3] / "shared" / "books"
Parsed = tuple[Document, Sequence[SourceFile] | None, list[str]]
"""A document, the pictures that lie in its file, and its warnings."""
ReadBook = Callable[[Path], list[Document]]
ReadParsed = Callable[[Path], list[Parsed]]


@pytest.fixture(scope="session")
def read_book(read_parsed: ReadParsed) -> ReadBook:
    """Return what reads a book, from its place, as this run's workers read it once among them."""
    return cache(lambda book: [document for document, *_ in read_parsed(book)])


@pytest.fixture(scope="session")
def read_parsed(tmp_path_factory: pytest.TempPathFactory) -> ReadParsed:
    """Return what reads all of a book that parsing gives, once among this run's workers."""
    own = tmp_path_factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    return cache(partial(read_once, place))


def read_once(room: Path, book: Path) -> list[Parsed]:
    """Return what is parsed of `book`, from `room` where they are since another process read it."""
    name = hashlib.sha256(os.fsencode(book)).hexdigest()
    with (room / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = room / f"{name}.documents"
        if kept.exists():
            found: list[Parsed] = pickle.loads(kept.read_bytes())
            return found
        parsed = parse_book(book)
        made = kept.with_suffix(".part")
        made.write_bytes(pickle.dumps(parsed))
        made.rename(kept)
    return parsed


def parse_book(book: Path) -> list[Parsed]:
    with open_source(book) as sent, sent.path.open("rb") as file:
        plan = plan_book(fetch_source(sent.file_name, file, Limits()))
    return [parse_with_pictures(placed) for placed in plan.documents]
