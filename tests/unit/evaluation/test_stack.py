"""What a measurement starts ends with it, however that ends."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.evaluation.stack import run_module

FOLLOWER = """
    import argparse, os, signal, sys
    from deploy.embedded import follow_parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent-pid", type=int)
    follow_parent(parser.parse_args().parent_pid)
    print(os.getpid(), flush=True)
    signal.pause()
"""

MEASURING = """
    import os, pathlib, sys, tempfile, time
    from deploy.evaluation.stack import run_module
    with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
        log = pathlib.Path(folder, "log")
        with run_module("follower", os.environ, log) as process:
            while not log.read_bytes().endswith(b"\\n"):
                time.sleep(0.01)
            print(process.pid, flush=True)
            time.sleep(60)
"""


@contextmanager
def measuring(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Start a process that measures, and yield it with the number of what it started."""
    (folder / "follower.py").write_text(textwrap.dedent(FOLLOWER), "utf-8")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path.cwd())])}
    (folder / "made").mkdir()
    start = [sys.executable, "-c", textwrap.dedent(MEASURING), str(folder / "made")]
    with subprocess.Popen(start, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process follows its parent")
def test_a_measurement_told_to_end_leaves_neither_process_nor_folder(tmp_path: Path) -> None:
    with measuring(tmp_path) as (process, started):
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
        assert is_gone(started)
        assert list((tmp_path / "made").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process follows its parent")
def test_a_measurement_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    with measuring(tmp_path) as (process, started):
        process.kill()
        process.wait(30)
        assert is_gone(started)


def test_the_handler_of_a_signal_stays_as_it_was(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with run_module("no_such_module", os.environ, tmp_path / "log") as process:
        assert process.wait(30) == 1
    assert signal.getsignal(signal.SIGTERM) is before
