"""The tools of `quoth mcp`, called by the protocol's own client over the gateway's application."""

import os
import sys
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent, Tool
from starlette.applications import Starlette

from deploy.cli.mcp_server import _quotation, make_server
from libs.errors import Unavailable
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import (
    BOOK,
    DOCUMENTS,
    QUOTES,
    FakeBackend,
    locate,
    make_refusal,
)
from tests.support.key_fakes import FakeKeys

URL = "http://localhost:8080"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def gateway(backend: FakeBackend, keys: FakeKeys) -> Starlette:
    return make_app(backend, keys, require_keys=True)


@dataclass(frozen=True)
class Assistant:
    """The protocol's own client, connected for each call in the task that makes it."""

    server: MCPServer[Any]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        async with Client(self.server) as client:
            return await client.call_tool(name, arguments)

    async def list_tools(self) -> list[Tool]:
        async with Client(self.server) as client:
            return (await client.list_tools()).tools


@pytest.fixture
def client(gateway: Starlette, keys: FakeKeys) -> Assistant:
    transport = httpx.ASGITransport(gateway)
    return Assistant(make_server(URL, key=keys.grant("assistant"), transport=transport))


def content(result: CallToolResult) -> Any:
    assert not result.is_error, result.content
    told = result.structured_content
    assert told is not None
    return told.get("result", told)


def complaint(result: CallToolResult) -> str:
    assert result.is_error
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


async def test_the_tools_are_described_and_only_read(client: Assistant) -> None:
    tools = {tool.name: tool for tool in await client.list_tools()}
    assert tools.keys() == {"list_books", "search_book", "ask_book", "read_section"}
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


async def test_books_are_listed(client: Assistant) -> None:
    (book,) = content(await client.call_tool("list_books", {}))
    assert (book["book"], book["edition"]) == (BOOK.slug, BOOK.edition)


async def test_an_answer_has_its_quotations_with_their_places(
    client: Assistant, backend: FakeBackend
) -> None:
    asked = {"book": BOOK.slug, "question": "How does it work?"}
    told = content(await client.call_tool("ask_book", asked))
    assert not told["is_refusal"]
    for number, quote in enumerate(QUOTES, 1):
        assert f"{quote} [{number}]" in told["answer"]
        cited = told["citations"][number - 1]
        document, start, end = locate(quote)
        assert (cited["number"], cited["verdict"]) == (number, "exact")
        assert cited["citation"]["quote"] == quote
        place = cited["citation"]
        assert (place["document"], place["start"], place["end"]) == (document.path, start, end)
    assert backend.questions[0].client == "assistant"


async def test_a_refusal_is_told_to_the_assistant_as_a_refusal(
    client: Assistant, backend: FakeBackend
) -> None:
    backend.script = lambda _: [make_refusal()]
    asked = {"book": BOOK.slug, "question": "Who won?"}
    told = content(await client.call_tool("ask_book", asked))
    assert told["is_refusal"]
    assert told["answer"] == make_refusal().text
    assert told["related_sections"][0] == "The three gates"
    assert [one["quote"] for one in told["nearest"]] == list(QUOTES[:2])


async def test_passages_are_found(client: Assistant, backend: FakeBackend) -> None:
    asked = {"book": BOOK.slug, "question": "Which gates?", "max_passages": 3}
    found = content(await client.call_tool("search_book", asked))
    assert found
    for one in found:
        place = one["passage"]
        assert DOCUMENTS[place["document"]].text[place["start"] : place["end"]] == place["quote"]
    assert backend.searches[0].text == "Which gates?"


async def test_a_section_is_read_word_for_word(
    client: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = DOCUMENTS["part one/mills.md"]
    section = next(one for one in document.sections if one.path[-1] == "The three gates")
    asked = {"book": BOOK.slug, "document": document.path, "section": "The three gates"}
    told = content(await client.call_tool("read_section", asked))
    assert told["text"]["quote"] == document.text[section.start : section.end]
    assert told["next_start"] is None
    assert told["sections"][0] == "How a tide mill works"
    monkeypatch.setattr("deploy.cli.mcp_server._LONGEST", 100)
    read, start = "", 0
    while start is not None:
        rest = {"book": BOOK.slug, "document": document.path, "start": start}
        told = content(await client.call_tool("read_section", rest))
        read += told["text"]["quote"]
        start = told["next_start"]
    assert read == document.text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("ask_book", {"book": "no-such-book", "question": "How?"}, "no book named"),
        ("ask_book", {"book": BOOK.slug, "question": " "}, "question"),
        ("read_section", {"book": BOOK.slug, "document": "gone.md"}, "no document"),
        (
            "read_section",
            {"book": BOOK.slug, "document": "part one/mills.md", "section": "Gone"},
            "The three gates",
        ),
    ],
)
async def test_refusals_of_the_gateway_are_passed_on_in_its_words(
    client: Assistant, tool: str, arguments: dict[str, Any], words: str
) -> None:
    assert words in complaint(await client.call_tool(tool, arguments))


async def test_a_failure_shows_nothing_of_the_inside(
    client: Assistant, backend: FakeBackend
) -> None:
    backend.failure = Unavailable("The retrieval service does not answer.")
    told = complaint(await client.call_tool("list_books", {}))
    assert "The retrieval service does not answer." in told
    assert "Traceback" not in told


@pytest.mark.control("V1")
async def test_without_a_key_of_its_own_a_request_over_http_gets_nothing(
    gateway: Starlette, keys: FakeKeys
) -> None:
    """The server lends nobody a key: what a request brings is passed on."""
    server = make_server(URL, transport=httpx.ASGITransport(gateway))
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_books", "arguments": {}},
    }
    accept = {"Accept": "application/json, text/event-stream"}
    async with (
        server.session_manager.run(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000", headers=accept
        ) as http,
    ):
        refused = (await http.post("/mcp", json=call)).json()["result"]
        headers = {"Authorization": f"Bearer {keys.grant()}"}
        served = (await http.post("/mcp", json=call, headers=headers)).json()["result"]
    assert refused["isError"]
    assert "Send a key" in refused["content"][0]["text"]
    assert BOOK.slug in served["content"][0]["text"]


async def test_an_assistant_starts_the_command_and_speaks_by_its_input_and_output() -> None:
    command = ["-m", "deploy.cli", "mcp", "--url", "http://127.0.0.1:9"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(stdio_client(started)) as client:
        assert len((await client.list_tools()).tools) == 4
        told = complaint(await client.call_tool("list_books", {}))
    assert "Quoth is not running" in told


def test_a_row_of_a_table_comes_with_its_header() -> None:
    place = {
        "document": "a.md",
        "start": 0,
        "end": 9,
        "section_path": ["A"],
        "page": None,
        "url": None,
        "table_header": "Kiln | Fee",
    }
    assert _quotation(place, "Dot | £6").table_header == "Kiln | Fee"
    assert _quotation({**place, "table_header": ""}, "Dot | £6").table_header is None
