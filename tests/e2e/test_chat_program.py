"""A chat client of another project holds a conversation with a book of the real product."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chat_program import ChatProgram
from tests.support.stack import QUESTION, SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]


@pytest.fixture
def key(sample_stack: RunningStack) -> Iterator[str]:
    made = sample_stack.quoth("keys", "create", "chat-program", "--json")
    assert made.returncode == 0, made.stderr
    text = str(json.loads(made.stdout)["text"])
    yield text
    # Other files count the keys there are.
    sample_stack.quoth("keys", "revoke", text.split("_")[1])


@pytest.mark.parametrize("streams", [True, False], ids=["streaming", "whole"])
async def test_a_question_is_understood_by_what_was_said_before(
    sample_stack: RunningStack, tmp_path: Path, key: str, streams: bool
) -> None:
    program = ChatProgram(tmp_path, sample_stack.url, SAMPLE, key, streams=streams)
    status, said = await program.say(QUESTION)
    assert status == 0, said
    assert "passive compliance" in said.lower()
    assert "[1] “" in said
    status, again = await program.say("--continue", "And what is active compliance?")
    assert status == 0, again
    assert "active compliance" in again.lower()
    assert "[1] “" in again
