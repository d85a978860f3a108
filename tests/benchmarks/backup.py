"""Back a library up while readers ask, restore it elsewhere, and ask both the same.

    python -m tests.benchmarks.backup [BOOKS QUESTIONS]

BOOKS (20) are the sample book, each without another of its documents; QUESTIONS (200) are the labelled
ones, unanswerable ones among them, each of another book. Prints what both took and how many of the
answers, quotations, places and refusals differ, as one line of JSON; ends with status 1 where one does.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import httpx

from tests.support.stack import CACHE, CHECKOUT, SAMPLE, SAMPLE_PATH, RunningStack, running_stack

BOOKS, QUESTIONS = 20, 200
OWN = {"answer_id", "timings", "timestamp", "degraded", "confidence"}
"""What is each answer's own; confidences differ in the seventh digit, as vectors are packed anew."""

TRIES = 20
PAUSE_S = 0.5

Plan = list[tuple[str, str]]
"""Books, and what each is asked."""


def main() -> int:
    books, questions = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (BOOKS, QUESTIONS)
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        found = measure(Path(folder), books, questions)
    print(json.dumps(found))
    return 1 if found["different"] else 0


def measure(folder: Path, books: int, questions: int) -> dict[str, Any]:
    library = write_books(folder, books)
    plan = list(islice(zip(cycle(library), cycle(read_questions())), questions))
    backup = folder / "backup"
    with running_stack(folder / "home", books=library) as stack:
        before = ask_all(stack, plan)
        with somebody_asking(stack, plan):
            taken, backup_s = quoth(folder / "home", "backup", str(backup))
    _, restore_s = quoth(folder / "restored", "restore", str(backup))
    began = time.monotonic()
    with running_stack(folder / "restored") as stack:
        start_s = time.monotonic() - began
        after = ask_all(stack, plan)
    answers = zip(plan, before, after, strict=True)
    different = [asked for asked, one, other in answers if one != other]
    return {
        "books": books,
        "passages": taken["points"],
        "rows": taken["rows"],
        "mb": round(taken["bytes"] / 1e6, 1),
        "backup_s": round(backup_s, 1),
        "restore_s": round(restore_s, 1),
        "start_s": round(start_s, 1),
        "asked": len(plan),
        "refused": sum(bool(one["refusal"]) for one in before),
        "different": different,
    }


def write_books(folder: Path, count: int) -> Mapping[str, Path]:
    """Copy the sample book, each time without another of its documents; returns folders by book."""
    library = {}
    for number in range(count):
        path = folder / "books" / f"{SAMPLE}-{number}"
        shutil.copytree(SAMPLE_PATH, path)
        documents = sorted(path.rglob("*.md*"))
        documents[number % len(documents)].unlink()
        library[path.name] = path
    return library


def read_questions() -> list[str]:
    lines = SAMPLE_PATH.with_name(f"{SAMPLE}-golden.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines if line.strip()]


def ask_all(stack: RunningStack, plan: Plan) -> list[dict[str, Any]]:
    with httpx.Client(base_url=stack.url, timeout=60, trust_env=False) as client:
        return [ask(client, *asked) for asked in plan]


def ask(client: httpx.Client, book: str, question: str) -> dict[str, Any]:
    """Return an answer without what is its own. Asks again while it is late or lacks a part."""
    for _ in range(TRIES):
        response = client.post(f"/v1/books/{book}/answers", json={"question": question})
        if response.status_code == httpx.codes.OK and not response.json()["degraded"]:
            answer = response.json()
            return {name: answer[name] for name in answer.keys() - OWN}
        time.sleep(PAUSE_S)
    raise SystemExit(f"{book} does not answer {question!r}: {response.status_code}")


@contextmanager
def somebody_asking(stack: RunningStack, plan: Plan) -> Iterator[None]:
    """Ask one question after the other until the block ends."""
    over = Event()

    def read() -> None:
        with httpx.Client(base_url=stack.url, timeout=60, trust_env=False) as client:
            for book, question in cycle(plan):
                if over.is_set():
                    return
                client.post(f"/v1/books/{book}/answers", json={"question": question})

    reader = Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        over.set()
        reader.join()


def quoth(home: Path, *arguments: str) -> tuple[dict[str, Any], float]:
    """Run the command on a home; returns what it printed, and its seconds."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", *arguments, "--json"],
        cwd=CHECKOUT,
        env={**os.environ, "QUOTH_HOME": str(home), "QUOTH_CACHE_DIR": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"quoth {arguments[0]}: {done.stderr}")
    return json.loads(done.stdout), time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
