"""An assistant's own client asks the books of the real product, by both ways of the protocol."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from tests.support.ports import free_ports
from tests.support.stack import SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

ASKED = "What pressure does the hydraulic unit hold?"
_STARTS_S = 60.0


@asynccontextmanager
async def by_pipe(url: str) -> AsyncIterator[Client]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["-m", "deploy.cli", "mcp", "--url", url]
    started = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(stdio_client(started)) as client:
        yield client


@asynccontextmanager
async def by_http(url: str) -> AsyncIterator[Client]:
    port = free_ports(1)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    server = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "deploy.cli",
        "mcp",
        "--url",
        url,
        "--port",
        str(port),
        env=environment,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_STARTS_S):
            await _answers(port)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        server.terminate()
        await server.wait()


async def _answers(port: int) -> None:
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.1)


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    result: CallToolResult = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("way", [by_pipe, by_http], ids=["stdio", "streamable HTTP"])
async def test_an_assistant_finds_asks_and_reads_a_book(
    sample_stack: RunningStack, way: Any
) -> None:
    async with way(sample_stack.url) as client:
        books = (await called(client, "list_books"))["result"]
        found = await called(client, "search_book", book=SAMPLE, question=ASKED)
        answer = await called(client, "ask_book", book=SAMPLE, question=ASKED)
        first = answer["citations"][0]["citation"]
        section = await called(client, "read_section", book=SAMPLE, document=first["document"])
    assert SAMPLE in [book["book"] for book in books]
    assert found["result"]
    assert not answer["is_refusal"]
    assert first["quote"] in section["text"]["quote"]
