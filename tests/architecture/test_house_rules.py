"""Rules that a linter does not know: deadlines on every call, stages from the table, small files."""

import ast
import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from libs.budget import stages

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


@pytest.mark.parametrize("service", SERVICES)
def test_the_readme_lists_every_setting(service):
    readme = (ROOT / "README.md").read_text()
    module = importlib.import_module(f"services.{service}.settings")
    for item in fields(module.Settings):
        assert f"`{item.metadata['variable']}`" in readme, item.metadata["variable"]
