"""Judgements of sentences that answers showed, since gold names one place of several that may answer.

A file of judgements belongs to a file of golden questions: a line a question, with the grade of each
sentence by its key. It holds none of the book's text, and goes on being true when offsets change.
What is shown and has no grade counts by the gold alone, and `judged_share` says how much that is.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deploy.evaluation.datasets import DataError, GoldenRow
from deploy.evaluation.quotations import squeeze

ANSWERS, HELPS, NEITHER = 2, 1, 0
"""It answers what is asked; it belongs beside an answer; a reader is no better off for it."""

_DIGITS = 12
"""Of a key: 48 bits, so that two of ten thousand sentences share one with a chance below 10^-6."""


def sentence_key(text: str) -> str:
    """Return what names a sentence by its letters and digits alone, 12 hexadecimal digits."""
    return hashlib.sha256(squeeze(text).encode()).hexdigest()[:_DIGITS]


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Return the grades of sentences by the id of their question. Raises DataError."""
    found: dict[str, dict[str, int]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(f"{path}: can't be read ({error.strerror})") from error
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            grades = {str(key): int(grade) for key, grade in record["grades"].items()}
            found[str(record["id"])] = grades
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{path}:{number}: needs id and grades by key") from error
        if not set(grades.values()) <= {ANSWERS, HELPS, NEITHER}:
            raise DataError(f"{path}:{number}: a grade is 0, 1 or 2")
    return found


def write_judgements(path: Path, found: dict[str, dict[str, int]]) -> None:
    lines = (json.dumps({"id": name, "grades": held}) for name, held in found.items())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def add_judgements(rows: Sequence[GoldenRow], path: Path | None) -> list[GoldenRow]:
    """Return the rows with the grades of what was shown for them. Raises DataError.

    A question that showed nothing has none, and counts: to refuse it is no way out of being judged.
    """
    if path is None:
        return list(rows)
    found = read_judgements(path)
    return [replace(row, grades=found.get(row.row_id, {})) for row in rows]
