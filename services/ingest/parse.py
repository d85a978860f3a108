"""Parse each document into its canonical text."""

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import replace

from libs.errors import InvalidInput
from services.ingest.model.book import (
    Document,
    ParsedText,
    PlacedFile,
    SourceFile,
)
from services.ingest.parsers import markdown
from services.ingest.parsers.asciidoc import parse_asciidoc
from services.ingest.parsers.encoding import decode_text, warn_of_code_page
from services.ingest.parsers.formats import Format, format_of
from services.ingest.parsers.images import VERSION as IMAGES
from services.ingest.parsers.lazy import load_docbook, load_html, load_mallard, load_rst
from services.ingest.parsers.markdown import (
    QUARTO_ENDINGS,
    parse_markdown,
    rewrite_quarto,
)
from services.ingest.parsers.markup import label_pages
from services.ingest.parsers.notebook import parse_notebook
from services.ingest.parsers.plain import parse_plain
from services.ingest.parsers.sphinx_labels import FOLDER

PARSER_VERSION = f"{markdown.VERSION}, formats 81, {IMAGES}"
_WITH_PICTURES = (Format.EPUB, Format.DOCX, Format.PDF)


def parse_document(placed: PlacedFile) -> tuple[Document, list[str]]:
    """Parse one document; return it and its warnings. Raises as parse_with_pictures does."""
    document, _, warnings = parse_with_pictures(placed)
    return document, warnings


def parse_with_pictures(
    placed: PlacedFile,
) -> tuple[Document, Sequence[SourceFile] | None, list[str]]:
    """Parse one document; return it, the pictures that lie in its file, and its warnings.

    The pictures are None for a format whose pictures are files of the source. Raises InvalidInput,
    naming the document, for one that can't be read.
    """
    path = placed.file.path
    parsed = _parse(placed)
    return (
        Document(
            path=path,
            position=placed.position,
            url=placed.url,
            content_hash=placed.file.content_hash,
            title=parsed.title,
            text=parsed.text,
            blocks=parsed.blocks,
            sections=parsed.sections,
            page_breaks=parsed.page_breaks,
            page_labels=parsed.page_labels,
            notes=parsed.notes,
            dropped_content=parsed.dropped_content,
            depth=placed.depth,
            part_titles=placed.part_titles,
            is_listed=placed.is_listed,
            module=placed.module,
            whole_book=placed.whole_book,
            markup=label_pages(parsed.markup, parsed.blocks, parsed.page_labels),
            byline=parsed.byline,
            lead_ins=parsed.lead_ins,
        ),
        parsed.pictures if format_of(path) in _WITH_PICTURES else None,
        _warnings_of(placed.file, parsed),
    )


def _warnings_of(file: SourceFile, parsed: ParsedText) -> list[str]:
    guessed = "" if format_of(file.path).is_binary else warn_of_code_page(file)
    said = (*filter(None, (guessed,)), *parsed.warnings)
    if not said and not parsed.text:
        said = ("it holds no text",)
    return [f'"{file.path}": {warning}.' for warning in said]


def _parse(placed: PlacedFile) -> ParsedText:
    path = placed.file.path
    try:
        return _PARSERS[format_of(path)](placed)
    except InvalidInput as error:
        named = path in error.message
        reason = error.message.rstrip(".")
        raise error if named else InvalidInput(f'"{path}": {reason}.') from error


def _parse_markdown(placed: PlacedFile) -> ParsedText:
    source, path = decode_text(placed.file), placed.file.path
    is_mdx = path.lower().endswith(".mdx")
    is_quarto = path.lower().endswith(QUARTO_ENDINGS)
    source, hidden = rewrite_quarto(source) if is_quarto else (source, [])
    parsed = parse_markdown(
        source,
        is_mdx,
        placed.title,
        path=path,
        sheets=placed.sheets,
        names=_names_for(placed),
        opens_book=placed.position == 0,
        authors=placed.authors,
    )
    return replace(parsed, dropped_content=(*parsed.dropped_content, *hidden))


def _parse_notebook(placed: PlacedFile) -> ParsedText:
    source, path = decode_text(placed.file), placed.file.path
    names = _names_for(placed)
    return parse_notebook(
        source,
        placed.title,
        path=path,
        sheets=placed.sheets,
        names=names,
        opens_book=placed.position == 0,
        authors=placed.authors,
    )


def _parse_html(placed: PlacedFile) -> ParsedText:
    source, path = decode_text(placed.file), placed.file.path
    parsed: ParsedText = load_html().parse_html(
        source,
        placed.title,
        path,
        placed.sheets,
        placed.running,
        site_title=placed.site_title,
        opens_book=placed.position == 0,
    )
    return parsed


def _parse_plain(placed: PlacedFile) -> ParsedText:
    return parse_plain(decode_text(placed.file), placed.title)


def _parse_asciidoc(placed: PlacedFile) -> ParsedText:
    return parse_asciidoc(decode_text(placed.file), placed.title, _names_for(placed))


def _parse_docbook(placed: PlacedFile) -> ParsedText:
    parsed: ParsedText = load_docbook().parse_docbook(decode_text(placed.file), placed.title)
    return parsed


def _parse_mallard(placed: PlacedFile) -> ParsedText:
    source, names = decode_text(placed.file), placed.names
    parsed: ParsedText = load_mallard().parse_mallard(source, placed.title, names)
    return parsed


def _parse_epub(placed: PlacedFile) -> ParsedText:
    from services.ingest.parsers.epub import parse_epub  # noqa: PLC0415 - see load_rst

    return parse_epub(placed.file.data, placed.title)


def _parse_pdf(placed: PlacedFile) -> ParsedText:
    from services.ingest.parsers.pdf import parse_pdf  # noqa: PLC0415 - see load_rst

    return parse_pdf(placed.file.data, placed.title)


def _parse_rst(placed: PlacedFile) -> ParsedText:
    source = decode_text(placed.file)
    parsed: ParsedText = load_rst().parse_rst(
        source, placed.title, _names_for(placed), placed.authors
    )
    return parsed


def _names_for(placed: PlacedFile) -> dict[str, str]:
    """Return what references in the file show, with the folder that their paths begin in."""
    folder = posixpath.dirname(placed.file.path).lower()
    return {**placed.names, FOLDER: folder} if placed.names else {}


def _parse_docx(placed: PlacedFile) -> ParsedText:
    from services.ingest.parsers.docx import parse_docx  # noqa: PLC0415 - see load_rst

    return parse_docx(placed.file.data, placed.title)


_PARSERS: dict[Format, Callable[[PlacedFile], ParsedText]] = {
    Format.MARKDOWN: _parse_markdown,
    Format.NOTEBOOK: _parse_notebook,
    Format.HTML: _parse_html,
    Format.ASCIIDOC: _parse_asciidoc,
    Format.DOCBOOK: _parse_docbook,
    Format.MALLARD: _parse_mallard,
    Format.PLAIN: _parse_plain,
    Format.RST: _parse_rst,
    Format.EPUB: _parse_epub,
    Format.PDF: _parse_pdf,
    Format.DOCX: _parse_docx,
}
