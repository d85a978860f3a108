"""Ask a running product for values of things, cells of tables and false premises, and count.

    python -m tests.quality.values questions/values/open/thing_de.jsonl BOOK [URL]

BOOK is the text of the same name, ingested. A row has the words of its right lead (`answer`), or none
where the book does not say; a false premise has the words that it takes for granted (`says`) and those
of the book, and `premise_trap` is one that is true or that nobody may correct.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

_URL = "http://127.0.0.1:8080"
Row = Mapping[str, Any]


def ask(book: str, question: str, url: str) -> Row:
    body = json.dumps({"question": question}).encode()
    request = Request(f"{url}/v1/books/{book}/answers", body, {"content-type": "application/json"})
    with urlopen(request) as response:
        return dict(json.load(response))


def judge(row: Row, answer: Row) -> str:
    """Return what became of a row, in a word or two."""
    refusal = answer["refusal"]
    lead = " ".join(one["text"] for one in answer["sentences"] if one["role"] != "support")
    if row.get("kind") in ("false_premise", "premise_trap"):
        return _judge_premise(row, answer, lead)
    if "answer" not in row:
        return "refused rightly" if refusal else "answered wrongly"
    if refusal:
        return "refused wrongly"
    return "led rightly" if row["answer"].lower() in lead.lower() else "led wrongly"


def _judge_premise(row: Row, answer: Row, lead: str) -> str:
    message = answer["refusal"]["message"] if answer["refusal"] else ""
    told = (*answer["missing_entities"], message)
    if row["kind"] == "premise_trap":
        # What a refusal quotes of the book stands between quotation marks.
        is_corrected = bool(answer["missing_entities"]) or any(mark in message for mark in "“„«")
        return "told wrongly" if is_corrected else "left alone"
    is_told = any(row["says"] in text for text in told) and row["answer"] in f"{message} {lead}"
    return "told rightly" if is_told else "not told"


def main(path: str, book: str, url: str = _URL) -> None:
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    counts = Counter(judge(row, ask(book, row["question"], url)) for row in rows)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
