"""A stored report in, the report out."""

import json
from typing import Any

from services.ingest.model import DocumentReport, MissingRange, Report


def read_report(text: str) -> Report:
    fields = json.loads(text)
    return Report(**{**fields, "documents": [_document(item) for item in fields["documents"]]})


def read_document_report(text: str) -> DocumentReport:
    return _document(json.loads(text))


def _document(fields: dict[str, Any]) -> DocumentReport:
    missing = [MissingRange(**item) for item in fields["missing"]]
    return DocumentReport(**{**fields, "missing": missing})
