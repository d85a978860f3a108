"""Plan a book: which documents make it, in which order, under which titles and addresses."""

import fnmatch
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import quote

from libs.errors import InvalidInput
from services.ingest.model.book import (
    PlacedFile,
    Source,
    SourceFile,
)
from services.ingest.model.html_page import PageText
from services.ingest.parsers import docusaurus
from services.ingest.parsers.asciidoc import names_of
from services.ingest.parsers.book_file import NAME, BookFile, read_book_file
from services.ingest.parsers.contents import ContentsEntry
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of, is_document, is_sheet
from services.ingest.parsers.markdown import (
    FrontMatter,
    front_matter_of,
    heads_of,
    read_front_matter,
)
from services.ingest.planning.contents import (
    Contents,
    first_page,
    read_first_page,
    read_sidebar,
    read_summary,
    read_toctrees,
    stem_of,
)
from services.ingest.planning.copies import omit_copies
from services.ingest.planning.front_page import title_of_front_page, title_of_summary
from services.ingest.planning.includes import includes_of, read_includes
from services.ingest.planning.mallard import read_guides, title_of_guides
from services.ingest.planning.names import read_names, shows_names
from services.ingest.planning.navigation import NO_NAVIGATION, Navigation, read_navigation
from services.ingest.planning.page_text import page_of
from services.ingest.planning.positions import (
    NUMBER,
    SortKey,
    sort_keys,
    warn_of_categories,
)
from services.ingest.planning.renditions import NOTHING_KNOWN, omit_renditions
from services.ingest.planning.running import find_running
from services.ingest.planning.site_authors import read_site_authors, read_title_beside

_SHEET_LINK = re.compile(r"<link\b[^<>]{0,500}\bstylesheet\b[^<>]{0,500}>", re.IGNORECASE)
MOST_SHEETS = 500_000
"""Bytes of the style sheets of a source: each of its pages is read with them."""
_SITE_FOLDERS = ("docs", "src")
_TITLE_SEPARATOR = re.compile(r"(?<=\S)\s(?:[—–|·»-]|::)\s(?=\S)")


@dataclass(frozen=True)
class Plan:
    """The documents of a book in reading order, and what applies to all of them."""

    book_file: BookFile
    documents: Sequence[PlacedFile]
    warnings: Sequence[str] = ()
    title: str = ""
    """What a source of several documents calls itself, where it does."""
    doubtful: Sequence[tuple[str, ...]] = ()
    """Documents and folders that may be one text, the one to take first."""


@dataclass(frozen=True)
class _Layout:
    """How the files lie: the book's own folder, its table of contents and the title of the whole."""

    root: str
    contents: Contents
    is_mdbook: bool = False
    title: str = ""


def plan_book(source: Source, compared: Mapping[str, str] = NOTHING_KNOWN) -> Plan:
    """Say which documents make the book, and in which order.

    `compared` says what is known of renditions that a plan made before calls doubtful.
    Raises InvalidInput for a quoth.toml that names what is not there.
    """
    files = {file.path: file for file in source.files}
    book_path = _topmost(NAME, files)
    book_file = read_book_file(files[book_path].data) if book_path else BookFile()
    folder = book_path.removesuffix(NAME)
    kept, idle = _select(files, folder, book_file)
    warnings = warn_of_categories(files)
    ordered = {folder + path for path in book_file.order}
    kept, copies = omit_copies(files, kept, ordered)
    renditions = omit_renditions(kept, ordered, compared)
    warnings += [*idle, *copies, *renditions.warnings]
    site = _topmost_of(docusaurus.CONFIGS, files)
    navigation = NO_NAVIGATION if site else read_navigation(files, renditions.kept)
    docs = posixpath.join(posixpath.dirname(site), "docs/") if site else navigation.folder
    kept, outside = _site_documents(docs, renditions.kept)
    warnings += [*navigation.warnings, *outside]
    fronts = {path: _front_matter(files[path]) for path in kept}
    layout = _lay_out(files, kept, folder, navigation)
    sidebars = _topmost_of(docusaurus.SIDEBARS, files)
    if sidebars:
        entries = docusaurus.read_sidebars(decode_text(files[sidebars]))
        found = read_sidebar(entries, _ids_of(fronts, layout.root))
        layout = replace(layout, contents=found or layout.contents)
    first = [*_ordered_paths(book_file, folder, kept), *layout.contents]
    kept = _sort(kept, first, sort_keys(files, fronts))
    base_url = book_file.base_url
    title = layout.title or _site_title(files, kept) or title_of_guides(files, kept)
    if site:
        config = decode_text(files[site])
        base_url = base_url or docusaurus.read_base_url(config)
        title = docusaurus.read_title(config)
    contents = _flatten(layout.contents) if book_file.order else layout.contents
    layout = replace(layout, title=title or title_of_front_page(files, kept), contents=contents)
    placed = _place(files, kept, fronts, layout, base_url)
    return Plan(book_file, placed, (*source.warnings, *warnings), layout.title, renditions.doubtful)


def _place(
    files: Mapping[str, SourceFile],
    kept: Sequence[str],
    fronts: Mapping[str, FrontMatter],
    layout: _Layout,
    base_url: str,
) -> list[PlacedFile]:
    """Give the documents, which are in their order, their places, addresses and titles."""
    names, sheets, running = read_names(files, kept), _sheets_of(files), find_running(files, kept)
    entries = {path: layout.contents.get(path, ContentsEntry()) for path in kept}
    modules, authors = _modules_of(entries), read_site_authors(files, kept)
    return [
        PlacedFile(
            file=replace(files[path], page=None),
            position=position,
            url=_page_url(path, fronts[path], layout, base_url),
            title=entry.title or _readable(path),
            names=names if names and shows_names(files[path]) else {},
            sheets=sheets if _may_have_sheets(files[path]) else {},
            depth=entry.depth,
            part_titles=entry.part_titles,
            is_listed=path in layout.contents if layout.contents else None,
            module=modules[path],
            whole_book=len(kept) == 1,
            running=running.get(path, frozenset()),
            authors=authors if position == 0 else (),
            site_title=layout.title,
        )
        for position, (path, entry) in enumerate(entries.items())
    ]


def _sheets_of(files: Mapping[str, SourceFile]) -> dict[str, str]:
    """Return the style sheets by their paths, as many as pages are read with."""
    sheets, left = dict[str, str](), MOST_SHEETS
    for path, file in files.items():
        if is_sheet(path) and len(file.data) <= left:
            left -= len(file.data)
            sheets[path] = file.data.decode("utf-8", "replace")
    return sheets


def _may_have_sheets(file: SourceFile) -> bool:
    """Whether a document is read with sheets of the source: a page, or Markdown that links to one."""
    if format_of(file.path) is Format.MARKDOWN:
        return _SHEET_LINK.search(decode_text(file)) is not None
    return format_of(file.path) is Format.HTML


def _modules_of(entries: Mapping[str, ContentsEntry]) -> dict[str, str]:
    """Return for each document the outermost entry over it in the contents, else its topmost folder."""
    above: list[str] = []
    modules = {}
    for path, entry in entries.items():
        # An entry's depth counts the titles of parts over it, which no entry of their own stands for.
        above = [*above[: entry.depth - len(entry.part_titles)], *entry.part_titles]
        folders = PurePosixPath(path).parent.parts
        modules[path] = above[0] if above else next(iter(folders), "")
        above.append(entry.title or path)
    return modules


def _flatten(contents: Contents) -> Contents:
    """Return the titles alone: in another order, what stood over a document need not do so."""
    return {path: ContentsEntry(entry.title) for path, entry in contents.items()}


def _select(
    files: Mapping[str, SourceFile], folder: str, book_file: BookFile
) -> tuple[list[str], list[str]]:
    """Return the documents that quoth.toml does not exclude, and warnings of idle patterns."""
    documents = [path for path in files if is_document(path)]
    kept = [path for path in documents if not _is_excluded(path, folder, book_file)]
    if not kept:
        raise InvalidInput(f"{NAME}: exclude leaves no document")
    idle = [
        f'{NAME}: exclude names "{pattern}", which is no document of the source.'
        for pattern in book_file.exclude
        if not any(_matches(path, folder, pattern) for path in documents)
    ]
    return kept, idle


def _sort(kept: Sequence[str], first: Sequence[str], keys: Mapping[str, SortKey]) -> list[str]:
    """Put the paths named first in their order, the others after them by their keys."""
    rank = {path: number for number, path in reversed(list(enumerate(first)))}
    return sorted(kept, key=lambda path: (rank.get(path, len(first)), keys[path]))


def planning_part(file: SourceFile) -> SourceFile:
    """Return the file with no more of its bytes than `plan_book` needs.

    A document that can't be decoded is planned like any other: reading it is what fails.
    """
    format_ = format_of(file.path)
    data = file.data
    page = PageText()
    if is_document(file.path) and not format_.is_binary and not _is_text(file):
        data = b""
    elif format_ is Format.MARKDOWN and is_document(file.path):
        text = decode_text(file)
        # Which sheets it is read with is planned, and what references show.
        front = front_matter_of(text)
        data = "\n".join((front, *_SHEET_LINK.findall(text), heads_of(text[len(front) :]))).encode()
    elif format_ is Format.HTML:
        page = page_of(file)
        data = data if stem_of(file.path) == "index" else b""
    elif format_ is Format.ASCIIDOC and is_document(file.path):
        text = decode_text(file)
        data = f"{includes_of(text)}\n{names_of(text)}".encode()
    elif format_ not in (Format.RST, Format.MALLARD) and is_document(file.path):
        data = b""
    return SourceFile(file.path, data, file.content_hash, page)


def _is_text(file: SourceFile) -> bool:
    try:
        decode_text(file)
    except InvalidInput:
        return False
    return True


def _front_matter(file: SourceFile) -> FrontMatter:
    is_markdown = format_of(file.path) is Format.MARKDOWN
    return read_front_matter(decode_text(file)) if is_markdown else FrontMatter()


def _topmost(name: str, files: Mapping[str, SourceFile]) -> str:
    found = [path for path in files if PurePosixPath(path).name == name]
    return min(found, key=lambda path: (path.count("/"), path), default="")


def _topmost_of(names: Sequence[str], files: Mapping[str, SourceFile]) -> str:
    return next((path for name in names if (path := _topmost(name, files))), "")


def _site_documents(docs: str, kept: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what lies in the folder `docs` of the project of a site, and a warning of the rest."""
    inside = [path for path in kept if path.startswith(docs)]
    omitted = len(kept) - len(inside)
    if not inside or not omitted:
        return list(kept), []
    return inside, [f"{omitted} documents outside of {PurePosixPath(docs).name} were left out."]


def _ids_of(fronts: Mapping[str, FrontMatter], root: str) -> dict[str, str]:
    """Return the paths of a Docusaurus project's documents by their ids."""
    ids = {}
    for path, front in fronts.items():
        pure = PurePosixPath(path.removeprefix(root))
        folders = [_without_number(part) for part in pure.parent.parts]
        ids["/".join((*folders, front.page_id or _without_number(pure.stem)))] = path
    return ids


def _is_excluded(path: str, folder: str, book_file: BookFile) -> bool:
    return any(_matches(path, folder, pattern) for pattern in book_file.exclude)


def _matches(path: str, folder: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(path.removeprefix(folder), pattern)


def _ordered_paths(book_file: BookFile, folder: str, kept: Sequence[str]) -> list[str]:
    known = set(kept)
    for path in book_file.order:
        if folder + path not in known:
            raise InvalidInput(f'{NAME}: order names "{path}", which the source does not hold')
    return [folder + path for path in book_file.order]


def _lay_out(
    files: Mapping[str, SourceFile], kept: Sequence[str], folder: str, navigation: Navigation
) -> _Layout:
    summary = _topmost("SUMMARY.md", files)
    if summary:
        root = summary.removesuffix("SUMMARY.md")
        contents = read_summary(decode_text(files[summary]), root, kept)
        title = navigation.title or read_title_beside(files, summary)
        title = title or title_of_summary(files[summary])
        return _Layout(root, contents, is_mdbook=True, title=title)
    root = folder
    common = _common_folder(kept)
    for part_count in range(1, len(common) + 1):
        if common[part_count - 1] in _SITE_FOLDERS:
            root = "/".join(common[:part_count]) + "/"
    whole, included = read_includes(files, kept)
    contents = {
        **read_first_page(files, kept),
        **read_toctrees(files, kept),
        **included,
        **read_guides(files, kept),
    }
    title = navigation.title or ("" if navigation.contents else whole)
    return _Layout(root, navigation.contents or contents, title=title)


def _site_title(files: Mapping[str, SourceFile], kept: Sequence[str]) -> str:
    """Return the title of the page that a folder of nothing but HTML opens with; "" without one.

    Where most titles end alike ("Setting up — The manual"), that end is the name of the whole.
    """
    if not kept or any(format_of(path) is not Format.HTML for path in kept):
        return ""
    index = first_page(kept)
    first = index or kept[0]
    title = page_of(files[first]).title
    others = [page_of(files[path]).title for path in kept if path != first]
    ends = (title[found.end() :] for found in _TITLE_SEPARATOR.finditer(title))
    least = max(1, len(others) / 2)
    own = title if index else ""
    return next((end for end in ends if sum(_is_end(end, one) for one in others) >= least), own)


def _is_end(end: str, title: str) -> bool:
    return any(title[found.end() :] == end for found in _TITLE_SEPARATOR.finditer(title))


def _common_folder(paths: Sequence[str]) -> list[str]:
    folders = [path.split("/")[:-1] for path in paths]
    common = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return common


def _readable(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.stem
    if format_of(path).is_binary:
        return stem  # somebody named the file, where of a page only its address is made
    if stem.lower() in ("index", "readme") and pure.parent.name:
        stem = pure.parent.name
    number = NUMBER.match(stem)
    words = " ".join(re.split(r"[\s_-]+", stem[number.end() :] if number else stem)).strip()
    return (words[:1].upper() + words[1:]) or path


def _page_url(path: str, front: FrontMatter, layout: _Layout, base_url: str) -> str:
    """Return where the book's own site shows the document; "" without a base URL."""
    if not base_url:
        return ""
    base = base_url.rstrip("/")
    inside = path.removeprefix(layout.root)
    pure = PurePosixPath(inside)
    format_ = format_of(path)
    if format_ is not Format.MARKDOWN:
        page = f"{inside.removesuffix('.txt').removesuffix('.rst')}.html"
        return f"{base}/{quote(page if format_ is Format.RST else inside)}"
    if layout.is_mdbook:
        name = "index.html" if pure.stem.lower() == "readme" else f"{pure.stem}.html"
        return f"{base}/{quote(str(pure.with_name(name)))}"
    if front.slug.startswith("/"):
        return base + front.slug
    folders = [quote(_without_number(part)) for part in pure.parent.parts]
    # A slug is written as it stands in the address.
    name = front.slug or quote(front.page_id or _without_number(pure.stem))
    if not front.slug and name.lower() in ("index", "readme"):
        return "/".join((base, *folders, ""))
    return "/".join((base, *folders, name))


def _without_number(part: str) -> str:
    number = NUMBER.match(part)
    return part[number.end() :] if number else part
