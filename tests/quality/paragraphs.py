"""Make a judged collection of paragraphs of a manual, and say what plain BM25 finds in it.

    python -m tests.quality.paragraphs questions/paragraphs/ja.jsonl BOOK FOLDER
    quoth eval retrieval FOLDER

BOOK is the folder of HTML that the questions are about. FOLDER gets the paragraphs with a question
each, in the files that `quoth eval retrieval` takes. Prints nDCG@10 of BM25 over pairs of letters.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean

from deploy.evaluation.metrics import ndcg_at
from services.ingest.model.book import BlockKind
from services.ingest.parsers.html import parse_html

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+|[^\W\da-z_]+", re.IGNORECASE)
Row = Mapping[str, str]


def paragraphs_of(book: Path, rows: Sequence[Row]) -> dict[str, str]:
    """Return by the id of each row the paragraph that it is about. Raises LookupError."""
    pages = {row["path"]: list(_paragraphs(book / row["path"])) for row in rows}
    found = {}
    for row in rows:
        texts = [text for text in pages[row["path"]] if text.startswith(row["begins"])]
        if not texts:
            raise LookupError(f"{row['id']}: no paragraph of {row['path']} begins so")
        found[row["id"]] = texts[0]
    return found


def _paragraphs(page: Path) -> Iterator[str]:
    parsed = parse_html(page.read_text("utf-8"), page.stem)
    for block in parsed.blocks:
        if block.kind is BlockKind.PARAGRAPH:
            yield parsed.text[block.start : block.end]


def write_collection(folder: Path, rows: Sequence[Row], texts: Mapping[str, str]) -> None:
    """Write paragraphs, questions and which belongs to which."""
    folder.mkdir(parents=True, exist_ok=True)
    records = {
        "corpus.jsonl": [{"id": name, "title": "", "text": text} for name, text in texts.items()],
        "queries.jsonl": [{"id": f"q-{row['id']}", "text": row["question"]} for row in rows],
    }
    for name, lines in records.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(text, "utf-8")
    judged = "".join(f"q-{row['id']}\t{row['id']}\t1\n" for row in rows)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", "utf-8")


def rank_by_bm25(question: str, texts: Mapping[str, str]) -> list[str]:
    """Rank texts by words of Latin letters and pairs of other ones."""
    counts = {name: Counter(_terms(text)) for name, text in texts.items()}
    lengths = {name: sum(terms.values()) for name, terms in counts.items()}
    mean, holding = fmean(lengths.values()), Counter[str]()
    for terms in counts.values():
        holding.update(terms.keys())
    scores = dict.fromkeys(texts, 0.0)
    for term in set(_terms(question)):
        weight = log(1 + (len(texts) - holding[term] + 0.5) / (holding[term] + 0.5))
        for name, terms in counts.items():
            often = terms[term]
            around = often + _K1 * (1 - _B + _B * lengths[name] / mean)
            scores[name] += weight * often * (_K1 + 1) / around
    held = (name for name, score in scores.items() if score > 0)
    return sorted(held, key=scores.__getitem__, reverse=True)


def _terms(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        if word.isascii() or len(word) == 1:
            yield word
        else:
            yield from (word[at : at + 2] for at in range(len(word) - 1))


def main(questions: str, book: str, folder: str) -> None:
    """Write the collection, and print what BM25 alone finds."""
    rows = [json.loads(line) for line in Path(questions).read_text("utf-8").splitlines()]
    texts = paragraphs_of(Path(book), rows)
    write_collection(Path(folder), rows, texts)
    gained = [ndcg_at(rank_by_bm25(row["question"], texts), {row["id"]: 1.0}, 10) for row in rows]
    print(f"{len(rows)} questions, {len(texts)} paragraphs, BM25 nDCG@10 {fmean(gained):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
