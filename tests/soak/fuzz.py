"""Give each parser documents that were broken at random, for minutes of CPU; the long form.

python -m tests.soak.fuzz [--minutes N] [--seed N] [FORMAT ...]

A document is made as `tests/support/generated_books.py` writes it or taken from what was tried before
and looked new, and then changed: bytes, lines, runs that are repeated or nested, pieces of markup; of
EPUB and DOCX mostly the files inside. It must be read whole, with offsets, blocks and chunks as the
property tests want them, or refused with a reason, within 5 s of CPU. Exits with 1 where one was not,
and keeps it in `--findings`.
"""

import argparse
import hashlib
import io
import json
import random
import resource
import sys
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from libs.errors import InvalidInput, TooLarge
from libs.profiles import Chunking
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Document
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.generated_books import FORMATS, Piece, pieces
from tests.support.hostile import HOSTILE
from tests.support.whole_documents import TOKENS, check_chunks, check_document

LONGEST_S = 5.0
MOST_BYTES = 40_000
_CORPUS = 600
_SEEDS = 40
_MEMORY = 3 << 30
_CHUNKING = Chunking("heading", 20, 90, 10, 80, (1, 2))
_MARKS: dict[str, Sequence[str]] = {
    ".md": (
        "#",
        "```",
        "~~",
        "|",
        "> ",
        "- ",
        "[^1]",
        "[^1]: ",
        "$$",
        "<div>",
        "</div>",
        "***",
        "\\",
    ),
    ".mdx": ("{", "}", "<A b={", "/>", "import ", "export ", ":::note", ":::", "<>", "</>", "{/*"),
    ".html": ("<table>", "<td rowspan=9>", "</p>", "<pre>", "<s>", "<sup>", "<!--", "&#x", "<svg>"),
    ".epub": ("<table>", "<td rowspan=9>", "</p>", "<pre>", "<sup>", "&#x", "<item ", "<itemref "),
    ".rst": (
        ".. ",
        "::",
        "``",
        "|a|",
        "`_",
        "+--+",
        "=== ===",
        "   ",
        ":ref:`",
        "\n----\n",
        "[1]_",
    ),
    ".ipynb": (
        '"cells": [',
        '"cell_type": "code"',
        '"source": ',
        '"outputs": [{"data": {"text/html": "<table>"}}]',
        '"worksheets": [',
        "\\n",
        "]",
        "}",
    ),
    ".adoc": (
        "----",
        "====",
        "|===",
        "include::",
        "ifdef::",
        "[[",
        "]]",
        "<<",
        "pass:[",
        "+++",
        "* ",
    ),
    ".docbook": (
        "<!DOCTYPE book [<!ENTITY a '&b;'>]>",
        "&a;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "<para>",
        "<xref linkend='a'/>",
        "<footnote>",
        "<entry morerows='9'>",
        "<info>",
    ),
    ".page": (
        "<section>",
        "<p>",
        "<links/>",
        "<item>",
        "<code>",
        "<media src='a'>",
        "<note>",
        "&a;",
    ),
    ".txt": ("=====", "-----", "1. ", "    ", "\f", "* ", "Chapter 1", "\t"),
    ".docx": ("<w:tbl>", "<w:p>", "<w:del>", "<w:vertAlign ", "</w:r>", "<w:tc>", "<m:oMath>"),
    ".pdf": (
        "obj",
        "endobj",
        "stream",
        "BT",
        "ET",
        "Tj",
        "Tf",
        "<<",
        ">>",
        "/Kids",
        "/Parent",
        "Tm",
    ),
}
_ODD = (
    "\0",
    "\ufeff",
    "\u202e",
    "\ud7ff",
    "\u0301" * 20,
    "\x85",
    "\r",
    "\U0001f9be",
    "&" * 9,
    "9" * 40,
)


@dataclass
class Tally:
    """What became of the documents of one format."""

    format: str
    tried: int = 0
    read: int = 0
    kinds: int = 0
    cpu_s: float = 0.0
    longest_s: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak.fuzz")
    options.add_argument("formats", nargs="*", default=list(FORMATS), metavar="FORMAT")
    options.add_argument("--minutes", type=float, default=30, help="of CPU, for each format")
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    options.add_argument("--findings", type=Path, default=Path("findings"))
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    found = 0
    for name in chosen.formats:
        tally = fuzz(name, chosen.minutes * 60, chosen.seed, chosen.findings)
        found += len(tally.findings)
        print(json.dumps({**vars(tally), "refused": tally.refused.total()}), flush=True)
    return int(bool(found))


def fuzz(name: str, cpu_s: float, number: int, findings: Path) -> Tally:
    """Try documents of one format until so much CPU is used."""
    chance = random.Random(f"{number} {name}")
    corpus = list(first_documents(name, number))
    tally, seen = Tally(name), set[str]()
    began = time.process_time()
    while tally.cpu_s < cpu_s:
        data = corpus[tally.tried] if tally.tried < _SEEDS else mutate(name, corpus, chance)
        look = _try(name, data, tally, findings)
        if look not in seen:
            seen.add(look)
            if len(corpus) < _CORPUS:
                corpus.append(data)
            else:
                corpus[chance.randrange(_SEEDS, _CORPUS)] = data
        tally.tried += 1
        tally.cpu_s = round(time.process_time() - began, 1)
    tally.kinds = len(seen)
    return tally


def first_documents(name: str, number: int) -> Iterator[bytes]:
    """Return documents as they should be, of many kinds of pieces."""
    write, words = FORMATS[name]
    books: list[list[Piece]] = []

    @seed(number)
    @settings(
        max_examples=4 * _SEEDS,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(pieces((*words, *_words_of(HOSTILE if name != ".pdf" else ()))))
    def collect(book: list[Piece]) -> None:
        books.append(book)

    collect()
    largest = sorted(books, key=len, reverse=True)
    return map(write, largest[:_SEEDS])


def _words_of(hostile: Sequence[str]) -> Iterator[str]:
    """Return those that a library which writes documents takes."""
    return (one for one in hostile if one.isprintable() and one.strip())


def _try(name: str, data: bytes, tally: Tally, findings: Path) -> str:
    """Read a document and note what became of it; return how it looks, for what is new."""
    began = time.process_time()
    try:
        look = " ".join(_look_of(document) for document in read_whole(name, data))
        tally.read += 1
    except (InvalidInput, TooLarge) as error:
        look = "".join(filter(str.isalpha, error.message))[:60]
        tally.refused[look] += 1
    except MemoryError:
        look = "memory"
        tally.refused[look] += 1
    except (Exception, RecursionError) as error:  # noqa: BLE001 - any other is a finding
        look = f"{type(error).__name__}: {error}"[:120]
        _keep(name, data, look, tally, findings)
    took_s = round(time.process_time() - began, 2)
    tally.longest_s = max(tally.longest_s, took_s)
    if took_s > LONGEST_S:
        _keep(name, data, "too long", tally, findings)
    return look


def read_whole(name: str, data: bytes) -> list[Document]:
    """Read a document as ingest does, and hold it against what holds of all of them."""
    plan = plan_book(fetch_source(f"b{name}", io.BytesIO(data), Limits()))
    documents = [parse_document(placed)[0] for placed in plan.documents]
    for document in documents:
        check_document(document)
        chunks = split_document("b", "en", document, _CHUNKING, TOKENS)
        check_chunks(document, chunks, _CHUNKING)
    return documents


def _look_of(document: Document) -> str:
    kinds = Counter(str(block.kind) for block in document.blocks)
    counts = ",".join(f"{kind}{count.bit_length()}" for kind, count in sorted(kinds.items()))
    dropped = "".join(sorted({type(one).__name__ for one in document.dropped_content}))
    return f"{counts} {len(document.sections).bit_length()} {dropped} {len(document.notes) > 0}"


def _keep(name: str, data: bytes, about: str, tally: Tally, findings: Path) -> None:
    if about not in tally.findings:
        findings.mkdir(parents=True, exist_ok=True)
        path = findings / f"{hashlib.sha256(data).hexdigest()[:12]}{name}"
        path.write_bytes(data)
        tally.findings[about] = path.name
        print(f"{name}: {about}: {path}", flush=True)


def mutate(name: str, corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """Return a document of the corpus, or one inside it, changed in one to six places."""
    data = chance.choice(corpus)
    marks = _MARKS[name]
    if name in (".docx", ".epub") and chance.random() < 0.9:
        return _in_archive(data, lambda inner: _change(inner, corpus, marks, chance), chance)
    return _change(data, corpus, marks, chance)


def _in_archive(data: bytes, change: Callable[[bytes], bytes], chance: random.Random) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    # Of a corpus with broken archives: zipfile raises NotImplementedError for a way of packing that it
    # does not know, RuntimeError for what is encrypted.
    except (zipfile.BadZipFile, RuntimeError, ValueError, OSError):
        return change(data)
    if not files:
        return change(data)
    changed = max(chance.sample(sorted(files), min(3, len(files))), key=lambda one: len(files[one]))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, change(content) if name == changed else content)
    return out.getvalue()


def _change(
    data: bytes, corpus: Sequence[bytes], marks: Sequence[str], chance: random.Random
) -> bytes:
    for _ in range(chance.randint(1, 6)):
        data = chance.choice(_CHANGES)(data, corpus, marks, chance)[:MOST_BYTES]
    return data


Change = Callable[[bytes, Sequence[bytes], Sequence[str], random.Random], bytes]


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randint(0, len(data))


def _flip(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    a, b = sorted((_place(data, chance), _place(data, chance)))
    return data[:a] + data[b:] if chance.random() < 0.7 else data[a:b]


def _insert(data: bytes, _: Sequence[bytes], marks: Sequence[str], chance: random.Random) -> bytes:
    at = _place(data, chance)
    piece = chance.choice((*marks, *marks, *_ODD, *HOSTILE, "\n", "\n\n"))
    times = 1 if chance.random() < 0.8 else chance.choice((2, 9, 120, 1500))
    between = chance.choice(("", "", "\n", " "))
    return data[:at] + between.join([piece] * times).encode("utf-8", "replace") + data[at:]


def _repeat(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    a = _place(data, chance)
    b = min(len(data), a + chance.choice((1, 3, 10, 60, 400)))
    return data[:b] + data[a:b] * chance.choice((1, 2, 20, 300)) + data[b:]


def _splice(
    data: bytes, corpus: Sequence[bytes], __: Sequence[str], chance: random.Random
) -> bytes:
    other = chance.choice(corpus)
    return data[: _place(data, chance)] + other[_place(other, chance) :]


def _swap_lines(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], b" " * chance.choice((0, 0, 1, 4, 9)) + lines[a]
    return b"\n".join(lines)


_CHANGES: Sequence[Change] = (_flip, _cut, _insert, _insert, _repeat, _splice, _swap_lines)

if __name__ == "__main__":
    sys.exit(main())
