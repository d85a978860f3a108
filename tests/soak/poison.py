"""Upload documents that harm what reads them to the whole product, while readers ask; the long form.

python -m tests.soak.poison [--broken N] [--seed N]

All of `tests/support/poison.py`, and N of each format that were broken at random as `tests.soak.fuzz`
breaks them; four at a time, each a book of its own. Exits with 1 where an upload had no end or one
without a reason, a reader was not answered, a file was written outside of the home, or an error shows
the inside.
"""

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import httpx

from tests.soak.fuzz import first_documents, mutate
from tests.support.generated_books import FORMATS
from tests.support.poison import Poison, poisons
from tests.support.stack import QUESTION, SAMPLE, SAMPLE_PATH, RunningStack, running_stack

AT_ONCE = 4
LONGEST_S = 600.0
_REFUSED = frozenset({400, 413, 415, 422})
_INSIDE = re.compile(r"Traceback|/(?:tmp|work|home|usr|proc)/|\.py\b|0x[0-9a-f]{6}")
_UNDER_WAY = ("queued", "running")
_STRANGE = "*evil*"
_LATE, _MOST_LATE = (503, 504), 0.02


@dataclass
class Outcome:
    """What became of the uploads, and of the readers beside them."""

    documents: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    asked: int = 0
    late: int = 0
    """Questions that ended at the deadline of a stage: 504, or 503 where it waited for another part."""
    faults: list[str] = field(default_factory=list)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak.poison")
    options.add_argument("--broken", type=int, default=30, help="of each format, broken at random")
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    chosen = options.parse_args()
    corpus = {**poisons(), **dict(broken(chosen.broken, chosen.seed))}
    with (
        TemporaryDirectory(prefix="quoth-soak-") as folder,
        running_stack(Path(folder) / "home", {SAMPLE: SAMPLE_PATH}) as stack,
    ):
        outcome = asyncio.run(_upload_all(stack, corpus))
        places = (Path(folder), Path(gettempdir()), Path("/"))
        strange = [path for place in places for path in place.glob(_STRANGE)]
        outcome.faults += [f"written outside of the home: {path}" for path in strange]
    if outcome.late > _MOST_LATE * outcome.asked:
        outcome.faults.append(f"{outcome.late} of {outcome.asked} questions were too late")
    slowest = sorted(outcome.slowest.items(), key=lambda one: -one[1])[:5]
    print(json.dumps({"seed": chosen.seed, **vars(outcome), "slowest": dict(slowest)}, indent=2))
    return int(bool(outcome.faults))


def broken(count: int, seed: int) -> Iterator[tuple[str, Poison]]:
    """Yield documents of each format, changed at random in one to six places."""
    for ending in FORMATS:
        chance = random.Random(f"{seed} {ending}")
        whole = list(first_documents(ending, seed))
        for number in range(count):
            yield f"{ending} {number}", (f"a{ending}", mutate(ending, whole, chance))


async def _upload_all(stack: RunningStack, corpus: Mapping[str, Poison]) -> Outcome:
    outcome = Outcome(documents=len(corpus))
    waiting = iter(enumerate(corpus.items()))
    async with httpx.AsyncClient(base_url=stack.url, timeout=60, trust_env=False) as client:

        async def upload() -> None:
            for number, (name, poison) in waiting:
                began = time.monotonic()
                await _upload(client, f"poison-{number}", name, poison, outcome)
                outcome.slowest[name] = round(time.monotonic() - began, 1)

        asking = asyncio.create_task(_ask(client, outcome))
        await asyncio.gather(*(upload() for _ in range(AT_ONCE)))
        asking.cancel()
    return outcome


async def _upload(
    client: httpx.AsyncClient, book: str, name: str, poison: Poison, outcome: Outcome
) -> None:
    """Send a file and wait for its end."""
    file_name, data = poison
    response = await client.post(
        f"/v1/books/{book}/ingests",
        params={"file_name": file_name},
        content=data,
        headers={"content-type": "application/octet-stream"},
    )
    if response.status_code != 202:
        outcome.ended[f"refused with {response.status_code}"] += 1
        if response.status_code not in _REFUSED:
            outcome.faults.append(f"{name}: {response.status_code} {response.text[:300]}")
        _look_inside(name, response.json(), outcome)
        return
    job = response.json()["job"]
    place = f"/v1/books/{book}/ingests/{job['job_id']}"
    until = time.monotonic() + LONGEST_S
    while job["state"] in _UNDER_WAY and time.monotonic() < until:
        await asyncio.sleep(0.2)
        job = (await client.get(place)).json()["job"]
    outcome.ended[job["state"]] += 1
    if job["state"] in _UNDER_WAY or (job["state"] == "failed" and not job["error"]):
        outcome.faults.append(f"{name}: {job}")
    _look_inside(name, job, outcome)


def _look_inside(name: str, told: Mapping[str, Any], outcome: Outcome) -> None:
    """Note where what a person is told shows a path, a trace or an address."""
    shown = str(told.get("error") or told.get("detail") or "")
    if _INSIDE.search(shown):
        outcome.faults.append(f"{name}: {shown}")


async def _ask(client: httpx.AsyncClient, outcome: Outcome) -> None:
    while True:
        body = {"question": QUESTION}
        response = await client.post(f"/v1/books/{SAMPLE}/answers", json=body)
        outcome.asked += 1
        outcome.late += response.status_code in _LATE
        if response.status_code not in (*_LATE, 200):
            outcome.faults.append(f"a reader got {response.status_code}: {response.text[:200]}")
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
