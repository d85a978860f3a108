"""Parse a reStructuredText file into canonical text with blocks and sections."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO

from docutils import core, nodes, utils
from docutils.parsers.rst import Parser
from docutils.readers import standalone
from docutils.transforms.misc import Transitions

from libs.errors import InvalidInput
from services.ingest.model.book import BlockKind, DroppedContent, ParsedText
from services.ingest.model.byline import Byline, read_byline
from services.ingest.parsers.outline import Item, assemble, find_heading, place_footnotes
from services.ingest.parsers.rst.inliner import make_inliner
from services.ingest.parsers.rst.names import read_equations
from services.ingest.parsers.rst.reader import read_doctree
from services.ingest.parsers.rst.sphinx import register
from services.ingest.parsers.rst.substitutions import check_substitutions
from services.ingest.parsers.said_of_itself import with_lines

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,
    "sectsubtitle_xform": False,
    "docinfo_xform": False,
    # What can't be read, such as a malformed table, stays in the tree: its text is shown as it is.
    "report_level": 3,
    "halt_level": 5,
    "_disable_config": True,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "line_length_limit": 1_000_000,
}

_FIELD = re.compile(r"(\w[^:\n]{0,30}):(?: (.{1,300}))?$", re.DOTALL)
_FIELDS = {"author": "author", "authors": "author", "date": "date", "published": "date"}
"""What fields at the beginning of a text are called that say who wrote it and when."""
_BETWEEN_NAMES = re.compile(r"[;,\n]")
_TOO_DEEP = "it is nested too deep to be read"
_MARK = re.compile(r"[*`|_\[]")
_MAX_MARKS = 10_000
"""In one paragraph: docutils looks through the rest of it for the end of each."""
_MAX_LOOKS = _MAX_MARKS**2
"""In a file, so that many paragraphs take no longer than one."""


def _check_marks(source: str) -> None:
    looks = 0
    for paragraph in source.split("\n\n"):
        marks = len(_MARK.findall(paragraph))
        looks += marks**2
        if marks > _MAX_MARKS:
            raise InvalidInput(f"one of its paragraphs has more than {_MAX_MARKS} marks of markup")
        if looks > _MAX_LOOKS:
            raise InvalidInput("too many of its paragraphs hold thousands of marks of markup")


_JOINED = re.compile(r"[\w.+:-]+")
_JOINT = re.compile(r"[.+:-]")
_MAX_STEPS = 4 * _MAX_LOOKS
"""docutils takes each part of a word that is joined by these for the beginning of a name, and goes
through the rest of the word."""


def _check_words(source: str) -> None:
    words = _JOINED.findall(source)
    if sum(len(_JOINT.findall(word)) * len(word) for word in words) > _MAX_STEPS:
        raise InvalidInput("some of its words are tens of thousands of characters long")


_MAX_DEPTH = 100
"""Indentations within each other: docutils copies what is in each, and gives up at about as many."""
_INDENT = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)


def _check_nesting(source: str) -> None:
    """Refuse what docutils would read for hundreds of megabytes before it gave up."""
    indents = [0]
    for found in _INDENT.finditer(source):
        indent = len(found[0].expandtabs())
        while indents[-1] > indent:
            indents.pop()
        if indents[-1] < indent:
            indents.append(indent)
        if len(indents) > _MAX_DEPTH:
            raise InvalidInput(_TOO_DEEP)


def _make_reader() -> standalone.Reader:
    """Return docutils' own, but that moves no lines between parts, each of which it seeks among all."""
    reader = standalone.Reader()
    transforms = [one for one in reader.get_transforms() if one is not Transitions]
    reader.get_transforms = lambda: transforms
    return reader


def parse_rst(
    source: str,
    fallback_title: str,
    names: Mapping[str, str] | None = None,
    authors: Sequence[str] = (),
) -> ParsedText:
    """Parse a file; `names` are what references to other files show, see `read_names`.

    Where its own fields name nobody, `authors` stand below its title.

    Raises InvalidInput for one that is nested too deep.
    """
    items, dropped = read_pieces(source, names)
    title, index = find_heading(items, fallback_title)
    byline = _byline_of(items, index)
    if authors and not byline.authors:
        items = with_lines(items, index, authors, "")
        byline = byline._replace(authors=tuple(authors))
    parsed = assemble(title, index, items, dropped_content=dropped)
    return replace(parsed, byline=byline)


def _byline_of(items: Sequence[Item], title: int) -> Byline:
    """Return what the fields at the beginning say, right below the title or above it.

    Such a field is ":Author: Ada Wong", or a list of names below ":Authors:".
    """
    said: dict[str, list[str]] = {"author": [], "date": []}
    # A subtitle may stand between, as a heading of its own.
    first = next((at for at in range(title + 1, len(items)) if not _is_heading(items[at])), 0)
    name = ""
    for item in (*items[: max(0, title)], *items[first:]):
        field = _FIELD.match(item.text)
        if name and item.kind is BlockKind.LIST_ITEM:
            said.setdefault(_FIELDS.get(name, ""), []).append(item.text)
        elif field and item.is_term:
            name = field[1].casefold()
            said.setdefault(_FIELDS.get(name, ""), []).append(field[2] or "")
        elif not _is_heading(item):
            break
    names = (name for one in said["author"] for name in _BETWEEN_NAMES.split(one))
    return read_byline(names, " ".join(said["date"]))


def _is_heading(item: Item) -> bool:
    return item.kind is BlockKind.HEADING


def read_pieces(
    source: str, names: Mapping[str, str] | None = None
) -> tuple[list[Item], Sequence[DroppedContent]]:
    """Return the pieces of a text with its footnotes in place, and what is not in them.

    Raises as parse_rst does.
    """
    _check_marks(source)
    _check_words(source)
    _check_nesting(source)
    register(source)
    own = {f"eq:{label}": number for label, number in read_equations(source).items()}
    settings = {**_SETTINGS, "quoth_names": {**(names or {}), **own}, "warning_stream": StringIO()}
    try:
        check_substitutions(source)
        parser = Parser(inliner=make_inliner())
        tree: nodes.document = core.publish_doctree(
            source, reader=_make_reader(), parser=parser, settings_overrides=settings
        )
        found = read_doctree(tree)
    except RecursionError as error:
        raise InvalidInput(_TOO_DEEP) from error
    except utils.SystemMessage as error:
        raise InvalidInput(f"it can't be read as reStructuredText: {error}") from error
    items = list(place_footnotes(found.items, found.footnotes, found.numbers))
    return items, found.dropped_content
