"""What `make run` and `make test` install is locked, and installed from the lock alone."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
RUN = LOCK.partition("\n# make test")[0]
PIN = re.compile(r"^([\w.-]+)==([\w.!+]+)", re.MULTILINE)
ALLOWED = re.compile(
    r"#.*|[\w.-]+==[\w.!+]+( ; [\w .'<>=!()]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?"
)


def required(extra: str) -> list[Requirement]:
    """The requirements of the project with `extra`, those of the extras it names among them."""
    named = PROJECT["project"]["optional-dependencies"][extra]
    found = [Requirement(text) for text in [*PROJECT["project"]["dependencies"], *named]]
    for own in [one for one in found if one.name == "quoth"]:
        found.remove(own)
        found += [one for name in own.extras for one in required(name)]
    return found


def unmet(requirements: list[Requirement], lock: str) -> set[str]:
    """The requirements that some version in the lock does not meet, or that have none."""
    locked: dict[str, list[str]] = {}
    for name, version in PIN.findall(lock):
        locked.setdefault(canonicalize_name(name), []).append(version)
    return {
        str(one)
        for one in requirements
        if not locked.get(canonicalize_name(one.name))
        or not all(version in one.specifier for version in locked[canonicalize_name(one.name)])
    }


@pytest.mark.parametrize(("extra", "lock"), [("local", RUN), ("dev", LOCK)])
def test_the_lock_meets_what_the_project_requires(extra: str, lock: str) -> None:
    assert not unmet(required(extra), lock), "make lock brings it up to date"


def test_the_lock_has_what_the_project_is_built_with() -> None:
    build = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
    assert not unmet(build, RUN)


def test_a_requirement_that_the_lock_does_not_meet_is_named() -> None:
    lock = "starlette==1.2.0 \\\n"
    asked = [Requirement("starlette>=1.10"), Requirement("uvicorn"), Requirement("Starlette>=1")]
    assert unmet(asked, lock) == {"starlette>=1.10", "uvicorn"}


def test_the_lock_holds_names_versions_and_hashes_alone() -> None:
    assert [line for line in LOCK.splitlines() if not ALLOWED.fullmatch(line)] == []


@pytest.mark.control("V18")
def test_every_locked_version_has_a_hash() -> None:
    entries = re.split(r"\n(?=[^ ])", LOCK)
    assert [one for one in entries if not one.startswith("#") and "--hash=" not in one] == []


@pytest.mark.control("V18")
def test_everything_is_installed_from_the_lock(tmp_path: Path) -> None:
    told = subprocess.run(
        ["make", "--dry-run", "test", f"VENV={tmp_path}/venv"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    said = told.stdout.replace("\\\n", " ").splitlines()
    uv, run, own, tests = [line for line in said if "pip install" in line]
    for line in (uv, run, tests):
        ways = [way for way in line.split("||") if "pip install" in way]
        assert all("--require-hashes --only-binary :all: --requirement" in way for way in ways)
    assert "--no-deps --no-build-isolation --editable ." in own
