"""The supervisor, with small processes in the places of the real ones."""

import asyncio
import errno
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from deploy.embedded import StartError
from deploy.local import child, restarts, supervisor
from deploy.local.child import GaveUpError
from deploy.local.instance import LOGS, hold_home, read_run
from deploy.local.logs import CappedLog
from deploy.local.processes import Process
from deploy.local.reading import Reading
from deploy.local.report import Report
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import HomeLostError, StopSignals, Supervisor

FAKE = "tests.support.fake_process"


class Recorded:
    """A report that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, ...]] = []

    def ready(self, name: str, after_s: float) -> None:
        self.events.append(("ready", name))

    def died(self, name: str, how: str) -> None:
        self.events.append(("died", name, how))

    def line(self, name: str, text: str) -> None:
        self.events.append(("line", name, text))

    def up(self, url: str, home: str) -> None:
        self.events.append(("up", url))

    def note(self, text: str) -> None:
        self.events.append(("note", text))


class Stack:
    """Fake processes under a real supervisor."""

    def __init__(self, home: Path, report: Recorded, stop: asyncio.Event) -> None:
        self.home = home
        self.report = report
        self.stop = stop
        self.force = asyncio.Event()

    def pid(self, name: str) -> int | None:
        pid = read_run(self.home).get("processes", {}).get(name, {}).get("pid")
        return None if pid is None else int(pid)

    def is_ready(self, name: str) -> bool:
        return bool(read_run(self.home)["processes"][name]["ready"])


async def until(reached: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not reached():  # noqa: ASYNC110 - what is waited for happens in other processes
            await asyncio.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@asynccontextmanager
async def running(home: Path, *processes: Process) -> AsyncIterator[Stack]:
    report, stop = Recorded(), asyncio.Event()
    welcomed = asyncio.Event()

    async def welcome(url: str, report: Report) -> None:
        welcomed.set()

    with hold_home(home, "url") as lock:
        stack = Stack(home, report, stop)
        settings = LocalSettings(home=home, patience_s=0.6)
        ours = Supervisor(settings, processes, report, lock)
        task = asyncio.create_task(ours.run_until(stop, welcome))
        try:
            await asyncio.wait(
                {task, asyncio.create_task(welcomed.wait())}, return_when=asyncio.FIRST_COMPLETED
            )
            if task.done():
                await task
            yield stack
            stop.set()
            await task
        finally:
            await ours.stop(stack.force)


async def test_processes_are_started_made_known_and_stopped_in_reverse(tmp_path: Path) -> None:
    async with running(tmp_path, Process("one", FAKE), Process("two", FAKE)) as stack:
        pids = [stack.pid(name) for name in ("one", "two")]
        assert all(pid is not None and runs(pid) for pid in pids)
        assert ("up", "http://127.0.0.1:8080") in stack.report.events

    assert not any(pid is not None and runs(pid) for pid in pids)


@pytest.mark.parametrize("comes_back", [True, False], ids=["put back", "removed for good"])
async def test_a_home_that_is_lost_ends_the_stores_and_starts_all_again(
    tmp_path: Path, comes_back: bool
) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    report, up = Recorded(), asyncio.Event()

    async def welcome(url: str, report: Report) -> None:
        up.set()

    with hold_home(home, "url") as lock:
        # A stand-in: the command of a real store takes arguments of its own.
        store = Process("store", FAKE, is_store=True)
        settings = LocalSettings(home=home, patience_s=1.0)
        ours = Supervisor(settings, [store, Process("service", FAKE)], report, lock)
        task = asyncio.create_task(ours.run_until(asyncio.Event(), welcome))
        await asyncio.wait({asyncio.create_task(up.wait()), task}, return_when="FIRST_COMPLETED")
        pids = {name: entry["pid"] for name, entry in read_run(home)["processes"].items()}
        home.rename(away)
        await until(lambda: not runs(pids["store"]))
        assert runs(pids["service"])
        if comes_back:
            away.rename(home)
        with pytest.raises(HomeLostError):
            await task
        await ours.stop(asyncio.Event())
    assert not runs(pids["service"])
    assert any("was removed or replaced" in event[-1] for event in report.events)
    with hold_home(home, "url"):
        pass


@pytest.mark.fault("G7")
async def test_a_disk_too_full_to_write_down_what_runs_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with running(tmp_path, Process("one", FAKE)) as stack:
        old = stack.pid("one")
        assert old is not None
        with monkeypatch.context() as disk:
            disk.setattr(supervisor, "write_run", full)
            os.kill(old, signal.SIGKILL)
            await until(lambda: stack.report.events.count(("ready", "one")) == 2)
            assert stack.pid("one") == old
        await until(lambda: stack.pid("one") != old and stack.is_ready("one"))


async def test_a_process_gets_the_address_of_the_one_it_needs(tmp_path: Path) -> None:
    one = Process("one", FAKE, environment={"FAKE_ADDRESS": "the-address"})
    two = Process("two", FAKE, needs={"NEEDED": "one"})

    async with running(tmp_path, one, two) as stack:
        assert read_run(tmp_path)["processes"]["two"]["address"] == "here the-address"
        assert stack.report.events.index(("ready", "one")) < stack.report.events.index(
            ("ready", "two")
        )


@pytest.mark.control("V2")
async def test_a_process_inherits_what_it_reads_and_a_store_no_key_and_no_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ADDRESS", "a-key")
    told = Process("told", FAKE, environment={"NEEDED": "its-own"}, is_store=True)

    reading = Process("reading", FAKE, reads=Reading(frozenset({"FAKE_ADDRESS"})))

    async with running(tmp_path, told, reading, Process("other", FAKE)):
        processes = read_run(tmp_path)["processes"]
        assert processes["told"]["address"] == "here its-own"
        assert processes["reading"]["address"] == "a-key"
        assert processes["other"]["address"] == "here"


async def test_nothing_is_imported_from_the_folder_that_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "signal.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(there)

    async with running(tmp_path, Process("one", FAKE)) as stack:
        assert stack.is_ready("one")
        assert not [event for event in stack.report.events if event[0] == "died"]


async def test_a_process_that_is_killed_comes_back(tmp_path: Path) -> None:
    async with running(tmp_path, Process("one", FAKE)) as stack:
        first = stack.pid("one")
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: stack.pid("one") not in (first, None) and stack.is_ready("one"))

        assert ("died", "one", "killed by SIGKILL") in stack.report.events
        assert stack.report.events.count(("ready", "one")) == 2


@pytest.mark.fault("P9")
@pytest.mark.parametrize("is_store", [False, True])
async def test_a_process_that_was_stopped_is_ended_and_comes_back(
    tmp_path: Path, is_store: bool
) -> None:
    async with running(tmp_path, Process("one", FAKE, is_store=is_store)) as stack:
        first = stack.pid("one")
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        await until(lambda: stack.pid("one") not in (first, None) and stack.is_ready("one"))

        assert not runs(first)
        [reason] = [event[2] for event in stack.report.events if event[0] == "died"]
        # Half of the 0.6 s that it may be silent for: a stopped one isn't waited for.
        silent = re.fullmatch(r"no answer for (\S+) s", reason)
        assert silent is not None
        assert float(silent[1]) >= 0.3


async def test_a_process_that_never_gets_ready_is_tried_again_and_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "START_S", 0.05)
    monkeypatch.setattr(restarts, "FIRST_DELAY_S", 0.0)
    mute = Process("one", FAKE, environment={"FAKE_MODE": "mute"})

    with pytest.raises(GaveUpError, match="one does not start"):
        async with running(tmp_path, mute):
            pytest.fail("it can't be up")


async def test_only_silence_without_a_break_counts_as_hanging(tmp_path: Path) -> None:
    replies = iter([False, False, True, False, False, True, True, False, False, False])
    asked: list[float] = []

    async def answers(address: str, timeout_s: float) -> bool:
        asked.append(timeout_s)
        return next(replies, True)

    async with running(tmp_path, Process("one", FAKE, probe=answers)) as stack:
        first = stack.pid("one")
        await until(lambda: stack.pid("one") not in (first, None) and stack.is_ready("one"))
        await until(lambda: len(asked) > 12)
        second = stack.pid("one")
        await until(lambda: len(asked) > 15)

        assert stack.pid("one") == second
    assert asked[0] == pytest.approx(0.1)


async def test_children_of_a_killed_process_are_ended(tmp_path: Path) -> None:
    async with running(
        tmp_path, Process("one", FAKE, environment={"FAKE_MODE": "parent"})
    ) as stack:
        first = stack.pid("one")
        assert first is not None
        log = (tmp_path / "logs" / "one.log").read_text()
        child = int(log.split()[1])
        assert runs(child)
        os.kill(first, signal.SIGKILL)
        await until(lambda: not runs(child))


async def test_a_process_that_never_starts_ends_everything_with_its_last_words(
    tmp_path: Path,
) -> None:
    dying = Process("one", FAKE, environment={"FAKE_MODE": "die"})

    with pytest.raises(GaveUpError) as caught:
        async with running(tmp_path, dying):
            pytest.fail("it can't be up")

    assert "one does not start (exit status 1)" in str(caught.value)
    assert "this can't work" in str(caught.value)
    assert "logs/one.log" in str(caught.value)
    assert not caught.value.is_final


async def test_a_process_that_refuses_what_it_was_given_is_not_tried_again(
    tmp_path: Path,
) -> None:
    one = Process("one", FAKE)
    two = Process("two", FAKE, environment={"FAKE_MODE": "refuse"})

    with pytest.raises(GaveUpError) as caught:
        async with running(tmp_path, one, two):
            pytest.fail("it can't be up")

    assert str(caught.value) == "two cannot start: ERROR: this can't work"
    assert caught.value.is_final
    with hold_home(tmp_path, "free again"):
        pass


async def test_warnings_and_worse_reach_the_person(tmp_path: Path) -> None:
    report = Recorded()
    refusing = Process("one", FAKE, environment={"FAKE_MODE": "refuse"})
    with hold_home(tmp_path, "url") as lock:
        ours = Supervisor(LocalSettings(home=tmp_path), [refusing], report, lock)

        async def welcome(url: str, report: Report) -> None: ...

        with pytest.raises(GaveUpError):
            await ours.run_until(asyncio.Event(), welcome)
        await ours.stop(asyncio.Event())

    assert ("line", "one", "ERROR: this can't work") in report.events


async def test_a_log_that_cannot_be_opened_again_stops_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "CappedLog", partial(CappedLog, max_bytes=100))
    chatty = Process("one", FAKE, environment={"FAKE_MODE": "chatty"})

    async with running(tmp_path, chatty) as stack:
        pid = stack.pid("one")
        shutil.rmtree(tmp_path / LOGS)
        heard = len(stack.report.events)
        # Many times what the log or the pipe of a process that nobody hears would hold.
        await until(lambda: len(stack.report.events) > heard + 200)
        assert (stack.pid("one"), stack.is_ready("one")) == (pid, True)
        (tmp_path / LOGS).mkdir()
        await until((tmp_path / LOGS / "one.log").exists)


@pytest.mark.fault("P7")
async def test_a_second_signal_ends_a_process_that_will_not_listen(tmp_path: Path) -> None:
    stubborn = Process("one", FAKE, environment={"FAKE_MODE": "stubborn"})

    async with running(tmp_path, stubborn) as stack:
        pid = stack.pid("one")
        assert pid is not None
        stack.force.set()

    assert not runs(pid)


async def test_one_press_that_arrives_twice_does_not_force() -> None:
    now_s = 0.0
    signals = StopSignals(lambda: now_s)

    signals.note()
    now_s = 0.1
    signals.note()
    assert signals.asked.is_set()
    assert not signals.forced.is_set()

    now_s = 1.5
    signals.note()
    assert signals.forced.is_set()


def test_a_home_that_a_failed_start_made_is_gone_behind_it(tmp_path: Path) -> None:
    home = tmp_path / "new"
    with pytest.raises(StartError), hold_home(home, "url"):
        raise StartError("The port is taken.")
    assert not home.exists()
    kept = tmp_path / "kept"
    for made in (False, True):
        with hold_home(kept, "url"):
            if not made:
                (kept / "data").mkdir()
        assert kept.exists()
    empty = tmp_path / "empty"
    empty.mkdir()
    with hold_home(empty, "url"):
        pass
    assert empty.exists()  # the operator's own
