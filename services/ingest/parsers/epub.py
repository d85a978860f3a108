"""Parse an EPUB into canonical text with blocks, sections and pages."""

import html
import io
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote

from lxml import etree

from libs.errors import InvalidInput
from services.ingest.model.book import (
    BlockKind,
    DroppedContent,
    Markup,
    MarkupKind,
    ParsedText,
    SourceFile,
)
from services.ingest.model.byline import NO_BYLINE, Byline, read_byline
from services.ingest.parsers.archive import Limits, read_archive
from services.ingest.parsers.dropped import CONTENTS
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.epub_contents import (
    Entry,
    describe_lost,
    is_chapter,
    letters_of,
    level_headings,
    place_entries,
)
from services.ingest.parsers.formats import is_side_page
from services.ingest.parsers.html import (
    Page,
    join_numbers,
    parse_tree,
    read_page,
    seen_in,
    take_in_sheets,
)
from services.ingest.parsers.outline import Item, assemble, place_footnotes, warn_of_footnotes
from services.ingest.parsers.said_of_itself import is_headed, with_lines

_READ = (".xml", ".opf", ".ncx", ".xhtml", ".html", ".htm", ".css")
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_OUTWARD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ENTITY = re.compile(r"&([A-Za-z]\w{1,31});")
_XML_ENTITIES = frozenset(("amp", "lt", "gt", "quot", "apos"))


@dataclass
class _Package:
    title: str = ""
    spine: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """What is in the spine and is no document to read."""
    navigation: str = ""
    contents: list[Entry] = field(default_factory=list)
    pages: dict[str, int] = field(default_factory=dict)
    byline: Byline = NO_BYLINE
    date: str = ""
    lost: list[Entry] = field(default_factory=list)
    """Entries of the contents that lead to no text."""


def parse_epub(data: bytes, fallback_title: str) -> ParsedText:
    """Parse EPUB 2 and 3: the documents of its spine, one after the other.

    Raises InvalidInput for a damaged or a protected book, TooLarge for one over a limit.
    """
    found, _ = read_archive(
        ".zip", io.BytesIO(data), len(data), Limits(), lambda path: path.lower().endswith(_READ)
    )
    root = _root_of(file.path for file in found)
    found = [replace(file, path=file.path.removeprefix(root)) for file in found]
    files = {file.path: file for file in found}
    package = _read_package(files)
    _check_readable(files, package)
    whole = Page()
    number = 0
    for path in package.spine:
        page = _read_document(files, path, package, number)
        number = page.items[-1].page if page.items else number
        whole.items += page.items
        whole.footnotes.update(page.footnotes)
        whole.numbers.update(page.numbers)
        whole.dropped_content += [
            replace(item, place=f"{path}, {item.place}", address=_picture(path, item.address))
            for item in page.dropped_content
        ]
    whole.items = _without_repeated(whole.items)
    pictures = _read_pictures(data, root, whole.items)
    items = list(place_footnotes(whole.items, whole.footnotes, whole.numbers))
    warnings = list(warn_of_footnotes(whole.items, whole.footnotes, whole.numbers))
    lost = map(describe_lost, _lost(package, whole.items))
    dropped_content = (*_unread(files, package), *whole.dropped_content, *lost)
    title = _title_of(items, package.contents, package.title or fallback_title)
    items = with_lines(items, is_headed(items) - 1, package.byline.authors, package.date)
    parsed = assemble(*title, items, warnings, dropped_content)
    return replace(parsed, pictures=pictures, byline=package.byline)


def _without_repeated(items: Sequence[Item]) -> list[Item]:
    """Drop a heading that the next one says again: a cover's, above the page of the title."""
    kept: list[Item] = []
    for item in items:
        before = kept[-1] if kept else None
        if (
            before
            and item.kind is before.kind is BlockKind.HEADING
            and item.text.casefold() == before.text.casefold()
        ):
            kept.pop()
            places = (one for one in before.markup if one.kind is MarkupKind.ANCHOR)
            level = min(item.level, before.level)
            kept.append(replace(item, level=level, markup=(*places, *item.markup)))
        else:
            kept.append(item)
    return kept


def _root_of(paths: Iterable[str]) -> str:
    """Return the folder of the archive that holds the book; "" where it begins at its top."""
    roots = {path.removesuffix(_CONTAINER) for path in paths if path.endswith(f"/{_CONTAINER}")}
    return roots.pop() if len(roots) == 1 else ""


def _read_pictures(data: bytes, root: str, items: Sequence[Item]) -> list[SourceFile]:
    """Return the files of the pictures that the pieces show."""
    wanted = {one.value for item in items for one in item.markup if one.kind is MarkupKind.IMAGE}
    if not wanted:
        return []
    found, _ = read_archive(
        ".zip",
        io.BytesIO(data),
        len(data),
        Limits(),
        lambda path: path.removeprefix(root) in wanted,
    )
    return [replace(file, path=file.path.removeprefix(root)) for file in found]


def _unread(files: Mapping[str, SourceFile], package: _Package) -> Iterator[DroppedContent]:
    """Yield what the spine names and nobody reads."""
    for path in package.unread:
        if path == package.navigation and path in files:
            yield replace(CONTENTS, place=path, characters=seen_in(_tree(files, path)))
        elif path in files:
            yield DroppedContent("document", path, "its name says that it is no part of the text")
        else:
            yield DroppedContent("document", path, "the EPUB does not hold it, or it is no text")


def _lost(package: _Package, items: Sequence[Item]) -> Iterator[Entry]:
    """Yield the entries of the contents that lead to no text, and that no heading says."""
    headings = {letters_of(one.text) for one in items if one.kind is BlockKind.HEADING}
    read = {*package.spine, package.navigation}
    apart = (one for one in package.contents if one.target.partition("#")[0] not in read)
    for entry in (*apart, *package.lost):
        if entry.title and letters_of(entry.title) not in headings | {letters_of(package.title)}:
            yield entry


def _title_of(items: Sequence[Item], contents: Sequence[Entry], title: str) -> tuple[str, int]:
    first = items[0] if items else None
    if first and first.kind is BlockKind.HEADING and first.text.casefold() == title.casefold():
        return title, -1 if is_chapter(items, contents) else 0
    return title, -1


def _tree(files: Mapping[str, SourceFile], path: str) -> etree._Element:
    file = files.get(path)
    if file is None:
        raise InvalidInput(f'the EPUB has no "{path}"')
    text = _ENTITY.sub(_character, decode_text(file))
    return parse_tree(text, xml=True)


def _character(entity: "re.Match[str]") -> str:
    # XML knows five names; those of HTML are common in books all the same.
    return entity[0] if entity[1] in _XML_ENTITIES else html.unescape(entity[0])


def _read_package(files: Mapping[str, SourceFile]) -> _Package:
    rootfile = _tree(files, _CONTAINER).find(".//rootfile")
    path = "" if rootfile is None else rootfile.get("full-path") or ""
    root = _tree(files, path)
    names: dict[str, str] = {}
    package = _Package(" ".join((root.findtext(".//metadata/title") or "").split()))
    package.byline, package.date = _read_byline(root)
    ncx = ""
    for item in root.iterfind(".//manifest/item"):
        target = _resolve(path, item.get("href") or "")
        names[item.get("id") or ""] = target
        if "nav" in (item.get("properties") or "").split():
            package.navigation = target
        if item.get("media-type") == "application/x-dtbncx+xml":
            ncx = target
    spine = [names.get(one.get("idref") or "", "") for one in root.iterfind(".//spine/itemref")]
    wanted = (one for one in spine if one != package.navigation and not is_side_page(one))
    package.spine = [one for one in dict.fromkeys(wanted) if one in files]
    package.unread = [one for one in dict.fromkeys(spine) if one and one not in package.spine]
    if not package.spine:
        raise InvalidInput("the EPUB names no document to read")
    if package.navigation in files:
        _read_navigation(_tree(files, package.navigation), package)
    elif ncx in files:
        _read_ncx(_tree(files, ncx), ncx, package)
    return package


def _read_byline(root: etree._Element) -> tuple[Byline, str]:
    """Return who the metadata name as authors, and when the book was published, as they say it."""
    # EPUB 3 says it beside: <meta refines="#creator2" property="role">trl</meta>.
    roles = {
        (one.get("refines") or "").removeprefix("#"): (one.text or "").strip()
        for one in root.iterfind(".//metadata/meta")
        if one.get("property") == "role"
    }
    names = [
        "".join(str(part) for part in one.itertext())
        for one in root.iterfind(".//metadata/creator")
        if (_attribute(one, "role") or roles.get(one.get("id") or "", "")) in ("", "aut")
    ]
    dates = [
        one.text or ""
        for one in root.iterfind(".//metadata/date")
        if _attribute(one, "event") in ("", "publication", "original-publication")
    ]
    date = next(iter(dates), "")
    return read_byline(names, date), date


def _attribute(element: etree._Element, name: str) -> str:
    """Return an attribute that older packages have in a namespace of their own."""
    found = (str(value) for key, value in element.items() if etree.QName(key).localname == name)
    return next(found, "")


def _check_readable(files: Mapping[str, SourceFile], package: _Package) -> None:
    if _ENCRYPTION not in files:
        return
    named = {unquote(one.get("URI") or "") for one in _tree(files, _ENCRYPTION).iter()}
    if named & {*package.spine}:
        raise InvalidInput("the EPUB is protected against being read (DRM)")


def _resolve(base: str, href: str) -> str:
    target, _, fragment = href.partition("#")
    folder = posixpath.dirname(base)
    path = posixpath.normpath(posixpath.join(folder, unquote(target))) if target else base
    return f"{path}#{fragment}" if fragment else path


def _read_navigation(root: etree._Element, package: _Package) -> None:
    for nav in root.iter("nav"):
        kind = nav.get("{http://www.idpf.org/2007/ops}type") or nav.get("role") or ""
        for link in nav.iter("a"):
            target = _resolve(package.navigation, link.get("href") or "")
            title = " ".join("".join(str(part) for part in link.itertext()).split())
            if "page-list" in kind:
                _note_page(package, target, title)
            elif "toc" in kind:
                depth = sum(1 for _ in link.iterancestors("ol"))
                package.contents.append(Entry(title, target, depth))


def _read_ncx(root: etree._Element, path: str, package: _Package) -> None:
    for point in root.iter("navPoint", "pageTarget"):
        content = point.find("content")
        target = _resolve(path, "" if content is None else content.get("src") or "")
        title = " ".join((point.findtext("navLabel/text") or "").split())
        if point.tag == "pageTarget":
            _note_page(package, target, title or point.get("value") or "")
        else:
            depth = 1 + sum(1 for _ in point.iterancestors("navPoint"))
            package.contents.append(Entry(title, target, depth))


def _note_page(package: _Package, target: str, title: str) -> None:
    if title.isdigit() and len(title) < 7:
        package.pages[target] = int(title)


def _read_document(
    files: Mapping[str, SourceFile], path: str, package: _Package, number: int
) -> Page:
    pages = {
        target.partition("#")[2]: page
        for target, page in package.pages.items()
        if target.partition("#")[0] == path
    }
    root = _tree(files, path)
    take_in_sheets(root, path, lambda name: _read_sheet(files, name))
    page = read_page(root, pages.pop("", number), pages)
    entries = [entry for entry in package.contents if entry.target.partition("#")[0] == path]
    titled = place_entries(page.items, entries)
    package.lost += titled.lost if page.items else entries
    levelled = join_numbers(level_headings(titled.items, entries))
    page.items = [_relabel(path, item, package) for item in levelled]
    if page.items:
        begin = Markup(MarkupKind.ANCHOR, 0, 0, path)
        page.items[0] = replace(page.items[0], markup=(begin, *page.items[0].markup))
    page.footnotes = {
        f"{path}#{label}": [_relabel(path, item, package) for item in items]
        for label, items in page.footnotes.items()
    }
    page.numbers = {_resolve(path, _as_link(label)): n for label, n in page.numbers.items()}
    return page


def _read_sheet(files: Mapping[str, SourceFile], path: str) -> str | None:
    sheet = files.get(path)
    return sheet.data.decode("utf-8", "replace") if sheet else None


def _relabel(path: str, item: Item, package: _Package) -> Item:
    """Name footnotes and places by file and id, for they may stand in another file of the book."""
    if not (item.footnotes or item.markup):
        return item
    return replace(
        item,
        footnotes=tuple(_resolve(path, _as_link(label)) for label in item.footnotes),
        markup=tuple(_rename(path, one, package) for one in item.markup),
    )


def _rename(path: str, one: Markup, package: _Package) -> Markup:
    """Return markup whose names and links are those of the document that all files become."""
    if one.kind is MarkupKind.ANCHOR:
        return one._replace(value=f"{path}#{one.value}")
    if one.kind is MarkupKind.IMAGE:
        return one._replace(value=_picture(path, one.value))
    if one.kind is MarkupKind.LINK and not _OUTWARD.match(one.value):
        target = _resolve(path, one.value)
        if target.partition("#")[0] in package.spine:
            return one._replace(value=f"#{quote(target, safe='/#')}")
    return one


def _picture(path: str, address: str) -> str:
    """Return the path of a picture's file in the EPUB, or its address outside of that."""
    is_inside = address and not _OUTWARD.match(address)
    return _resolve(path, address).partition("#")[0] if is_inside else address


def _as_link(label: str) -> str:
    return label if "#" in label else f"#{label}"
