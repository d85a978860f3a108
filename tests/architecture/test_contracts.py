"""The contracts are held against what was published, by the very command that `make check` runs."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICES = sorted((ROOT / "protos/quoth").glob("*/v1/*_service.proto"))
FIELD = re.compile(r"^( +[\w.]+ \w+ = )(\d+)(;| \[)", re.MULTILINE)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tree of the contracts alone: no repository, no history."""
    shutil.copytree(ROOT / "protos", tmp_path / "protos")
    return tmp_path


def check_contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    told = run(["make", "--dry-run", "check", f"BIN={Path(sys.executable).parent}"], ROOT)
    [line] = [line for line in told.stdout.splitlines() if "buf breaking" in line]
    return run(shlex.split(line), tree)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_contracts_keep_what_was_published(copy: Path) -> None:
    done = check_contracts(copy)
    assert done.returncode == 0, f"{done.stdout}\nIf that is meant: make protos-baseline"


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
def test_a_renumbered_field_breaks_the_contract(copy: Path, service: Path) -> None:
    path = copy / service.relative_to(ROOT)
    changed, count = FIELD.subn(r"\g<1>1999\g<3>", path.read_text("utf-8"), count=1)
    assert count == 1
    path.write_text(changed, "utf-8")
    done = check_contracts(copy)
    assert done.returncode == 100
    assert "deleted" in done.stdout


def test_a_call_that_is_gone_breaks_the_contract(copy: Path) -> None:
    path = copy / SERVICES[-1].relative_to(ROOT)
    path.write_text(re.sub(r"\n  rpc .*?;", "", path.read_text("utf-8"), count=1), "utf-8")
    done = check_contracts(copy)
    assert done.returncode == 100
    assert "RPC" in done.stdout
