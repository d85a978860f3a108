"""Kill services and the database in the middle of streamed answers; the long form.

python -m tests.soak.kills [--kills N] [--minutes N] [--seed N]

In each round readers stream answers of a model that speaks line by line, and at a random sentence one
process is killed (SIGKILL), then some more of them while those before come back, and half of them once
more on their way up: any service, either store, or one connection of PostgreSQL. Exits with 1 where a
sentence that a reader received is in no row, an answer has two, a row stays open, or the record's chain
does not hold.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.kills import ALL_VICTIMS, MOST_SENTENCES, Kills, killing
from tests.support.stack import SAMPLE, SAMPLE_PATH

_TELL_EVERY = 10
_FEWEST = 4
"""Victims of a round; at most it is all."""
_AGAIN = 0.5
"""The share of them that is killed once more while it starts."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak.kills")
    options.add_argument("--kills", type=int, default=1000)
    options.add_argument("--minutes", type=float, default=120, help="no round begins after them")
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    chosen = options.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    began = time.monotonic()
    with (
        TemporaryDirectory(prefix="quoth-soak-") as folder,
        killing(Path(folder) / "home", {SAMPLE: SAMPLE_PATH}) as kills,
    ):
        _play(kills, random.Random(chosen.seed), chosen.kills, began + 60 * chosen.minutes)
        verdict = kills.judge()
        chain = kills.stack.quoth("audit", "verify", "--dsn", kills.dsn, "--json")
    print(json.dumps({**asdict(verdict), "took_s": round(time.monotonic() - began)}, indent=2))
    print(chain.stdout, chain.stderr)
    return int(not verdict.holds or chain.returncode != 0)


def _play(kills: Kills, chance: random.Random, most: int, until_s: float) -> None:
    rounds = 0
    while (done := kills.done.total()) < most:
        if time.monotonic() > until_s:
            print(f"the time is over after {done} kills")
            return
        victims = chance.sample(ALL_VICTIMS, chance.randint(_FEWEST, len(ALL_VICTIMS)))
        kills.play(victims, chance.randint(1, MOST_SENTENCES), chance, again=_AGAIN)
        rounds += 1
        if rounds % _TELL_EVERY == 0:
            total, streams = kills.done.total(), len(kills.readings)
            print(f"{rounds} rounds, {total} kills, {streams} streams", flush=True)


if __name__ == "__main__":
    sys.exit(main())
