"""A chat client of another project, unchanged, holds a conversation with a book: `llm`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure, Settings
from tests.support.gateway_fakes import QUOTES, SLUG, FakeBackend, make_refusal
from tests.support.key_fakes import FakeKeys

pytestmark = pytest.mark.timeout(300)
MODELS = """
- model_id: book
  model_name: {book}
  api_base: {url}/v1
  api_key_name: quoth
  can_stream: {streams}
"""


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
async def url(backend: FakeBackend, keys: FakeKeys) -> AsyncIterator[str]:
    app = bootstrap(
        Settings(),
        exposure=Exposure(require_keys=True),
        library=backend,
        intake=backend,
        searcher=backend,
        answerer=backend,
        probes={},
        keys=keys,
        limits=MovingWindow(),
    )
    running = await start_server(app, listen(0))
    yield f"http://127.0.0.1:{running.port}"
    await running.stop()


class Client:
    """The program in a home of its own."""

    def __init__(self, home: Path, url: str, key: str, *, streams: bool = True) -> None:
        models = MODELS.format(book=SLUG, url=url, streams=str(streams).lower())
        (home / "extra-openai-models.yaml").write_text(models, "utf-8")
        self._environment = {**os.environ, "LLM_USER_PATH": str(home), "NO_PROXY": "*"}
        self._key = key

    async def say(self, *words: str) -> tuple[int, str]:
        arguments = ("-m", "llm", "prompt", "-m", "book", "--key", self._key, *words)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()


@pytest.mark.parametrize("streams", [True, False], ids=["streaming", "whole"])
async def test_a_conversation_is_held_by_another_project_s_client(
    tmp_path: Path, url: str, backend: FakeBackend, keys: FakeKeys, streams: bool
) -> None:
    client = Client(tmp_path, url, keys.grant("chat"), streams=streams)
    status, said = await client.say("How does it work?")
    assert status == 0, said
    for quote in QUOTES:
        assert quote in said
    assert "[1]" in said
    status, again = await client.say("--continue", "And in winter?")
    assert status == 0, again
    assert [question.text for question in backend.questions] == [
        "How does it work?",
        "And in winter?",
    ]
    earlier = backend.histories[1]
    assert [(message.role, message.content) for message in earlier] == [
        ("user", "How does it work?"),
        ("assistant", said.rstrip("\n")),
    ]


async def test_a_refusal_is_said_and_a_wrong_key_is_an_error(
    tmp_path: Path, url: str, backend: FakeBackend, keys: FakeKeys
) -> None:
    backend.script = lambda question: [make_refusal(question.text)]
    refusal = make_refusal("Who won?").refusal
    assert refusal
    status, said = await Client(tmp_path, url, keys.grant("chat")).say("Who won?")
    assert (status, refusal.message in said) == (0, True)
    status, said = await Client(tmp_path, url, f"quoth_{'0' * 12}_no").say("Who won?")
    assert status != 0
    assert "unauthenticated" in said or "401" in said
