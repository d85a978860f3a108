"""Ask a book by the other form of its abbreviations than the passage that answers has.

    python -m tests.quality.abbreviations BOOK > QUESTIONS.jsonl
    quoth eval golden QUESTIONS.jsonl --ingest BOOK
    python -m tests.quality.abbreviations BOOK --terms

BOOK is a folder of text documents. For each abbreviation that a document defines there are questions by
either form whose gold is the sentence with both (`by_short`, `by_long`), and up to two by one form
and two of the rarer words beside it, whose gold has the other form alone (`short_by_long`,
`long_by_short`). With `--terms` it prints of each kind how many there are, and the share whose gold is
among the five passages that terms alone find, by the form in the text and by both.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from statistics import fmean

from libs.errors import InvalidInput
from libs.profiles import load_profile
from libs.text import content_terms, words
from libs.vectors.sparse import sparse_encoder
from services.ingest.embedding_text import dense_text, sparse_text
from services.ingest.model.book import BlockKind, Chunk, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.formats import format_of, is_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from services.ingest.splitters.abbreviations import find_abbreviations
from tests.support.ingest_fakes import LetterTokens

_WORD = re.compile(r"[^\W_]+")
_LEAST, _MOST = 40, 400
"""Letters of a sentence that is asked for."""
_COMMON = 3
"""Passages with a word that may be asked with: one in fewer finds its passage by itself."""
_EACH = 2
_FOUND = 5

Row = dict[str, object]


def read_book(root: Path) -> Iterator[tuple[Document, list[Chunk]]]:
    """Yield the text documents of a folder with their chunks; what can't be read is left out."""
    paths = (path for path in sorted(root.rglob("*")) if path.is_file())
    files = [SourceFile(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths]
    texts = [
        file for file in files if is_document(file.path) and not format_of(file.path).is_binary
    ]
    chunking = load_profile("course").chunking
    for placed in plan_book(Source(texts)).documents:
        try:
            document, _ = parse_document(placed)
        except InvalidInput:
            continue
        yield document, split_document("book", "en", document, chunking, LetterTokens())


def ask(book: list[tuple[Document, list[Chunk]]]) -> Iterator[Row]:
    """Yield the questions to a book."""
    passages = Counter(
        word for _, chunks in book for chunk in chunks for word in set(words(chunk.body))
    )
    defined = set[str]()
    for document, chunks in book:
        for short, long in find_abbreviations(document.text).long_forms.items():
            left = _EACH
            for chunk, text in _sentences(chunks):
                has_short, has_long = _forms_in(text, short, long)
                if has_short and has_long and short not in defined:
                    defined.add(short)
                    yield _row("by_short", f"What is {short}?", document, text)
                    yield _row("by_long", f"What is the {long}?", document, text)
                elif has_short != has_long and left and not all(_forms_in(chunk.body, short, long)):
                    kind, asked = ("short_by_long", long) if has_short else ("long_by_short", short)
                    own = {*words(long), *words(short)}
                    rest = {word for word in words(text) if _may_ask(word, passages)} - own
                    beside = sorted(rest, key=lambda word: (passages[word], word))
                    if len(beside) > 1:
                        left -= 1
                        question = f"What about {beside[0]} and {beside[1]} of the {asked}?"
                        yield _row(kind, question, document, text)


def _may_ask(word: str, passages: Counter[str]) -> bool:
    """Whether it says something, and is no name by itself of the passage that it is in."""
    return word.isalpha() and bool(content_terms(word)) and passages[word] >= _COMMON


def _sentences(chunks: list[Chunk]) -> Iterator[tuple[Chunk, str]]:
    for chunk in chunks:
        for span in chunk.spans:
            text = chunk.body[span.start - chunk.start : span.end - chunk.start]
            if _LEAST < len(text) < _MOST and span.kind is not BlockKind.HEADING:
                yield chunk, text


def _forms_in(text: str, short: str, long: str) -> tuple[bool, bool]:
    found = _WORD.findall(text)
    return short in found, f" {long}" in f" {' '.join(found).lower()}"


def _row(kind: str, question: str, document: Document, text: str) -> Row:
    gold = [{"path": document.path, "quote": text}]
    return {"kind": kind, "question": question, "answerable": True, "answer": text, "gold": gold}


def recall(book: list[tuple[Document, list[Chunk]]]) -> dict[str, tuple[int, float, float]]:
    """Return of each kind how many rows, and how many are found without and with other forms."""
    rows = list(ask(book))
    chunks = [(document.path, chunk) for document, held in book for chunk in held]
    bare = [(path, replace(chunk, other_forms=())) for path, chunk in chunks]
    pairs = zip(_is_found(rows, bare), _is_found(rows, chunks), strict=True)
    kinds: dict[str, list[tuple[bool, bool]]] = {}
    for row, pair in zip(rows, pairs, strict=True):
        kinds.setdefault(str(row["kind"]), []).append(pair)
    return {
        kind: (len(held), fmean(one for one, _ in held), fmean(both for _, both in held))
        for kind, held in kinds.items()
    }


def _is_found(rows: Sequence[Row], chunks: Sequence[tuple[str, Chunk]]) -> list[bool]:
    """Return of each row whether its gold is in one of the five best by BM25."""
    encoder = sparse_encoder("en")
    encoded = [encoder.encode_document(dense_text(one), sparse_text(one)) for _, one in chunks]
    vectors = [dict(zip(one.indices, one.values, strict=True)) for one in encoded]
    counts = Counter(term for vector in vectors for term in vector)
    size = len(chunks)
    weights = {term: log(1 + (size - n + 0.5) / (n + 0.5)) for term, n in counts.items()}
    found = []
    for row in rows:
        asked = encoder.encode_question(str(row["question"])).indices
        scores = [
            sum(held.get(term, 0.0) * weights.get(term, 0.0) for term in asked) for held in vectors
        ]
        best = sorted(range(size), key=lambda at: -scores[at])[:_FOUND]
        found.append(any(str(row["answer"]) in chunks[at][1].body for at in best))
    return found


if __name__ == "__main__":
    if "--terms" in sys.argv:
        for kind, (count, without, with_forms) in recall(
            list(read_book(Path(sys.argv[1])))
        ).items():
            print(f"| {kind} | {count} | {without:.2f} | {with_forms:.2f} |")
        sys.exit()
    for number, row in enumerate(ask(list(read_book(Path(sys.argv[1]))))):
        print(json.dumps({"id": f"{row['kind']}-{number}", **row}))
