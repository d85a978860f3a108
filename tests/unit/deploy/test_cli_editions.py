"""The commands about a book's history, against a gateway that is played."""

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.support.gateway_fakes import BOOK, EDITION, REPORT
from tests.unit.deploy.test_cli import INGEST, JOB, PUBLISHED, WATCH, Played, quoth, stream

ONE = "/v1/books/physical-ai"
SUMMARY = {
    "path": "keeping.md",
    "title": "Keeping",
    "length": 1234,
    "content_hash": "00",
    "chunk_count": 5,
}
UPKEEP = {
    **JOB,
    "documents_total": 0,
    "documents_done": 0,
    "book": "physical-ai",
    "job_id": "u-1",
    "kind": "roll_back",
    "error": None,
}
UPKEEP_WATCH = f"GET {ONE}/ingests/u-1"
DELETED = {**PUBLISHED, "job_id": "j-1", "edition": 4}


@pytest.fixture
def gateway() -> Played:
    return Played()


def give(thing: object) -> httpx.Response:
    return httpx.Response(200, content=msgspec.json.encode(thing))


def test_a_report_shows_what_is_missing_and_why(gateway: Played) -> None:
    gateway[f"GET {ONE}/editions/current/report"] = give(REPORT)
    result = quoth(gateway, "report")
    assert result.exit_code == 0, result.output
    assert "keeping.md" in result.stdout
    assert "99.9 %" in result.stdout
    assert "it belongs to no block: '†'" in result.stdout
    assert "A footnote leads nowhere." in result.stdout
    shown = set(result.stdout.split())
    assert {"picture", "left", "out", "0,", "block", "changed", "41", "Malformed"} <= shown
    assert "Edition 3 was made: 1 document changed." in result.stdout
    assert "Vectors: 1 new, 1 reused. Time: split 0.2 s." in result.stdout


def test_a_long_report_shows_the_first_of_what_changed_and_counts_the_rest(gateway: Played) -> None:
    report = msgspec.to_builtins(REPORT)
    one = {**report["documents"][0], "warnings": [], "dropped_content": [], "missing": []}
    paths = [f"{number:03}.md" for number in range(120)]
    report["documents"] = [{**one, "path": path, "change": "unchanged"} for path in paths]
    report["documents"][-1]["change"] = "changed"
    report["removed"] = [f"gone-{path}" for path in paths[:60]]
    report["warnings"] = [f"{path} is odd." for path in paths[:51]]
    gateway[f"GET {ONE}/editions/current/report"] = give(report)

    shown = quoth(gateway, "report").stdout

    documents = [
        line.split()[0]
        for line in shown.splitlines()
        if " unchanged " in line or " changed " in line
    ]
    assert documents == ["119.md", *paths[:49]]
    assert shown.count("removed: ") == 50
    assert shown.count("! ") == 50
    for more in (70, 10, 1):
        assert f"and {more} more; --json gives all\n" in shown
    assert json.loads(quoth(gateway, "report", "--json").stdout) == report


def test_editions_are_listed_with_their_reasons(gateway: Played) -> None:
    gateway[f"GET {ONE}/editions"] = give({"book": "physical-ai", "editions": [EDITION]})
    result = quoth(gateway, "editions")
    assert "1 document changed" in result.stdout
    assert "2026-11-21 12:30:15" in result.stdout


def test_states_are_named_as_the_specification_does(gateway: Played) -> None:
    names = {
        "unindexed": "Unindexed",
        "indexing": "Indexing",
        "indexed": "Indexed",
        "stale": "Stale",
        "reindexing": "Re-indexing",
    }
    documents = [{"path": f"{state}.md", "state": state} for state in names]
    told = {"book": "physical-ai", "state": "stale", "documents": documents}
    gateway[f"GET {ONE}/state"] = give(told)
    shown = quoth(gateway, "state", "--book", "physical-ai").stdout
    assert shown.startswith("physical-ai: Stale\n")
    assert {tuple(line.split()) for line in shown.splitlines()[2:]} == {
        (f"{state}.md", name) for state, name in names.items()
    }
    assert json.loads(quoth(gateway, "state", "--book", "physical-ai", "--json").stdout) == told


def test_a_difference_is_shown_by_document(gateway: Played) -> None:
    change = {
        "path": "b.md",
        "change": "moved",
        "old_path": "a.md",
        "chunks_added": 2,
        "chunks_removed": 1,
    }
    numbers = {"chunks_kept": 5, "chunks_added": 2, "chunks_removed": 1}
    found = {"from_edition": 1, "to_edition": 2, "documents": [change], **numbers}
    gateway[f"POST {ONE}/diff"] = give({"job": {**UPKEEP, "kind": "compare"}})
    gateway[UPKEEP_WATCH] = stream(
        ("done", {"job": {**UPKEEP, "state": "done", "difference": found}})
    )
    result = quoth(gateway, "diff", "--from", "1")
    assert "a.md" in result.stdout
    assert "Edition 1 to 2: 2 passages added, 1 removed, 5 kept." in result.stdout
    assert dict(gateway.requests[-2].url.params) == {"from": "1"}
    gateway[UPKEEP_WATCH] = stream(
        ("done", {"job": {**UPKEEP, "state": "done", "difference": found}})
    )
    assert json.loads(quoth(gateway, "diff", "--json").stdout) == found


def test_a_book_is_rolled_back_and_vacuumed(gateway: Played) -> None:
    gateway[f"POST {ONE}/rollback"] = give({"job": UPKEEP})
    half = {**UPKEEP, "state": "running", "chunks_total": 40, "chunks_done": 30}
    shown = {**UPKEEP, "state": "published", "edition": 3}
    gateway[UPKEEP_WATCH] = stream(("progress", {"job": half}), ("done", {"job": shown}))
    result = quoth(gateway, "rollback", "--book", "physical-ai", "--edition", "3")
    assert "readers see edition 3" in result.stdout
    assert "physical-ai: 5 of 10 passages\n" in result.stderr  # others come every ten seconds
    gateway[f"POST {ONE}/vacuum"] = give({"job": UPKEEP})
    vacuumed(gateway, {"editions": [1, 2], "chunks": 7, "documents": 2, "vectors": 4})
    result = quoth(gateway, "vacuum", "--book", "physical-ai", "--keep", "2")
    assert "editions deleted: 1, 2; 7 passages, 2 texts, 4 vectors" in result.stdout
    assert dict(gateway.requests[-2].url.params) == {"keep": "2"}
    assert "Kept are" not in result.stdout
    told = " ".join(result.stdout.split())
    assert "answered from them stays in the record of answers, with its quotations" in told
    assert "`quoth audit erase --book physical-ai` deletes all of the book" in told


def vacuumed(gateway: Played, counts: dict[str, Any]) -> None:
    """Let the job of a vacuum end with what it has deleted."""
    job = {**UPKEEP, "kind": "vacuum", "state": "done", "vacuumed": counts}
    gateway[UPKEEP_WATCH] = stream(("done", {"job": job}))


@pytest.mark.parametrize(
    ("command", "kind", "said"),
    [
        ("rollback", "roll_back", "Readers see what they saw before: The index has lost passages."),
        ("diff", "compare", "The editions were not compared: The index has lost passages."),
        ("vacuum", "vacuum", "Not all was deleted: The index has lost passages."),
    ],
)
def test_upkeep_that_fails_says_what_is_the_case_now_and_why(
    gateway: Played, command: str, kind: str, said: str
) -> None:
    job = {**UPKEEP, "kind": kind}
    gateway[f"POST {ONE}/{command}"] = give({"job": job})
    failed = {**job, "state": "failed", "error": "The index has lost passages."}
    gateway[UPKEEP_WATCH] = stream(("done", {"job": failed}))
    result = quoth(gateway, command, "--book", "physical-ai")
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr.replace("\n", " ")


def test_a_vacuum_that_removes_nothing_says_why(gateway: Played) -> None:
    gateway[f"POST {ONE}/vacuum"] = give({"job": UPKEEP})
    nothing: dict[str, Any] = {"editions": [], "chunks": 0, "documents": 0, "vectors": 0}
    vacuumed(gateway, nothing)
    few = quoth(gateway, "vacuum", "--book", "physical-ai", "--keep", "1").stdout
    assert "Kept are the newest 1, the one that readers see" in few.replace("\n", " ")
    assert "record of answers" not in few
    vacuumed(gateway, nothing)
    assert (
        "3 unless --keep says otherwise" in quoth(gateway, "vacuum", "--book", "physical-ai").stdout
    )


def test_a_vacuum_that_is_to_keep_nothing_is_refused(gateway: Played) -> None:
    refused = quoth(gateway, "vacuum", "--book", "physical-ai", "--keep", "0")
    assert refused.exit_code == 2
    assert "--keep" in refused.stderr
    assert gateway.requests == []


def test_deleting_asks_first_and_follows_its_job(gateway: Played) -> None:
    gateway["DELETE /v1/books/my-book/documents/a b.md"] = give({"job": JOB})
    gateway[WATCH] = stream(("done", {"job": DELETED}))
    refused = quoth(gateway, "delete", "--book", "my-book", "--document", "a b.md")
    assert refused.exit_code == 1
    assert gateway.requests == []
    result = quoth(gateway, "delete", "--book", "my-book", "--document", "a b.md", "--yes")
    assert "my-book: a b.md is deleted, in edition 4." in result.stdout


def test_a_job_is_cancelled(gateway: Played) -> None:
    gateway["DELETE /v1/books/my-book/ingests/j-1"] = give({"job": {**JOB, "state": "cancelled"}})
    assert "j-1: cancelled." in quoth(gateway, "cancel", "j-1", "--book", "my-book").stdout


def test_all_jobs_of_a_book_are_cancelled_where_none_is_named(gateway: Played) -> None:
    jobs = [{**JOB, "job_id": name} for name in ("j-1", "j-2")]
    gateway["GET /v1/books/my-book/ingests"] = give({"jobs": jobs})
    for job in jobs:
        address = f"DELETE /v1/books/my-book/ingests/{job['job_id']}"
        gateway[address] = give({"job": {**job, "state": "cancelled"}})
    told = quoth(gateway, "cancel", "--book", "my-book").stdout
    assert "j-1: cancelled." in told
    assert "j-2: cancelled." in told
    gateway["GET /v1/books/my-book/ingests"] = give({"jobs": []})
    assert "No job of my-book" in quoth(gateway, "cancel", "--book", "my-book").stdout


def test_jobs_that_wait_or_run_are_listed_with_their_ids(gateway: Played) -> None:
    running = {**JOB, "kind": "ingest", "state": "running"}
    jobs = [{**running, "documents_done": 2, "documents_total": 7}, {**running, "job_id": "j-2"}]
    gateway["GET /v1/books/my-book/ingests"] = give({"jobs": jobs})
    told = quoth(gateway, "jobs", "--book", "my-book").stdout
    assert [one for one in ("j-1", "j-2", "running", "2 of 7") if one not in told] == []
    gateway["GET /v1/books/my-book/ingests"] = give({"jobs": []})
    assert "No job of my-book" in quoth(gateway, "jobs", "--book", "my-book").stdout


def test_a_dry_run_shows_what_would_change(gateway: Played, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    report = msgspec.to_builtins(REPORT)
    gateway[INGEST] = give({"job": JOB})
    gateway[WATCH] = stream(("done", {"job": {**JOB, "state": "checked", "report": report}}))
    result = quoth(gateway, "ingest", str(tmp_path), "--book", "my-book", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Edition 3 would be made: 1 document changed." in result.stdout
    sent = next(request for request in gateway.requests if request.method == "POST")
    assert sent.url.params["dry_run"] == "true"


def test_a_dry_run_says_when_nothing_would_change(gateway: Played, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    report = {**msgspec.to_builtins(REPORT), "reasons": [], "documents": [], "warnings": ["Odd."]}
    gateway[INGEST] = give({"job": JOB})
    gateway[WATCH] = stream(("done", {"job": {**JOB, "state": "checked", "report": report}}))
    result = quoth(gateway, "ingest", str(tmp_path), "--book", "my-book", "--dry-run")
    assert "! Odd.\nNothing would change: edition 3 stays." in result.stdout


def test_a_cancelled_ingest_is_a_failure(gateway: Played, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    gateway[INGEST] = give({"job": JOB})
    gateway[WATCH] = stream(("done", {"job": {**JOB, "state": "cancelled"}}))
    result = quoth(gateway, "ingest", str(tmp_path), "--book", "my-book")
    assert result.exit_code == 1
    assert "my-book was not published: cancelled" in result.output


@pytest.mark.parametrize(
    ("command", "path", "listed"),
    [
        ("books", "/v1/books", {"books": [msgspec.to_builtins(BOOK)]}),
        ("documents", f"{ONE}/documents", {"documents": [SUMMARY], "edition": 3}),
        ("editions", f"{ONE}/editions", {"editions": [msgspec.to_builtins(EDITION)]}),
    ],
)
def test_a_long_list_is_shown_by_pages(
    gateway: Played, command: str, path: str, listed: dict[str, object]
) -> None:
    gateway[f"GET {path}"] = give({**listed, "warnings": [], "next_cursor": "abc"})
    book = () if command == "books" else ("--book", "physical-ai")
    result = quoth(gateway, command, *book, "--limit", "1", "--cursor", "xyz")
    assert result.exit_code == 0, result.output
    assert dict(gateway.requests[-1].url.params) == {"limit": "1", "cursor": "xyz"}
    assert "There are more: --cursor abc" in result.stdout
    gateway[f"GET {path}"] = give({**listed, "warnings": [], "next_cursor": ""})
    assert "There are more" not in quoth(gateway, command, *book).stdout
    assert not gateway.requests[-1].url.params


def test_documents_are_listed_with_their_sizes(gateway: Played) -> None:
    gateway[f"GET {ONE}/documents"] = give({"documents": [SUMMARY], "next_cursor": ""})
    line = quoth(gateway, "documents").stdout.splitlines()[1]
    assert line.split() == ["keeping.md", "Keeping", "1234", "5"]
