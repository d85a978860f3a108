"""After a book is deleted and vacuumed, no byte of its text is left below the home."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from tests.support.stack import RunningStack, eventually, running_stack

SECRETS = ("Zwickmuhle", "Querfeldein", "Ohrwurmkiste", "Kuddelmuddel")
"""Words that stand in one book and in nothing else: in a title, a heading, a text, a table."""
TITLE, HEADING, WORD, CELL = SECRETS
KEPT_WORD = "Gabelstapler"


def document(title: str, heading: str, word: str, cell: str) -> str:
    # Different words around them, since what repeats itself is stored compressed.
    parts = [
        f"## {heading} {n}\n\nPart {n} of {n * 7919 % 1000} says {word}{n} at {n * 104729 % 9973}."
        for n in range(60)
    ]
    table = "\n".join(f"| {cell}{n} | {n * 31 % 97} |" for n in range(30))
    return "\n\n".join([f"# {title}", *parts, f"| a | b |\n|---|---|\n{table}"])


def places(home: Path, words: tuple[str, ...]) -> list[str]:
    """Name the files below `home` that hold one of the words, in upper or lower case."""
    wanted = [word.lower().encode() for word in words]
    return [
        f"{path.relative_to(home)}: {word.decode()}"
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.is_symlink()
        for held in [path.read_bytes().lower()]
        for word in wanted
        if word in held
    ]


def vacuumed(stack: RunningStack, book: str) -> dict[str, Any]:
    url = f"{stack.url}/v1/books/{book}/vacuum"
    response = httpx.post(url, params={"keep": 1}, timeout=30, trust_env=False)
    assert response.status_code == 202, response.text
    place = f"{stack.url}{response.headers['location']}"

    def job() -> dict[str, Any]:
        return dict(httpx.get(place, timeout=30, trust_env=False).json()["job"])

    eventually(lambda: job()["state"] == "done", "never vacuumed")
    return dict(job()["vacuumed"])


async def let_a_minute_pass(stack: RunningStack) -> None:
    """What readers have left in the last minute is kept for answers under way."""
    await execute(stack, "UPDATE editions SET superseded_at = now() - interval '2 min'")


async def execute(stack: RunningStack, statement: str) -> None:
    connection = await asyncpg.connect(stack.entry("postgres")["address"])
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.control("V16")
def test_nothing_of_a_deleted_book_is_left_in_any_file(tmp_path: Path) -> None:
    secret, kept = tmp_path / "secret", tmp_path / "kept"
    for folder, words in ((secret, SECRETS), (kept, (KEPT_WORD,) * 4)):
        folder.mkdir()
        (folder / "a.md").write_text(document(*words), "utf-8")
    with running_stack(tmp_path / "home", books={"secret": secret, "kept": kept}) as stack:
        # Samples of what stands in columns, which outlive the rows.
        asyncio.run(execute(stack, "ANALYZE"))
        asyncio.run(execute(stack, "CHECKPOINT"))
        assert places(stack.home, SECRETS)
        assert stack.quoth("delete", "--book", "secret", "--yes").returncode == 0
        asyncio.run(let_a_minute_pass(stack))
        assert vacuumed(stack, "secret")["editions"] == [1]
        eventually(lambda: vacuumed(stack, "secret")["left"] == "", "never all erased")
        assert places(stack.home, SECRETS) == []
        assert places(stack.home, (KEPT_WORD,))
        answer = stack.ask("kept", f"Which part says {KEPT_WORD}7?")
        assert KEPT_WORD in str(answer)
        # What is left can still be changed: the stores' files are new, their points are not.
        (kept / "a.md").write_text(document(KEPT_WORD, "Changed", "Changed", "Changed"), "utf-8")
        done = stack.quoth("ingest", str(kept), "--book", "kept")
        assert done.returncode == 0, done.stderr
        assert "edition 2 published" in done.stdout
