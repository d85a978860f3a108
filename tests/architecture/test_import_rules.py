"""The import rules hold (the contracts of `lint-imports`)."""

import logging

import pytest
from importlinter import cli


@pytest.fixture(autouse=True)
def _loggers_stay_on():
    """Setting its own up, the linter turns off all loggers that there are: other tests read them."""
    known = [item for item in logging.root.manager.loggerDict.values() if hasattr(item, "disabled")]
    before = [logger.disabled for logger in known]
    yield
    for logger, was_disabled in zip(known, before, strict=True):
        logger.disabled = was_disabled


def test_import_contracts_are_kept():
    assert cli.lint_imports(no_logo=True) == cli.EXIT_STATUS_SUCCESS
