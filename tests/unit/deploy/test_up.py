"""What `quoth up` says, and the sample book on the first start."""

import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy.cli.app import app
from deploy.cli.up import SAMPLE, SampleBook, offer_for_books
from deploy.local.report import JsonReport, LastingConsole, PlainReport, Report

PUBLISHED = {
    "job_id": "j",
    "book": SAMPLE,
    "state": "published",
    "edition": 1,
    "documents_done": 1,
    "chunks_total": 3,
    "chunks_reused": 0,
}


def tell(report: Report) -> None:
    report.ready("postgres", 0.26)
    report.died("ingest", "killed by SIGKILL")
    report.line("ingest", "WARNING slow [bold]")
    report.up("http://127.0.0.1:8080", "/home")
    report.note("Stopping.")


def test_a_person_reads_one_line_an_event() -> None:
    out = io.StringIO()

    tell(PlainReport(Console(file=out, width=40)))

    assert out.getvalue().splitlines() == [
        "✓ postgres ready (0.3 s)",
        "! ingest ended (killed by SIGKILL); starting it again",
        "  ingest | WARNING slow [bold]",
        "Quoth is running: http://127.0.0.1:8080  (data in /home; stop with Ctrl-C)",
        "Stopping.",
    ]


def test_a_program_reads_one_object_an_event() -> None:
    out = io.StringIO()

    tell(JsonReport(Console(file=out, width=20)))

    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [event["event"] for event in events] == ["ready", "died", "line", "up", "note"]
    assert events[0] == {"event": "ready", "name": "postgres", "after_s": 0.26}


class Gone(io.StringIO):
    """A terminal that has been closed."""

    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("kind", [PlainReport, JsonReport])
def test_a_terminal_that_is_gone_stops_nothing(kind: Any) -> None:
    tell(kind(LastingConsole(file=Gone())))


class Broken(io.StringIO):
    """A reader that has gone away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("kind", [PlainReport, JsonReport])
def test_a_reader_that_is_gone_stops_nothing(kind: Any) -> None:
    tell(kind(LastingConsole(file=Broken())))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "one.md").write_text("# One\n")
    return tmp_path


async def first_start(
    book: Path, answers: dict[str, Any], url: str = "http://127.0.0.1:8080"
) -> tuple[str, list[str]]:
    out, asked = io.StringIO(), []

    def play(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        answer = answers[asked[-1]]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(**{"status_code": 200, **answer})

    console = Console(file=out)
    sample = SampleBook(console, book, httpx.MockTransport(play))
    await sample(url, PlainReport(console))
    return out.getvalue(), asked


START = f"POST /v1/books/{SAMPLE}/ingests"
WATCH = f"GET /v1/books/{SAMPLE}/ingests/j"


def done(job: dict[str, Any]) -> dict[str, Any]:
    text = f"event: done\ndata: {json.dumps({'job': job})}\n\n"
    return {"text": text, "headers": {"content-type": "text/event-stream"}}


async def test_the_first_start_adds_the_sample_book(book: Path) -> None:
    said, _ = await first_start(
        book,
        {
            "GET /v1/books": {"json": {"books": []}},
            START: {"json": {"job": {**PUBLISHED, "state": "queued"}}},
            WATCH: done(PUBLISHED),
        },
    )

    assert "First start" in said
    assert "✓ physical-ai: edition 1 published, 1 documents, 3 passages" in said


async def test_a_library_that_holds_a_book_is_left_alone(book: Path) -> None:
    said, asked = await first_start(book, {"GET /v1/books": {"json": {"books": [{"slug": "a"}]}}})

    assert said == ""
    assert asked == ["GET /v1/books"]


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ({}, "hardly knows the language: a (Chinese), b (Russian), e (Japanese)."),
        ({"QUOTH_EMBEDDER": "local-multilingual"}, ""),
        ({"QUOTH_EMBEDDER_DIR": "/models/other"}, ""),
    ],
)
async def test_books_in_a_language_that_the_packaged_model_does_not_know_are_named(
    book: Path, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, str], named: str
) -> None:
    monkeypatch.delenv("QUOTH_EMBEDDER", raising=False)
    monkeypatch.delenv("QUOTH_EMBEDDER_DIR", raising=False)
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    languages = {"a": "zh", "b": "ru", "c": "en", "d": "de"}
    books: list[dict[str, str | list[str]]] = [
        {"slug": slug, "language": language} for slug, language in languages.items()
    ]
    books.append({"slug": "e", "language": "en", "languages": ["en", "de", "ja"]})
    said, _ = await first_start(book, {"GET /v1/books": {"json": {"books": books}}})
    assert (named in said) if named else not said
    assert ("QUOTH_EMBEDDER=local-multilingual" in said) is bool(named)


@pytest.mark.parametrize(
    ("searched", "is_added"),
    [
        ({"json": {"passages": []}}, False),
        ({"status_code": 409, "json": {"code": "conflict"}}, False),
        ({"status_code": 409, "json": {"code": "wrong_index"}}, True),
    ],
)
async def test_a_sample_that_this_version_cannot_search_is_added_anew(
    book: Path, searched: dict[str, Any], is_added: bool
) -> None:
    said, asked = await first_start(
        book,
        {
            "GET /v1/books": {"json": {"books": [{"slug": SAMPLE}]}},
            f"POST /v1/books/{SAMPLE}/search": searched,
            START: {"json": {"job": PUBLISHED}},
            WATCH: done({**PUBLISHED, "edition": 2}),
        },
    )

    assert (START in asked) is is_added
    assert ("physical-ai: edition 2 published" in said) is is_added


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"GET /v1/books": httpx.ConnectError("no")}, "not running"),
        ({"GET /v1/books": {"json": {"books": []}}, START: httpx.ReadError("no")}, "broke"),
        (
            {
                "GET /v1/books": {"json": {"books": []}},
                START: {"json": {"job": PUBLISHED}},
                WATCH: done({**PUBLISHED, "state": "failed", "error": "No space left."}),
            },
            "No space left.",
        ),
    ],
)
async def test_a_sample_that_fails_is_told_and_stops_nothing(
    book: Path, answers: dict[str, Any], reason: str
) -> None:
    said, _ = await first_start(book, answers)

    assert "The sample book could not be added" in said
    assert reason in said


LOCKED = {"status_code": 401, "json": {"detail": "Send a key.", "code": "unauthenticated"}}
DISTRUSTED = httpx.ConnectError("certificate verify failed")


@pytest.mark.parametrize(
    ("url", "listing"),
    [("http://127.0.0.1:8080", LOCKED), ("https://127.0.0.1:8080", DISTRUSTED)],
    ids=["key", "certificate"],
)
async def test_a_start_without_the_key_that_all_need_tells_no_failure(
    book: Path, url: str, listing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUOTH_KEY", raising=False)
    assert (await first_start(book, {"GET /v1/books": listing}, url))[0] == ""
    monkeypatch.setenv("QUOTH_KEY", "quoth_wrong")
    assert "could not be added" in (await first_start(book, {"GET /v1/books": listing}, url))[0]


def test_the_sample_book_is_part_of_the_package() -> None:
    assert SampleBook(Console())._path.is_dir()


@pytest.mark.fault("K1")
def test_a_bad_setting_is_one_line_and_status_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUOTH_PORT", "eighty")

    result = CliRunner().invoke(app, ["up"])

    assert result.exit_code == 2
    assert result.stderr == "QUOTH_PORT must be a whole number, not 'eighty'\n"


async def test_without_the_sample_the_model_that_knows_the_books_is_offered_too() -> None:
    out = io.StringIO()
    books = {"books": [{"slug": "mill", "language": "ar", "languages": ["ar"]}]}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=books))
    report = PlainReport(Console(file=out, width=500))
    await offer_for_books("http://127.0.0.1:8080", report, transport)
    assert "mill (Arabic)" in out.getvalue()
    gone = httpx.MockTransport(lambda _: httpx.Response(503, json={"detail": "Busy."}))
    await offer_for_books("http://127.0.0.1:8080", report, gone)
    assert "could not be listed" in out.getvalue()
