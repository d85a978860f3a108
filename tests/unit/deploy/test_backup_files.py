"""What becomes of a process that has read a backup's files: it ends as it should."""

import subprocess
import sys
from pathlib import Path

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
