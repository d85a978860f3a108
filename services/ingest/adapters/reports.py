"""Read the reports that are stored as JSON."""

import json
from typing import Any

from services.ingest.model.book import DocumentReport, DroppedContent, MissingRange, Report
from services.ingest.model.byline import NO_BYLINE, Byline


def read_report(text: str) -> Report:
    fields = json.loads(text)
    return Report(**{**fields, "documents": [_document(item) for item in fields["documents"]]})


def read_document_report(text: str) -> DocumentReport:
    return _document(json.loads(text))


def _document(fields: dict[str, Any]) -> DocumentReport:
    missing = [MissingRange(**item) for item in fields["missing"]]
    fields = dict(fields)
    # Reports of version 0.1 say losses.
    listed = fields.pop("losses", None) or fields.pop("dropped_content", ())
    dropped_content = [DroppedContent(**item) for item in listed]
    # Those made before say nothing of authors.
    authors, year = fields.pop("byline", NO_BYLINE)
    byline = Byline(tuple(authors), year)
    passages = tuple(fields.pop("passage_languages", ()))
    lists = {"missing": missing, "dropped_content": dropped_content, "byline": byline}
    return DocumentReport(**{**fields, **lists, "passage_languages": passages})
