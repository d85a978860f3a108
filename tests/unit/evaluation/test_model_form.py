"""What a model says and what of it is shown: known drafts give known figures."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.evaluation.benchmarks import small_model
from deploy.evaluation.benchmarks.model import (
    KeptDraft,
    check_drafts,
    keep_draft,
    read_draft,
    read_drafts,
)
from libs.budget import stages
from libs.tokens import TokenCounter
from tests.support.generation_fakes import PASSAGES

TRUE = "It holds 21 MPa without a gearbox."
TRUE_TOO = "Hydraulic lines do not tolerate dirt."
LIE = "It holds 99 MPa without a gearbox."


def draft(row_id: str, *pairs: tuple[str, str], source: int = 1) -> KeptDraft:
    sentences = [
        {"text": text, "citations": [{"source": source, "quote": quote}]} for text, quote in pairs
    ]
    response = json.dumps({"sentences": sentences, "confidence": 0.9})
    return KeptDraft(row_id, "fact", "What does it hold?", PASSAGES, response)


@pytest.fixture
def counter(tmp_path: Path) -> TokenCounter:
    return TokenCounter(tmp_path / "cache")


async def test_false_sentences_are_counted_and_not_shown(counter: TokenCounter) -> None:
    drafts = [
        draft("a", (TRUE, TRUE)),
        draft("b", (LIE, TRUE)),
        draft("c", (LIE, LIE)),
        draft("d", (TRUE, TRUE), source=9),
    ]
    measured = await check_drafts(drafts, counter)
    figures = measured.figures
    # The lie that quotes the book rightly is shown as the book's own sentence.
    assert (figures["n"], figures["said"], figures["shown"]) == (4, 4, 2)
    assert figures["said_verbatim"] == 0.5
    assert figures["quotes_invented"] == 0.25
    assert figures["sources_invented"] == 1
    assert figures["shown_in_own_words"] == figures["shown_unsupported"] == 0
    assert figures["answers"] == 0.5
    assert figures["shown_if_cited"] == 2  # a true sentence needs only a source that has it


async def test_a_draft_is_checked_to_its_end_however_long_that_takes(
    counter: TokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    barely = replace(stages.VALIDATE, cap_s=stages.VALIDATE.floor_s)
    monkeypatch.setattr(stages, "VALIDATE", barely)
    pairs = ((TRUE, TRUE), (LIE, LIE), (TRUE_TOO, TRUE_TOO))
    measured = await check_drafts([draft("a", *pairs)], counter)
    assert (measured.figures["said"], measured.figures["shown"]) == (3, 2)


def test_a_draft_that_breaks_off_counts_as_far_as_it_goes() -> None:
    whole = draft("a", (TRUE, TRUE), (LIE, TRUE)).response
    broken = read_draft(whole[: whole.index("99")])
    assert [(sentence.text, len(sentence.claims)) for sentence in broken] == [
        (TRUE, 1),
        ("It holds", 0),
    ]
    assert read_draft('{"sent') == []


def test_kept_drafts_are_read_again_as_they_were(tmp_path: Path) -> None:
    kept = tmp_path / "drafts.jsonl"
    assert read_drafts(kept) == read_drafts(None) == []
    drafts = [draft("a", (TRUE, TRUE)), draft("b", ("Two\u2028lines.", TRUE))]
    for one in drafts:
        keep_draft(one, kept)
    assert read_drafts(kept) == drafts


def test_without_weights_the_small_model_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["small_model", "--weights", "/nowhere.gguf"])
    assert small_model.main() == 2
    assert "nstall" in capsys.readouterr().err
