"""Documents as the gateway shows them, parsed from their source as ingest does."""

from collections.abc import Mapping

from quoth.ingest.v1 import book_pb2

from services.gateway.model import Document
from services.gateway.wire.books import from_document
from services.ingest import wire
from services.ingest.model import PlacedFile, SourceFile
from services.ingest.parse import parse_document
from services.ingest.views import DocumentSummary, DocumentView
from tests.support.gateway_fakes import SLUG


def parse_and_show(
    path: str, source: str | bytes, names: Mapping[str, str] | None = None
) -> Document:
    """Return the document that a file of the book becomes; `names` are those of PlacedFile."""
    data = source.encode() if isinstance(source, str) else source
    parsed, _ = parse_document(PlacedFile(SourceFile(path, data), 0, "", path, names or {}))
    view = DocumentView(
        DocumentSummary(path, parsed.title, len(parsed.text), parsed.content_hash, 1),
        *(parsed.text, parsed.blocks, parsed.sections, parsed.markup),
    )
    message = book_pb2.Document.FromString(wire.from_document(view).SerializeToString())
    return from_document(SLUG, 3, message)
