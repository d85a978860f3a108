"""Keep a line of the results that a newer one has replaced: headlines and peers, without the rest."""

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.report import HEADLINES, HISTORY
from tests.benchmarks.result import EARLIER, Result, as_table, read_result

_NAMES = {name for name, _ in (*HEADLINES, *HISTORY)}


def fold_earlier(result: Result, folder: Path) -> None:
    """Fold each older result of the same kind of run on the same machine that this one covers."""
    for path in sorted(folder.glob("*.json")):
        other = read_result(path)
        if other.date < result.date and result.is_comparable_with(other) and _covers(result, other):
            fold(path)


def fold(path: Path) -> None:
    """Put a line into the file of earlier results in place of a whole one."""
    line = json.dumps(summarise_result(read_result(path)), ensure_ascii=False)
    with (path.parent / EARLIER).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    path.unlink()


def summarise_result(result: Result) -> dict[str, Any]:
    table = as_table(result)
    figures = {name: figure for name, figure in table["figures"].items() if name in _NAMES}
    return {**table, "figures": figures, "overload": []}


def _covers(newer: Result, older: Result) -> bool:
    """Whether nothing that the report would show is in the older result alone."""
    headlines = {name for name in _NAMES if older.value(name) is not None}
    return all(newer.value(name) is not None for name in headlines) and (
        bool(newer.peers) or not older.peers
    )
