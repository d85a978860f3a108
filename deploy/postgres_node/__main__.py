"""Run the node: `python -m deploy.postgres_node --data DIR`."""

import argparse
import signal
import subprocess
import time
from pathlib import Path
from typing import NoReturn

from deploy.embedded import EndedError, StartError, claim_folder, fail, follow_parent
from deploy.postgres_node.account import Account
from deploy.postgres_node.cluster import (
    DATABASE,
    PORT,
    USER,
    admit_only_us,
    create_cluster,
    socket_folder,
    start_server,
)
from deploy.postgres_node.processes import POLL_S, STOP_S, await_predecessor, kill_all, says_ready
from deploy.postgres_node.programs import Programs, find_programs, reachable_programs

# Crash recovery of a large cluster comes before `ready`.
READY_S = 300.0


def serve(data: Path, wanted_sockets: Path | None) -> None:
    """Run PostgreSQL until SIGTERM or SIGINT."""
    account = Account.current()
    with claim_folder(data, "quoth-postgres"):
        programs = Programs(reachable_programs(find_programs(), account), account)
        cluster, log = data / "cluster", data / "postgres.log"
        if not cluster.exists():
            create_cluster(programs, cluster)
        await_predecessor(cluster)
        admit_only_us(cluster, account)
        sockets = socket_folder(wanted_sockets, data, account)
        try:
            run_server(start_server(programs, cluster, sockets, log), cluster, sockets, log)
        finally:
            _leave_clean(sockets, ours=wanted_sockets is None)


def run_server(server: subprocess.Popen[bytes], cluster: Path, sockets: Path, log: Path) -> None:
    stopped_by: list[int] = []

    def stop(number: int, _frame: object) -> None:
        stopped_by.append(number)
        # PostgreSQL's "fast" shutdown: it ends the sessions and writes everything down.
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGCONT)
        signal.alarm(STOP_S)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, lambda _number, _frame: kill_all(cluster))
    try:
        await_ready(server, cluster, log)
        print(f"ready postgresql://{USER}@/{DATABASE}?host={sockets}", flush=True)
    except StartError:
        if not stopped_by:
            raise
    code = server.wait()
    if not stopped_by:
        raise EndedError(f"the server ended by itself with {code} (see {log})")


def _leave_clean(sockets: Path, *, ours: bool) -> None:
    for path in sockets.glob(f".s.PGSQL.{PORT}*"):
        path.unlink(missing_ok=True)
    if ours:
        sockets.rmdir()


def _exit(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="postgres node", description="PostgreSQL from a package, on a unix socket."
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the cluster")
    parser.add_argument("--socket-dir", type=Path, help="default: a short one under /tmp")
    parser.add_argument("--parent-pid", type=int, help="end when this parent process does")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGINT, _exit)
    try:
        if options.parent_pid is not None:
            follow_parent(options.parent_pid)
        sockets = options.socket_dir and options.socket_dir.absolute()
        serve(options.data.absolute(), sockets)
    except (StartError, OSError) as error:
        fail("postgres node", error)


def await_ready(server: subprocess.Popen[bytes], cluster: Path, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not says_ready(server.pid, cluster):
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            server.wait()
            last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise EndedError(f"the server did not start: {' '.join(last)} (see {log})")
        time.sleep(POLL_S)


if __name__ == "__main__":
    main()
