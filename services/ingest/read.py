"""Parse and split one document, and account for its characters."""

from collections import Counter
from dataclasses import replace

from libs.language.detect import detect_language, tells_language
from libs.language.lexicon import FALLBACK
from libs.language.scripts import main_script, scripts_of
from services.ingest.model.book import (
    BlockKind,
    Document,
    PlacedFile,
    ReadDocument,
    SourceFile,
)
from services.ingest.parse import parse_document, parse_with_pictures
from services.ingest.parsers.formats import Format, format_of
from services.ingest.pictures import read_inner
from services.ingest.ports.reading import ReadTask, TokenCounter
from services.ingest.report import report_document
from services.ingest.split import split_document
from services.ingest.splitters.languages import find_block_languages, find_chunk_languages

_NO_PROSE = (BlockKind.CODE, BlockKind.MATH)
_LANGUAGE_SAMPLES = 40
_LANGUAGE_SAMPLE = 200
"""Characters of each: taken from all over the document, whose first pages may be in another."""


def read_document(task: ReadTask, tokens: TokenCounter) -> ReadDocument:
    """Parse and split a document. Raises InvalidInput, naming it, for one that can't be read."""
    document, pictures, warnings = parse_with_pictures(task.placed)
    language, tells = find_language(document, task.around)
    language = task.language or language
    spoken = {} if task.language else find_block_languages(document, language)
    chunks = split_document(task.book, language, document, task.chunking, tokens, spoken=spoken)
    report = report_document(document, chunks, warnings)
    others = find_chunk_languages(chunks, document, spoken)
    passages = tuple(other for other, _ in Counter(others.values()).most_common())
    report = replace(report, language=language, byline=document.byline, passage_languages=passages)
    read = ReadDocument(document, chunks, report, languages=others, tells_language=tells)
    return read if pictures is None else read_inner(read, pictures)


def read_lines(file: SourceFile) -> list[str]:
    """Return lines of a document, of a PDF those of some pages. Raises InvalidInput as reading does."""
    if format_of(file.path) is Format.PDF:
        from services.ingest.parsers.pdf.pages import sample_lines  # noqa: PLC0415 - see load_rst

        return sample_lines(file.data)
    document, _ = parse_document(PlacedFile(file, position=0, url="", title=file.path))
    return document.text.splitlines()


def find_language(document: Document, around: str = "") -> tuple[str, bool]:
    """Return the language of the document's prose, and whether that tells it by itself.

    Where it does not, it is the one `around` it, else what it seems to be in, else English.
    """
    prose = "\n".join(
        document.text[block.start : block.end]
        for block in document.blocks
        if block.kind not in _NO_PROSE
    )
    step = max(_LANGUAGE_SAMPLE, len(prose) // _LANGUAGE_SAMPLES)
    samples = [prose[at : at + _LANGUAGE_SAMPLE] for at in range(0, len(prose), step)]
    text = "\n".join(samples)
    tells = tells_language(text)
    fits = not tells and main_script(text) in scripts_of(around)
    found = around if around and fits else detect_language(text)
    return found or FALLBACK, tells
