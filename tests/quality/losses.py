"""Say of manuals what became of them: what is not in their text, and what is there otherwise.

    python -m tests.quality.losses MANUAL...

MANUAL is a document or a folder of them, in the formats that are taken. Prints a row of a table for
each, and below it each kind of loss with its count and its reason, as the ingest reports name them.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from libs.errors import InvalidInput
from libs.profiles import load_profile
from services.ingest.model.book import DocumentReport, Source, SourceFile
from services.ingest.parsers.formats import format_of, is_document, is_side_file
from services.ingest.plan import plan_book
from services.ingest.ports.reading import ReadTask
from services.ingest.read import read_document
from services.ingest.report import main_language
from tests.support.ingest_fakes import LetterTokens

HEADER = (
    "| manual | format | language | documents, refused | letters | left out | changed |\n"
    "|---|---|---|--:|--:|--:|--:|"
)


def read_manual(manual: Path) -> Iterator[DocumentReport]:
    """Yield the report of each document; of one that can't be read, why."""
    paths = sorted(manual.rglob("*")) if manual.is_dir() else [manual]
    root = manual if manual.is_dir() else manual.parent
    named = {path: path.relative_to(root).as_posix() for path in paths if path.is_file()}
    files = [
        SourceFile(name, path.read_bytes())
        for path, name in named.items()
        if is_document(name) or is_side_file(name)
    ]
    chunking = load_profile("course").chunking
    for placed in plan_book(Source(files)).documents:
        try:
            yield read_document(ReadTask("book", "", placed, chunking), LetterTokens()).report
        except InvalidInput as error:
            yield DocumentReport(placed.file.path, 0, 0, [], {}, [], 0, 0, failure=error.message)


def show(manual: Path, reports: Sequence[DocumentReport]) -> Iterator[str]:
    """Yield the row of a manual, then a line for each kind of loss, the commonest first."""
    lost = [loss for report in reports for loss in report.dropped_content]
    letters = sum(report.visible_characters for report in reports)
    gone = sum(loss.characters for loss in lost if loss.dropped)
    gone += sum(report.visible_characters - report.covered_characters for report in reports)
    formats = Counter(format_of(report.path).name for report in reports)
    refused = [report for report in reports if report.failure]
    yield (
        f"| {manual.name} | {', '.join(formats)} | {main_language(reports)} "
        f"| {len(reports)}, {len(refused)} | {letters:,} | {gone:,} "
        f"| {sum(not loss.dropped for loss in lost):,} |"
    )
    yield from (f"  refused: {report.failure}" for report in refused)
    kinds = Counter((loss.kind, loss.reason) for loss in lost)
    letters_of = Counter[tuple[str, str]]()
    for loss in lost:
        letters_of[loss.kind, loss.reason] += loss.characters
    for (kind, reason), count in kinds.most_common():
        yield f"  {count} × {kind}, {letters_of[kind, reason]} letters: {reason}"


def main(manuals: Sequence[str]) -> None:
    """Print the table of the manuals."""
    print(HEADER, flush=True)
    for manual in map(Path, manuals):
        for line in show(manual, list(read_manual(manual))):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
