"""One document's file in; its text, its chunks and what became of its characters out."""

from services.ingest.model import ReadDocument
from services.ingest.parse import parse_document
from services.ingest.ports import ReadTask, TokenCounter
from services.ingest.report import report_document
from services.ingest.split import split_document


def read_document(task: ReadTask, tokens: TokenCounter) -> ReadDocument:
    """Parse and split a document. Raises InvalidInput, naming it, for one that can't be read."""
    document, warnings = parse_document(task.placed)
    chunks = split_document(task.book, task.language, document, task.chunking, tokens)
    return ReadDocument(document, chunks, report_document(document, chunks, warnings))
