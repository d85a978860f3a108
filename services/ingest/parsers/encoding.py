"""Decode a text file: UTF-8, UTF-16 with a mark, what HTML declares, or a code page that fits."""

import codecs
import re

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.code_pages import decode_mixed, guess_code_page

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SHIFTS = (
    (re.compile(rb"\x1b\$(?:@|B|\(D)"), "iso2022_jp_2"),
    (re.compile(rb"\A\x1b\$\)C"), "iso2022_kr"),
)
"""Signs by which text of seven bits goes over to Japanese or Korean."""
_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})"""
    rb"""|<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 4096
_DECLARING = (
    *(".html", ".htm", ".xhtml", ".xml", ".opf", ".ncx"),
    *(".docbook", ".dbk", ".page", ".ent"),
)


def decode_text(file: SourceFile) -> str:
    r"""Return the text of `file` with "\n" as its only line end.

    Raises InvalidInput, naming the file and the place, for bytes that are no text.
    """
    encoding = _encoding(file)
    try:
        text = file.data.decode(encoding)
    except UnicodeDecodeError as error:
        text, _ = _read_unnamed(file.data) if encoding == "utf-8" else ("", "")
        if not text:
            where = _place(file.data, error.start)
            name = encoding.upper().removesuffix("-SIG")
            raise InvalidInput(f'"{file.path}" is not {name} text: {where}.') from error
    nul = text.find("\0")
    if nul >= 0:
        where = _place(file.data, len(text[:nul].encode(encoding)))
        raise InvalidInput(f'"{file.path}" holds a NUL character: {where}.')
    return text.replace("\r\n", "\n").replace("\r", "\n")


def warn_of_code_page(file: SourceFile) -> str:
    """Return what is to be said of a file that is read in a code page it does not name; else ""."""
    encoding = _encoding(file)
    if encoding.startswith("iso2022") and not _declared(file):
        return f"it names no encoding and was read as {encoding}, whose signs it has"
    if encoding != "utf-8":
        return ""
    try:
        file.data.decode()
    except UnicodeDecodeError:
        return (
            f"it is no UTF-8 and was read as {_read_unnamed(file.data)[1]}, which fits its letters"
        )
    return ""


def _read_unnamed(data: bytes) -> tuple[str, str]:
    """Return the text of bytes that are no UTF-8, and the code page that it is in; "" for no text."""
    if text := decode_mixed(data):
        return text, "utf-8 with some bytes of cp1252"
    encoding = guess_code_page(data)
    return (data.decode(encoding) if encoding else "", encoding)


def _encoding(file: SourceFile) -> str:
    for mark, encoding in _MARKS:
        if file.data.startswith(mark):
            return encoding
    name = _declared(file)
    if not name:
        return next((one for shift, one in _SHIFTS if _goes_over(file.data, shift, one)), "utf-8")
    try:
        # What browsers do: these two names stand for the code page that holds all of them.
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidInput(f'"{file.path}" declares the unknown encoding {name}.') from error
    if found.startswith("utf-16"):
        return "utf-8"
    return "cp1252" if found in ("ascii", "iso8859-1") else found


def _declared(file: SourceFile) -> str:
    """Return the name of the encoding that a file says it is in; "" where it says none."""
    if not file.path.lower().endswith(_DECLARING):
        return ""
    found = _DECLARED.search(file.data[:_DECLARED_WITHIN])
    return (found[1] or found[2]).decode("ascii") if found else ""


def _goes_over(data: bytes, shift: re.Pattern[bytes], encoding: str) -> bool:
    if not data.isascii() or shift.search(data) is None:
        return False
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _place(data: bytes, offset: int) -> str:
    line = data.count(b"\n", 0, offset) + 1
    return f"byte {offset}, line {line}"
