"""What a PDF has struck out is in no answer, whoever asks for it."""

import json
from pathlib import Path

import pytest

from tests.support.pdf_files import pdf_of, text_at
from tests.support.stack import RunningStack

BOOK = "boiler"
STRUCK = ("twenty thousand", "never be opened")
PAGE = [
    text_at(72, 760, "The boiler of the Karvel mill costs"),
    text_at(72, 740, "twenty thousand florins"),
    text_at(72, 720, "thirty florins."),
    "71 743 m 192 743 l S",
    text_at(72, 640, "The relief valve of the boiler"),
    text_at(72, 620, "must never be opened"),
    text_at(72, 600, "may be opened by the miller."),
    "71 623 m 200 623 l S",
]


@pytest.mark.stack
@pytest.mark.timeout(900)
def test_words_that_a_pdf_strikes_out_are_quoted_in_no_answer(
    sample_stack: RunningStack, tmp_path: Path
) -> None:
    file = tmp_path / "boiler.pdf"
    file.write_bytes(pdf_of([PAGE]))
    assert sample_stack.quoth("ingest", str(file), "--book", BOOK).returncode == 0
    said = [
        sample_stack.ask(BOOK, question)
        for question in (
            "What does the boiler of the Karvel mill cost?",
            "May the relief valve of the boiler be opened?",
            "What must never be opened?",
            "What costs twenty thousand florins?",
        )
    ]
    shown = json.dumps([[one["sentences"], one["citations"]] for one in said])
    assert "thirty florins" in shown
    assert "opened by the miller" in shown
    assert [words for words in STRUCK if words in shown] == []
    assert sample_stack.quoth("delete", "--book", BOOK, "--yes").returncode == 0
