"""What became of recorded sentences is read from the answer, and a played model keeps to its draft."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.benchmarks.drafts import (
    RecordedClaim,
    read_claims,
    read_drafts,
    replace_sentence,
    score_draft,
    summarise,
)
from deploy.evaluation.benchmarks.played_model import PlayedModel, RecordedDraft
from deploy.evaluation.datasets import DataError, Gold, GoldenRow
from deploy.evaluation.product import BookText, Reply
from deploy.evaluation.quotations import Text
from services.generation.language_model.judging import RULES

SAID = {"text": "Motors turn fast.", "citations": [{"quote": "Motors turn quickly"}]}
DRAFT = RecordedDraft("g1", "What turns?", [SAID])
FALSE = RecordedClaim("c1", "g1", "Motors stand.", "Motors turn fast.", False, "negation", 0.0)
PROMPT = "[Source 1]\nPumps stop.\n\n[Source 2]\nMotors turn quickly.\n"


def test_a_played_model_finds_the_source_by_the_quote() -> None:
    model = PlayedModel()
    model.tell(DRAFT)
    [said] = json.loads(model.reply(PROMPT))["sentences"]
    assert said["citations"] == [{"source": 2, "quote": "Motors turn quickly"}]
    assert model.prompt_tokens == [len(PROMPT) // 4]


def test_without_a_draft_it_declines_and_a_rewriting_that_was_not_recorded_is_empty() -> None:
    model = PlayedModel()
    assert json.loads(model.reply(PROMPT))["sentences"] == []
    model.tell(DRAFT)
    assert model.reply("Make it whole.") == ""


def test_the_played_judge_repeats_recorded_verdicts_and_withholds_other_sentences() -> None:
    model = PlayedModel({"Motors turn fast.": 0.9})
    reply = [{"number": 1, "sentence": "Motors turn fast."}, {"number": 2, "sentence": "No."}]
    said = json.loads(model.reply(f"{RULES}\n{json.dumps(reply)}"))["verdicts"]
    assert [item["probability"] for item in said] == [0.9, 0.0]


def test_a_false_sentence_stands_in_its_true_ones_place() -> None:
    [said] = replace_sentence(DRAFT, FALSE).sentences
    assert said == {**SAID, "text": "Motors stand."}
    with pytest.raises(DataError, match="c1"):
        replace_sentence(replace_sentence(DRAFT, FALSE), FALSE)


def score(
    row: GoldenRow, shown: str, quote: str, draft: RecordedDraft = DRAFT, refused: bool = False
) -> dict[str, Any]:
    """Score an answer of one sentence with one citation; the gold passage is the only one found."""
    text = BookText({"a.md": Text("Pumps stop. Motors turn quickly.")})
    start = text.documents["a.md"].text.index(quote)
    place = {"document": "a.md", "start": start, "end": start + len(quote)}
    answer = {
        "text": shown,
        "sentences": [{"text": shown, "citations": [1]}],
        "citations": [{"n": 1, "quote": quote, **place}],
        "refusal": {"code": "declined"} if refused else None,
        "confidence": {"score": 0.5, "level": "low"},
        "withheld": [],
    }
    found = [{"document": "a.md", "start": 12, "end": 32}]
    return score_draft(draft, row, Reply(found, answer, "", 1.0), text)


def test_a_premise_is_corrected_by_the_recorded_correction_or_its_quote() -> None:
    row = GoldenRow("g1", "false_premise", "?", answerable=False, gold=(Gold("a.md", "Pumps"),))
    said = score(row, "Motors turn fast.", "Motors turn quickly.")
    stands_in = score(row, "Motors turn quickly.", "Motors turn quickly.")
    else_ = RecordedDraft("g1", "?", [{"text": "Pumps run.", "citations": []}])
    other = score(row, "Motors turn quickly.", "Motors turn quickly.", else_)
    rates = [(item["correct"], item["false_answer_rate"]) for item in (said, stands_in, other)]
    assert rates == [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]


def test_drafts_that_were_not_found_do_not_count_among_those_found() -> None:
    found = GoldenRow("g1", "fact", "?", answerable=True, gold=(Gold("a.md", "Motors turn"),))
    lost = GoldenRow("g1", "fact", "?", answerable=True, gold=(Gold("a.md", "Pumps stop."),))
    cited = score(found, "Motors turn fast.", "Motors turn quickly.")
    assert (cited["gold_cited_of_found"], cited["false_refusal_rate_of_found"]) == (1.0, 0.0)
    refused = score(found, "", "Motors turn quickly.", refused=True)
    assert (refused["gold_cited_of_found"], refused["false_refusal_rate_of_found"]) == (0.0, 1.0)
    missed = score(lost, "Motors turn fast.", "Motors turn quickly.")
    assert (missed["gold_cited"], missed["gold_cited_of_found"]) == (0.0, None)


def true_row(shown: int, replaced: int, lost: int, **fields: Any) -> dict[str, Any]:
    rates = (
        "answered",
        "gold_cited",
        "gold_cited_of_found",
        "correct",
        "false_answer_rate",
        "false_refusal_rate",
        "false_refusal_rate_of_found",
    )
    counts = {"shown": shown, "replaced": replaced, "lost": lost}
    more = {"false_alarms": [], "characters": 10, "citations": 1, "error": ""}
    return {"id": "g", **dict.fromkeys(rates, 1.0), **counts, **more, **fields}


def false_row(category: str, shown: float) -> dict[str, Any]:
    return {"id": "c", "category": category, "shown_false": shown, "sentence": "s", "error": ""}


def test_the_figures_are_shares_of_sentences_and_claims() -> None:
    rows = [true_row(1, 1, 0, false_alarms=["names"]), true_row(1, 0, 1)]
    figures = summarise(
        rows, [false_row("scope", 1.0), false_row("number", 0.0)], [100, 300]
    ).figures
    assert (figures["shown_true"], figures["replaced_true"], figures["lost_true"]) == (
        0.5,
        0.25,
        0.25,
    )
    assert figures["shown_false"] == 0.5
    assert figures["by_category"] == {"number": 0.0, "scope": 1.0}
    assert figures["false_alarms"] == {"names": 1}
    assert figures["prompt_tokens_p50"] == 200


@pytest.mark.parametrize("read", [read_drafts, read_claims])
def test_a_line_that_is_none_is_named(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a"}\n')
    with pytest.raises(DataError, match="line 1"):
        read(path)
