"""The rows of the catalogue of faults and attacks, and the tests that show each of them.

    python -m tests.catalogue                     the table: row, what it is about, its tests
    python -m tests.catalogue --results FILE      the same with what became of the tests
    python -m tests.catalogue --results FILE --keep     ... and kept in tests/CATALOGUE.md

FILE is what a run of pytest has written by `--junitxml`, as `make test` does.

A test names its rows by markers: `@pytest.mark.fault("P3")`, `control("V5")`, `invariant("I1")`. What
a long run showed last stands in `tests/long_runs.json`, with the rows that it shows; which planted
defects were noticed, in `tests/planted.json`.
"""

import argparse
import ast
import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.planted import DEFECTS, KEPT

TESTS = Path(__file__).parent

INVARIANTS = {
    "I1": "every citation is the book's own text, at its place; without one only a refusal",
    "I2": "no reader sees half a document or half an edition",
    "I3": "no answer without its durable row in the audit log",
    "I4": "an accepted ingest ends published, or failed with a reason",
    "I5": "an answer or 504 within the deadline, and nothing left running",
    "I6": "the same source again, with any crash between, changes nothing",
    "I7": "an error has its code and request id and shows nothing of the inside",
    "I8": "after a fault all is as before without a hand; readiness followed, liveness stayed",
    "I9": "memory, threads and queues stay bounded while a fault lasts",
}
FAULTS = {
    "P1": "kill -9 of the only retrieval with a question in it",
    "P2": "kill -9 of one of two retrievals under load",
    "P3": "kill -9 of generation while a model writes or is checked",
    "P4": "kill -9 of the gateway in the middle of a stream",
    "P5": "kill -9 of ingest at each durable step",
    "P6": "kill -9 of PostgreSQL while answers are recorded",
    "P7": "SIGTERM under load",
    "P8": "random kills of every service",
    "P9": "a process stands still and goes on (SIGSTOP, SIGCONT)",
    "D1": "retrieval is slow, within its cap and beyond it",
    "D2": "Qdrant is down, hangs, or answers too late",
    "D3": "PostgreSQL is down, busy, slow, or restarts",
    "D4": "Qdrant returns fewer, other, doubled or damaged points",
    "D5": "the embedding model fails, changes, or gives what is no vector",
    "L1": "the model's API refuses the connection or the key",
    "L2": "the model's API is busy (429)",
    "L3": "the model's API fails before its first byte (5xx, reset)",
    "L4": "the model is silent, stalls, or is slow without end",
    "L5": "the model's answer is cut off, filtered, empty, or a tool call",
    "L6": "the model's API sends garbage",
    "L7": "the model cites wrongly or not at all",
    "L8": "the model echoes injected orders, markup or links",
    "G1": "the same file twice, in parallel, under two names",
    "G2": "a book is ingested anew while readers ask",
    "G3": "a document is deleted while readers ask",
    "G4": "a document that harms its parser, or has no end",
    "G5": "text that is no text: encodings, NUL, control characters",
    "G6": "archives that unpack to far more, bodies without end",
    "G7": "the disk is full",
    "G8": "the index is damaged, or the two stores disagree",
    "G9": "a hundred documents are ingested while readers ask",
    "A1": "the audit log is slower than the traffic",
    "A2": "a commit is done, and its connection breaks",
    "A3": "the same request is sent twice",
    "T1": "the wall clock jumps",
    "T2": "a session ends, or is written from two sides",
    "O1": "up to four times the load that can be carried",
    "O2": "a thousand idle and slow readers of streams",
    "O3": "half an hour of mixed load with faults",
    "K1": "a setting is missing or wrong, a port is taken",
}
CONTROLS = {
    "V1": "every route and method needs a credential",
    "V2": "the engines and services inside answer only who has the key",
    "V3": "every id is looked up with its owner",
    "V4": "retrieval itself keeps to the book and checks the selection",
    "V5": "what a document says is data, however it orders",
    "V6": "text of a book that looks like a citation proves nothing",
    "V7": "no link, image or markup from outside leaves in an answer",
    "V8": "text from books and models is shown as text",
    "V9": "input outside its limits is refused",
    "V10": "no source is fetched from an address that a request names",
    "V11": "a name cannot leave its folder",
    "V12": "keys of clients are random, stored as digests, and expire",
    "V13": "a client's calls are limited, however they come",
    "V14": "what a question may cost is bounded",
    "V15": "no prompt, key or provider's word is told",
    "V16": "texts are in the audit log and in no telemetry",
    "V17": "the audit log can only be appended to",
    "V18": "packages and models are the ones that were chosen",
    "V19": "another site's page can do nothing",
    "V20": "hidden text of a document is removed or reported",
    "V21": "the cluster's manifests give no more rights than needed",
    "V22": "what the book does not say is refused",
}
ROWS = {"invariant": INVARIANTS, "fault": FAULTS, "control": CONTROLS}

LONG_RUNS = TESTS / "long_runs.json"


class LongRun(NamedTuple):
    """What a run of minutes or hours showed last, and of which rows."""

    command: str
    date: str
    commit: str
    seed: str
    rows: list[str]
    found: str

    def __str__(self) -> str:
        return f"`{self.command}`, {self.date}, seed {self.seed}: {self.found}"


def long_runs() -> list[LongRun]:
    return [LongRun(**run) for run in json.loads(LONG_RUNS.read_text("utf-8"))]


@cache
def shown() -> Mapping[str, Sequence[str]]:
    """Return for each row the tests that name it, as `file::test` below `tests`."""
    found: dict[str, list[str]] = {row: [] for rows in ROWS.values() for row in rows}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test in ast.parse(path.read_text("utf-8")).body:
            if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef):
                for row in _rows_of(test):
                    found.setdefault(row, []).append(f"{path.relative_to(TESTS)}::{test.name}")
    return found


def _rows_of(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in MARKERS:
            yield from map(ast.literal_eval, decorator.args)


MARKERS = {f"pytest.mark.{kind}" for kind in ROWS}


PAGE = TESTS / "CATALOGUE.md"
_HEAD = """# The catalogue of faults and attacks

Drawn by `make catalogue CATALOGUE=--keep` from the results of a run of all tests. A row's result counts
its cases; what is skipped lacks something on the machine, such as a mount or a browser. Long runs
and planted defects are kept as they were last run by hand, and stand below.
"""
_LONG_RUNS = """
## Long runs

| command | date, commit, seed | rows | found |
|---|---|---|---|
"""
_PLANTED = """
## Planted defects

Each breaks one line in a copy of the tree (`make planted`), and its test has to turn red; run on {}.

| defect | what is broken | test | result |
|---|---|---|---|
"""
_OUTCOMES = ("passed", "failed", "skipped")
Results = Mapping[str, Counter[str]]
"""How many cases of each test, by `file::test` below `tests`, passed, failed or were skipped."""


def read_results(path: Path) -> dict[str, Counter[str]]:
    """Read what pytest has written by `--junitxml`. Raises OSError and ParseError."""
    found: dict[str, Counter[str]] = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        file = case.get("classname", "").removeprefix("tests.").replace(".", "/")
        test = f"{file}.py::{case.get('name', '').partition('[')[0]}"
        ended = {child.tag for child in case}
        outcome = "failed" if ended & {"failure", "error"} else "passed"
        outcome = "skipped" if "skipped" in ended else outcome
        found.setdefault(test, Counter())[outcome] += 1
    return found


def result_of(tests: Sequence[str], results: Results) -> str:
    """Say what became of tests, such as "12 passed, 1 skipped"; one that was not run is told."""
    total = sum((results.get(test, Counter({"not run": 1})) for test in tests), Counter[str]())
    return ", ".join(f"{total[name]} {name}" for name in (*_OUTCOMES, "not run") if total[name])


def table(results: Results | None = None) -> Iterator[str]:
    """Return the lines of the table, with results where there are any."""
    tests, runs = shown(), long_runs()
    for kind, rows in ROWS.items():
        yield f"\n{kind}"
        for row, about in rows.items():
            yield f"  {row:4}{about}"
            for test in tests[row]:
                yield f"        {test}" + (f": {result_of([test], results)}" if results else "")
            for run in runs:
                if row in run.rows:
                    yield f"        {run}"
    covered = sum(bool(found) for found in tests.values())
    yield f"\n{covered} of {len(tests)} rows have a test"


def page(results: Results) -> str:
    """Return the table as it is kept, with that of the long runs and of the planted defects."""
    tests, runs = shown(), long_runs()
    lines = [_HEAD, "| id | injects or asserts | tests | result |", "|---|---|---|---|"]
    for rows in ROWS.values():
        for row, about in rows.items():
            files = Counter(test.partition("::")[0] for test in tests[row])
            named = "<br>".join(f"{file} ({count})" for file, count in files.items())
            found = [result_of(tests[row], results)] if files else []
            found += [f"{run}" for run in runs if row in run.rows]
            lines.append(f"| {row} | {about} | {named or 'a long run'} | {'<br>'.join(found)} |")
    return "\n".join([*lines, _long_runs_table(runs) + _planted_table()])


def _long_runs_table(runs: Sequence[LongRun]) -> str:
    rows = (
        f"| `{run.command}` | {run.date}, {run.commit}, {run.seed} | {', '.join(run.rows)} "
        f"| {run.found} |"
        for run in runs
    )
    return _LONG_RUNS + "\n".join(rows) + "\n"


def _planted_table() -> str:
    kept = json.loads(KEPT.read_text("utf-8"))
    rows = (
        f"| {name} | {defect.about} | {defect.test.removeprefix('tests/')} "
        f"| {kept['results'].get(name, 'not run')} |"
        for name, defect in DEFECTS.items()
    )
    return _PLANTED.format(kept["date"]) + "\n".join(rows) + "\n"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.catalogue")
    options.add_argument("--results", type=Path, help="what pytest has written by --junitxml")
    options.add_argument("--keep", action="store_true", help=f"in {PAGE.name}, with results")
    chosen = options.parse_args()
    try:
        results = read_results(chosen.results) if chosen.results else None
    except (OSError, ET.ParseError) as error:
        print(f"No results in {chosen.results}: {error}. `make test` writes them.", file=sys.stderr)
        return 2
    print("\n".join(table(results)))
    if chosen.keep and results is not None:
        PAGE.write_text(page(results), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
