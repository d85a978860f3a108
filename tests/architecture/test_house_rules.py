"""Rules that a linter does not know: deadlines on every call, stages from the table, small files."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache
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


@dataclass
class Shape:
    """What the rules ask of a file, found in one walk: parsing them all takes seconds."""

    functions: dict[str, int] = field(default_factory=dict)
    """Lines, by place and name."""
    imported: set[str] = field(default_factory=set)
    starred: list[int] = field(default_factory=list)
    """Lines of calls that unpack a tuple or a list written there."""


@cache
def shape(path: Path) -> Shape:
    found = Shape()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            found.functions[f"{named(path)}:{node.lineno} {node.name}"] = lines
        elif isinstance(node, ast.Import):
            found.imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.imported.add(node.module or "")
        elif isinstance(node, ast.Call) and any(
            isinstance(argument, ast.Starred) and isinstance(argument.value, (ast.Tuple, ast.List))
            for argument in node.args
        ):
            found.starred.append(node.lineno)
    return found


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def calls_of_other_services() -> Iterator[tuple[str, ast.Call]]:
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


def test_there_are_calls_to_check() -> None:
    assert len(list(calls_of_other_services())) >= 5


@pytest.mark.invariant("I5")
@pytest.mark.parametrize(
    ("where", "call"),
    list(calls_of_other_services()),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_call_of_a_service_has_a_deadline_and_its_context(where: str, call: ast.Call) -> None:
    given = {keyword.arg for keyword in call.keywords}
    assert {"timeout", "metadata"} <= given, where


@pytest.mark.parametrize("service", ["retrieval", "generation", "gateway"])
def test_every_stage_of_the_table_is_run_by_its_service(service: str) -> None:
    text = "\n".join(path.read_text() for path in (ROOT / "services" / service).rglob("*.py"))
    for name, stage in vars(stages).items():
        if isinstance(stage, stages.Stage) and stage.name.startswith(f"{service}."):
            assert re.search(rf"\b(stages\.)?{name}\b", text), f"{stage.name} is never run"


WEB = ROOT / "services" / "gateway" / "web"
PAGE = sorted(path for ending in ("js", "css") for path in WEB.rglob(f"*.{ending}"))


def test_files_can_be_held_in_mind() -> None:
    lines = {named(path): len(path.read_text().splitlines()) for path in [*SOURCES, *PAGE]}
    assert {name: count for name, count in lines.items() if count > 500} == {}


def test_functions_can_be_read_without_turning_a_page() -> None:
    lines = {name: count for path in SOURCES for name, count in shape(path).functions.items()}
    assert {name: count for name, count in lines.items() if count > 40} == {}


@pytest.mark.parametrize("service", SERVICES)
def test_settings_are_few_and_say_what_they_do(service: str) -> None:
    module = importlib.import_module(f"services.{service}.settings")
    settings = fields(module.Settings)
    assert len(settings) <= 20
    for item in settings:
        variable, help_text = item.metadata["variable"], item.metadata["help"]
        assert variable.startswith((f"{service.upper()}_", "QUOTH_", "OPENAI_", "ANTHROPIC_")), (
            variable
        )
        assert len(help_text) > 10, variable


def test_the_orchestration_is_written_by_hand() -> None:
    frameworks = {"langchain", "llama_index", "agents", "haystack", "chromadb", "dspy", "litellm"}
    imported = {name for path in SOURCES for name in shape(path).imported}
    assert not {name for name in imported if name.startswith(tuple(frameworks))}


@pytest.mark.control("V16")
def test_questions_go_to_nobody_but_the_chosen_model() -> None:
    """Data isolation: in generation, only what asks language models opens connections of its own.

    Beside them what puts the old months of the record where its operator says.
    """
    names = "httpx2?|requests|aiohttp|urllib|openai|anthropic|obstore"
    clients = re.compile(rf"^\s*(?:import|from) (?:{names})\b", re.MULTILINE)
    opening = {
        str(path.relative_to(ROOT / "services/generation"))
        for path in (ROOT / "services/generation").rglob("*.py")
        if clients.search(path.read_text())
    }
    assert opening == {
        "adapters/models/anthropic_answerer.py",
        "adapters/models/anthropic_judge.py",
        "adapters/records/archive_files.py",
        "adapters/models/openai_answerer.py",
        "adapters/models/openai_dialect.py",
        "adapters/models/openai_judge.py",
        "language_model/calls.py",
        "language_model/event_stream.py",
        "language_model/messages.py",
    }


TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if "_pb2" not in path.name)


def test_a_test_s_name_begins_with_what_it_is_about() -> None:
    name = re.compile(r"^ *(?:async )?def (test_(?:what|who|of|where|to)_\w*)", re.MULTILINE)
    assert [found for path in TESTS for found in name.findall(path.read_text("utf-8"))] == []


def test_no_call_hides_its_parameters_in_a_starred_tuple() -> None:
    starred = [
        f"{named(path)}:{line}" for path in [*SOURCES, *TESTS] for line in shape(path).starred
    ]
    assert starred == []


_WALL_CLOCK = re.compile(
    r"\btime\.time(?:_ns)?\(|\bdatetime\.(?:now|utcnow|today)\(|\bdate\.today\("
)
_READS_WALL_CLOCK = {
    "libs/telemetry/metrics.py": "how long certificates are valid, which end at a time of day",
    "services/generation/records/record.py": "when a question came, as its row says it",
    "services/generation/records/export.py": "when a file was written, said in it",
    "services/generation/records/upkeep.py": "the months that rows will need next",
    "services/generation/retain.py": "the day for which months are old enough",
    "libs/pause.py": "a Retry-After that is a date",
    "services/gateway/adapters/redis_window.py": "the seconds that the library tells as a time of day",
    "services/gateway/routes/openai_chat.py": "when a completion was made, as the API has it",
}


@pytest.mark.fault("T1")
@pytest.mark.invariant("I5")
def test_the_wall_clock_is_read_to_be_told_and_measures_no_time() -> None:
    reading = {
        named(path)
        for path in SOURCES
        if not path.is_relative_to(ROOT / "deploy") and _WALL_CLOCK.search(path.read_text())
    }
    assert reading == set(_READS_WALL_CLOCK)
