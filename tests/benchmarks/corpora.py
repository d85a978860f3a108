"""The books and questions of a run."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.rest_client.packing import IMAGES, list_files
from tests.benchmarks.environment import ROOT

SAMPLES = ROOT / "deploy" / "samples"
MORE_BOOKS = "BENCH_BOOKS"
"""Variable that names a folder of more books; the default is `shared/books` beside the checkout."""
_MORE = (("physical_ai", "docs"), ("rust_book", "src"))
_NOT_LETTERS = re.compile(r"[\W_]+")
_ADDED = "\n\nA sentence that was added by the benchmark, so that this document has changed.\n"


@dataclass(frozen=True)
class Question:
    """A labelled question; one of the `quotes`, from the source of `documents`, would do."""

    text: str
    quotes: tuple[str, ...]
    documents: tuple[str, ...]

    def is_found_in(self, passages: Sequence[str]) -> bool:
        """Tell whether a gold quote begins in one of the passages, by letters and digits."""
        texts = [_letters(passage) for passage in passages]
        # The start of it is enough: systems cut long quotes at different places.
        return any(_letters(quote)[:40] in text for quote in self.quotes for text in texts)


@dataclass(frozen=True)
class Corpus:
    """A book on disk."""

    slug: str
    path: Path
    documents: tuple[Path, ...]

    @property
    def size_mb(self) -> float:
        return sum((self.path / name).stat().st_size for name in self.documents) / 1e6

    def texts(self) -> list[tuple[str, str]]:
        return [
            (name.as_posix(), (self.path / name).read_text(encoding="utf-8"))
            for name in self.documents
        ]

    def digest(self) -> str:
        """Return 12 digits that name its content."""
        whole = hashlib.sha256()
        for name, text in self.texts():
            whole.update(f"{name}\0{text}\0".encode())
        return whole.hexdigest()[:12]


def open_corpus(slug: str, path: Path) -> Corpus:
    names = [name for name in list_files(path) if name.suffix not in (".toml", *IMAGES)]
    return Corpus(slug, path, tuple(names))


def sample_corpus() -> Corpus:
    return open_corpus("physical-ai", SAMPLES / "physical-ai")


def sample_questions() -> list[Question]:
    """Return the answerable questions of the sample book that need no context."""
    lines = (SAMPLES / "physical-ai-golden.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [
        Question(
            row["question"],
            tuple(gold["quote"] for gold in row["gold"]),
            tuple(gold["path"] for gold in row["gold"]),
        )
        for row in rows
        if row["answerable"] and not row.get("history") and not row.get("selection")
    ]


def more_corpora() -> list[Corpus]:
    """Return the larger books that are at hand."""
    folder = Path(os.environ.get(MORE_BOOKS) or ROOT.parent / "shared" / "books")
    found = [
        (
            name.replace("_", "-") + ("" if name.endswith("_book") else "-book"),
            folder / name / inner,
        )
        for name, inner in _MORE
    ]
    return [open_corpus(slug, path) for slug, path in found if path.is_dir()]


def more_pdfs() -> list[Path]:
    """Return the PDF books that are at hand."""
    folder = Path(os.environ.get(MORE_BOOKS) or ROOT.parent / "shared" / "books")
    return sorted(folder.glob("*/*.pdf"))


@contextmanager
def first_documents(corpus: Corpus, number: int) -> Iterator[Corpus]:
    """A smaller book of the first documents, in a temporary folder."""
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        _copy(corpus, corpus.documents[:number], Path(folder))
        yield open_corpus(f"{corpus.slug}-part", Path(folder))


@contextmanager
def one_changed(corpus: Corpus) -> Iterator[Corpus]:
    """The same book with a paragraph added to the document in its middle."""
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        _copy(corpus, [*corpus.documents, *_settings(corpus)], Path(folder))
        changed = Path(folder) / corpus.documents[len(corpus.documents) // 2]
        changed.write_text(changed.read_text(encoding="utf-8") + _ADDED, encoding="utf-8")
        yield Corpus(corpus.slug, Path(folder), corpus.documents)


@contextmanager
def rewritten(corpus: Corpus, mark: str) -> Iterator[Corpus]:
    """The same book with `mark` in every sentence: no text of it was embedded before."""
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        _copy(corpus, [*corpus.documents, *_settings(corpus)], Path(folder))
        for name in corpus.documents:
            text = (Path(folder) / name).read_text(encoding="utf-8")
            changed = text.replace(". ", f" {mark}. ").replace(".\n", f" {mark}.\n")
            (Path(folder) / name).write_text(changed, encoding="utf-8")
        yield Corpus(corpus.slug, Path(folder), corpus.documents)


def _settings(corpus: Corpus) -> list[Path]:
    return [name for name in list_files(corpus.path) if name.suffix == ".toml"]


def _copy(corpus: Corpus, names: Sequence[Path], folder: Path) -> None:
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus.path / name, target)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()
