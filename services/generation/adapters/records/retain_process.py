"""Begin the process that lets the record of answers grow old."""

import asyncio
import json
import sys

from libs.telemetry.metrics import count_upkeep


async def retain_in_process() -> None:
    """Run `services.generation.retain` to its end; its log is ours. Cancelled, it is ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.generation.retain",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        told, _ = await process.communicate()
        if process.returncode != 0:
            count_upkeep("failures")
        elif told:
            for work, rows in json.loads(told).items():
                count_upkeep(work, rows)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
