"""Hosts of their own on this machine: network namespaces, joined by a bridge.

    with network() as lan:
        host = lan.add_host()
        subprocess.Popen([*host.within, "python", …])   # sees host.address and its own loopback alone
        lan.cut(host)                                    # as if its cable were pulled

The caller's thread, what it starts and the bridge are in a namespace of their own too, so nothing is
sent that could leave the machine. Wants root and iproute2.
"""

import asyncio
import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of sched.h."""

_OWN = Path("/proc/thread-self/ns/net")
_BRIDGE = "lan"
_ADDRESS = "198.18.0.{}"
"""Of the block that RFC 2544 keeps for benchmarks."""

_START_S = 10.0
_CHUNK = 1 << 16


def can_part() -> bool:
    """Whether this process may make namespaces with bridges, and has the programs for it."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "nsenter", "unshare"))):
        return False
    tried = ["unshare", "--net", "ip", "link", "add", _BRIDGE, "type", "bridge"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


@dataclass(frozen=True)
class Host:
    """A namespace with an address on the bridge."""

    number: int
    address: str
    pid: int
    """Of a process that keeps the namespace."""

    @property
    def within(self) -> list[str]:
        """What stands before a command that is to run there."""
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "--"]

    @property
    def cable(self) -> str:
        """The bridge's end of its link."""
        return f"host{self.number}"


@dataclass
class Network:
    """A bridge and its hosts; they go when `opened` is closed."""

    opened: ExitStack
    hosts: list[Host] = field(default_factory=list)

    def add_host(self) -> Host:
        """Make a namespace whose link is up."""
        number = len(self.hosts) + 1
        holder = self.opened.enter_context(_holder())
        host = Host(number, _ADDRESS.format(number + 1), holder)
        _run("ip", "link", "add", host.cable, "type", "veth", "peer", "name", "eth0")
        _run("ip", "link", "set", "eth0", "netns", str(holder))
        _run("ip", "link", "set", host.cable, "master", _BRIDGE, "up")
        _run(*host.within, "ip", "link", "set", "lo", "up")
        _run(*host.within, "ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        _run(*host.within, "ip", "link", "set", "eth0", "up")
        self.hosts.append(host)
        return host

    def cut(self, host: Host) -> None:
        """Take its link away: what is sent to it is lost, and nobody is told."""
        _run("ip", "link", "set", host.cable, "down")

    def join(self, host: Host) -> None:
        """Give it its link back."""
        _run("ip", "link", "set", host.cable, "up")

    def share(self, host: Host, port: int) -> None:
        """Let what listens on our loopback at `port` be there on the host's as well, cut off or not."""
        self.opened.enter_context(_relay(_in_namespace(host, lambda: _listen(port)), port))


@contextmanager
def network() -> Iterator[Network]:
    """Move the thread into a namespace with a bridge, and back in the end."""
    former = os.open(_OWN, os.O_RDONLY)
    _call(_libc().unshare(_NEW_NETWORK))
    try:
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", _BRIDGE, "type", "bridge")
        _run("ip", "address", "add", f"{_ADDRESS.format(1)}/24", "dev", _BRIDGE)
        _run("ip", "link", "set", _BRIDGE, "up")
        with ExitStack() as opened:
            yield Network(opened)
    finally:
        _enter(former)
        os.close(former)


@contextmanager
def _holder() -> Iterator[int]:
    """Keep a namespace alive; yields the process that is in it."""
    process = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    try:
        until = time.monotonic() + _START_S
        while Path(f"/proc/{process.pid}/ns/net").readlink() == _OWN.readlink():
            assert time.monotonic() < until, "no namespace was made"
            time.sleep(0.01)
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _in_namespace(host: Host, make: Callable[[], socket.socket]) -> socket.socket:
    """Return what `make` opens by a thread that is in the host's namespace, and ends there."""

    def open_there() -> socket.socket:
        there = os.open(f"/proc/{host.pid}/ns/net", os.O_RDONLY)
        try:
            _enter(there)
        finally:
            os.close(there)
        return make()

    with ThreadPoolExecutor(1) as thread:
        made: Future[socket.socket] = thread.submit(open_there)
        return made.result()


def _listen(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))


@contextmanager
def _relay(listening: socket.socket, port: int) -> Iterator[None]:
    """Connect whoever comes to our own loopback's `port`, until the block ends."""
    loop = asyncio.new_event_loop()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            there = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pass_on(reader, there[1]), _pass_on(there[0], writer))

    async def serve() -> None:
        async with await asyncio.start_server(connect, sock=listening):
            await over.wait()

    over = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(_CHUNK):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _enter(namespace: int) -> None:
    _call(_libc().setns(namespace, _NEW_NETWORK))


def _call(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
