"""True and false sentences about the sample book, with the passages that they are checked against.

They are our own: written of the sample book as a language model words an answer, each true sentence
with versions of it that are false in one thing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from libs.profiles import load_profile
from libs.text import fold
from libs.tokens import TokenCounter
from services.generation.model import Statement
from services.ingest.model.book import Chunk, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document

PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
SAMPLE = Path(__file__).parents[2] / "samples" / "physical-ai"


@dataclass(frozen=True)
class LabelledStatement:
    """A statement and whether its proof says it. A truth and what was made of it are one `group`."""

    statement: Statement
    supported: bool
    category: str
    group: str


def read_paraphrases(path: Path = PARAPHRASES) -> list[LabelledStatement]:
    """Return the sentences of `path`. Raises ValueError for a quote that the sample book lacks."""
    found: list[LabelledStatement] = []
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        chunks = [_chunk_of(quote) for quote in record["quotes"]]
        versions = [
            (record["true"], "true"),
            *((said["text"], said["category"]) for said in record["false"]),
        ]
        for text, category in versions:
            statement = Statement(
                text,
                tuple(record["quotes"]),
                tuple(dict.fromkeys(chunk.body for chunk in chunks)),
                tuple(dict.fromkeys(" > ".join(chunk.section_path) for chunk in chunks)),
                record["question"],
            )
            found.append(LabelledStatement(statement, category == "true", category, record["true"]))
    return found


def _chunk_of(quote: str) -> Chunk:
    for chunk in _sample_chunks():
        if fold(chunk.body).find(fold(quote)):
            return chunk
    raise ValueError(f"the sample book does not say {quote!r}")


@cache
def _sample_chunks() -> Sequence[Chunk]:
    files = [
        SourceFile(str(path.relative_to(SAMPLE)), path.read_bytes())
        for path in sorted(SAMPLE.rglob("*"))
        if path.is_file()
    ]
    chunking, counter = load_profile("").chunking, TokenCounter(Path(".quoth/cache"))
    return [
        chunk
        for placed in plan_book(Source(files)).documents
        for chunk in split_document("sample", "en", parse_document(placed)[0], chunking, counter)
    ]
