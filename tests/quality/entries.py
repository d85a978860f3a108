"""Make questions for the entries of a book's definition lists, to measure whether each is found.

    python -m tests.quality.entries path/to/html 40 > entries.jsonl
    quoth eval golden entries.jsonl --book my-book

Terms are drawn by lot. Gold is the first sentence that the book has behind the term, wherever that is.
"""

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from libs.defined_terms import list_forms
from libs.text import collapse_space, sentence_ranges
from services.ingest.model.book import BlockKind, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book

_MOST_WORDS = 4
_LEAST_LETTERS = 3
_LEAST_SAID, _MOST_QUOTED = 40, 240
_ASKS = ("What does {} do?", "What is {}?")
_ASKS_OF_NAMES = (*_ASKS, "What does the {} option do?", "What does the {} setting do?")


def read_entries(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the gold of each term of a folder's pages, by the term."""
    files = [SourceFile(one.name, one.read_bytes()) for one in sorted(folder.glob("*.html"))]
    found = defaultdict[str, list[dict[str, str]]](list)
    for placed in plan_book(Source(files)).documents:
        document, _ = parse_document(placed)
        for term, quote in _entries_of(document):
            found[term].append({"path": document.path, "quote": quote})
    return found


def _entries_of(document: Document) -> Iterator[tuple[str, str]]:
    terms = {lead.start for lead in document.lead_ins if lead.is_term}
    for lead in document.lead_ins:
        said = next((one for one in document.blocks if one.start >= lead.end), None)
        if not lead.is_term or said is None or said.start in terms or said.start >= lead.until:
            continue
        text = document.text[said.start : said.end]
        forms = list_forms(collapse_space(document.text[lead.start : lead.end]))
        name = forms[0] if forms else ""
        is_name = len(name) >= _LEAST_LETTERS and len(name.split()) <= _MOST_WORDS
        if said.kind is BlockKind.PARAGRAPH and len(text) >= _LEAST_SAID and is_name:
            start, end = sentence_ranges(text)[0]
            yield name, text[start:end][:_MOST_QUOTED]


def ask_of(term: str, lot: random.Random) -> str:
    if term.startswith("-"):
        return _ASKS[0].format(term)
    return lot.choice(_ASKS if " " in term else _ASKS_OF_NAMES).format(term)


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    entries, lot = read_entries(folder), random.Random(7)
    for number, term in enumerate(lot.sample(sorted(entries), min(count, len(entries)))):
        gold = entries[term]
        question = ask_of(term, lot)
        row = {"id": f"entry-{number}", "kind": "fact", "question": question, "answerable": True}
        print(json.dumps({**row, "answer": gold[0]["quote"], "gold": gold, "need": "any"}))


if __name__ == "__main__":
    main()
