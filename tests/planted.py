"""The twelve planted defects: each breaks one line, in a copy of the tree, and turns its test red.

    python -m tests.planted [ID ...]       plant them one after the other; the table: id, test, result
    python -m tests.planted --keep         all of them, and keep the results in tests/planted.json

Nothing of this is in what runs: a defect is a change of text, made in a folder that is thrown away.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
KEPT = Path(__file__).parent / "planted.json"
"""The date of the last whole run, and what became of each defect: "red" is how it should be."""
_TEST_S = 300.0
_LEFT_OUT = (".git", ".*_cache", ".venv", "node_modules", "__pycache__", ".quoth", "results")
_FAILED = 1
"""pytest's exit status when tests ran and some failed; others say that they could not run."""


@dataclass(frozen=True)
class Defect:
    """A line as it is and as it must not be, and the test that knows the difference."""

    about: str
    file: str
    right: str
    wrong: str
    test: str


DEFECTS = {
    "sync-commit": Defect(
        "an answer leaves before its row is on disk",
        "services/generation/adapters/records/postgres_audit.py",
        "set_config('synchronous_commit', 'on', true)",
        "set_config('synchronous_commit', 'off', true)",
        "tests/ports/test_audit_log.py"
        "::test_the_row_is_durable_even_where_the_server_commits_lazily",
    ),
    "flush": Defect(
        "points count as written before they are on disk",
        "deploy/qdrant_node/collection.py",
        "        if wait:\n            await self._sync(number)\n",
        "",
        "tests/faults/test_engines.py::test_a_waited_for_write_is_synced_before_its_answer",
    ),
    "delete-then-insert": Defect(
        "what readers see is deleted before the next edition is written",
        "services/ingest/adapters/qdrant_index.py",
        "later = models.Range(gt=edition)\n        born_later",
        "later = models.Range(gte=0)\n        born_later",
        "tests/faults/test_ingest_faults.py"
        "::test_eight_readers_never_see_half_a_change_while_twenty_editions_are_made",
    ),
    "version-filter": Defect(
        "a search finds what later editions have",
        "libs/vectors/schema.py",
        "models.FieldCondition(key=Payload.BORN, range=models.Range(lte=self.edition))",
        "models.FieldCondition(key=Payload.BORN, range=models.Range(gte=0))",
        "tests/ports/test_passage_index.py::test_an_edition_sees_what_is_born_and_has_not_died",
    ),
    "owner": Defect(
        "a key for some books opens all",
        "services/gateway/keys.py",
        "return not self.books or book in self.books",
        "return True",
        "tests/unit/gateway/test_access.py::test_a_book_that_a_key_is_not_for_is_not_there",
    ),
    "citation": Defect(
        "a quotation that is not in its source is taken for the nearest one that is",
        "services/generation/checks/cite.py",
        "return None if claim.quote else _best_span(passage, sentence)",
        "return _best_span(passage, sentence) or ((0, len(passage.text)), Verdict.SUPPORTED)",
        "tests/unit/generation/checks/test_cite.py"
        "::test_a_quote_that_is_not_in_its_source_is_no_citation",
    ),
    "deadline": Defect(
        "a service may take longer than its caller has",
        "services/gateway/clients.py",
        "self._stub.AnswerQuestion(request, timeout=timeout_s,",
        "self._stub.AnswerQuestion(request, timeout=60.0,",
        "tests/rpc/test_gateway.py::test_id_trace_and_deadline_travel_with_the_call",
    ),
    "write-twice": Defect(
        "a change whose connection broke is sent again",
        "services/gateway/clients.py",
        "call = self._stub.DeleteBook(request, timeout=timeout_s, metadata=call_metadata())",
        "call = self._reads.call(self._stub.DeleteBook, request, timeout_s)",
        "tests/unit/gateway/test_clients.py"
        "::test_a_change_is_sent_once_even_when_the_connection_breaks",
    ),
    "queue": Defect(
        "any number of questions may wait",
        "services/gateway/concurrency.py",
        " or len(self._waiting) >= _MOST_WAITING * self._at_once",
        "",
        "tests/unit/gateway/test_concurrency.py::test_the_queue_is_bounded_before_any_duration_is_known",
    ),
    "sanitiser": Defect(
        "a book's markup reaches a chat as markup",
        "services/gateway/routes/openai_text.py",
        'return _MARKUP.sub(lambda found: "\\\\" + found[0], text)',
        "return text",
        "tests/unit/gateway/test_chat.py::test_text_of_a_book_makes_no_link_or_picture_in_a_chat",
    ),
    "redirect": Defect(
        "a model's server sends its caller to another place",
        "services/generation/adapters/models/openai_answerer.py",
        "follow_redirects=False",
        "follow_redirects=True",
        "tests/security/test_redirects.py::test_a_redirect_of_a_models_server_is_not_followed",
    ),
    "nul": Defect(
        "a document may hold NUL",
        "services/ingest/parsers/encoding.py",
        "if nul >= 0:",
        "if False:",
        "tests/unit/ingest/test_html.py::test_bytes_that_do_not_fit_are_refused_with_their_place",
    ),
}


def plant(defect: Defect, tree: Path) -> None:
    """Break the line in a copy of the checkout. Raises ValueError when it is not there once."""
    file = tree / defect.file
    text = file.read_text("utf-8")
    if text.count(defect.right) != 1:
        raise ValueError(f"{defect.file} does not hold once: {defect.right}")
    file.write_text(text.replace(defect.right, defect.wrong), "utf-8")


def plant_and_test(defect: Defect) -> str:
    """Return "red" where the test passes in a copy of the tree and fails once the defect is in."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(CHECKOUT, tree, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        if _run(defect.test, tree) != 0:
            return "failed before"
        plant(defect, tree)
        return "red" if _run(defect.test, tree) == _FAILED else "not noticed"


def _run(test: str, tree: Path) -> int:
    """Return pytest's exit status."""
    path = os.pathsep.join((str(tree), str(tree / "protos")))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        timeout=_TEST_S,
        check=False,
    ).returncode


def table(names: Sequence[str], results: dict[str, str]) -> Iterator[str]:
    """Plant defects and yield the lines of the table; `results` gets what became of each."""
    for name in names:
        defect = DEFECTS[name]
        results[name] = plant_and_test(defect)
        yield f"{name:20}{results[name]:15}{defect.about}"
        yield f"{'':35}{defect.test}"
    noticed = sum(result == "red" for result in results.values())
    yield f"{noticed} of {len(names)} defects turn their test red"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, prog="tests.planted")
    options.add_argument("names", nargs="*", metavar="ID", help="; ".join(DEFECTS))
    options.add_argument("--keep", action="store_true", help=f"in {KEPT.name}, of all of them")
    chosen = options.parse_args()
    names = chosen.names if chosen.names and not chosen.keep else [*DEFECTS]
    results: dict[str, str] = {}
    for line in table(names, results):
        print(line, flush=True)
    if chosen.keep:
        kept = {"date": datetime.now(UTC).date().isoformat(), "results": results}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
    return int(any(result != "red" for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
