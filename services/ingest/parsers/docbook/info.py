"""Write what a DocBook document says of itself, as its style sheets do: a page of titles."""

import re
from typing import TYPE_CHECKING

from lxml import etree

from services.ingest.parsers.docbook.tree import local
from services.ingest.parsers.docbook.writer import add_text, child_of, children_of, plain

if TYPE_CHECKING:
    from services.ingest.parsers.docbook.writer import Writer

_INFO = re.compile(
    "info|doc|(?:set|book|part|reference|chapter|preface|appendix|article|section|sect[1-5]"
    "|refsect(?:ion|[1-3])|refentry|refsynopsisdiv|glossary|bibliography|index|dedication|sidebar"
    "|blockquote|table|figure|example|equation|object|block|doc|setindex|simplesect)info"
)
_NAMES = ("author", "corpauthor", "collab", "editor", "othercredit")
_LINES = (
    "edition",
    "releaseinfo",
    "pubdate",
    "date",
    "productname",
    "productnumber",
    "isbn",
    "issn",
)
_NAME_PARTS = ("honorific", "firstname", "givenname", "othername", "surname", "lineage")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def is_info(source: etree._Element) -> bool:
    name = local(source)
    return name.endswith("info") and _INFO.fullmatch(name) is not None


def write_info(writer: "Writer", source: etree._Element, target: etree._Element) -> None:
    """Write who wrote it and when, its edition and its licence; titles stand elsewhere."""
    made = writer.open(target, "div", source, "titlepage")
    is_of_whole = source.getparent() is writer.source
    for one in source:
        name = local(one)
        if name in ("authorgroup", "publisher"):
            for inner in one:
                _write_one(writer, inner, made, is_of_whole=is_of_whole)
        else:
            _write_one(writer, one, made, is_of_whole=is_of_whole)
    if is_of_whole:
        _say_when(writer, source)


def _write_one(
    writer: "Writer", one: etree._Element, target: etree._Element, *, is_of_whole: bool
) -> None:
    name = local(one)
    if name in _NAMES:
        _write_person(writer, one, target, is_author=is_of_whole and name in _NAMES[:2])
    elif name in ("legalnotice", "abstract"):
        writer.fill(one, writer.open(target, "div", one))
    elif name == "copyright":
        years = ", ".join(plain(year) for year in children_of(one, "year"))
        holders = ", ".join(plain(holder) for holder in children_of(one, "holder"))
        writer.open(target, "p", one).text = " ".join(f"Copyright © {years} {holders}".split())
    elif name == "revhistory":
        for revision in children_of(one, "revision"):
            parts = [plain(part) for part in revision if local(part)]
            writer.open(target, "p", revision).text = " · ".join(filter(None, parts))
    elif name in (*_LINES, "publishername"):
        writer.fill(one, writer.open(target, "p", one))


def _write_person(
    writer: "Writer", one: etree._Element, target: etree._Element, *, is_author: bool
) -> None:
    named = child_of(one, "personname")
    named = one if named is None else named
    parts = [plain(part) for part in children_of(named, *_NAME_PARTS)]
    name = " ".join(filter(None, parts))
    if not name:
        inside = child_of(one, "personname", "orgname", "collabname")
        name = plain(inside) if inside is not None else _bare(one)
    # Where the parser of HTML looks for authors; on a page of titles that is a line, no heading.
    line = writer.open(target, "div" if is_author else "p", one)
    made = writer.open(line, "h3", None, "author") if is_author else line
    made.text = name
    for more in (one, *children_of(one, "affiliation")):
        for told in children_of(more, "contrib", "jobtitle", "orgname", "email"):
            if plain(told) and plain(told) != name:
                add_text(writer.open(target, "p", told), plain(told))
    for told in children_of(one, "personblurb", "authorblurb"):
        writer.fill(told, writer.open(target, "div", told))


def _bare(one: etree._Element) -> str:
    """Return a name that no element holds; of several entities the first is it, as KDE has them."""
    inside = [child for child in one if not local(child)]
    return (inside[0].text or "") if inside and not _said(one) else plain(one)


def _said(one: etree._Element) -> bool:
    return any((text or "").strip() for text in (one.text, *(child.tail for child in one)))


def _say_when(writer: "Writer", source: etree._Element) -> None:
    dates = [plain(one) for one in children_of(source, "pubdate", "date")]
    dates += [plain(y) for c in children_of(source, "copyright") for y in children_of(c, "year")][
        -1:
    ]
    date = next((one for one in dates if _YEAR.search(one)), "")
    if date:
        etree.SubElement(writer.head, "meta", {"name": "date", "content": date})
