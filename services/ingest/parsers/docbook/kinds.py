"""Tell by its root element whether an XML file is DocBook or Mallard."""

import re

from libs.errors import InvalidInput
from services.ingest.parsers.docbook.entities import read_doctype
from services.ingest.parsers.formats import Format, format_of

ROOTS = frozenset(
    (
        *("set", "book", "part", "reference", "chapter", "preface", "appendix", "article"),
        *("section", "sect1", "sect2", "sect3", "sect4", "sect5", "simplesect", "topic"),
        *("refentry", "glossary", "bibliography", "dedication", "acknowledgements", "colophon"),
        *("partintro", "qandaset"),
    )
)
_AMBIGUOUS = frozenset(("set", "book", "part", "article", "section", "topic", "reference"))
"""Names that other kinds of XML use as well: what stands first in the element tells."""
_FIRST = frozenset(
    (
        *("title", "subtitle", "info", "para", "chapter", "preface", "part", "article", "section"),
        *("sect1", "bookinfo", "articleinfo", "sectioninfo", "partinfo", "setinfo", "partintro"),
        *("abstract", "dedication", "refentry", "simplesect", "book", "toc", "include"),
    )
)
_DOCBOOK, _MALLARD = "http://docbook.org/ns/docbook", "http://projectmallard.org/"
_WITHIN = 1 << 17
_SKIPPED = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE(?:\s+[\w:.-]+)?([^\[>]*)")
_TAG = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>")
_ENTITY = re.compile(r"&[\w.:-]+;")


def is_read(path: str, data: bytes) -> bool:
    """Whether a file of XML is a document; those of other formats all are."""
    format_ = format_of(path)
    if format_ not in (Format.DOCBOOK, Format.MALLARD):
        return True
    text = _decode(data[:_WITHIN])
    declared, at = _skip_prolog(text)
    is_docbook = "docbook" in declared or path.lower().endswith((".docbook", ".dbk"))
    root = _TAG.match(text, at)
    if not root:
        return False
    if format_ is Format.MALLARD:
        return root[1] == "page" and _MALLARD in root[2]
    if _DOCBOOK in root[2] or (is_docbook and root[1] in ROOTS):
        return True
    if declared or root[1] not in ROOTS or "xmlns=" in root[2]:
        return False
    return root[1] not in _AMBIGUOUS or _begins_as_docbook(text, root.end())


def is_fragment(data: bytes) -> bool:
    """Whether a file does not say itself which kind of XML it is: a part, for others to take in."""
    text = _decode(data[:_WITHIN])
    declared, at = _skip_prolog(text)
    root = _TAG.match(text, at)
    return not declared and (root is None or _DOCBOOK not in root[2])


def _skip_prolog(text: str) -> tuple[str, int]:
    """Return in small letters which kind of XML a DOCTYPE says it is, and where the root begins."""
    declared, at = "", 0
    while skipped := _SKIPPED.match(text, at) or _DOCTYPE.match(text, at):
        at = skipped.end()
        if skipped.re is _DOCTYPE:
            declared = skipped[1].lower().strip()
            try:
                _, at = read_doctype(text, at)
            except InvalidInput:
                return declared, len(text)
    return declared, at


def _begins_as_docbook(text: str, at: int) -> bool:
    while skipped := _SKIPPED.match(text, at) or _ENTITY.match(text, at):
        at = skipped.end()
    first = _TAG.match(text, at)
    return first is not None and first[1] in _FIRST


def _decode(data: bytes) -> str:
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if is_wide else "utf-8", "replace").lstrip("\ufeff")
