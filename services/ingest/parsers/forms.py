"""A path in, the form of its document out, and whether it is one."""

from enum import Enum
from pathlib import PurePosixPath

from libs.errors import InvalidInput
from services.ingest.model import SourceFile
from services.ingest.parsers.archive import ENDINGS


class Form(Enum):
    """How a document is written; the values are the endings of its files."""

    MARKDOWN = (".md", ".mdx", ".markdown")
    HTML = (".html", ".htm", ".xhtml")
    RST = (".rst", ".rst.txt")
    PLAIN = (".txt", ".text")
    EPUB = (".epub",)
    PDF = (".pdf",)
    DOCX = (".docx",)
    OTHER = ()

    @property
    def is_binary(self) -> bool:
        return self in _MAGIC


_MAGIC = {Form.EPUB: b"PK", Form.PDF: b"%PDF-", Form.DOCX: b"PK"}
_MAGIC_WITHIN = 1024
DOCUMENT_ENDINGS = tuple(ending for form in Form for ending in form.value)
FOREIGN = {
    **dict.fromkeys((".adoc", ".asciidoc"), "AsciiDoc"),
    **dict.fromkeys((".mobi", ".azw", ".azw3"), "Kindle"),
    ".tex": "LaTeX",
    ".odt": "OpenDocument",
    ".doc": "Word 97",
    ".rtf": "RTF",
    ".ipynb": "Jupyter",
    ".org": "Org",
    ".djvu": "DjVu",
}
"""Endings of what books are written in and Quoth does not read."""
_INNER_ARCHIVE = "an archive inside an archive"
_SIDE_FILES = frozenset(
    (
        *("genindex", "search", "py-modindex", "modindex", "http-routingtable", "404", "print"),
        *("license", "copying", "notice", "requirements", "robots", "cmakelists", "humans"),
    )
)


def form_of(path: str) -> Form:
    name = path.lower()
    return next((form for form in Form if form.value and name.endswith(form.value)), Form.OTHER)


def foreign_form(path: str) -> str:
    """Return the name of a form that can't be read inside a source; "" for any other file."""
    if path.lower().endswith(ENDINGS):
        return _INNER_ARCHIVE
    return FOREIGN.get(PurePosixPath(path).suffix.lower(), "")


def foreign_advice(form: str) -> str:
    if form == _INNER_ARCHIVE:
        return f"{form} is not read: unpack it first"
    return f"{form} is not read: convert it to HTML, Markdown, EPUB or PDF and ingest that"


def is_document(path: str) -> bool:
    return form_of(path) is not Form.OTHER and not path.endswith("SUMMARY.md")


def is_side_file(path: str) -> bool:
    """Whether a file of a folder is no part of the book: its index, its search page, its licence."""
    pure = PurePosixPath(path)
    return form_of(path) is not Form.MARKDOWN and pure.name.lower().split(".")[0] in _SIDE_FILES


def check_binary(file: SourceFile) -> None:
    """Raises InvalidInput when the bytes are not of the form that the name says."""
    form = form_of(file.path)
    if _MAGIC[form] not in file.data[:_MAGIC_WITHIN]:
        raise InvalidInput(f'"{file.path}" is no {form.name} file, whatever its name says.')
