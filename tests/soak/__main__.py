"""Use the whole product for minutes, and show what of it grows.

python -m tests.soak [--minutes N] [--seed N]

Starts the product with the sample book on free ports, and ends it. Readers ask, stream and leave,
editors upload, edit and delete. Exits with 1 where a response was not as
promised, an answer was not recorded, or something grew without bound.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import httpx

from tests.soak.figures import TABLES, Figures, is_record
from tests.soak.growth import Growth, judge
from tests.soak.traffic import EDITED, Traffic
from tests.support.ingest_fakes import zipped
from tests.support.stack import QUESTION, SAMPLE, SAMPLE_PATH, RunningStack, running_stack

SAMPLE_EVERY_S = 5.0
REST_S = 20.0
"""How long nobody asks anything before what is at rest is measured."""
_FIRST_S = 30.0
"""How long everything is used before it is measured at rest for the first time: pools open."""
_REST = ("descriptors", "sockets", "threads", "children")
_REST_MORE = {"descriptors": 16, "sockets": 12, "threads": 8, "children": 3}
"""What pools may hold more at rest than before the first question."""
_REST_SHARE = 0.5
"""The same as a share: each connection of PostgreSQL keeps the files open that it has used."""
_RECORD_KIB = 32.0
"""Disk that the record of one answer may take, with its indexes and what is not vacuumed yet."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak")
    options.add_argument("--minutes", type=float, default=30.0)
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    chosen = options.parse_args()
    print(f"seed {chosen.seed}, {chosen.minutes:g} minutes", flush=True)
    with (
        TemporaryDirectory(prefix="quoth-soak-") as folder,
        running_stack(Path(folder) / "home", {SAMPLE: SAMPLE_PATH}) as stack,
    ):
        return asyncio.run(_soak(stack, chosen.minutes * 60, chosen.seed))


async def _soak(stack: RunningStack, seconds: float, seed: int) -> int:
    traffic = Traffic(stack.url, _questions())
    await _begin(traffic)
    figures, rest = Figures(stack), Figures(stack)
    await traffic.run(min(_FIRST_S, seconds), seed + 1)
    await asyncio.sleep(REST_S)
    await rest.sample()
    sampling = asyncio.create_task(_sample(figures))
    await traffic.run(seconds, seed)
    sampling.cancel()
    with suppress(asyncio.CancelledError):
        await sampling
    await asyncio.to_thread(stack.wait_until_ready)
    await asyncio.sleep(REST_S)
    await rest.sample()
    await _check_recorded(traffic)
    lines = [*_done(traffic), *_at_rest(rest), *_kept(figures, rest, traffic)]
    lines += _grown(figures)
    bad = [*traffic.faults, *(line for line in lines if line.endswith("FAIL"))]
    print("\n".join([*lines, "", *traffic.faults[:40], f"{len(bad)} faults"]))
    return int(bool(bad))


def _questions() -> list[str]:
    golden = (SAMPLE_PATH.parent / "physical-ai-golden.jsonl").read_text("utf-8").splitlines()
    return [str(json.loads(line)["question"]) for line in golden] + [QUESTION]


async def _begin(traffic: Traffic) -> None:
    """Make the book that is edited, and let everything be used once."""
    async with traffic.client() as client:
        data = zipped({"d0.md": "# Document 0\n\nIn part 0 of 0 the gear turns."})
        begun = await client.post(
            f"/v1/books/{EDITED}/ingests",
            params={"file_name": "a.zip"},
            content=data,
            headers={"Content-Type": "application/zip"},
        )
        begun.raise_for_status()
        await client.post(f"/v1/books/{SAMPLE}/answers", json={"question": QUESTION})


async def _sample(figures: Figures) -> None:
    while True:
        await figures.sample()
        await asyncio.sleep(SAMPLE_EVERY_S)


async def _check_recorded(traffic: Traffic) -> None:
    """Read each answer that was given again: its row is there."""
    async with traffic.client() as client:
        for answer_id in traffic.answer_ids:
            response = await client.get(f"/v1/answers/{answer_id}")
            if response.status_code != 200:
                traffic.fault(f"an answer without its row: {answer_id} {response.status_code}")
        try:
            found = await client.post(f"/v1/books/{SAMPLE}/answers", json={"question": QUESTION})
            found.raise_for_status()
        except httpx.HTTPError as error:
            traffic.fault(f"no answer at the end: {error!r}")


def _done(traffic: Traffic) -> Iterator[str]:
    yield "done: " + ", ".join(f"{name} {count}" for name, count in sorted(traffic.done.items()))
    yield "statuses: " + ", ".join(f"{name}: {n}" for name, n in sorted(traffic.statuses.items()))
    for kind, took in sorted(traffic.took_ms.items()):
        if len(took) > 1:
            late = quantiles(took, n=20)[-1]
            yield f"answers {kind}: {len(took)}, p50 {median(took):.0f} ms, p95 {late:.0f} ms"


def _at_rest(rest: Figures) -> Iterator[str]:
    yield f"\n{'at rest':24}{'measure':14}{'before':>9}{'after':>9}"
    for (owner, measure), values in sorted(rest.samples.items()):
        if measure in _REST:
            more = values[-1] - values[0]
            bound = max(_REST_MORE[measure], _REST_SHARE * values[0])
            verdict = "FAIL" if more > bound else "ok"
            yield f"{owner:24}{measure:14}{values[0]:9.0f}{values[-1]:9.0f}  {verdict}"


def _kept(figures: Figures, rest: Figures, traffic: Traffic) -> Iterator[str]:
    """Hold what is kept on purpose against what was done."""
    things = sum(traffic.done.values()) + sum(traffic.statuses.values())
    yield f"\n{'kept on purpose':36}{'rows more':>10}"
    for owner, measure in sorted(rest.samples):
        if measure == "rows" and is_record(owner):
            more = rest.gained("rows", owner)
            yield f"{owner:36}{more:10.0f}  {'FAIL' if more > 4 * things else 'ok'}"
    answers = max(1.0, rest.gained("rows", "public.audit_opened"), len(traffic.answer_ids))
    grown = rest.gained("disk", TABLES) * 1024 / answers
    verdict = "FAIL" if grown > _RECORD_KIB and len(figures.samples) > 100 else "ok"
    yield f"{'tables on disk, KiB an answer':36}{grown:10.1f}  {verdict}"


def _grown(figures: Figures) -> Iterator[str]:
    head = ("what grows", "measure", "first", "middle", "last", "allowed")
    yield "\n{:36}{:14}{:>9}{:>9}{:>9}{:>9}".format(*head)
    for series in figures.series():
        growth = judge(series)
        if growth and (any(growth.parts) or growth.grows):
            yield _row(growth)


def _row(growth: Growth) -> str:
    series = growth.series
    measure = f"{series.measure}{', ' + series.unit if series.unit else ''}"
    parts = "".join(f"{part:9.1f}" for part in growth.parts)
    verdict = "FAIL" if growth.grows else "ok"
    return f"{series.owner:36}{measure:14}{parts}{series.allowed:9.0f}  {verdict}"


if __name__ == "__main__":
    sys.exit(main())
