"""Variants and profiles follow from options; the command line with a product that is not there."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from deploy.evaluation.benchmarks import runner
from deploy.evaluation.benchmarks.jobs import Draw, Job, selection_job
from deploy.evaluation.benchmarks.runner import (
    NotOurStackError,
    RunOptions,
    Variant,
    _settings,
    run_job,
    variants,
)
from deploy.evaluation.benchmarks.suite import SAMPLE_BOOK, SAMPLE_QUESTIONS, list_tasks
from deploy.evaluation.datasets import DataError
from deploy.evaluation.profile_changes import (
    SettingError,
    Settings,
    Sweep,
    changed_tables,
    full_key,
    load_tables,
    read_settings,
    read_sweep,
    write_profiles,
)
from deploy.evaluation.report.result import Measured
from deploy.evaluation.session import Session
from deploy.evaluation.stack import StackError, free_ports
from libs.profiles import load_profile


def test_a_setting_is_named_with_or_without_its_table() -> None:
    assert full_key("top_k") == full_key("retrieval.top_k") == "retrieval.top_k"
    with pytest.raises(SettingError, match=r"retrieval\.top_k"):
        full_key("topk")


def test_values_are_numbers_booleans_or_words() -> None:
    assert read_settings(["top_k=8", "alpha=0.3", "answerer=openai"]) == {
        "retrieval.top_k": 8,
        "retrieval.alpha": 0.3,
        "generation.answerer": "openai",
    }
    assert read_sweep("alpha=0,0.5,1") == Sweep("retrieval.alpha", (0, 0.5, 1))


@pytest.mark.parametrize("text", ["top_k", "alpha="])
def test_a_sweep_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(SettingError, match="--sweep wants"):
        read_sweep(text)


def test_changed_profiles_are_read_by_the_product(tmp_path: Path) -> None:
    tables = changed_tables("", {"retrieval.top_k": 4, "retrieval.alpha": 1})
    write_profiles(tmp_path, {"measured": tables})
    profile = load_profile("measured", tmp_path)
    assert (profile.retrieval.top_k, profile.retrieval.alpha) == (4, 1.0)
    assert load_profile("default", tmp_path).retrieval.top_k != 4
    assert tomllib.loads((tmp_path / "measured.toml").read_text()) == tables


def test_a_changed_profile_keeps_its_thresholds_by_embedding_model(tmp_path: Path) -> None:
    tables = changed_tables("integrated", {"retrieval.gate_thresholds": {"model-1": 0.4}})
    write_profiles(tmp_path, {"measured": tables})
    assert load_profile("measured", tmp_path).retrieval.gate_thresholds == {"model-1": 0.4}


def test_a_sweep_is_one_profile_a_value() -> None:
    options = RunOptions(changes={"retrieval.top_k": 7}, sweep=Sweep("retrieval.alpha", (0.0, 1.0)))
    found = variants(options)
    assert [item.profile for item in found] == ["measured-1", "measured-2"]
    assert [item.tables["retrieval"]["alpha"] for item in found] == [0.0, 1.0]
    assert {item.tables["retrieval"]["top_k"] for item in found} == {7}


def test_without_changes_the_profile_is_the_shipped_one() -> None:
    [found] = variants(RunOptions())
    assert (found.profile, found.tables) == ("", load_tables(""))


async def _measure(session: Session) -> Measured:
    return Measured({"n": 1, "seen": session.profile}, [{"id": "1", "gold_cited": 1.0}])


def test_settings_of_a_product_that_runs_elsewhere_are_not_changed() -> None:
    job = Job("golden", _measure, ())
    with pytest.raises(NotOurStackError, match="--url"):
        run_job(job, RunOptions(url="http://elsewhere", changes={"retrieval.top_k": 7}))
    own = Job("injection", _measure, (), needs_own_product=True)
    with pytest.raises(NotOurStackError, match="--url"):
        run_job(own, RunOptions(url="http://elsewhere"))


def test_each_variant_is_measured_on_the_same_product(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Mapping[str, Mapping[str, Settings]]] = []

    @contextmanager
    def fake_stack(profiles: Any, environment: Any) -> Iterator[str]:
        assert environment == {}
        started.append(profiles)
        yield "http://product"

    monkeypatch.setattr(runner, "run_stack", fake_stack)
    options = RunOptions(sweep=Sweep("retrieval.alpha", (0.0, 1.0)), seed=5)
    results = run_job(Job("golden", _measure, ()), options)
    assert [result.figures["seen"] for _, result in results] == ["measured-1", "measured-2"]
    assert [result.run["settings"]["changed"] for _, result in results] == [
        {"retrieval.alpha": 0.0},
        {"retrieval.alpha": 1.0},
    ]
    assert len(started) == 1
    assert sorted(started[0]) == ["measured-1", "measured-2"]


def test_ten_questions_about_selected_text_are_asked_boosted_and_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Mapping[str, Mapping[str, Settings]]] = []

    @contextmanager
    def fake_stack(profiles: Any, environment: Any) -> Iterator[str]:
        started.append(profiles)
        raise StackError("seen enough")
        yield ""

    monkeypatch.setattr(runner, "run_stack", fake_stack)
    arguments = ["eval", "selection", str(SAMPLE_QUESTIONS), "--ingest", str(SAMPLE_BOOK)]
    assert CliRunner().invoke(app, arguments).exit_code == 1
    settings = [tables["retrieval"] for tables in started[0].values()]
    assert [held["boost"] for held in settings] == [1.0, 1.2, 1.5, 2.0]
    assert {(held["selection_policy"], held["rerank"]) for held in settings} == {("boost", "boost")}
    job = selection_job(SAMPLE_QUESTIONS, SAMPLE_BOOK, Draw(10))
    assert job.changes["retrieval.rerank"] == "boost"


def test_a_file_without_selected_text_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"question": "Why?", "answerable": false}')
    with pytest.raises(DataError, match="no row has a selection"):
        selection_job(file, SAMPLE_BOOK, Draw())


def test_free_ports_are_in_a_row() -> None:
    assert 1024 < free_ports(5) < 65532


def test_the_suite_always_measures_the_sample_book(tmp_path: Path) -> None:
    [task] = list_tasks(None)
    assert (task.paths, task.ingest) == ((SAMPLE_QUESTIONS,), SAMPLE_BOOK)
    assert SAMPLE_QUESTIONS.is_file()
    assert list_tasks(tmp_path) == [task]


def test_questions_with_paragraphs_are_measured_as_refusals_and_as_a_collection(
    tmp_path: Path,
) -> None:
    questions = tmp_path / "data" / "refusal" / "near.jsonl"
    questions.parent.mkdir(parents=True)
    questions.touch()
    _, *tasks = list_tasks(tmp_path)
    assert [(task.benchmark, task.paths) for task in tasks] == [
        ("refusal", (questions,)),
        ("retrieval", (questions,)),
    ]


def _claims(folder: Path) -> Path:
    path = folder / "claims.jsonl"
    rows = [
        {
            "id": "1",
            "context": "The arm has six joints.",
            "claim": "The arm has six joints.",
            "label": 1,
        },
        {"id": "2", "context": "The arm has six joints.", "claim": "Penguins swim.", "label": 0},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_a_form_writes_its_result_and_ends_well_within_its_limits(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = CliRunner().invoke(
        app,
        [
            "eval",
            "grounding",
            str(_claims(tmp_path)),
            "--json",
            str(out),
            "--fail-under",
            "auc=0.9",
        ],
    )
    assert done.exit_code == 0, done.output
    assert json.loads(out.read_text())["auc"] == 1.0


def test_a_broken_limit_ends_with_status_1_and_names_it(tmp_path: Path) -> None:
    arguments = ["eval", "grounding", str(_claims(tmp_path)), "--fail-over", "auc=0.9"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "auc is 1, over 0.9" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fail-under", "auk=0.9"], "Known: n, auc"),
        (["--set", "topk=1"], "no profile setting"),
        (["--url", "http://127.0.0.1:9", "--set", "top_k=1"], "leave out --url"),
    ],
)
def test_wrong_use_ends_with_status_2_and_says_what_is_right(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = CliRunner().invoke(app, ["eval", "grounding", str(_claims(tmp_path)), *arguments])
    assert done.exit_code == 2
    assert said in done.output


def test_a_product_that_does_not_run_ends_with_status_3(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('{"question": "q?", "gold_path": "a.md"}')
    done = CliRunner().invoke(
        app, ["eval", "golden", str(path), "--book", "b", "--url", "http://127.0.0.1:9"]
    )
    assert done.exit_code == 3, done.output


def test_two_results_are_compared_and_a_loss_can_fail_a_build(tmp_path: Path) -> None:
    for name, right in (("a", 90), ("b", 50)):
        rows = [{"id": str(at), "gold_cited": float(at < right)} for at in range(100)]
        table = {"form": "golden", "gold_cited": right / 100, "rows": rows}
        (tmp_path / f"{name}.json").write_text(json.dumps(table))
    arguments = ["eval", "compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    out = tmp_path / "difference.json"
    assert CliRunner().invoke(app, [*arguments, "--json", str(out)]).exit_code == 0
    [found] = json.loads(out.read_text())["differences"]
    assert (found["figure"], found["verdict"]) == ("gold_cited", "worse")
    done = CliRunner().invoke(app, [*arguments, "--fail-on-worse"])
    assert done.exit_code == 1
    assert "gold_cited is worse beyond noise" in done.output


def test_a_result_names_the_embedder_of_a_product_started_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variant = Variant("", {}, {})
    monkeypatch.setenv("QUOTH_EMBEDDER_DIR", "/models/small-one")
    assert _settings(variant, RunOptions())["embedder"] == "small-one"
    assert _settings(variant, RunOptions(url="http://elsewhere"))["embedder"] is None
    monkeypatch.setenv("QUOTH_EMBEDDER_DIR", "")
    assert _settings(variant, RunOptions())["embedder"] == "local"
