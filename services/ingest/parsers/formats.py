"""Tell the format of a document by its path."""

from enum import Enum
from pathlib import PurePosixPath

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.archive import ENDINGS


class Format(Enum):
    """How a document is written; the values are the endings of its files."""

    MARKDOWN = (".md", ".mdx", ".markdown", ".qmd", ".rmd")
    NOTEBOOK = (".ipynb",)
    HTML = (".html", ".htm", ".xhtml")
    RST = (".rst", ".rst.txt")
    ASCIIDOC = (".adoc", ".asciidoc")
    DOCBOOK = (".docbook", ".dbk", ".xml")
    MALLARD = (".page",)
    PLAIN = (".txt", ".text")
    EPUB = (".epub",)
    PDF = (".pdf",)
    DOCX = (".docx",)
    OTHER = None  # not an empty tuple: Python 3.11.2, which Debian 12 has, makes an object() of it

    @property
    def endings(self) -> tuple[str, ...]:
        return self.value or ()

    @property
    def is_binary(self) -> bool:
        return self in _MAGIC


_MAGIC = {Format.EPUB: b"PK", Format.PDF: b"%PDF-", Format.DOCX: b"PK"}
_MAGIC_WITHIN = 1024
DOCUMENT_ENDINGS = tuple(ending for format_ in Format for ending in format_.endings)
PARTS = (".ent",)
"""Endings of files that declare entities of DocBook."""
FOREIGN = {
    **dict.fromkeys((".mobi", ".azw", ".azw3"), "Kindle"),
    ".tex": "LaTeX",
    ".odt": "OpenDocument",
    ".doc": "Word 97",
    ".rtf": "RTF",
    ".org": "Org",
    ".djvu": "DjVu",
}
"""Endings of what books are written in and Quoth does not read."""
_INNER_ARCHIVE = "an archive inside an archive"
_BY_PROGRAM = frozenset(
    ("genindex", "search", "py-modindex", "modindex", "http-routingtable", "404", "print")
)
_OF_TEXT = frozenset(("requirements", "robots", "cmakelists", "humans"))
"""Files for programs, which end in ".txt"; a chapter in another format may be called so."""
_SIDE_FILES = _BY_PROGRAM | _OF_TEXT | {"license", "copying", "notice"}


def format_of(path: str) -> Format:
    name = path.lower()
    return next(
        (format_ for format_ in Format if name.endswith(format_.endings)),
        Format.OTHER,
    )


def foreign_format(path: str) -> str:
    """Return the name of a format that can't be read inside a source; "" for any other file."""
    if path.lower().endswith(ENDINGS):
        return _INNER_ARCHIVE
    return FOREIGN.get(PurePosixPath(path).suffix.lower(), "")


def foreign_advice(format_: str) -> str:
    if format_ == _INNER_ARCHIVE:
        return f"{format_} is not read: unpack it first"
    return f"{format_} is not read: convert it to HTML, Markdown, EPUB or PDF and ingest that"


def is_document(path: str) -> bool:
    return format_of(path) is not Format.OTHER and not path.endswith("SUMMARY.md")


def is_xml(path: str) -> bool:
    """Whether only what is in the file tells if it is a document, a part of one, or of another kind."""
    return format_of(path) in (Format.DOCBOOK, Format.MALLARD)


def is_part(path: str) -> bool:
    """Whether it only declares what documents of XML are written with."""
    return path.lower().endswith(PARTS)


def is_sheet(path: str) -> bool:
    """Whether it is a style sheet, which says what of a page is struck out, raised or hidden."""
    return path.lower().endswith(".css")


def is_side_file(path: str) -> bool:
    """Whether a file of a folder is no part of the book: its index, its search page, its licence."""
    name = PurePosixPath(path).name.lower().split(".")[0]
    format_ = format_of(path)
    if format_ is Format.MARKDOWN or (name in _OF_TEXT and format_ is not Format.PLAIN):
        return False
    return name in _SIDE_FILES


def is_side_page(path: str) -> bool:
    """Whether a page in the order of an EPUB is no part of its text: one that programs add."""
    return PurePosixPath(path).name.lower().split(".")[0] in _BY_PROGRAM - {"print", "404"}


def check_binary(file: SourceFile) -> None:
    """Raises InvalidInput when the bytes are not of the format that the name says."""
    format_ = format_of(file.path)
    if _MAGIC[format_] not in file.data[:_MAGIC_WITHIN]:
        raise InvalidInput(f'"{file.path}" is no {format_.name} file, whatever its name says.')
