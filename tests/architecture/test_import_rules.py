"""The import rules hold (the contracts of `lint-imports`)."""

from importlinter import cli


def test_import_contracts_are_kept():
    assert cli.lint_imports(no_logo=True) == cli.EXIT_STATUS_SUCCESS
