"""The contracts are held against what was published, by the very command that `make check` runs."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = sorted((ROOT / "protos/quoth").glob("*/v1/*.proto"))
SERVICES = [path for path in CONTRACTS if path.stem.endswith("_service")]
BASELINE = ROOT / "protos/baseline.txtpb"
FIRST = "b335b1a"
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


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """The contracts as they were when they were first meant to stay."""
    shown = run(["git", "show", f"{FIRST}:protos/baseline.txtpb"], ROOT)
    if shown.returncode:
        pytest.skip("this copy has no history that reaches back to where contracts were published")
    path = tmp_path / "first.txtpb"
    path.write_text(shown.stdout, "utf-8")
    return path


def test_no_new_baseline_breaks_what_was_first_published(first: Path) -> None:
    buf = str(Path(sys.executable).parent / "buf")
    done = run([buf, "breaking", str(BASELINE), "--against", str(first)], ROOT)
    assert done.returncode == 0, done.stdout


def test_all_that_the_contracts_have_is_published(tmp_path: Path) -> None:
    buf = str(Path(sys.executable).parent / "buf")
    now = tmp_path / "now.txtpb"
    told = run([buf, "build", "protos", "--exclude-source-info", "--output", str(now)], ROOT)
    assert told.returncode == 0, told.stderr
    # Held the other way round: what the tree alone has would be gone.
    done = run([buf, "breaking", str(BASELINE), "--against", str(now)], ROOT)
    assert done.returncode == 0, f"{done.stdout}\nPublish it: make protos-baseline"


def test_contracts_keep_what_was_published(copy: Path) -> None:
    done = check_contracts(copy)
    assert done.returncode == 0, f"{done.stdout}\nIf that is meant: make protos-baseline"


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda path: path.stem)
def test_a_renumbered_field_breaks_the_contract(copy: Path, contract: Path) -> None:
    path = copy / contract.relative_to(ROOT)
    text = path.read_text("utf-8")
    last = list(FIELD.finditer(text))[-1]
    path.write_text(text[: last.start(2)] + "1999" + text[last.end(2) :], "utf-8")
    done = check_contracts(copy)
    assert done.returncode == 100
    assert "deleted" in done.stdout


def test_a_call_that_is_gone_breaks_the_contract(copy: Path) -> None:
    path = copy / SERVICES[-1].relative_to(ROOT)
    path.write_text(re.sub(r"\n  rpc .*?;", "", path.read_text("utf-8"), count=1), "utf-8")
    done = check_contracts(copy)
    assert done.returncode == 100
    assert "RPC" in done.stdout
