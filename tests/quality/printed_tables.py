"""Count the rows of printed tables that are found in PDFs, with their header and their title.

    python -m tests.quality.printed_tables FOLDER [SET.jsonl]

A line of the set names a document, one of its pages and what a table there has in print: its title,
or that of its section, its header with its units, and some of its rows. FOLDER holds the documents,
wherever below it. A row is found where a table's line has the same cells, from the right where a table
is read from there; its header and title have to be in what it is searched by.
"""

import json
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.quality.tables import Cells, fold, read, rows_in

SET = Path(__file__).parent / "questions" / "pdf_tables.jsonl"


def counts_of(table: dict[str, Any], searched: dict[Cells, list[str]]) -> list[int]:
    """Return how many rows a table has, are found, with their header, and with the title too."""
    header, title = [fold(cell) for cell in table["header"]], fold("".join(table["title"]))
    runs_left = _runs_left(table["header"] or [cell for row in table["rows"] for cell in row])
    counts = [0, 0, 0, 0]
    for row in table["rows"]:
        cells = tuple(filter(None, map(fold, row)))
        texts = searched.get(cells, []) or (searched.get(cells[::-1], []) if runs_left else [])
        headed = [text for text in texts if all(cell in text for cell in header)]
        whole = [text for text in headed if title in text]
        for place, found in enumerate((True, texts, headed, whole)):
            counts[place] += bool(found)
        if not whole:
            print("     ", " | ".join(row)[:90])
    return counts


def _runs_left(cells: list[str]) -> bool:
    """Whether most cells with a letter have one of a script that is read from the right."""
    kinds = [{unicodedata.bidirectional(letter) for letter in cell} for cell in cells]
    worded = [kind for kind in kinds if kind & {"L", "R", "AL"}]
    return 2 * sum(bool(kind & {"R", "AL"}) for kind in worded) > len(worded)


def main() -> None:
    folder, *others = map(Path, sys.argv[1:])
    lines = (others[0] if others else SET).read_text("utf-8").splitlines()
    documents = defaultdict(list)
    for table in map(json.loads, lines):
        documents[table["document"]].append(table)
    total = [0, 0, 0, 0]
    for name, tables in documents.items():
        [path, *_] = sorted(folder.rglob(name))
        [document] = read([path])
        searched = rows_in(document)
        for table in tables:
            counts = counts_of(table, searched)
            print(f"{name} {table['page']}, {table['title'][:40]}: {counts}", flush=True)
            total = [old + new for old, new in zip(total, counts, strict=True)]
    rows, *found = total
    shares = [f"{count / max(rows, 1):.3f}" for count in found]
    print(f"{rows} rows: found {shares[0]}, with header {shares[1]}, with title too {shares[2]}")


if __name__ == "__main__":
    main()
