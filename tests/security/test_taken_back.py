"""True sentences of a book that its next words, its title or its note take back, and plain ones.

`tests/quality/lies/neighbours.jsonl` has them of nine small books of ours in five languages. Of each
that misleads alone it says what must stand beside it; the others must be shown, mostly alone.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from services.generation.model import Passage
from tests.support.displays import passages_of, show_verbatim

LIES = Path(__file__).parents[1] / "quality/lies"
LANGUAGES = {"garten.md": "de", "huerto.md": "es", "fours.md": "fr", "kama.md": "ja"}

MISLEADING = {"unseen": 2, "fresh": 1, "last": 3}
"""Those that are shown without: below "How my grandmother treated burns" and "Alte Bräuche", behind
"Unless the helicopter is late, everything here is true", and a row whose note shares no word with it.
`seen` was in sight while this was made, `unseen` was not. Of `fresh` and `last`, each written after the
mends before it, 17 of 40 and 10 of 20 were shown before mends with them in sight."""

WITH_CONTEXT = {"seen": 8, "unseen": 5, "last": 1}
"""The plain sentences that are shown with others, of 38, 27 and 13; of `fresh` none of 21."""

Row = dict[str, str]

ROWS: list[Row] = list(map(json.loads, (LIES / "neighbours.jsonl").read_text("utf-8").splitlines()))


@cache
def read_book(name: str) -> tuple[Passage, ...]:
    return passages_of(name, (LIES / name).read_bytes(), LANGUAGES.get(name, "en"))


def find_span(row: Row) -> str:
    """Return the span as canonical text has it, with the marks of its footnotes."""
    spans = [one.text_of(span) for one in read_book(row["book"]) for span in one.spans]
    return next(text for text in spans if row["text"] in re.sub(r"\[\w\]", "", text))


async def show(row: Row) -> str:
    quote = find_span(row)
    # Of an exercise the statement alone is said, which the book has behind what it asks.
    text = row["text"] if len(quote) > len(row["text"]) + 3 else quote
    language = LANGUAGES.get(row["book"], "en")
    return await show_verbatim(read_book(row["book"]), [(text, text)], language)


def test_there_are_sentences_of_many_kinds_that_mislead_alone() -> None:
    misleading = [row for row in ROWS if row["kind"] == "misleading"]
    assert len(misleading) == 166
    assert len({row["class"] for row in misleading}) == 17


async def test_no_more_sentences_are_shown_without_what_takes_them_back_than_were_measured() -> (
    None
):
    shown: Counter[str] = Counter()
    for row in ROWS:
        if row["kind"] == "misleading":
            seen = await show(row)
            shown[row["half"]] += seen != "" and row["needs"] not in seen
    assert dict(+shown) == MISLEADING


@pytest.mark.parametrize("half", ["seen", "unseen", "fresh", "last"])
async def test_plain_sentences_beside_them_are_shown_and_mostly_alone(half: str) -> None:
    plain = [row for row in ROWS if row["kind"] == "true" and row["half"] == half]
    texts = {row["text"]: await show(row) for row in plain}
    assert [text for text, shown in texts.items() if text not in shown] == []
    assert sum(text != shown for text, shown in texts.items()) <= WITH_CONTEXT.get(half, 0)
