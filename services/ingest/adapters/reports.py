"""A stored report in, the report out."""

import json
from typing import Any

from services.ingest.model import DocumentReport, Loss, MissingRange, Report


def read_report(text: str) -> Report:
    fields = json.loads(text)
    return Report(**{**fields, "documents": [_document(item) for item in fields["documents"]]})


def read_document_report(text: str) -> DocumentReport:
    return _document(json.loads(text))


def _document(fields: dict[str, Any]) -> DocumentReport:
    missing = [MissingRange(**item) for item in fields["missing"]]
    losses = [Loss(**item) for item in fields.get("losses", ())]
    return DocumentReport(**{**fields, "missing": missing, "losses": losses})
