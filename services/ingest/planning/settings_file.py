"""Read a file of settings in YAML that a site is built by."""

from typing import Any

import yaml

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.encoding import decode_text

LONGEST = 256_000
"""Bytes of settings: reading YAML takes a second for each 100 kB."""

Values = dict[Any, Any]


class _Loader(yaml.SafeLoader):
    """Reads what settings say, and passes over the objects of Python that MkDocs is set by."""


_Loader.add_multi_constructor("", lambda _loader, _suffix, _node: None)


def read_settings(file: SourceFile) -> Values | None:
    """Return what a file says, a list as its "chapters"; None where it can't be read."""
    if len(file.data) > LONGEST:
        return None
    try:
        values = yaml.load(decode_text(file), Loader=_Loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, ValueError, RecursionError, InvalidInput):
        return None
    return values if isinstance(values, dict) else {"chapters": values}
