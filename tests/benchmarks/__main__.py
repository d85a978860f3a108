"""`make bench`: measure the product and its peers; keep the result, draw it, compare it.

python -m tests.benchmarks [--quick] [--no-peers] [--only-peers] [--only-scale] [--only-replicas]
python -m tests.benchmarks report          draw RESULTS.md again from the kept results
"""

import argparse
import datetime as dt
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from tests.benchmarks.earlier import fold_earlier
from tests.benchmarks.environment import describe_commit, describe_environment
from tests.benchmarks.guard import find_previous, find_worse
from tests.benchmarks.peers.side_by_side import HOW_TO_INSTALL, NAMES, OURS, peers_python
from tests.benchmarks.report import summarise, write_report
from tests.benchmarks.result import RESULTS, Result, read_results, write_result
from tests.benchmarks.rounds import (
    FULL,
    QUICK,
    Extent,
    Material,
    Measured,
    Say,
    gather,
    measure_fleet,
    measure_peers,
    measure_product,
    measure_sizes,
)

BUSY_LOAD = 0.5
"""One-minute load average, per core, from which others disturb the figures."""


def main() -> int:
    options = _options()
    if options.command == "report":
        write_report(read_results())
        return 0
    say = _teller()
    extent = QUICK if options.quick else FULL
    if options.scale:
        extent = replace(extent, scale=options.scale)
    result = _run(extent, options, say)
    before = read_results(options.out)
    path = write_result(result, options.out)
    fold_earlier(result, options.out)
    say(f"kept as {path}")
    print(summarise(result))
    if options.out == RESULTS:
        write_report(read_results(options.out))
    broken = any(note.startswith("Broken off") for note in result.notes)
    return _compare(result, before) or int(broken)


def _run(extent: Extent, options: argparse.Namespace, say: Say) -> Result:
    environment = describe_environment()
    measured = Measured()
    if environment["load_1m"] > BUSY_LOAD * environment["cores"]:
        measured.notes.append(
            f"The machine was busy (load {environment['load_1m']}): trust ratios and CPU time."
        )
        say(measured.notes[-1])
    with ExitStack() as stack:
        material = gather(extent, stack)
        cache_dir = Path(stack.enter_context(TemporaryDirectory(prefix="quoth-bench-")))
        part = _Parts(measured, say)
        if not (options.only_peers or options.only_scale or options.only_replicas):
            with part("the product"):
                uvloop.run(measure_product(extent, material, measured, say))
        if not (options.only_peers or options.only_scale or extent is QUICK):
            with part("replicas of retrieval"):
                uvloop.run(measure_fleet(extent, material, measured, say))
        if not (options.only_peers or options.only_replicas):
            with part("search among many chunks"):
                measure_sizes(extent, measured, cache_dir, say)
        if not (options.no_peers or options.only_scale or options.only_replicas):
            with part("the peers"):
                pythons = _pythons(say, measured)
                measure_peers(extent, material, measured, pythons, cache_dir, say)
        setup = _setup(extent, material)
    environment["load_1m_at_end"] = describe_environment()["load_1m"]
    now = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    return Result(
        date=now,
        **describe_commit(),
        setup=setup,
        environment=environment,
        figures=measured.figures.all(),
        overload=measured.overload,
        peers=measured.peers,
        notes=measured.notes,
    )


@dataclass(frozen=True)
class _Parts:
    """What one part of a long run breaks off with is noted; the others are measured and kept."""

    measured: Measured
    say: Say

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, hours must not be lost
            traceback.print_exc()
            self.measured.notes.append(f"Broken off: {name}: {type(error).__name__}: {error}")
            self.say(self.measured.notes[-1])


def _setup(extent: Extent, material: Material) -> dict[str, object]:
    return {
        "mode": extent.mode,
        "seed": extent.seed,
        "questions": extent.questions,
        "load_s": extent.load_s,
        "overload_s": extent.overload_s,
        "overload_repeats": extent.overload_repeats,
        "scale": list(extent.scale),
        "books": {
            corpus.slug: {
                "digest": corpus.digest(),
                "documents": len(corpus.documents),
                "megabytes": round(corpus.size_mb, 3),
            }
            for corpus in (material.asked, *material.larger)
        },
    }


def _pythons(say: Say, measured: Measured) -> list[tuple[str, Path]]:
    """Return who is measured beside us, and with which interpreter."""
    ours = [(OURS, Path(sys.executable))]
    python = peers_python()
    if python is None:
        measured.notes.append(f"No peers beside us. To have them: {HOW_TO_INSTALL}")
        say(measured.notes[-1])
        return ours
    return [*ours, *((name, python) for name in NAMES)]


def _compare(result: Result, kept: Sequence[Result]) -> int:
    previous = find_previous(result, list(kept))
    if previous is None:
        print("No earlier result of the same kind and machine to compare with.")
        return 0
    worse = find_worse(previous, result)
    print(f"Against {previous.name}: " + ("nothing got worse." if not worse else "worse:"))
    for item in worse:
        print(f"  {item}")
    return 1 if worse else 0


def _teller() -> Say:
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)

    return say


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.split(","))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", default="run", choices=("run", "report"))
    parser.add_argument("--quick", action="store_true", help="a part of it, in under two minutes")
    parser.add_argument("--no-peers", action="store_true", help="leave out the side by side")
    parser.add_argument("--only-peers", action="store_true", help="only the side by side")
    parser.add_argument(
        "--scale",
        type=_sizes,
        metavar="CHUNKS,...",
        help="sizes to search among in place of 3000,20000; 500000 takes some ten minutes",
    )
    parser.add_argument(
        "--only-replicas", action="store_true", help="only the replicas of retrieval"
    )
    parser.add_argument("--only-scale", action="store_true", help="only the search at those sizes")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the result")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
