"""A home that is moved away or removed while the product runs: 503 meanwhile, and all comes back."""

import shutil
from pathlib import Path

import httpx
import pytest

from tests.support.stack import RunningStack, eventually, running_stack

BOOK, QUESTION = "gears", "What is a gear?"


def status(stack: RunningStack) -> int:
    url = f"{stack.url}/v1/books/{BOOK}/answers"
    try:
        body = {"question": QUESTION}
        return httpx.post(url, json=body, timeout=30, trust_env=False).status_code
    except httpx.TransportError:
        return 0  # being started again


@pytest.mark.fault("G8")
@pytest.mark.invariant("I8")
def test_a_home_that_is_put_back_has_its_books_and_one_that_is_not_is_made_anew(
    tmp_path: Path,
) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "a.md").write_text("# Gears\n\nA gear is a wheel with teeth.", "utf-8")
    patience = {"QUOTH_PATIENCE_S": "6"}
    with running_stack(tmp_path / "home", books={BOOK: book}, environment=patience) as stack:
        assert status(stack) == 200
        stack.home.rename(tmp_path / "away")
        eventually(lambda: status(stack) == 503, "answered without its home")
        (tmp_path / "away").rename(stack.home)
        eventually(lambda: status(stack) == 200, "the home that is back is not used")
        stack.home.rename(tmp_path / "gone")
        shutil.rmtree(tmp_path / "gone", ignore_errors=True)  # stores may still be tidying up
        eventually(lambda: status(stack) == 503, "answered without its home")
        eventually(lambda: status(stack) == 404, "no new home was made")
        assert stack.quoth("ingest", str(book), "--book", BOOK).returncode == 0
        assert stack.supervisor.poll() is None
