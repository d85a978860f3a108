"""Where a backup's files are: what is wrong with a place is told, and its reader ends as it should."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from obstore.store import from_url

from deploy.backup.command import name_target
from deploy.backup.files import Files, open_files
from deploy.backup.manifest import BackupError
from deploy.local.instance import hold_home, write_run
from deploy.local.settings import LocalSettings
from tests.support.stack import CHECKOUT

# Each child ends as a command does, and has had the imports done for it.
READ_AND_END = """
import asyncio, os, sys
from deploy.backup.files import open_files
from deploy.backup.manifest import BackupError

async def look():
    try:
        await open_files(sys.argv[1], make=False).manifest()
    except BackupError:
        pass

for _ in range(30):
    if not (child := os.fork()):
        asyncio.run(look())
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_process_that_has_read_from_a_folder_ends_without_a_signal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ_AND_END, str(tmp_path)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    # A third of them were aborted while coroutines of the store's client were awaited.
    assert done.stdout.split() == ["0"] * 30, done.stderr[-500:]


class Refusing(BaseHTTPRequestHandler):
    """Answers with the status that the bucket is named after, and words that nobody may hear."""

    def do_GET(self) -> None:
        name = self.path.strip("/").partition("/")[0].partition("?")[0]
        words = b"<Error><Code>NoSuchBucket</Code><Message>sesame</Message></Error>"
        body = words if name == "b404" else words.replace(b"NoSuchBucket", b"Secret")
        self.send_response(int(name[1:]))
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET  # noqa: N815 - named by the library

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sesame")
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def faults(place: str, endpoint: str) -> set[str]:
    """What is told of a place, whichever way it is used."""
    files = Files(from_url(place, endpoint=endpoint, retry_config={"max_retries": 0}))

    async def write() -> None:
        writer = files.create("some.gz")
        await writer.write(b"text")
        await writer.finish()

    told = set()
    for use in (files.is_empty, files.manifest, write):
        with pytest.raises(BackupError) as caught:
            await use()
        told.add(str(caught.value))
    return told


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, r"refuses this \(400\): look at bucket, region and endpoint"),
        (401, r"refuses these keys \(401\)"),
        (403, r"refuses these keys \(403\)"),
        (404, "no such bucket: make it first"),
        (503, r"server fails \(503\)"),
    ],
)
async def test_a_bucket_that_refuses_is_told_with_what_helps(
    endpoint: str, status: int, expected: str
) -> None:
    (told,) = await faults(f"s3://b{status}/books", endpoint)
    assert re.search(expected, told)
    assert not re.search("sesame|127\\.0|Error", told)


async def test_a_server_that_does_not_answer_is_told_apart(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (told,) = await faults("s3://b200/books", "http://127.0.0.1:1")
    assert "does not answer: look at its address, AWS_ENDPOINT_URL" in told
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    (told,) = await faults("s3://b200/books", endpoint)
    assert "AWS_ALLOW_HTTP" in told


@pytest.mark.parametrize("place", ["s3://", "ftp://x/y", "nowhere://here"])
def test_an_address_of_no_kind_is_told_which_there_are(place: str) -> None:
    with pytest.raises(BackupError, match="a folder, or to s3://bucket/prefix"):
        open_files(place, make=True)


def test_a_folder_that_cannot_be_made_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(BackupError, match="folder of the backup can't be used: Not a directory"):
        open_files(str(tmp_path / "file" / "below"), make=True)


def test_a_home_that_is_restored_into_is_named_with_whether_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = LocalSettings(home=tmp_path)
    at_rest = name_target(settings)
    assert f"QUOTH_HOME {tmp_path}: set QUOTH_HOME to a new folder, restore" in at_rest
    with hold_home(tmp_path, "url"):
        write_run(tmp_path, "url", {})
        # The restore itself, which holds the home.
        assert name_target(settings) == at_rest
        pid = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: pid + 1)
        running = name_target(settings)
    assert f"{tmp_path}, where Quoth is running as process {pid}: " in running
    assert "QUOTH_PORT to other ports" in running
    servers = LocalSettings(home=tmp_path, postgres_dsn="postgresql://d", qdrant_url="http://q")
    assert "the servers of QUOTH_POSTGRES_DSN and QUOTH_QDRANT_URL" in name_target(servers)
