"""Judges' grades: what they change of the figures, and how a figure could be had without them."""

import json
import random
from pathlib import Path

import pytest

from deploy.evaluation.benchmarks.golden import LocatedGold, score_row, summarise
from deploy.evaluation.datasets import DataError, Gold, GoldenRow
from deploy.evaluation.judgements import (
    add_judgements,
    read_judgements,
    sentence_key,
    write_judgements,
)
from deploy.evaluation.report.result import Row
from tests.quality.judge import keep, mix_in_decoy
from tests.unit.evaluation.test_reading import ANSWER, BESIDE, ELSEWHERE, PLACES, TEXT, answer

GOLD = Gold("a.md", ANSWER)


def judge(grades: dict[str, int] | None, *quotes: str) -> Row:
    """Return the figures of an answer that shows `quotes`, graded by sentence."""
    keyed = None if grades is None else {sentence_key(text): one for text, one in grades.items()}
    row = GoldenRow("1", "fact", "How often?", True, (GOLD,), grades=keyed)
    return score_row(row, [LocatedGold(GOLD, PLACES)], answer(*quotes), TEXT)


def test_a_sentence_that_answers_counts_where_no_gold_stands() -> None:
    scored = judge({ELSEWHERE: 2, ANSWER: 2}, ELSEWHERE, ANSWER)
    assert (scored["gold_first"], scored["answers_first"]) == (0.0, 1.0)


def test_gold_that_a_judge_found_no_answer_does_not_count() -> None:
    scored = judge({ANSWER: 0}, ANSWER)
    assert (scored["gold_first"], scored["answers_first"], scored["useful"]) == (1.0, 0.0, 0.0)


def test_ungraded_sentences_count_by_the_gold_and_are_told() -> None:
    scored = judge({BESIDE: 0}, ANSWER, ELSEWHERE, BESIDE)
    assert scored["answers_first"] == 1.0
    assert scored["judged_share"] == pytest.approx(1 / 3)


def test_more_sentences_are_less_useful_when_they_do_not_help() -> None:
    grades = {ANSWER: 2, BESIDE: 1, ELSEWHERE: 0}
    assert judge(grades, ANSWER, BESIDE)["useful"] == 1.0
    assert judge(grades, ANSWER, BESIDE, ELSEWHERE)["useful"] == pytest.approx(2 / 3)


def test_a_refused_question_counts_as_not_answered() -> None:
    scored = judge({})
    assert (scored["answers_first"], scored["answers_in_three"]) == (0.0, 0.0)
    assert summarise([scored], [[LocatedGold(GOLD, PLACES)]]).figures["answers_first"] == 0.0


def test_without_judges_nothing_is_said_of_them() -> None:
    assert judge(None, ANSWER)["answers_first"] is None


def test_a_key_outlives_changed_typography() -> None:
    assert sentence_key("Grease the *bearings*,  once.") == sentence_key("grease the bearings once")
    assert sentence_key(ANSWER) != sentence_key(BESIDE)


def test_questions_without_grades_are_judged_too(tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    write_judgements(file, {"1": {sentence_key(ANSWER): 2}})
    rows = [GoldenRow(name, "fact", "How?", True, (GOLD,)) for name in ("1", "2")]
    assert [row.grades for row in add_judgements(rows, file)] == [{sentence_key(ANSWER): 2}, {}]
    assert [row.grades for row in add_judgements(rows, None)] == [None, None]


@pytest.mark.parametrize(
    "line", ['{"id": "1"}', '{"id": "1", "grades": [2]}', '{"id": "1", "grades": {"a": 3}}', "x"]
)
def test_a_line_that_grades_nothing_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(line)
    with pytest.raises(DataError, match=r"judged.jsonl:1: "):
        read_judgements(file)


def test_decoys_are_counted_and_not_kept(tmp_path: Path) -> None:
    own, other = {"text": ANSWER, "section": ""}, {"text": ELSEWHERE, "section": ""}
    mixed = mix_in_decoy([own], [own], [[own], [other], []], random.Random(1))
    assert sorted(one["text"] for one in mixed) == sorted([ANSWER, ELSEWHERE])
    graded, judged = tmp_path / "graded.jsonl", tmp_path / "judged.jsonl"
    line = {"id": "1", "sentences": mixed, "shown": [sentence_key(ANSWER)], "grades": [1, 1]}
    graded.write_text(json.dumps(line))
    assert keep(graded, judged) == "1 sentences graded; 1 of 1 decoys answer or help"
    assert read_judgements(judged) == {"1": {sentence_key(ANSWER): 1}}
