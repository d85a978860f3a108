"""Books move to a model behind an API as the README says it, while they are read: real processes."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.embedding_server import EmbeddingServer, embedding_server
from tests.support.stack import RunningStack, running_stack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

FIRST = "# Wheels\n\nA wheel is held by its axle, and the axle by its bearing."
SECOND = "# Sails\n\nA sail is held by its mast, and the mast by its stays."


@pytest.fixture
def api() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        running.row = lambda text: [len(text) + 1.0, float(sum(map(ord, text)) % 97), 1.0]
        yield running


def search(stack: RunningStack, book: str) -> httpx.Response:
    # Its gate is a raw one: that of another profile is fitted to one model.
    asked = {"question": "What is it held by?", "profile": "course"}
    return httpx.post(
        f"{stack.url}/v1/books/{book}/search", json=asked, timeout=30, trust_env=False
    )


def passages(stack: RunningStack, book: str) -> tuple[int, str]:
    """Return the edition that was searched and the text that was found."""
    response = search(stack, book)
    assert response.status_code == 200, response.text
    found = response.json()
    return found["edition"], " ".join(passage["text"] for passage in found["passages"])


def ingest(stack: RunningStack, path: Path, book: str) -> None:
    done = stack.quoth("ingest", str(path), "--book", book)
    assert done.returncode == 0, done.stderr


def test_all_books_move_to_another_model_and_are_read_meanwhile(
    tmp_path: Path, api: EmbeddingServer
) -> None:
    texts = {"first": FIRST, "second": SECOND}
    for book, text in texts.items():
        (tmp_path / book).mkdir()
        (tmp_path / book / "one.md").write_text(text)
    home = tmp_path / "home"
    new = {
        "QUOTH_EMBEDDER": "openai",
        "QUOTH_EMBEDDER_URL": api.url,
        "QUOTH_EMBEDDER_KEY": "key",
        "QUOTH_EMBEDDER_MODEL": "made-up",
        "QUOTH_EMBEDDER_DIMENSIONS": "3",
    }
    with running_stack(home, books={book: tmp_path / book for book in texts}):
        pass
    with running_stack(home, environment={**new, "QUOTH_EMBEDDER_BEFORE": "local"}) as stack:
        for book in texts:
            edition, text = passages(stack, book)
            assert (edition, "held by its" in text) == (1, True)
        assert api.requests == [], "books that have not moved are asked by the model before"
        ingest(stack, tmp_path / "first", "first")
        assert passages(stack, "first")[0] == 2
        asked = len(api.requests)
        assert asked >= 2, "its chunks, and the question"
        assert passages(stack, "second")[0] == 1
        assert len(api.requests) == asked
        for number in (1, 2):  # back, and on again
            done = stack.quoth("rollback", "--book", "first", "--edition", str(number))
            assert done.returncode == 0, done.stderr
            assert passages(stack, "first")[0] == number
    with running_stack(home, environment=new) as stack:
        assert passages(stack, "first")[0] == 2
        forgotten = search(stack, "second")
        assert (forgotten.status_code, forgotten.json()["code"]) == (409, "wrong_index")
        assert "QUOTH_EMBEDDER_BEFORE" in forgotten.text
        ingest(stack, tmp_path / "second", "second")
        assert passages(stack, "second")[0] == 2
