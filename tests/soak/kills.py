"""Kill services and the database in the middle of streamed answers; the long form.

python -m tests.soak.kills [--rounds N] [--minutes N] [--seed N]

In each round readers stream answers of a model that speaks line by line, and one process is killed
(SIGKILL) at a random sentence: generation, PostgreSQL, the gateway, or one connection of PostgreSQL.
Exits with 1 where a sentence that a reader received is in no row, an answer has two, a row stays open,
or the record's chain does not hold.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.kills import MOST_SENTENCES, VICTIMS, Kills, killing
from tests.support.readers import dsn_of

_TELL_EVERY = 10


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak.kills")
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--minutes", type=float, default=60, help="no round begins after them")
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    chosen = options.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    began = time.monotonic()
    with (
        TemporaryDirectory(prefix="quoth-soak-") as folder,
        killing(Path(folder) / "home") as kills,
    ):
        _play(kills, random.Random(chosen.seed), chosen.rounds, began + 60 * chosen.minutes)
        verdict = kills.judge()
        chain = kills.stack.quoth("audit", "verify", "--dsn", dsn_of(kills.stack), "--json")
    print(json.dumps({**asdict(verdict), "took_s": round(time.monotonic() - began)}, indent=2))
    print(chain.stdout, chain.stderr)
    return int(not verdict.holds or chain.returncode != 0)


def _play(kills: Kills, chance: random.Random, rounds: int, until_s: float) -> None:
    for number in range(rounds):
        if time.monotonic() > until_s:
            print(f"the time is over after {number} rounds")
            return
        kills.play(VICTIMS[number % len(VICTIMS)], chance.randint(1, MOST_SENTENCES))
        if (number + 1) % _TELL_EVERY == 0:
            print(f"{number + 1} rounds, {len(kills.readings)} streams", flush=True)


if __name__ == "__main__":
    sys.exit(main())
