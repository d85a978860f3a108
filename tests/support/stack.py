"""The whole product as `make run` starts it, for tests: started, ready, and surely gone afterwards.

    with running_stack(tmp_path / "home", books={"my-book": folder}) as stack:
        answer = stack.ask("my-book", "What is it?")
        stack.kill("ingest")                     # by name; stack.pid, stack.port likewise

Tests that only read share one with the sample book in it: the fixture `sample_stack`. Those that do
harm start their own in `sample_home`, which has the book already. All of this blocks; it belongs in
tests that are plain functions.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from deploy.local.instance import LOCK, read_run
from deploy.local.processes import GATEWAY, POSTGRES
from deploy.local.settings import PORTS
from tests.support.engines import children_of
from tests.support.ports import free_ports

CHECKOUT = Path(__file__).parent.parent.parent
SAMPLE = "physical-ai"
SAMPLE_PATH = CHECKOUT / "deploy" / "samples" / SAMPLE
QUESTION = "What is passive compliance?"
"""A question that the sample book answers."""
CACHE = CHECKOUT / ".pytest_cache" / "quoth"
"""The model's graph, which takes seconds of both cores to make, shared by all homes of the tests."""
NAMES = ("postgres", "qdrant", "ingest", "retrieval", "generation", "gateway")

START_S = 360.0
STOP_S = 180.0
INGEST_S = 600.0


@dataclass(frozen=True)
class RunningStack:
    """The product, running below one supervisor."""

    home: Path
    url: str
    supervisor: "subprocess.Popen[bytes]"
    log: Path

    def entry(self, name: str) -> dict[str, Any]:
        """What run.json says of a process: pid, port, address, ready."""
        run = read_run(self.home)
        if run.get("pid") != self.supervisor.pid:
            return {}  # left by a run that was killed
        return dict(run["processes"][name])

    def pid(self, name: str) -> int:
        return int(self.entry(name)["pid"])

    def port(self, name: str) -> int:
        return int(self.entry(name)["port"])

    @property
    def service_token(self) -> str:
        """What the services ask of their callers."""
        return str(self.entry("ingest")["service_token"])

    def pids(self) -> dict[str, int]:
        return {name: self.pid(name) for name in NAMES}

    def output(self) -> str:
        """What the supervisor has printed so far."""
        return self.log.read_text("utf-8", "replace")

    def kill(self, name: str) -> int:
        """Kill a process as a crash would; returns the pid that is gone."""
        pid = self.pid(name)
        os.kill(pid, signal.SIGKILL)
        return pid

    def halt(self, name: str) -> int:
        """Stop a process so that it hangs without dying; returns its pid.

        Of PostgreSQL it is the server that is stopped, not the node that looks after it.
        """
        pid = self.pid(name)
        os.kill(children_of(pid)[0] if name == POSTGRES else pid, signal.SIGSTOP)
        return pid

    def halt_below(self, name: str) -> tuple[int, list[int]]:
        """Stop all that runs below a process, so that it looks well; returns its pid, and those."""
        pid = self.pid(name)
        below = _all_below(pid)
        for one in below:
            os.kill(one, signal.SIGSTOP)
        return pid, below

    def wait_for_start(self) -> None:
        """Wait until everything is ready for the first time."""

        def started() -> bool:
            assert self.supervisor.poll() is None, self.output()
            return bool(self.entry(GATEWAY).get("ready"))

        eventually(started, "not ready:", START_S, self.output)

    def wait_for_return(self, name: str, old_pid: int, within_s: float = 180.0) -> None:
        """Wait until a process that was killed is there again, and the gateway says ready."""
        eventually(
            lambda: (
                self.entry(name).get("pid") not in (None, old_pid) and self.entry(name).get("ready")
            ),
            f"{name} did not come back:",
            within_s,
            self.output,
        )
        self.wait_until_ready(within_s)

    def wait_until_ready(self, within_s: float = 180.0) -> None:
        eventually(lambda: is_ready(self.url), "not ready:", within_s, self.output)

    def ask(self, book: str, question: str, **members: Any) -> dict[str, Any]:
        """Ask and return the answer object; fails on any status but 200."""
        return self._post(f"{book}/answers", {"question": question, **members})

    def search(self, book: str, question: str, **members: Any) -> dict[str, Any]:
        """Search and return what was found; fails on any status but 200."""
        return self._post(f"{book}/search", {"question": question, **members})

    def _post(self, place: str, body: dict[str, Any]) -> dict[str, Any]:
        response = httpx.post(
            f"{self.url}/v1/books/{place}", json=body, timeout=30, trust_env=False
        )
        assert response.status_code == 200, response.text
        return dict(response.json())

    def answers_soon(self, book: str, question: str) -> None:
        """Ask until an answer comes: others may be reconnecting for a moment."""
        self._soon(lambda: self.ask(book, question)["refusal"] is None)

    def finds_soon(self, book: str, question: str) -> None:
        """Search until passages come: the first time after a start takes longer."""
        self._soon(lambda: bool(self.search(book, question)["passages"]))

    def _soon(self, succeeds: Callable[[], bool]) -> None:
        def succeeded() -> bool:
            try:
                return succeeds()
            except (AssertionError, httpx.TransportError):
                return False

        eventually(succeeded, "no answer:", told=self.output)

    def books(self) -> list[dict[str, Any]]:
        response = httpx.get(f"{self.url}/v1/books", timeout=30, trust_env=False)
        assert response.status_code == 200, response.text
        return list(response.json()["books"])

    def quoth(
        self, *arguments: str, within_s: float = INGEST_S
    ) -> "subprocess.CompletedProcess[str]":
        """Run `quoth` against this stack."""
        return subprocess.run(
            [sys.executable, "-m", "deploy.cli", *arguments],
            cwd=CHECKOUT,
            env={**os.environ, "QUOTH_URL": self.url},
            capture_output=True,
            text=True,
            timeout=within_s,
            check=False,
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask the supervisor to end; returns its exit status."""
        if self.supervisor.poll() is None:
            self.supervisor.send_signal(number)
        return self.supervisor.wait(STOP_S)


@contextmanager
def running_stack(
    home: Path,
    books: Mapping[str, Path] | None = None,
    *,
    sample: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Iterator[RunningStack]:
    """Run the product on free ports with `books` in it, and prove that nothing of it is left."""
    stack = start_stack(home, sample=sample, environment=environment)
    try:
        stack.wait_for_start()
        for slug, path in (books or {}).items():
            done = stack.quoth("ingest", str(path), "--book", slug)
            assert done.returncode == 0, done.stderr
        yield stack
    finally:
        _end(stack)
    assert_nothing_left(home)


def start_stack(
    home: Path,
    *,
    sample: bool = False,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> RunningStack:
    """Start `quoth up` and return at once; the caller ends it."""
    home.parent.mkdir(parents=True, exist_ok=True)
    log = home.with_name(f"{home.name}.out")
    port = port or free_ports(PORTS)
    settings = {"QUOTH_HOME": str(home), "QUOTH_PORT": str(port), "QUOTH_CACHE_DIR": str(CACHE)}
    with log.open("ab") as file:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "up", "--sample" if sample else "--no-sample"],
            cwd=CHECKOUT,
            env={**_without_own_product(os.environ), **settings, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    return RunningStack(home, f"http://127.0.0.1:{port}", supervisor, log)


@pytest.fixture(scope="session")
def sample_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home at rest with the sample book in it: its ingest takes longer than all else of a start.

    All workers of a run share it, so none of them may start a product in it.
    """
    own = tmp_path_factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    template = place / "sample"
    with (place / "sample.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            with running_stack(place / "sample-made", books={SAMPLE: SAMPLE_PATH}):
                pass
            (place / "sample-made").rename(template)
    return template


@pytest.fixture
def sample_home(sample_template: Path, tmp_path: Path) -> Path:
    """A home of a test's own, with the sample book in it."""
    return copy_home(sample_template, tmp_path / "home")


def copy_home(home: Path, to: Path) -> Path:
    """Copy a home in which nothing runs; its database stays its own account's."""
    to.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", home, to], check=True)
    return to


@pytest.fixture(scope="session")
def only_sample_stack(
    sample_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningStack]:
    """One product with the sample book, for a whole run; tests take it as `sample_stack`."""
    with running_stack(
        copy_home(sample_template, tmp_path_factory.mktemp("stack") / "home")
    ) as stack:
        yield stack


@pytest.fixture(scope="module")
def sample_stack(only_sample_stack: RunningStack) -> Iterator[RunningStack]:
    """The product with the sample book, for tests that leave its books as they found them."""
    yield only_sample_stack
    # Else a test of another file would see them, or not, by the order of the files.
    assert [book["slug"] for book in only_sample_stack.books()] == [SAMPLE], "a book was left"


def eventually(
    reached: Callable[[], object],
    message: str,
    within_s: float = 180.0,
    told: Callable[[], str] = str,
) -> None:
    """Poll until `reached()` is true; fail after `within_s` seconds with all that is `told` then.

    Who has waited for long looks more seldom, so that what is waited for gets the processor: a
    twentieth of the time so far, 20 to 250 ms.
    """
    begun = time.monotonic()
    while not reached():
        waited = time.monotonic() - begun
        assert waited < within_s, f"{message}\n{told()}"
        time.sleep(min(max(waited / 20, 0.02), 0.25))


def _all_below(pid: int) -> list[int]:
    return [one for child in children_of(pid) for one in (child, *_all_below(child))]


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def assert_nothing_left(home: Path) -> None:
    """Fail when a process of this home still runs, or its lock is held; it may be gone itself."""
    if home.exists():
        with (home / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert not (home / "run.json").exists()
    left = processes_of(home)
    assert not left, left


def processes_of(home: Path) -> dict[int, str]:
    """Command lines, by pid, of the processes that name `home` or work in it."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
                place = os.fsencode((folder / "cwd").readlink())
                everything = b"\0".join((command, place, (folder / "environ").read_bytes()))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            if os.fsencode(home) in everything and command:
                found[int(folder.name)] = command.replace(b"\0", b" ").decode()
    return found


def _end(stack: RunningStack) -> None:
    try:
        stack.stop()
    except subprocess.TimeoutExpired:
        stack.supervisor.kill()
        stack.supervisor.wait()
        raise


def _without_own_product(environment: Mapping[str, str]) -> dict[str, str]:
    ours = ("QUOTH_QDRANT_URL", "QUOTH_QDRANT_API_KEY", "QUOTH_POSTGRES_DSN")
    return {name: value for name, value in environment.items() if name not in ours}
