"""Make questions for what a book defines by its form, to measure whether each is found.

    python -m tests.quality.entries path/to/html 40 > entries.jsonl
    python -m tests.quality.entries path/to/html 40 sections > sections.jsonl
    quoth eval golden entries.jsonl --book my-book

Terms of definition lists, or titles of sections, are drawn by lot. Gold is the first sentence that the
book has behind the term or title, wherever that is.
"""

import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from libs.defined_terms import list_forms
from libs.text import collapse_space, sentence_ranges
from services.ingest.model.book import BlockKind, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.splitters.shared_text import without_number

_MOST_WORDS, _MOST_TITLED = 4, 2
_IDENTIFIER = re.compile(r"\w[_-]\w|^\W")
_ENDS = re.compile(r"[.!?]\W*$")
_LEAST_LETTERS = 3
_LEAST_SAID, _MOST_QUOTED = 40, 240
_ASKS = ("What does {} do?", "What is {}?")
_ASKS_OF_NAMES = (*_ASKS, "What does the {} option do?", "What does the {} setting do?")


def read_entries(
    folder: Path, list_defined: Callable[[Document], Iterable[tuple[str, str]]]
) -> dict[str, list[dict[str, str]]]:
    """Return the gold of each term or title of a folder's pages, by the term."""
    files = [SourceFile(one.name, one.read_bytes()) for one in sorted(folder.glob("*.html"))]
    found = defaultdict[str, list[dict[str, str]]](list)
    for placed in plan_book(Source(files)).documents:
        document, _ = parse_document(placed)
        for term, quote in list_defined(document):
            found[term].append({"path": document.path, "quote": quote})
    return found


def entries_of(document: Document) -> Iterator[tuple[str, str]]:
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


def sections_of(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the titles of sections that are names, with the first sentence below each."""
    titles = [without_number(section.path[-1]) for section in document.sections]
    for title, section in zip(titles, document.sections, strict=True):
        prose = (
            document.text[block.start : block.end]
            for block in document.blocks
            if block.kind is BlockKind.PARAGRAPH and section.start <= block.start < section.own_end
        )
        text = next((text for text in prose if _ENDS.search(text)), "")
        if (
            titles.count(title) == 1
            and len(title.split()) <= _MOST_TITLED
            and len(text) >= _LEAST_SAID
        ):
            start, end = sentence_ranges(text)[0]
            yield title, text[start:end][:_MOST_QUOTED]


def ask_of(term: str, lot: random.Random, *, of_titles: bool) -> str:
    if term.startswith("-"):
        return _ASKS[0].format(term)
    if of_titles and not _IDENTIFIER.search(term):
        return _ASKS[-1].format(term)
    return lot.choice(_ASKS if " " in term else _ASKS_OF_NAMES).format(term)


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    of_titles = "sections" in sys.argv[3:]
    list_defined = sections_of if of_titles else entries_of
    entries, lot = read_entries(folder, list_defined), random.Random(7)
    for number, term in enumerate(lot.sample(sorted(entries), min(count, len(entries)))):
        gold = entries[term]
        question = ask_of(term, lot, of_titles=of_titles)
        row = {"id": f"entry-{number}", "kind": "fact", "question": question, "answerable": True}
        print(json.dumps({**row, "answer": gold[0]["quote"], "gold": gold, "need": "any"}))


if __name__ == "__main__":
    main()
