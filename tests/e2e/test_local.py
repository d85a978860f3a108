"""`quoth up`: everything started, kept running and ended, with real processes."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from deploy.local.child import GRACE_S
from deploy.local.processes import POSTGRES
from deploy.local.settings import PORTS
from tests.support.aside import post
from tests.support.engines import children_of, is_alive
from tests.support.ports import free_ports
from tests.support.stack import (
    CACHE,
    CHECKOUT,
    INGEST_S,
    NAMES,
    QUESTION,
    SAMPLE,
    START_S,
    RunningStack,
    assert_nothing_left,
    copy_home,
    eventually,
    is_ready,
    processes_of,
    running_stack,
    start_stack,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A product of our own, from a cold start: here its processes are killed."""
    home = tmp_path_factory.mktemp("local") / "home"
    cold = {"QUOTH_CACHE_DIR": ""}
    with running_stack(home, sample=True, environment=cold) as running:
        eventually(
            lambda: f"✓ {SAMPLE}: edition 1 published" in running.output(),
            "no sample book",
            INGEST_S,
        )
        yield running


def refusal_to_start(home: Path, port: int) -> tuple[int, str]:
    """Start a product that is expected to refuse; returns its exit status and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "up", "--no-sample"],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "QUOTH_HOME": str(home),
            "QUOTH_PORT": str(port),
            "QUOTH_CACHE_DIR": str(CACHE),
        },
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    return done.returncode, done.stderr


def write_book(folder: Path, documents: int) -> Path:
    folder.mkdir()
    for number in range(documents):
        paragraphs = "\n\n".join(
            f"Gear {number}-{part} turns the {part}th wheel of machine {number}. " * 12
            for part in range(6)
        )
        (folder / f"{number:03}.md").write_text(f"# Machine {number}\n\n{paragraphs}\n")
    return folder


def test_the_first_start_tells_its_stages_and_brings_the_sample_book(stack: RunningStack) -> None:
    said = stack.output()

    for name in NAMES:
        assert f"✓ {name} ready (" in said
    assert f"Quoth is running: {stack.url}" in said
    assert "First start: adding the sample book" in said
    assert [book["slug"] for book in stack.books()] == [SAMPLE]
    assert stack.ask(SAMPLE, QUESTION)["citations"]


@pytest.mark.control("V2")
def test_nobody_else_may_read_the_home_and_no_store_sees_a_setting(stack: RunningStack) -> None:
    open_to_others = [
        path
        for path in (stack.home, *stack.home.rglob("*"))
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]
    assert open_to_others == []
    for store in ("postgres", "qdrant"):
        pid = stack.pid(store)
        for process in (pid, *children_of(pid)):
            environment = Path(f"/proc/{process}/environ").read_bytes()
            assert b"QUOTH_HOME" not in environment


@pytest.mark.fault("P1", "P6")
@pytest.mark.parametrize("name", NAMES)
def test_a_process_killed_while_questions_are_asked_comes_back(
    stack: RunningStack, name: str
) -> None:
    others = {other: pid for other, pid in stack.pids().items() if other != name}

    with asking(stack) as replies:
        eventually(lambda: replies, "nothing was answered")
        stack.wait_for_return(name, stack.kill(name))
        stack.answers_soon(SAMPLE, QUESTION)

    assert {other: stack.pid(other) for other in others} == others
    # What readers saw meanwhile: a whole answer, a plain problem, or no connection.
    for reply in replies:
        if reply is None:
            assert name == "gateway"
        elif reply.status_code == 200:
            assert reply.json()["citations"]
        else:
            assert reply.status_code in (502, 503, 504), reply.text
            assert reply.json()["request_id"]


@contextmanager
def asking(stack: RunningStack) -> Iterator[list[httpx.Response | None]]:
    """Ask one question after another beside the block; yields the replies, None for none."""
    replies: list[httpx.Response | None] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            replies.append(reply := _reply_if_any(stack))
            if reply is None or reply.status_code != 200:
                stop.wait(0.1)  # a refusal comes at once, and what starts needs the processor

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield replies
    finally:
        stop.set()
        thread.join()


def _reply_if_any(stack: RunningStack) -> httpx.Response | None:
    try:
        return post(stack.url, SAMPLE, QUESTION)
    except httpx.TransportError:
        return None


@pytest.fixture(scope="module")
def impatient(
    sample_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningStack]:
    """A product that takes a process for hanging after 3 seconds, a tenth of what is usual."""
    home = copy_home(sample_template, tmp_path_factory.mktemp("impatient") / "home")
    with running_stack(home, environment={"QUOTH_PATIENCE_S": "3"}) as running:
        running.answers_soon(SAMPLE, QUESTION)  # what follows a start takes both cores
        yield running


@pytest.mark.fault("P9")
@pytest.mark.parametrize("name", NAMES)
def test_a_process_that_hangs_without_dying_is_started_again(
    impatient: RunningStack, name: str
) -> None:
    others = {other: pid for other, pid in impatient.pids().items() if other != name}

    impatient.wait_for_return(name, impatient.halt(name))

    impatient.answers_soon(SAMPLE, QUESTION)
    said = rf"! {name} ended \(no answer for (\S+) s\); starting it again"
    [silent] = re.findall(said, impatient.output())
    assert 1.5 <= float(silent) < 10
    assert {other: impatient.pid(other) for other in others} == others


@pytest.mark.fault("P9", "D3")
def test_a_database_that_hangs_whole_makes_room_for_the_next(impatient: RunningStack) -> None:
    node, below = impatient.halt_below(POSTGRES)
    assert len(below) > 5  # the server and its sessions, too

    eventually(lambda: not is_ready(impatient.url), "ready without a database")
    impatient.wait_for_return(POSTGRES, node)

    impatient.answers_soon(SAMPLE, QUESTION)
    assert not [pid for pid in (node, *below) if is_alive(pid)]


def test_a_busy_machine_is_not_taken_for_a_hanging_process(impatient: RunningStack) -> None:
    before = impatient.pids()
    burn = "import time\nend = time.monotonic() + 8\nwhile time.monotonic() < end: pass"
    burners = [
        subprocess.Popen([sys.executable, "-c", burn]) for _ in range(2 * (os.cpu_count() or 1))
    ]

    with asking(impatient) as replies:
        for burner in burners:
            burner.wait()

    assert impatient.pids() == before
    assert [reply for reply in replies if reply is not None]


@pytest.mark.fault("P5")
@pytest.mark.invariant("I4")
def test_an_ingest_survives_the_death_of_everything_it_needs(
    stack: RunningStack, tmp_path: Path
) -> None:
    book = write_book(tmp_path / "book", documents=40)
    with subprocess.Popen(
        [sys.executable, "-m", "deploy.cli", "ingest", str(book), "--book", "machines"],
        cwd=CHECKOUT,
        env={**os.environ, "QUOTH_URL": stack.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as ingest:
        assert ingest.stdout is not None
        said = [ingest.stdout.readline()]  # the first tenth is done
        for name in ("retrieval", "generation", "ingest", "qdrant", "postgres", "gateway"):
            assert "machines" not in {book["slug"] for book in _books_if_any(stack)}
            stack.wait_for_return(name, stack.kill(name))
        said.append(ingest.stdout.read())

    assert ingest.returncode == 0, said
    published = {book["slug"]: book for book in stack.books()}["machines"]
    assert published["document_count"] == 40
    stack.answers_soon("machines", "What turns the 5th wheel of machine 39?")


def _books_if_any(stack: RunningStack) -> list[dict[str, object]]:
    try:
        return stack.books()
    except AssertionError:
        return []


def test_a_second_start_in_the_same_home_names_the_first(stack: RunningStack) -> None:
    status, said = refusal_to_start(stack.home, free_ports(PORTS))

    assert status == 2
    assert said.count("\n") == 1
    assert f"process {stack.supervisor.pid}" in said
    assert stack.url in said


@pytest.mark.fault("K1")
@pytest.mark.parametrize("step", range(PORTS))
def test_a_taken_port_is_named_and_nothing_is_left(tmp_path: Path, step: int) -> None:
    home, port = tmp_path / "home", free_ports(PORTS)
    with socket.create_server(("127.0.0.1", port + step)):
        status, said = refusal_to_start(home, port)

    assert status == 2
    assert said.count("\n") == 1
    assert f"Port {port + step} (for " in said
    assert "QUOTH_PORT" in said
    assert_nothing_left(home)


@pytest.mark.parametrize("engine", ["postgres", "qdrant"])
def test_an_engine_that_does_not_start_is_named_with_its_words(tmp_path: Path, engine: str) -> None:
    home = tmp_path / "home"
    (home / engine).mkdir(parents=True)
    (home / engine / "somebody-elses.txt").write_text("precious")

    status, said = refusal_to_start(home, free_ports(PORTS))

    assert status == 2
    assert said.count("\n") == 1
    assert f"{engine} cannot start: folder {home / engine} holds files of something else" in said
    assert (home / engine / "somebody-elses.txt").read_text() == "precious"
    assert_nothing_left(home)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_the_start_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("run by nohup, whose SIGHUP to be ignored a product obeys")
    home = tmp_path / "home"
    stack = start_stack(home)
    eventually(lambda: stack.entry("gateway").get("pid"), "no pid:", START_S, stack.output)

    assert stack.stop(number) == 0
    assert_nothing_left(home)


@pytest.mark.fault("P7")
def test_a_second_signal_ends_at_once_what_does_not_heed_the_first(tmp_path: Path) -> None:
    home = tmp_path / "home"
    stack = start_stack(home)
    stack.wait_for_start()
    for name in ("gateway", "generation", "retrieval", "ingest"):
        os.kill(stack.pids()[name], signal.SIGSTOP)
    stack.supervisor.send_signal(signal.SIGTERM)
    time.sleep(1.5)  # one that comes sooner may be the same
    second = time.monotonic()

    assert stack.stop(signal.SIGINT) == 0
    # Each of the four would have had its time, one after the other.
    assert time.monotonic() - second < 2 * GRACE_S
    # The database, which was not waited for, ends by itself a moment later.
    eventually(lambda: not processes_of(home), "something outlives it")
    assert_nothing_left(home)


def test_every_later_start_finds_what_was_there(stack: RunningStack) -> None:
    first = stack.pids()
    assert stack.stop(signal.SIGINT) == 0
    assert_nothing_left(stack.home)
    assert "Stopped." in stack.output()

    again = start_stack(stack.home, sample=True)
    again.wait_for_start()
    os.kill(again.supervisor.pid, signal.SIGKILL)
    again.supervisor.wait()
    eventually(lambda: not processes_of(stack.home), "something outlives its supervisor")

    with running_stack(stack.home, sample=True) as last:
        assert set(first.values()).isdisjoint(last.pids().values())
        assert SAMPLE in {book["slug"] for book in last.books()}
        last.answers_soon(SAMPLE, QUESTION)
    assert last.output().count("First start") == 1
