"""Collect what the product shows for golden questions and nobody has judged, and keep the grades.

    python -m tests.quality.judge ask QUESTIONS.jsonl my-book JUDGED.jsonl > POOL.jsonl
    python -m tests.quality.judge keep GRADED.jsonl JUDGED.jsonl

A judge gets a line a question and gives it back with `grades`, one for each of its sentences: 2 it
answers, 1 it helps, 0 neither. In no order among the sentences stands a decoy, which is shown for
another question. Grades of decoys are not kept; `keep` prints how often one pleased the judge.
"""

import asyncio
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deploy.cli.options import default_url
from deploy.evaluation.benchmarks.golden import to_request
from deploy.evaluation.datasets import read_golden
from deploy.evaluation.judgements import NEITHER, read_judgements, sentence_key, write_judgements
from deploy.evaluation.product import Product, Reply, each
from deploy.evaluation.progress import Progress

_SECTION = " > "

Lines = list[dict[str, Any]]


async def ask_all(questions: Path, book: str, known: Mapping[str, Mapping[str, int]]) -> Lines:
    """Return a line for each question of which something is shown that has no grade in `known`."""
    rows = [row for row in read_golden(questions) if row.answerable]
    async with Product(default_url()) as product:
        text = await product.read_book(book)
        replies = await each(
            rows,
            lambda row: product.ask(book, to_request(row, text)),
            what="questions",
            progress=Progress(),
        )
    shown = [_list_shown(reply) for reply in replies]
    lot = random.Random(11)
    lines = Lines()
    for row, held in zip(rows, shown, strict=True):
        graded = known.get(row.row_id, {})
        new = [one for one in held if sentence_key(one["text"]) not in graded]
        if new:
            before = [message["content"] for message in row.history]
            marked = row.selection.text if row.selection else ""
            asked = {"id": row.row_id, "before": before, "selected": marked}
            asked["question"] = row.question
            keys = [sentence_key(one["text"]) for one in new]
            lines.append({**asked, "sentences": mix_in_decoy(new, held, shown, lot), "shown": keys})
    return lines


def _list_shown(reply: Reply) -> Lines:
    """Return the sentences of an answer with the sections that they are cited from."""
    if reply.answer is None or not reply.has_answer:
        return []
    titles = {item["n"]: _SECTION.join(item["section_path"]) for item in reply.citations}
    return [
        {
            "text": sentence["text"],
            "section": next((titles[n] for n in sentence["citations"] if n in titles), ""),
        }
        for sentence in reply.answer["sentences"]
    ]


def mix_in_decoy(new: Lines, held: Lines, shown: Sequence[Lines], lot: random.Random) -> Lines:
    """Return the sentences with one of another question among them, in no order."""
    own = {one["text"] for one in held}
    others = [lead for lead, *_ in filter(None, shown) if lead["text"] not in own]
    mixed = [*new, lot.choice(others)] if others else list(new)
    lot.shuffle(mixed)
    return mixed


def keep(graded: Path, judged: Path) -> str:
    """Add the grades to `judged`; return how many there are, and how many decoys pleased the judge."""
    found = _read(judged)
    kept, decoys = list[int](), list[int]()
    for line in graded.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for sentence, grade in zip(record["sentences"], record["grades"], strict=True):
            key = sentence_key(sentence["text"])
            if key in record["shown"]:
                found.setdefault(record["id"], {})[key] = grade
                kept.append(grade)
            else:
                decoys.append(grade)
    write_judgements(judged, found)
    pleased = sum(grade > NEITHER for grade in decoys)
    return f"{len(kept)} sentences graded; {pleased} of {len(decoys)} decoys answer or help"


def _read(judged: Path) -> dict[str, dict[str, int]]:
    return read_judgements(judged) if judged.exists() else {}


def main() -> None:
    if sys.argv[1] == "keep":
        print(keep(Path(sys.argv[2]), Path(sys.argv[3])))
        return
    for line in asyncio.run(ask_all(Path(sys.argv[2]), sys.argv[3], _read(Path(sys.argv[4])))):
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
