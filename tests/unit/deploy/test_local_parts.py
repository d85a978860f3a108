"""The parts of the supervisor: settings, the table of processes, the lock, ports, logs."""

import json
import os
import re
import shutil
import socket
import stat
from pathlib import Path

import pytest

from deploy.embedded import StartError
from deploy.local.instance import check_ports, hold_home, read_run, write_run
from deploy.local.logs import CappedLog, is_worth_showing
from deploy.local.processes import GATEWAY, POSTGRES, QDRANT, Process, list_processes
from deploy.local.settings import LocalSettings
from libs.rpc.transport import Transport
from libs.settings import SettingsError, load_settings


def test_the_defaults_are_those_of_the_readme() -> None:
    settings = load_settings(LocalSettings, {})

    assert settings.home == Path(".quoth")
    assert settings.url == "http://127.0.0.1:8080"


@pytest.mark.parametrize("port", ["0", "-1", "65532", "70000", "eighty"])
def test_a_port_that_leaves_no_room_is_refused_by_name(port: str) -> None:
    with pytest.raises(SettingsError, match="QUOTH_PORT"):
        load_settings(LocalSettings, {"QUOTH_PORT": port})


def test_the_last_possible_port_is_accepted() -> None:
    processes = list_processes(load_settings(LocalSettings, {"QUOTH_PORT": "65531"}))

    assert max(process.port for process in processes) == 65535


def test_secrets_do_not_show() -> None:
    settings = load_settings(
        LocalSettings,
        {"QUOTH_QDRANT_API_KEY": "sesame", "QUOTH_POSTGRES_DSN": "postgresql://p@h/d"},
    )

    assert "sesame" not in repr(settings)
    assert "postgresql" not in repr(settings)


def test_each_process_is_told_where_the_others_are() -> None:
    table = {process.name: process for process in list_processes(LocalSettings(port=9000))}

    assert list(table) == ["postgres", "qdrant", "ingest", "retrieval", "generation", "gateway"]
    for name in ("ingest", "retrieval", "generation"):
        listen = table[name].environment[f"{name.upper()}_LISTEN"]
        assert listen == f"127.0.0.1:{table[name].port}"
        assert table[GATEWAY].environment[f"GATEWAY_{name.upper()}"] == listen
    retrieval = table["retrieval"].environment["RETRIEVAL_LISTEN"]
    assert table["generation"].environment["GENERATION_RETRIEVAL"] == retrieval
    assert table["retrieval"].environment["QUOTH_QDRANT_URL"] == "http://127.0.0.1:9004"
    assert len({process.port for process in table.values()}) == len(table)


_SPEAK_TO_QDRANT = (QDRANT, "ingest", "retrieval")


def test_the_services_and_the_node_share_a_key_that_is_new_every_time() -> None:
    first, second = (
        {process.environment.get("QUOTH_QDRANT_API_KEY") for process in processes}
        for processes in (
            [one for one in list_processes(LocalSettings()) if one.name in _SPEAK_TO_QDRANT]
            for _ in range(2)
        )
    )

    assert len(first) == 1
    assert first.isdisjoint(second)
    assert len(first.pop() or "") > 32


@pytest.mark.control("V2", "V12")
def test_the_services_share_a_token_that_is_new_every_time_and_no_store_gets_it() -> None:
    first, second = (
        {process.name: process.environment.get("QUOTH_SERVICE_TOKEN") for process in processes}
        for processes in (list_processes(LocalSettings()) for _ in range(2))
    )

    shared = {first[name] for name in ("ingest", "retrieval", "generation", "gateway")}
    assert first[POSTGRES] is first[QDRANT] is None
    assert len(shared) == 1
    assert shared.isdisjoint(second.values())
    assert len(shared.pop() or "") >= 43  # 256 bits


def test_a_token_of_the_persons_own_is_left_to_the_services(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("t" * 32)

    for process in list_processes(LocalSettings(), Transport(token_file=path)):
        assert not process.environment.get("QUOTH_SERVICE_TOKEN")


def test_stores_that_exist_are_used_instead_of_the_embedded_ones() -> None:
    settings = LocalSettings(
        qdrant_url="http://qdrant:6334", qdrant_api_key="sesame", postgres_dsn="postgresql://p@h/d"
    )

    table = {process.name: process for process in list_processes(settings)}

    assert QDRANT not in table
    assert POSTGRES not in table
    assert table["ingest"].environment["QUOTH_QDRANT_URL"] == "http://qdrant:6334"
    assert table["ingest"].environment["QUOTH_QDRANT_API_KEY"] == "sesame"
    assert not table["ingest"].needs


def test_a_home_has_one_owner_and_the_second_learns_who(tmp_path: Path) -> None:
    with (
        hold_home(tmp_path, "http://127.0.0.1:8080"),
        pytest.raises(StartError, match=rf"process {os.getpid()}, http://127.0.0.1:8080"),
        hold_home(tmp_path, "http://127.0.0.1:9080"),
    ):
        pytest.fail("two owners")

    with hold_home(tmp_path, "http://127.0.0.1:9080"):
        pass


@pytest.mark.control("V2")
def test_permissions_that_an_earlier_version_left_open_are_closed(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    log, program, own = home / "logs" / "ingest.log", home / "cache" / "program", home / "mine.txt"
    for path in (log, program, own, other):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        path.chmod(0o644)
    program.chmod(0o755)
    (home / "logs" / "link").symlink_to(other)

    with hold_home(home, "url"):
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (home, log, program)}
        left = {stat.S_IMODE(path.stat().st_mode) for path in (own, other)}

    assert modes == {home: 0o700, log: 0o600, program: 0o700}
    assert left == {0o644}


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with (
        pytest.raises(StartError, match="file/home"),
        hold_home(tmp_path / "file" / "home", ""),
    ):
        pytest.fail("no such folder can be")


def test_the_run_file_names_the_processes_and_is_removed_at_the_end(tmp_path: Path) -> None:
    with hold_home(tmp_path, "url"):
        write_run(tmp_path, "url", {"ingest": {"pid": 7}})

        run = read_run(tmp_path)
        assert run == {"pid": os.getpid(), "url": "url", "processes": {"ingest": {"pid": 7}}}
        assert json.loads((tmp_path / "run.json").read_text()) == run
        assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o600

    assert read_run(tmp_path) == {}


def test_a_taken_port_is_named_with_what_needs_it_and_the_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(StartError) as caught:
            check_ports([Process("retrieval", "module", port)])

    message = str(caught.value)
    assert str(port) in message
    assert "retrieval" in message
    assert "another `quoth up` or another program" in message
    assert "\n" not in message


def test_all_taken_ports_are_named_and_five_free_ones_suggested() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        first, second = one.getsockname()[1], two.getsockname()[1]
        with pytest.raises(StartError) as caught:
            check_ports(
                [
                    Process("postgres", "module", first),
                    Process("qdrant", "module", second),
                    Process("retrieval", "module", 0),
                ]
            )
        message = str(caught.value)
        assert f"Ports {first} (for postgres), {second} (for qdrant) are taken by" in message
        # Whatever command it was is to be run again: `quoth restore` as `quoth up`.
        assert "make run" not in message
        found = re.search(r"QUOTH_PORT=(\d+)", message)
        assert found
        check_ports([Process("any", "module", int(found[1]) + more) for more in range(5)])


def test_a_suggested_port_is_not_one_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(StartError) as caught:
            check_ports([Process("any", "module", port)])
        found = re.search(r"QUOTH_PORT=(\d+)", str(caught.value))
        assert found
        with socket.create_server(("127.0.0.1", int(found[1]))):
            with pytest.raises(StartError) as caught:
                check_ports([Process("any", "module", port)])
            assert found[0] not in str(caught.value)


def test_a_log_is_put_aside_when_it_is_full(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "ingest.log", max_bytes=100)
    for number in range(100):
        log.write(b"line %d\n" % number)
    log.close()

    now, before = tmp_path / "ingest.log", tmp_path / "ingest.log.1"
    assert now.stat().st_size <= 100
    assert before.stat().st_size <= 100
    assert now.read_text().endswith("line 99\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ingest.log", "ingest.log.1"]


def test_a_log_whose_folder_is_gone_loses_lines_and_fails_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = CappedLog(folder / "one.log", max_bytes=10)
    shutil.rmtree(folder)
    for _ in range(5):
        log.write(b"more than fits\n")
    folder.mkdir()
    log.write(b"it fits again\n")
    log.close()
    assert (folder / "one.log").read_text() == "it fits again\n"


def test_a_log_that_cannot_be_put_aside_says_so_once_and_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "ingest.log.1").mkdir()
    told: list[str] = []
    log = CappedLog(tmp_path / "ingest.log", max_bytes=100, tell=told.append)
    for number in range(100):
        log.write(b"line %d\n" % number)
    assert len(told) == 1
    assert told[0].startswith(f"{tmp_path}/ingest.log.1 can't be written (")
    assert (tmp_path / "ingest.log").stat().st_size <= 100
    assert (tmp_path / "ingest.log").read_text().endswith("line 99\n")

    (tmp_path / "ingest.log.1").rmdir()
    for number in range(100):
        log.write(b"line %d\n" % number)
    log.close()
    assert len(told) == 1
    assert (tmp_path / "ingest.log.1").is_file()


def test_a_log_that_cannot_be_written_says_so_once_and_goes_on_when_it_can(tmp_path: Path) -> None:
    path = tmp_path / "ingest.log"
    path.mkdir()
    told: list[str] = []
    log = CappedLog(path, tell=told.append)
    for _ in range(3):
        log.write(b"a line\n")
    assert told == [f"{path} can't be written (Is a directory): its lines are lost."]

    path.rmdir()
    log.write(b"a line\n")
    log.write(b"another line\n")
    log.close()
    assert path.read_text() == "a line\nanother line\n"
    path.unlink()
    path.mkdir()
    log.write(b"a line\n")
    assert len(told) == 2


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("2026-11-21 22:00:00,000 WARNING ingest slow", True),
        ("2026-11-21 22:00:00,000 ERROR ingest broken", True),
        ("FATAL:  the database system is starting up", True),
        ('{"time": "2026-11-21T22:00:00.000+00:00", "level": "ERROR", "message": "broken"}', True),
        ("2026-11-21 22:00:00,000 INFO ingest no errors", False),
        ("the word error in a sentence", False),
    ],
)
def test_warnings_and_worse_are_shown(line: str, shown: bool) -> None:
    assert is_worth_showing(line) is shown


_KEYS = {
    "OPENAI_API_KEY": {"generation"},
    "ANTHROPIC_API_KEY": {"generation"},
    "GENERATION_MODEL_KEY": {"generation"},
    "RETRIEVAL_RERANKER_KEY": {"retrieval"},
    "QUOTH_EMBEDDER_KEY": {"ingest", "retrieval", "generation"},
    "CO_API_KEY": set[str](),
    "AWS_SECRET_ACCESS_KEY": set[str](),
    "PGPASSWORD": {"ingest", "generation", "gateway"},
    "QUOTH_POSTGRES_DSN": {"ingest", "generation", "gateway"},
    "QUOTH_QDRANT_API_KEY": {"ingest", "retrieval"},
    "QUOTH_REDIS_URL": {"gateway"},
    "QUOTH_TLS_KEY": {"gateway"},
    "QUOTH_SERVICE_TOKEN": {"ingest", "retrieval", "generation", "gateway"},
    "QUOTH_KEY": set[str](),
    "GITHUB_TOKEN": set[str](),
}


def seen_of(environment: dict[str, str]) -> dict[str, set[str]]:
    """Return which services get to see each variable."""
    services = [one for one in list_processes(LocalSettings()) if not one.is_store]
    return {
        variable: {one.name for one in services if variable in one.reads.of(environment)}
        for variable in environment
    }


@pytest.mark.control("V2")
def test_each_service_gets_the_keys_that_it_reads_and_no_other() -> None:
    assert seen_of(dict.fromkeys(_KEYS, "a-key")) == _KEYS


@pytest.mark.control("V2")
@pytest.mark.parametrize(
    ("chosen", "variable", "readers"),
    [
        ({"QUOTH_EMBEDDER": "openai"}, "OPENAI_API_KEY", {"ingest", "retrieval", "generation"}),
        (
            {"QUOTH_EMBEDDER_BEFORE": "cohere:m"},
            "CO_API_KEY",
            {"ingest", "retrieval", "generation"},
        ),
        ({"QUOTH_AUDIT_ARCHIVE": "s3://bucket"}, "AWS_SECRET_ACCESS_KEY", {"generation"}),
    ],
)
def test_a_provider_s_key_is_for_those_who_call_it(
    chosen: dict[str, str], variable: str, readers: set[str]
) -> None:
    assert seen_of({**chosen, variable: "a-key"})[variable] == readers


@pytest.mark.control("V2")
def test_a_service_is_told_of_no_store_that_it_does_not_read() -> None:
    table = {one.name: one.environment for one in list_processes(LocalSettings())}
    assert "QUOTH_QDRANT_API_KEY" not in {**table["generation"], **table[GATEWAY]}


def test_libraries_find_their_variables_in_every_service() -> None:
    names = ("PATH", "LC_ALL", "OTEL_EXPORTER_OTLP_ENDPOINT", "https_proxy", "SSL_CERT_FILE")
    seen = seen_of(dict.fromkeys(names, "x"))
    assert all(len(services) == 4 for services in seen.values())
