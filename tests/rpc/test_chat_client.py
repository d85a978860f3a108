"""A chat client of another project, unchanged, holds a conversation with a book: `llm`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure, Settings
from tests.support.chat_program import ChatProgram
from tests.support.gateway_fakes import QUOTES, SLUG, FakeBackend, make_refusal
from tests.support.key_fakes import FakeKeys

pytestmark = pytest.mark.timeout(900)


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


@pytest.mark.parametrize("streams", [True, False], ids=["streaming", "whole"])
async def test_a_conversation_is_held_by_another_project_s_client(
    tmp_path: Path, url: str, backend: FakeBackend, keys: FakeKeys, streams: bool
) -> None:
    client = ChatProgram(tmp_path, url, SLUG, keys.grant("chat"), streams=streams)
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
    status, said = await ChatProgram(tmp_path, url, SLUG, keys.grant("chat")).say("Who won?")
    assert (status, refusal.message in said) == (0, True)
    status, said = await ChatProgram(tmp_path, url, SLUG, f"quoth_{'0' * 12}_no").say("Who won?")
    assert status != 0
    assert "unauthenticated" in said or "401" in said
