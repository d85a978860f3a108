"""Look up every locked version among the known vulnerabilities, and say how many could be looked up.

    python .ci/vulnerabilities.py FILE [option of `pip-audit` ...]

pip-audit calls a package that its database does not know "not vulnerable" and exits with 0; here
only what was looked up counts. Fails if a locked version has a known vulnerability.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

PIN = re.compile(r"^([\w.-]+)==([\w.!+]+)", re.MULTILINE)
# How pip-audit ends when it has no connection: by its own message, or by the client's exception.
NO_CONNECTION = re.compile(r"Could not connect to|ConnectionError|ConnectTimeout|ReadTimeout")
NAMES_SHOWN = 10


@dataclass(frozen=True)
class LookUp:
    locked: int
    missed: tuple[str, ...]  # locked, but not looked up: unknown to the database, other platforms
    vulnerable: tuple[str, ...]

    def __str__(self) -> str:
        known = self.locked - len(self.missed)
        if not known:
            return "look-up skipped: no advisory database"
        lines = [f"{known} of {self.locked} locked versions looked up"]
        if self.missed:
            more = len(self.missed) - NAMES_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            lines.append(f"not looked up: {', '.join(self.missed[:NAMES_SHOWN])}{rest}")
        return "\n".join([*lines, *(self.vulnerable or ["no known vulnerabilities"])])


class LookUpFailed(Exception):
    """pip-audit gave no report, for another reason than a missing connection."""


def read_report(lock: str, report: str, errors: str = "") -> LookUp:
    """Read what `pip-audit --format json` wrote about `lock`, and to its standard error."""
    locked = {f"{canonicalize_name(name)}=={version}" for name, version in PIN.findall(lock)}
    if not report.strip():
        if not NO_CONNECTION.search(errors):
            raise LookUpFailed(errors.strip() or "pip-audit wrote no report")
        return LookUp(len(locked), tuple(sorted(locked)), ())
    known = {
        f"{canonicalize_name(one['name'])}=={one['version']}": one["vulns"]
        for one in json.loads(report)["dependencies"]
        if "skip_reason" not in one
    }
    return LookUp(
        len(locked),
        tuple(sorted(locked - known.keys())),
        tuple(_describe(pin, one) for pin in sorted(known) for one in known[pin]),
    )


def _describe(pin: str, vulnerability: dict[str, list[str]]) -> str:
    fixed = ", ".join(vulnerability["fix_versions"]) or "no version"
    also = ", ".join(vulnerability.get("aliases", []))
    return f"{pin}: {vulnerability['id']}{also and f' ({also})'}, fixed in {fixed}"


def look_up(lock: Path, options: Sequence[str]) -> LookUp:
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(lock)]
    # The lock is complete: nothing is resolved, so pip and its index are not asked.
    command += [
        "--require-hashes",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    # Fixed words, and what the caller adds to them.
    ended = subprocess.run([*command, *options], capture_output=True, text=True, check=False)  # noqa: S603
    return read_report(lock.read_text("utf-8"), ended.stdout, ended.stderr)


def main(arguments: Sequence[str]) -> int:
    try:
        result = look_up(Path(arguments[0]), arguments[1:])
    except LookUpFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    print(result)
    return 1 if result.vulnerable else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
