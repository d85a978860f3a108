"""Documents as the gateway shows them, parsed from their source as ingest does."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from quoth.ingest.v1 import book_pb2

from libs.errors import InvalidInput
from services.gateway.model.books import Document
from services.gateway.wire.books import from_document
from services.ingest import wire
from services.ingest.model.book import (
    DocumentReport,
    DroppedContent,
    PlacedFile,
    ReadDocument,
    SourceFile,
)
from services.ingest.model.image import Image, UsedImage
from services.ingest.model.views import DocumentSummary, DocumentView
from services.ingest.parse import parse_with_pictures
from services.ingest.parsers.images import check_image
from services.ingest.pictures import NOWHERE, PictureFiles, addresses_of, read_inner, settle
from tests.support.gateway_fakes import SLUG
from tests.support.real_books import Parsed

Kept = dict[str, tuple[str, bytes]]
"""Media types and files of pictures by their ids."""
Parse = Callable[[PlacedFile], Parsed]
"""What parses a file, or knows what that gave."""


def parse_and_show(
    path: str,
    source: str | bytes,
    names: Mapping[str, str] | None = None,
    *,
    files: Mapping[str, bytes] | None = None,
    kept: Kept | None = None,
    told: list[DroppedContent] | None = None,
    parse: Parse = parse_with_pictures,
) -> Document:
    """Return the document that a file of the book becomes; `names` are those of PlacedFile.

    `files` are the pictures of the source; those that are shown come into `kept`, and what the
    report names of the document into `told`.
    """
    data = source.encode() if isinstance(source, str) else source
    placed = PlacedFile(SourceFile(path, data), 0, "", path, names or {})
    document, inner, _ = parse(placed)
    report = DocumentReport(path, 0, 0, [], {}, [], 0, 0)
    read = ReadDocument(document, [], report)
    read = _with_files(read, files or {}) if inner is None else read_inner(read, inner)
    if kept is not None:
        kept.update({image.image_id: (image.media_type, image.data) for image in read.images})
    shown = read.document
    if told is not None:
        told += shown.dropped_content
    view = DocumentView(
        summary=DocumentSummary(path, shown.title, len(shown.text), shown.content_hash, 1),
        text=shown.text,
        blocks=shown.blocks,
        sections=shown.sections,
        markup=shown.markup,
        images=read.images,
    )
    message = book_pb2.Document.FromString(wire.from_document(view).SerializeToString())
    return from_document(SLUG, 3, message)


def _with_files(read: ReadDocument, files: Mapping[str, bytes]) -> ReadDocument:
    pictures = PictureFiles(dict.fromkeys(files, "digest"))
    found: dict[str, tuple[UsedImage, str]] = {}
    images: dict[str, Image] = {}
    for address in addresses_of(read.document):
        path, reason = pictures.find(address, read.document.path)
        try:
            image = check_image(b"" if reason else files[path])
        except InvalidInput as error:
            found[address] = NOWHERE, reason or error.message
        else:
            images[image.image_id] = image
            found[address] = UsedImage(path, "digest", image.image_id), ""
    return replace(settle(read, found), images=tuple(images.values()))
