"""/proc is read right: a made-up one, and a real child that burns CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.processes import (
    cpu_seconds,
    list_tree,
    measured_cpu,
    memory,
    parse_stat,
    status_mb,
)

TICKS = os.sysconf("SC_CLK_TCK")


def stat_line(pid: int, name: str, parent: int, *ticks: int) -> str:
    filler = " ".join(["0"] * 9)
    spent = " ".join(str(number) for number in (*ticks, 0, 0, 0, 0)[:4])
    return f"{pid} ({name}) S {parent} {filler} {spent} 20 0 1 0 5 0 0\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for pid, name, parent, ticks in (
        (10, "quoth", 1, (100, 50, 25, 25)),
        (11, "post (gres) x", 10, (10, 0, 0, 0)),
        (12, "backend", 11, (5, 5, 0, 0)),
        (13, "stranger", 1, (999, 0, 0, 0)),
    ):
        folder = tmp_path / str(pid)
        folder.mkdir()
        (folder / "stat").write_text(stat_line(pid, name, parent, *ticks))
        (folder / "statm").write_text("1000 10 5 0 0 0 0")
        (folder / "smaps_rollup").write_text("header\nRss: 40 kB\nPss:  20 kB\nPss_Dirty: 9 kB\n")
    (tmp_path / "cpuinfo").write_text("not a process")
    return tmp_path


def test_a_name_with_parentheses_and_spaces_is_no_obstacle() -> None:
    stat = parse_stat(stat_line(11, "post (gres) x", 10, 1, 2, 3, 4))
    assert (stat.pid, stat.parent) == (11, 10)
    assert stat.cpu_s == pytest.approx(10 / TICKS)


def test_a_process_counts_with_all_it_started_living_or_ended(proc: Path) -> None:
    assert sorted(stat.pid for stat in list_tree(10, proc)) == [10, 11, 12]
    assert cpu_seconds(10, proc) == pytest.approx((200 + 10 + 10) / TICKS)


def test_a_process_that_is_gone_has_no_tree(proc: Path) -> None:
    assert list_tree(99, proc) == []
    assert cpu_seconds(99, proc) == 0.0


def test_sizes_are_read_by_their_names(proc: Path) -> None:
    (proc / "12" / "status").write_text("Name:\tbackend\nVmRSS:\t 2000 kB\nRssAnon:\t 500 kB\n")
    assert status_mb(12, proc) == {"VmRSS": 2.048, "RssAnon": 0.512}


def test_memory_is_summed_over_the_tree(proc: Path) -> None:
    measured = memory(10, proc)
    assert measured.resident == 3 * 10 * os.sysconf("SC_PAGESIZE")
    assert measured.shared_once == 3 * 20 * 1024


def test_without_the_right_to_read_it_the_shared_size_is_unknown(proc: Path) -> None:
    (proc / "12" / "smaps_rollup").unlink()
    assert memory(10, proc).shared_once is None


def test_only_what_was_spent_inside_the_block_counts(proc: Path) -> None:
    with measured_cpu({"quoth": 10, "other": 13}, proc) as use:
        (proc / "12" / "stat").write_text(stat_line(12, "backend", 11, 5 + 3 * TICKS, 5))
    assert use.seconds == pytest.approx({"quoth": 3.0, "other": 0.0})
    assert use.total_s == pytest.approx(3.0)


def test_a_real_child_and_its_ended_grandchild_are_seen() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    script = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {burn!r}])\n"
        f"{burn}\nprint('burnt', flush=True)\ninput()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        spent = cpu_seconds(child.pid)
        assert memory(child.pid).resident > 1_000_000
        child.communicate(b"\n")
    assert spent >= 0.6 - 4 / TICKS
