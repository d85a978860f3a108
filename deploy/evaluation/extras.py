"""Packages of the extra `eval`, loaded when they are first needed: measuring works without most."""

import importlib
from typing import Any

from deploy.evaluation.datasets import DataError


def load_extra(module: str) -> Any:
    """Import a module of the extra. Raises DataError, which says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise DataError(f"This needs {package}: install quoth[eval].") from error
