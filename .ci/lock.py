"""Write the lock: exact versions and hashes of what `make run` installs, then of what the tests add.

    python .ci/lock.py FILE [option of `uv pip compile` ...]

Versions already locked stay where they still fit; `--upgrade` takes the newest.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path("pyproject.toml")
HEAD = """\
# Made by `make lock`: do not edit. What `make run` installs, for every platform that has wheels.
"""
TESTS = """\
# make test and make check install all that stands above, and:
"""


def write_lock(lock: Path, options: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder, "build.in")
        build.write_text("\n".join(_build_requirements()), "utf-8")
        everything, run = Path(folder, "all.lock"), Path(folder, "run.lock")
        # What uv finds in its output file it prefers.
        everything.write_bytes(lock.read_bytes() if lock.exists() else b"")
        _compile(everything, "dev", build, options)
        _compile(run, "local", build, ["--constraint", str(everything)])
        needed = _entries(run)
        added = [entry for head, entry in _entries(everything).items() if head not in needed]
    lock.write_text("".join([HEAD, *needed.values(), TESTS, *added]), "utf-8")


def _build_requirements() -> list[str]:
    # The project is installed without isolation: what isolation would fetch comes without hashes.
    return list(tomllib.loads(PROJECT.read_text("utf-8"))["build-system"]["requires"])


def _compile(output: Path, extra: str, build: Path, options: Sequence[str]) -> None:
    command: list[str | Path] = [
        Path(sys.executable).with_name("uv"),
        "pip",
        "compile",
        PROJECT,
        build,
    ]
    command += ["--extra", extra, "--universal", "--python-version", "3.11"]
    command += ["--only-binary", ":all:", "--generate-hashes", "--quiet"]
    command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    # uv reads the settings of this machine; what it writes is held to names, versions and hashes.
    subprocess.run([*command, "--output-file", output, *options], check=True)  # noqa: S603


def _entries(lock: Path) -> dict[str, str]:
    """Return each entry of a lock by its first line, which has name, version and marker."""
    entries: dict[str, str] = {}
    head = ""
    for line in lock.read_text("utf-8").splitlines(keepends=True):
        if not line.startswith((" ", "#")):
            head = line
        entries[head] = entries.get(head, "") + line
    return entries


if __name__ == "__main__":
    write_lock(Path(sys.argv[1]), sys.argv[2:])
