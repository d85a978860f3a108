"""Read the lines of author and revision that may stand right below the title of a document."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.ingest.model.byline import Byline, read_byline

_AUTHOR = re.compile(
    r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W_][\w.'’-]*){0,3})(?: <(?P<address>[^<>\s]{1,200})>)?"
)
_REVISION = re.compile(
    r"(?:v\d[\w.-]*|\d+(?:\.\d+)+|(?:v?\d[\w.-]*, *)?[^:]{0,40}\d{4}[^:]{0,20})(?:[,:].{0,300})?"
)
_ADDRESS = re.compile(r"<([^<>\s]+)>")
_REVISION_PARTS = re.compile(r"(?:v(\d[^,:]*),?|(\d[\w.]*),|(\d+(?:\.\d+)+)$)?([^:]*)(?::\s*(.*))?")
"""A number, with "v" before it or a comma behind it, a date, and a remark behind a colon."""
NO_TEXT = (":", "//", "=", "include", "ifdef", "ifndef", "[", ".")
"""How lines begin that are no text below a title."""
_SENTENCE = re.compile(r"[.!?…。！？]$")


class Header(NamedTuple):
    """Names of authors, the line of the revision, how many lines say that, and addresses in them."""

    authors: tuple[str, ...] = ()
    revision: str = ""
    lines: int = 0
    addresses: str = ""


NO_HEADER = Header()


def byline_of(header: Header, attributes: Mapping[str, str]) -> Byline:
    """Return who wrote the document, and when, by the lines below its title or by attributes."""
    named = attributes.get("authors") or attributes.get("author") or ""
    revised = header.revision or attributes.get("revdate", "")
    return read_byline(header.authors or named.split(";"), revised)


def title_block(header: Header, attributes: Mapping[str, str]) -> str:
    """Return the line below the title as Asciidoctor's pages show it, without addresses."""
    number, date, remark = _parts_of(header.revision)
    number = number or attributes.get("revnumber", "")
    date, remark = date or attributes.get("revdate", ""), remark or attributes.get("revremark", "")
    named = attributes.get("authors") or attributes.get("author") or ""
    names = header.authors or [name.strip() for name in named.split(";") if name.strip()]
    label = attributes.get("version-label", "Version").strip()
    revised = ", ".join(filter(None, (f"{label} {number}".strip() if number else "", date)))
    line = " – ".join(filter(None, (" ⋅ ".join(names), revised)))
    return f"{line} | {remark}" if line and remark else line


def _parts_of(revision: str) -> tuple[str, str, str]:
    """Return the number, the date and the remark of the line of a revision."""
    found = _REVISION_PARTS.fullmatch(revision)
    named, first, alone, date, remark = found.groups("") if found else [""] * 5
    return (named or first or alone).strip(), date.strip(), remark.strip()


def with_break(block: str, following: Sequence[str]) -> str:
    """Return the line of a title block, with a break where text is right below and not of it."""
    is_right_above = len(following) == 1 and following[0].strip()
    goes_on = is_right_above and not following[0].startswith(NO_TEXT)
    return f"{block}\\" if block and goes_on else block


def read_header(lines: Sequence[str]) -> Header:
    """Return what the lines below a title say of who wrote it and when; none where they are text.

    The first may name authors, parted by semicolons, each of up to four words and perhaps an address;
    the next may be the revision: a version, a date, or both.
    """
    authors = _authors_of(lines[0]) if lines else ()
    if not authors:
        return Header()
    addresses = "".join(_ADDRESS.findall(lines[0]))
    below = lines[1].strip() if len(lines) > 1 else ""
    has_revision = not below.startswith(NO_TEXT) and _REVISION.fullmatch(below) is not None
    return Header(authors, *((below, 2) if has_revision else ("", 1)), addresses)


def _authors_of(line: str) -> tuple[str, ...]:
    if not line.strip() or line.startswith(NO_TEXT):
        return ()
    found = [_AUTHOR.fullmatch(part.strip()) for part in line.split(";")]
    names = tuple(one["name"].replace("_", " ") for one in found if one)
    is_sentence = len(found) == 1 and found[0] and _SENTENCE.search(line.strip())
    return names if len(names) == len(found) and not is_sentence else ()
