"""Send requests of every kind to the whole product, with and without a key; the long form.

python -m tests.soak.requests [--examples N] [--seed N]

Starts the product with the sample book on free ports, and ends it. Exits with 1 where a response was a
server error, or not as the OpenAPI document says. It changes and deletes what is there.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import schemathesis
from schemathesis import Case, Response

from tests.support.any_requests import Known, Send, Tally, send_any
from tests.support.aside import aside
from tests.support.stack import QUESTION, SAMPLE, SAMPLE_PATH, RunningStack, running_stack

TIMEOUT_S = 60.0
DOCUMENT = "05-compliance.mdx"


@dataclass(frozen=True)
class Guarded:
    """A gateway that asks for keys, one that may do everything, and the ids of what is there."""

    url: str
    key: str
    known: Known


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.soak.requests")
    options.add_argument("--examples", type=int, default=50, help="of each kind, each operation")
    options.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    chosen = options.parse_args()
    faults = 0
    with TemporaryDirectory(prefix="quoth-soak-") as home, guarded(Path(home) / "home") as gateway:
        schema = schemathesis.openapi.from_dict(
            httpx.get(f"{gateway.url}/openapi.json", trust_env=False).json()
        )
        for name, send in (("no key", _sending(gateway.url, "")), ("a key", _with_key(gateway))):
            began = time.monotonic()
            tally = send_any(
                schema, send, known=gateway.known, examples=chosen.examples, seed=chosen.seed
            )
            faults += len(tally.faults)
            _report(name, tally, chosen.seed, time.monotonic() - began)
    return int(bool(faults))


@contextmanager
def guarded(home: Path) -> Iterator[Guarded]:
    """Run the product with the sample book, and beside it a gateway that asks for keys."""
    with running_stack(home, {SAMPLE: SAMPLE_PATH}) as stack:
        made = [_make_key(stack, client) for client in ("soak", "another")]
        with aside(stack, "gateway", QUOTH_REQUIRE_KEYS="true") as url:
            (key, _), (_, other) = made
            yield Guarded(url, key, {**_begin(url, key), "key_id": other})


def _make_key(stack: RunningStack, client: str) -> tuple[str, str]:
    scopes = [part for scope in ("ask", "read", "ingest", "admin") for part in ("--scope", scope)]
    made = stack.quoth("keys", "create", client, *scopes, "--rate", "1000000", "--json")
    told = json.loads(made.stdout)
    return str(told["text"]), str(told["key"]["key_id"])


def _begin(url: str, key: str) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S, trust_env=False) as client:
        book = f"/v1/books/{SAMPLE}"
        answer = client.post(f"{book}/answers", json={"question": QUESTION}).json()
        session = client.post(f"{book}/sessions").json()
        job = client.post(
            f"{book}/ingests",
            params={"file_name": "a.md", "dry_run": "true"},
            content=b"# A\n\nIt is.",
            headers={"Content-Type": "text/markdown"},
        ).json()["job"]
    return {
        "book": SAMPLE,
        "path": DOCUMENT,
        "edition": "current",
        "job_id": job["job_id"],
        "answer_id": answer["answer_id"],
        "session_id": session["session_id"],
    }


def _with_key(gateway: Guarded) -> Send:
    return _sending(gateway.url, gateway.key)


def _sending(url: str, key: str) -> Send:
    def send(case: Case) -> Response:
        headers: dict[str, Any] = {"Authorization": f"Bearer {key}"} if key else {}
        if not key:
            case.headers.pop("Authorization", None)
        return case.call(base_url=url, headers=headers, timeout=TIMEOUT_S)

    return send


def _report(name: str, tally: Tally, seed: int, took_s: float) -> None:
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(tally.statuses.items()))
    sent = sum(tally.statuses.values())
    print(f"With {name}, seed {seed}: {sent} requests in {took_s:.0f} s ({statuses});")
    print(f"  {len(tally.reached)} operations were done, {len(tally.faults)} faults.")
    for fault, message in tally.faults.items():
        print(f"\n{fault}\n{message}")


if __name__ == "__main__":
    sys.exit(main())
