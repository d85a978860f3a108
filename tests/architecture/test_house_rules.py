"""Rules that a linter does not know: deadlines on every call, stages from the table, small files."""

import ast
import importlib
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from deploy.local.settings import LocalSettings
from libs.budget import stages
from libs.embedding.choice import EmbedderSettings
from libs.vectors.layout import Layout

ROOT = Path(__file__).parents[2]
SERVICES = ("ingest", "retrieval", "generation", "gateway")
SOURCES = sorted(
    path
    for top in ("libs", "services", "deploy")
    for path in (ROOT / top).rglob("*.py")
    if "_pb2" not in path.name
)


def calls_of_other_services():
    for service in SERVICES:
        path = ROOT / "services" / service / "clients.py"
        if path.exists():
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and re.fullmatch(r"([A-Z][a-z]+){2,}|Check", node.func.attr)
                    and "stub" in ast.unparse(node.func.value).lower()
                ):
                    yield f"{service}/clients.py:{node.lineno} {node.func.attr}", node


def test_there_are_calls_to_check():
    assert len(list(calls_of_other_services())) >= 5


@pytest.mark.parametrize(
    ("where", "call"),
    list(calls_of_other_services()),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_call_of_a_service_has_a_deadline_and_its_context(where, call):
    given = {keyword.arg for keyword in call.keywords}
    assert {"timeout", "metadata"} <= given, where


@pytest.mark.parametrize("service", ["retrieval", "generation", "gateway"])
def test_every_stage_of_the_table_is_run_by_its_service(service):
    text = "\n".join(path.read_text() for path in (ROOT / "services" / service).rglob("*.py"))
    for name, stage in vars(stages).items():
        if isinstance(stage, stages.Stage) and stage.name.startswith(f"{service}."):
            assert re.search(rf"\b(stages\.)?{name}\b", text), f"{stage.name} is never run"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_can_be_held_in_mind(path):
    assert len(path.read_text().splitlines()) <= 500


@pytest.mark.parametrize("service", SERVICES)
def test_settings_are_few_and_say_what_they_do(service):
    module = importlib.import_module(f"services.{service}.settings")
    settings = fields(module.Settings)
    assert len(settings) <= 17
    for item in settings:
        variable, help_text = item.metadata["variable"], item.metadata["help"]
        assert variable.startswith((f"{service.upper()}_", "QUOTH_", "OPENAI_", "ANTHROPIC_")), (
            variable
        )
        assert len(help_text) > 10, variable


OF_SEVERAL = (EmbedderSettings, Layout, LocalSettings)


@pytest.mark.parametrize("settings", [*SERVICES, *OF_SEVERAL], ids=str)
def test_the_readme_lists_every_setting_with_its_default(settings):
    if isinstance(settings, str):
        settings = importlib.import_module(f"services.{settings}.settings").Settings
    rows = dict(
        re.findall(
            r"^\| `(\w+)` \|[^|]*\|([^|]*)\|", (ROOT / "README.md").read_text(), re.MULTILINE
        )
    )
    for item in fields(settings):
        variable = item.metadata["variable"]
        assert variable in rows, variable
        told = rows[variable].strip()
        # None is made of other settings.
        if "make run" not in told and item.default not in (MISSING, None):
            default = item.default
            known = str(default.relative_to(ROOT) if _is_inside(default) else default)
            assert told.strip("`").lower() == known.lower(), variable


def _is_inside(default):
    return isinstance(default, Path) and default.is_absolute()


def test_the_orchestration_is_written_by_hand():
    frameworks = {"langchain", "llama_index", "agents", "haystack", "chromadb", "dspy", "litellm"}
    imported = {
        name.partition(".")[0]
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not {name for name in imported if name.startswith(tuple(frameworks))}


def test_what_a_reader_asked_goes_to_nobody_but_the_model_that_was_chosen():
    """Data isolation: in generation, only what asks language models opens connections of its own."""
    names = "httpx2?|requests|aiohttp|urllib|openai|anthropic"
    clients = re.compile(rf"^\s*(?:import|from) (?:{names})\b", re.MULTILINE)
    opening = {
        str(path.relative_to(ROOT / "services/generation"))
        for path in (ROOT / "services/generation").rglob("*.py")
        if clients.search(path.read_text())
    }
    assert opening == {
        "adapters/anthropic_answerer.py",
        "adapters/model_api.py",
        "adapters/openai_answerer.py",
        "adapters/openai_prompt.py",
    }
