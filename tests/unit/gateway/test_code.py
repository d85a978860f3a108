"""Parts of code that stand out: what they are, and that no code holds anything up."""

import asyncio
from pathlib import Path

import pytest

from services.gateway.adapters.code_child import tell_parts
from services.gateway.adapters.code_process import CodeProcess
from services.gateway.model.code import Code, CodePart

PYTHON = "def turn(n):  # once\n    return '🌊' + str(6)\n"


def test_parts_of_code_are_told_by_offsets_of_its_own() -> None:
    parts = [(PYTHON[start:end], kind) for start, end, kind in tell_parts("Python", PYTHON)]
    assert parts == [
        ("def", "keyword"),
        ("turn", "name"),
        ("# once", "comment"),
        ("return", "keyword"),
        ("'🌊'", "string"),
        ("str", "name"),
        ("6", "number"),
    ]


@pytest.mark.parametrize("language", ["no-such", "", "../etc", "mermaid-x"])
def test_code_of_an_unknown_language_has_no_parts(language: str) -> None:
    assert tell_parts(language, PYTHON) == []


async def test_pieces_are_read_together_and_kept() -> None:
    reader = CodeProcess(total_s=60)
    shell = Code("bash", "echo 'x' # y")
    read = await reader.read([Code("rust", "fn main() {}"), shell, Code("none", "x")])
    assert read[0][0] == CodePart(0, 2, "keyword")
    assert [part.kind for part in read[1]] == ["name", "string", "comment"]
    assert read[2] == []
    assert shell in reader._work.kept


@pytest.mark.control("V9")
async def test_code_that_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    reader = CodeProcess("tests.support.stuck_child", total_s=60)
    assert await reader.read([Code("stuck", "x"), Code("python", "x")]) == [
        [],
        [CodePart(0, 1, "name")],
    ]


@pytest.mark.control("V15")
async def test_the_reading_process_has_no_key_in_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    reader = CodeProcess(total_s=60)
    await reader.read([Code("python", "x = 1")])
    environ = Path(f"/proc/{reader._child._children[0].pid}/environ")
    assert b"canary" not in await asyncio.to_thread(environ.read_bytes)
