"""The import rules hold (the contracts of `lint-imports`)."""

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from importlinter import cli


@pytest.fixture(autouse=True)
def _loggers_stay_on() -> Iterator[None]:
    """Setting its own up, the linter turns off all loggers that there are: other tests read them."""
    known = [item for item in logging.root.manager.loggerDict.values() if hasattr(item, "disabled")]
    before = [logger.disabled for logger in known]
    yield
    for logger, was_disabled in zip(known, before, strict=True):
        logger.disabled = was_disabled


def test_import_contracts_are_kept() -> None:
    assert cli.lint_imports(no_logo=True) == cli.EXIT_STATUS_SUCCESS


@pytest.mark.parametrize("module", ["deploy.cli.app", "services.generation.bootstrap"])
def test_a_start_without_a_language_model_loads_no_providers_client(module: str) -> None:
    """Loading them took 3.2 of the 3.9 s of processor time of a `quoth --version`."""
    assert _loaded_by(module, "openai", "anthropic") == []


@pytest.mark.parametrize("module", ["deploy.cli.app", "deploy.local.__main__"])
def test_a_start_of_the_services_loads_no_client_of_qdrant(module: str) -> None:
    """Loading it took 1.1 of the 2.1 s of processor time of each `quoth` command."""
    assert _loaded_by(module, "qdrant_client") == []


def test_a_command_loads_nothing_of_what_makes_answers() -> None:
    """Only `quoth audit` needs it, and it took 0.6 s of processor time of every other."""
    assert _loaded_by("deploy.cli.app", "services.generation.model", "libs.text") == []


def test_no_numpy_is_loaded_where_nothing_is_embedded() -> None:
    """Loading it took 0.1 s of processor time of each command, of the supervisor and of generation."""
    for module in ("deploy.cli.app", "deploy.local.__main__", "services.generation.__main__"):
        assert _loaded_by(module, "numpy") == []


@pytest.mark.parametrize("module", ["services.ingest.__main__", "services.retrieval.__main__"])
def test_the_client_of_qdrant_comes_without_what_only_a_terminal_needs(module: str) -> None:
    assert _loaded_by(module, "rich", "pygments", "click") == []


def test_a_start_of_ingest_loads_no_engine_of_models() -> None:
    """A session of it is 0.3 s and 60 MB, and few starts are followed by a book."""
    assert _loaded_by("services.ingest.__main__", "onnxruntime") == []


def test_a_gateway_alone_loads_nothing_of_what_counts_for_several() -> None:
    assert _loaded_by("services.gateway.__main__", "limits", "redis") == []


def _loaded_by(module: str, *packages: str) -> list[str]:
    asked = f"import sys, {module}; print(*sorted({set(packages)} & sys.modules.keys()))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    return told.stdout.split()
