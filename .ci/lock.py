"""Write the lock: exact versions and hashes of what `make run` installs, then of what the tests add.

    python .ci/lock.py FILE [option of `uv pip compile` ...]

What the images' variant with OCR adds stands in a file of its own, deploy/ocr.lock.
Versions already locked stay where they still fit; `--upgrade` takes the newest.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path("pyproject.toml")
OCR = Path("deploy/ocr.lock")
HEAD = """\
# Made by `make lock`: do not edit. What `make run` installs, for every platform that has wheels.
"""
OCR_HEAD = """\
# Made by `make lock`: do not edit. What quoth-ingest-ocr installs beside requirements.lock.
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
        whole = ["--constraint", str(everything)]
        _compile(run, "local", build, whole)
        ocr = Path(folder, "ocr.lock")
        ocr.write_bytes(OCR.read_bytes() if OCR.exists() else b"")
        _compile(ocr, "ocr", build, [*whole, *options])
        needed, locked = _entries(run), _entries(everything)
        added = [entry for head, entry in locked.items() if head not in needed]
        read = [entry for head, entry in _entries(ocr).items() if head not in locked]
    OCR.write_text("".join([OCR_HEAD, *read]), "utf-8")
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
