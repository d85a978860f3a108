"""Results written and read, compared, limited, and kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.datasets import DataError
from deploy.evaluation.report.comparison import compare, way
from deploy.evaluation.report.history import draw_report, keep, kept_results, worse_than_kept
from deploy.evaluation.report.limits import LimitError, broken, read_limit
from deploy.evaluation.report.result import (
    Measured,
    Result,
    Row,
    finish,
    hash_data,
    read_result,
    write_result,
)


def _result(rows: list[Row], **figures: Any) -> Result:
    return finish(
        "golden",
        Measured({"n": len(rows), **figures}, rows),
        seed=3,
        settings={"profile": "default", "url": "http://127.0.0.1:8080"},
        data={"books/robot_golden.jsonl": "00"},
        took_s=1.25,
    )


def _rows(right: int, wrong: int) -> list[Row]:
    return [
        {"id": str(at), "gold_cited": float(at < right), "ms": 10.0, "text": "words"}
        for at in range(right + wrong)
    ]


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = _result(_rows(2, 1), gold_cited=2 / 3)
    write_result(result, tmp_path / "result.json")
    assert read_result(tmp_path / "result.json") == result


def test_figures_stand_at_the_top_of_the_file_with_all_it_takes_to_repeat_them(
    tmp_path: Path,
) -> None:
    write_result(_result(_rows(2, 1), gold_cited=2 / 3), tmp_path / "result.json")
    written = json.loads((tmp_path / "result.json").read_text())
    assert written["gold_cited"] == pytest.approx(2 / 3)
    for key in ("seed", "settings", "versions", "commit", "date", "data", "took_s", "rows"):
        assert key in written


def test_the_file_carries_a_renamed_figure_in_both_spellings(tmp_path: Path) -> None:
    rows: list[Row] = [{"id": "a", "false_answer_rate": 0.0}]
    by_kind = {"price": {"false_refusal_rate": 0.5}}
    write_result(_result(rows, false_answer_rate=0.25, by_kind=by_kind), tmp_path / "new.json")
    written = json.loads((tmp_path / "new.json").read_text())
    assert written["benchmark"] == written["form"]
    assert written["false_answer_rate"] == written["wrong_answer_rate"] == 0.25
    assert written["by_kind"]["price"] == {"false_refusal_rate": 0.5, "wrong_refusal_rate": 0.5}
    assert written["rows"] == [{"id": "a", "false_answer_rate": 0.0, "wrong_answer_rate": 0.0}]


def test_an_older_result_is_read_under_the_names_of_today(tmp_path: Path) -> None:
    table = {
        "form": "golden",
        "wrong_answer_rate": 0.25,
        "by_kind": {"price": {"wrong_refusal_rate": 0.5}},
        "columns": ["id", "wrong_answer_rate"],
        "rows": [["a", 0.0]],
        "data": {},
    }
    (tmp_path / "old.json").write_text(json.dumps(table))
    result = read_result(tmp_path / "old.json")
    assert result.figures["false_answer_rate"] == 0.25
    assert result.figures["by_kind"] == {"price": {"false_refusal_rate": 0.5}}
    assert result.rows == [{"id": "a", "false_answer_rate": 0.0}]


@pytest.mark.parametrize("spelling", ["false_answer_rate", "wrong_answer_rate"])
def test_a_limit_may_name_a_renamed_figure_by_either_spelling(spelling: str) -> None:
    result = _result([], false_answer_rate=0.25, by_kind={"price": {"false_answer_rate": 0.5}})
    assert broken(result, [read_limit(f"{spelling}=0.3", "under")])
    assert not broken(result, [read_limit(f"{spelling}=0.3", "over")])
    assert broken(result, [read_limit(f"by_kind.price.{spelling}=0.3", "over")])


def test_a_file_that_is_no_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(DataError, match="not a result"):
        read_result(tmp_path / "other.json")


def test_the_hash_of_a_folder_changes_with_content_and_with_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    first = hash_data(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    second = hash_data(tmp_path)
    (tmp_path / "b").write_text("y")
    assert len({first, second, hash_data(tmp_path)}) == 3


def test_a_clear_loss_is_worse_and_a_small_one_is_no_difference() -> None:
    before = _result(_rows(90, 10))
    [loss] = [d for d in compare(before, _result(_rows(60, 40)), seed=0) if d.name == "gold_cited"]
    [noise] = [d for d in compare(before, _result(_rows(89, 11)), seed=0) if d.name == "gold_cited"]
    assert (loss.verdict, noise.verdict) == ("worse", "no difference")
    assert loss.paired.difference == pytest.approx(-0.3)


def test_a_rate_of_errors_that_falls_is_better() -> None:
    before = [{"id": str(at), "false_answer_rate": float(at < 40)} for at in range(100)]
    after = [{"id": str(at), "false_answer_rate": float(at < 5)} for at in range(100)]
    [found] = compare(_result(before), _result(after), seed=0)
    assert found.verdict == "better"


def test_only_rows_that_both_have_and_that_count_are_compared() -> None:
    before: list[Row] = [{"id": str(at), "gold_cited": 1.0} for at in range(10)]
    after: list[Row] = [{"id": str(at), "gold_cited": 1.0} for at in range(5, 30)]
    after[0]["gold_cited"] = None
    [found] = compare(_result(before), _result(after), seed=0)
    assert found.paired.rows == 4


def test_scores_with_labels_are_compared_by_their_curves() -> None:
    labels = [float(at % 2) for at in range(60)]
    good = [
        {"id": str(at), "score": label * 0.5 + at / 200, "label": label}
        for at, label in enumerate(labels)
    ]
    bad = [
        {"id": str(at), "score": (at * 7 % 60) / 60, "label": label}
        for at, label in enumerate(labels)
    ]
    verdicts = {d.name: d.verdict for d in compare(_result(good), _result(bad), seed=0)}
    assert verdicts["auc"] == "worse"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gold_cited", "higher"),
        ("by_kind.fact.gold_cited", "higher"),
        ("p95_ms", "lower"),
        ("confidence.ece", "lower"),
        ("n", None),
    ],
)
def test_every_figure_knows_which_way_is_better(name: str, expected: str | None) -> None:
    assert way(name) == expected


def test_limits_name_what_they_found() -> None:
    result = _result([], gold_cited=0.7, confidence={"ece": 0.2})
    limits = [
        read_limit("gold_cited=0.8", "under"),
        read_limit("gold_cited=0.6", "under"),
        read_limit("confidence.ece=0.1", "over"),
        read_limit("confidence.ece=0.3", "over"),
    ]
    assert broken(result, limits) == [
        "gold_cited is 0.7, under 0.8",
        "confidence.ece is 0.2, over 0.1",
    ]


def test_a_figure_without_cases_breaks_its_limit() -> None:
    assert broken(_result([], cited=None), [read_limit("cited=0.1", "under")])


def test_a_limit_on_no_figure_is_an_error_that_lists_the_figures() -> None:
    with pytest.raises(LimitError, match="gold_cited"):
        broken(_result([], gold_cited=0.7), [read_limit("gold_sited=0.8", "under")])


@pytest.mark.parametrize("text", ["gold_cited", "gold_cited=", "=", "gold_cited=high"])
def test_a_limit_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(LimitError, match="name=value"):
        read_limit(text, "under")


def test_a_kept_result_has_figures_but_no_texts_paths_or_addresses(tmp_path: Path) -> None:
    path = keep(_result(_rows(2, 1), gold_cited=2 / 3), tmp_path)
    text = path.read_text()
    assert "words" not in text
    assert "books/" not in text
    assert "127.0.0.1" not in text
    assert read_result(path).figures["gold_cited"] == pytest.approx(2 / 3)
    assert path.name.endswith("golden-robot_golden.json")


def test_the_guard_names_what_got_worse_than_the_last_kept_result(tmp_path: Path) -> None:
    assert worse_than_kept(_result(_rows(90, 10)), tmp_path) == []
    keep(_result(_rows(90, 10)), tmp_path)
    assert worse_than_kept(_result(_rows(89, 11)), tmp_path) == []
    [worse] = worse_than_kept(_result(_rows(60, 40)), tmp_path)
    assert worse.name == "gold_cited"


def test_the_same_rows_are_not_worse_for_what_keeping_them_rounds(tmp_path: Path) -> None:
    thirds: list[Row] = [{"id": str(at), "gold_cited": 2 / 3} for at in range(30)]
    keep(_result(thirds), tmp_path)
    assert worse_than_kept(_result(thirds), tmp_path) == []


def test_the_report_is_drawn_from_what_is_kept(tmp_path: Path) -> None:
    bins = [{"low": 0.8, "high": 0.9, "count": 4, "confidence": 0.85, "accuracy": 0.75}]
    result = _result(
        _rows(2, 1),
        gold_cited=2 / 3,
        confidence={"bins": bins, "ece": 0.1, "levels": {}},
        by_kind={"fact": {"n": 3, "gold_cited": 2 / 3}},
    )
    keep(result, tmp_path)
    draw_report(tmp_path, tmp_path / "RESULTS.md")
    report = (tmp_path / "RESULTS.md").read_text()
    assert "0.6667" in report
    assert "| fact | 3 | 0.6667 |" in report
    for plot in tmp_path.glob("plots/*.svg"):
        assert f"plots/{plot.name}" in report
    assert len(list(tmp_path.glob("plots/*.svg"))) == 2
    assert list(kept_results(tmp_path)) == ["golden-robot_golden"]


def test_the_same_results_draw_the_same_files(tmp_path: Path) -> None:
    keep(_result(_rows(2, 1), gold_cited=0.5), tmp_path)
    draw_report(tmp_path, tmp_path / "RESULTS.md")
    [plot] = tmp_path.glob("plots/*.svg")
    before = plot.read_bytes()
    draw_report(tmp_path, tmp_path / "RESULTS.md")
    assert plot.read_bytes() == before


def test_a_benchmark_shows_its_newest_result_whole_and_the_others_as_a_line(
    tmp_path: Path,
) -> None:
    def at(day: str, result: Result) -> Result:
        run = {**result.run, "date": f"{day}T10:00:00+00:00", "commit": f"c{day}"}
        return replace(result, run=run)

    parts = {"confidence": {"ece": 0.1, "bins": [{}]}, "by_kind": {"fact": {"n": 3}}}
    keep(at("2026-01-01", _result(_rows(2, 1), gold_cited=0.5, **parts)), tmp_path)
    keep(at("2026-01-02", _result(_rows(2, 1), gold_cited=0.6)), tmp_path)
    keep(at("2026-01-03", _result(_rows(3, 0), gold_cited=0.7)), tmp_path)

    assert len(list(tmp_path.glob("*.json"))) == 1
    [(_, kept)] = kept_results(tmp_path).items()
    assert [result.figure("gold_cited") for result in kept] == [0.5, 0.6, 0.7]
    assert [len(result.rows) for result in kept] == [0, 0, 3]
    assert kept[0].figures["confidence"] == {"ece": 0.1}
    assert "by_kind" not in kept[0].figures
