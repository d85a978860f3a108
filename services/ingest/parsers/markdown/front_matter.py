"""Read the values that matter from the block of YAML, TOML or lines on top of a file."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

import yaml

from services.ingest.model.byline import NO_BYLINE, Byline, read_byline

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
"""Of Hugo and Zola."""
_MORE = r"(?:\n[ \t]+\S.*)*"
_PERCENT = re.compile(
    rf"\A%[ \t]+(?P<title>.*{_MORE})(?:\n%(?P<author>.*{_MORE}))?(?:\n%(?P<date>.*))?(?:\n|\Z)"
)
"""Of pandoc: title, authors and date, a line each, that may go on further in."""
_PAIRS = re.compile(
    r"\A(?:(?:title|author|authors|date|subtitle|year)[ \t]*:[ \t]*\S.*\n(?:[ \t]+\S.*\n)*){2,}"
    r"(?=\s*\n|\Z)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"^(\w+)[ \t]*:[ \t]*(\S.*(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
"""Of MultiMarkdown and MkDocs: lines of a name and what it is, over an empty one."""
_BETWEEN_NAMES = re.compile(r"\s*(?:;|\n)\s*")
_QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MYST = frozenset(("myst", "substitutions", "jupytext", "file_format"))
"""Names of values that files of MyST alone have."""
_MOST_QUICK = 10_000
"""Characters: in more than that, values may lie so deep in each other that its stack overflows."""


_ORDERS = ("weight", "nav_order", "order", "position")
"""Names of a place among the others: of Hugo, Just the Docs, VuePress and others."""
_NUMBERS = ("number", "chapter")
"""Names of the number that a text has in its book: "2.10" is the tenth of the second."""
_DOTTED = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,9}\.?")
_CODE_OR_MARKED = re.compile(
    r"(`+)(?P<code>[^`]+)\1"
    r"|!?\[(?P<link>[^\[\]]+)\]\([^()\s]+\)"
    r"|(?<![\w*\\])(?P<stars>\*\*?)(?P<starred>[^\s*](?:[^*]*[^\s*])?)(?P=stars)(?![\w*])"
    r"|(?<![\w_\\])_(?P<slanted>[^\W_](?:[^_]*[^\s_])?)_(?![\w_])"
)
Position = tuple[float, ...]


@dataclass(frozen=True)
class FrontMatter:
    """What a file says about itself; `length` characters of the file say it."""

    length: int = 0
    title: str = ""
    slug: str = ""
    page_id: str = ""
    position: float | None = None
    """Of Docusaurus, where an index has a place among the others of its folder."""
    order: Position | None = None
    """Where it stands by what other makers of sites and books say."""
    readable: bool = True
    byline: Byline = NO_BYLINE
    date: str = ""
    """When it appeared, as it says it."""
    substitutions: Mapping[str, str] | None = None
    """What names in double braces stand for; None for a file that does not say that it is MyST."""


def front_matter_of(source: str) -> str:
    """Return the block on top of a file with "\\n" line ends as it stands; "" when it has none."""
    return source[: read_front_matter(source).length]


def read_front_matter(source: str) -> FrontMatter:
    """Read the front matter of a file with "\\n" line ends; what can't be read is marked so."""
    if match := _FRONT.match(source):
        values = _read_yaml(match[1])
    elif match := _TOML.match(source):
        values = _read_toml(match[1])
    elif match := _PERCENT.match(source) or _PAIRS.match(source):
        values = _read_lines(match)
    else:
        return FrontMatter()
    if not isinstance(values, dict):
        return FrontMatter(match.end(), readable=values is None)
    position = values.get("sidebar_position")
    date = _line(values.get("year")) or str(values.get("date") or "")
    return FrontMatter(
        length=match.end(),
        title=_without_marks(_line(values.get("title"))),
        slug=_line(values.get("slug")),
        page_id=_line(values.get("id")),
        position=float(position) if _is_place(position) else None,
        order=_order(values),
        substitutions=_substitutions(values),
        byline=read_byline(names_in(values), date),
        date=" ".join(date.split()),
    )


def _is_place(value: object) -> TypeGuard[int | float]:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(cast("float", value))


def _order(values: Mapping[Any, object]) -> Position | None:
    """Return the place that values name: by a number of the book before one among the neighbours."""
    for name in _NUMBERS:
        said = _line(values.get(name))
        if _DOTTED.fullmatch(said):
            return tuple(float(part) for part in said.split(".") if part)
    # What has a parent is counted below that, wherever its file lies.
    for name in _ORDERS if "parent" not in values else ():
        place = values.get(name)
        # Hugo takes a weight of nothing for none.
        if _is_place(place) and (place or name != "weight"):
            return (float(place),)
    return None


def _without_marks(title: str) -> str:
    """Return a title without the marks of emphasis, code and links in it."""

    def shown(found: re.Match[str]) -> str:
        inner = found["link"] or found["starred"] or found["slanted"]
        return _without_marks(inner) if inner else found["code"].strip()

    return _CODE_OR_MARKED.sub(shown, title)


def _read_yaml(block: str) -> object:
    """Return what a block says; "" where it can't be read, None where it says nothing."""
    loader = _QUICK if len(block) <= _MOST_QUICK else yaml.SafeLoader
    try:
        return yaml.load(block, Loader=loader)  # noqa: S506 - either is a safe one
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""


def _read_toml(block: str) -> object:
    try:
        return tomllib.loads(block)
    except (ValueError, RecursionError):
        return ""


def _read_lines(match: re.Match[str]) -> dict[str, object]:
    """Return what lines of pandoc or of names say, authors as a list."""
    said = match.groupdict() or {name.lower(): said for name, said in _PAIR.findall(match[0])}
    authors = said.get("author") or said.get("authors") or ""
    return {**said, "authors": _BETWEEN_NAMES.split(authors.strip()), "author": None}


def _substitutions(values: dict[object, object]) -> dict[str, str] | None:
    if _MYST.isdisjoint(map(str, values)):
        return None
    own = values.get("myst")
    inner = own.get("substitutions") if isinstance(own, dict) else None
    found: dict[str, str] = {}
    for said in (values.get("substitutions"), inner):
        for name, value in said.items() if isinstance(said, dict) else ():
            if not isinstance(value, (dict, list)):
                found[str(name)] = "" if value is None else str(value)
    return found


def names_in(values: Mapping[Any, object]) -> list[str]:
    """Return the authors that values name: one or several, each a name or a mapping with one."""
    said = values.get("authors") or values.get("author") or values.get("creator")
    listed = said if isinstance(said, list) else [said]
    return [_name(one.get("name", one) if isinstance(one, dict) else one) for one in listed]


def _name(value: object) -> str:
    """Return a name that is one text, or has parts as in Quarto and citations."""
    if not isinstance(value, dict):
        return _line(value)
    parts = (value.get(part) for part in ("given", "family"))
    return _line(value.get("literal")) or " ".join(filter(None, map(_line, parts)))


def _line(value: object) -> str:
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""
