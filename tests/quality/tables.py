"""Count the rows of a PDF's tables that are found, with their header and their title beside them.

    python -m tests.quality.tables PAGES=MANUAL.pdf...

PAGES is a folder of HTML made from the same source, or a pattern of its pages, and says what there is
to find. Of each manual TABLES tables are drawn by lot, lists of callouts left out, which pages made
of DocBook have as tables. A row counts where print has its words, each for itself. Its header and the
table's title, or the section's where it has none, have to be in what it is searched by.
Prints a line for each table with the four counts, and what was missed.
"""

import random
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from libs.profiles import load_profile
from services.ingest.embedding_text import dense_text
from services.ingest.model.book import BlockKind, Chunk, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.read import find_language
from services.ingest.split import split_document

TABLES = 4
_SEED = 7
_LEAST_ROWS = 3
_NEAR = 600
"""Letters between the words of one row in print at most."""
_NOTE_MARK = re.compile(r"\[\w{1,2}\]|[¹²³⁰⁴-⁹]+")
_GREEK = re.compile(r"[α-ωΑ-Ω]")
_NUMBER = re.compile(
    r"^(?:[^\W\d_]+\s+|[表図图圖]\s*)?(?:[A-Z]\.)?\d+(?:[.-]\d+)*[.:]?\s*[–—-]?\s*"
)
"""What stands before a title: "Table 7.3 –", "7.4."; print may count otherwise."""

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """What a page of HTML shows: its cells without space, signs and marks of footnotes."""

    rows: Sequence[Cells]
    has_header: bool
    title: str


class Letters:
    """Counts tokens roughly, so that no vocabulary is needed."""

    def count(self, text: str) -> int:
        return max(1, len(text) // 4)

    def count_each(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def fold(text: str) -> str:
    """Leave the letters and digits; a site may have the name of a Greek letter."""
    # The sign of an ohm is an omega, and that of a millionth a mu.
    text = unicodedata.normalize("NFC", _NOTE_MARK.sub("", text)).replace("\u00b5", "\u03bc")
    text = _GREEK.sub(lambda sign: unicodedata.name(sign[0], " ").split(" ")[-1], text)
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def cells_of(row: str) -> Cells:
    return tuple(cell for part in row.split(" | ") if (cell := fold(part)))


def read(paths: Sequence[Path]) -> list[Document]:
    files = [SourceFile(path.name, path.read_bytes()) for path in paths]
    return [parse_document(placed)[0] for placed in plan_book(Source(files)).documents]


def headers_of(paths: Sequence[Path]) -> set[Cells]:
    """Return the first rows that are made of header cells alone."""
    found = set()
    for path in paths:
        for row in html.parse(str(path)).iterfind(".//tr"):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            if row.getprevious() is None and cells and all(cell.tag == "th" for cell in cells):
                found.add(tuple(text for cell in cells if (text := fold(cell.text_content()))))
    return found


def callouts_of(paths: Sequence[Path]) -> set[str]:
    """Return what the first entries of lists of callouts say; their marks may be pictures."""
    tables = (html.parse(str(path)).iterfind(".//table[@summary='Callout list']") for path in paths)
    return {fold([*table.iter("td")][1].text_content()) for found in tables for table in found}


def tables_of(pages: Sequence[Path]) -> Iterator[Table]:
    """Yield the tables with several rows of several cells."""
    headers = headers_of(pages)
    callouts = callouts_of(pages)
    for document in read(pages):
        for index, block in enumerate(document.blocks):
            if block.kind is not BlockKind.TABLE:
                continue
            lines = document.text[block.start : block.end].split("\n")
            rows = [cells for line in lines if (cells := cells_of(line))]
            if rows and rows[0][-1] in callouts:
                continue
            if sum(len(cells) > 1 for cells in rows) >= _LEAST_ROWS:
                yield Table(rows, rows[0] in headers, _title_of(document, index))


def _title_of(document: Document, index: int) -> str:
    block, before = document.blocks[index], document.blocks[max(0, index - 1)]
    if before.kind is BlockKind.CAPTION:
        return fold(_NUMBER.sub("", document.text[before.start : before.end], count=1))
    over = [section for section in document.sections if section.start <= block.start]
    return fold(_NUMBER.sub("", over[-1].path[-1], count=1)) if over else ""


def _is_printed(row: Cells, printed: str) -> bool:
    """Whether print has the words of a row near each other, each for itself, in whatever order."""
    first, *others = sorted(row, key=len, reverse=True)
    at = printed.find(first)
    while at >= 0:
        near = f"{printed[max(0, at - _NEAR) : at]} {printed[at + len(first) :][:_NEAR]}"
        for cell in others:
            near = near.replace(cell, " ", 1) if cell in near else ""
        if near:
            return True
        at = printed.find(first, at + 1)
    return False


def rows_in(manual: Document) -> dict[Cells, list[str]]:
    """Return what each row of a table is searched by, and the titles over it."""
    language, _ = find_language(manual)
    chunks = split_document("b", language, manual, load_profile("default").chunking, Letters())
    found: dict[Cells, list[str]] = {}
    for block in manual.blocks:
        at = block.start
        for line in manual.text[block.start : block.end].split("\n"):
            if block.kind is BlockKind.TABLE:
                found.setdefault(cells_of(line), []).append(_searched(chunks, at))
            at += len(line) + 1
    return found


def _searched(chunks: Sequence[Chunk], offset: int) -> str:
    chunk = next((one for one in chunks if one.start <= offset < one.end), None)
    return fold(" ".join((*chunk.section_path, dense_text(chunk)))) if chunk else ""


def measure(pages: Sequence[Path], pdf: Path) -> tuple[int, int, int, int]:
    """Return how many rows there are, are found, with their header, and with their title too."""
    [manual] = read([pdf])
    printed, searched = fold(manual.text), rows_in(manual)
    tables = list(tables_of(pages))
    drawn = random.Random(_SEED).sample(tables, min(TABLES, len(tables)))
    total = [0, 0, 0, 0]
    for table in drawn:
        header = table.rows[0] if table.has_header else ()
        counts, missed = [0, 0, 0, 0], []
        for row in table.rows:
            if not _is_printed(row, printed):
                continue
            texts = searched.get(row, [])
            headed = [text for text in texts if all(cell in text for cell in header)]
            whole = [text for text in headed if table.title in text]
            for place, one in enumerate((True, texts, headed, whole)):
                counts[place] += bool(one)
            missed += [] if whole else [" | ".join(row)[:90]]
        print(f"  {table.title[:50]}: {counts}", *missed[:3], sep="\n      ")
        total = [old + new for old, new in zip(total, counts, strict=True)]
    print(f"{pdf.name}: {total}", flush=True)
    rows, found, headed_rows, titled = total
    return rows, found, headed_rows, titled


def main() -> None:
    measured = []
    for pair in sys.argv[1:]:
        pages, pdf = map(Path, pair.split("="))
        folder, pattern = (pages, "*.html") if pages.is_dir() else (pages.parent, pages.name)
        measured.append(measure(sorted(folder.glob(pattern)), pdf))
    rows, *counts = (sum(column) for column in zip(*measured, strict=True))
    shares = [f"{count / max(rows, 1):.3f}" for count in counts]
    print(f"{rows} rows: found {shares[0]}, with header {shares[1]}, with title too {shares[2]}")


if __name__ == "__main__":
    main()
