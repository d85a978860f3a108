"""Parse and split one document, and account for its characters."""

from dataclasses import replace

from libs.language.detect import detect_language
from libs.language.lexicon import FALLBACK
from services.ingest.model.book import BlockKind, Document, ReadDocument
from services.ingest.parse import parse_with_pictures
from services.ingest.pictures import read_inner
from services.ingest.ports.reading import ReadTask, TokenCounter
from services.ingest.report import report_document
from services.ingest.split import split_document

_NO_PROSE = (BlockKind.CODE, BlockKind.MATH)
_LANGUAGE_SAMPLES = 40
_LANGUAGE_SAMPLE = 200
"""Characters of each: taken from all over the document, whose first pages may be in another."""


def read_document(task: ReadTask, tokens: TokenCounter) -> ReadDocument:
    """Parse and split a document. Raises InvalidInput, naming it, for one that can't be read."""
    document, pictures, warnings = parse_with_pictures(task.placed)
    language = task.language or find_language(document)
    chunks = split_document(task.book, language, document, task.chunking, tokens)
    report = report_document(document, chunks, warnings)
    report = replace(report, language=language, byline=document.byline)
    read = ReadDocument(document, chunks, report)
    return read if pictures is None else read_inner(read, pictures)


def find_language(document: Document) -> str:
    """Return the language of the document's prose; English where it does not tell."""
    prose = "\n".join(
        document.text[block.start : block.end]
        for block in document.blocks
        if block.kind not in _NO_PROSE
    )
    step = max(_LANGUAGE_SAMPLE, len(prose) // _LANGUAGE_SAMPLES)
    samples = [prose[at : at + _LANGUAGE_SAMPLE] for at in range(0, len(prose), step)]
    return detect_language("\n".join(samples)) or FALLBACK
