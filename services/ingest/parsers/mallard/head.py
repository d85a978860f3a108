"""Read what a page of Mallard says of its place among the others."""

from dataclasses import dataclass, field

from lxml import etree

from libs.text import shorten
from services.ingest.parsers.docbook.tree import id_of, local, read_tree
from services.ingest.parsers.docbook.writer import child_of, children_of, plain

_LONGEST = 200
"""Characters of what a reference says: a title may be long, and led to from everywhere."""


@dataclass(frozen=True)
class Guided:
    """A guide that a page says it belongs to: its page, the section of that, and the group there."""

    page: str
    section: str = ""
    group: str = ""


@dataclass(frozen=True)
class Head:
    """A page's id, title and order among others; `titles` are those of its sections by their ids."""

    page: str
    title: str = ""
    sort_title: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    guides: tuple[Guided, ...] = ()
    topics: tuple[str, ...] = ()
    """Ids of pages that it says belong to it itself."""
    groups: tuple[str, ...] = ()
    """The order of groups of pages on it."""
    following: str = ""
    """The id of the page that it says comes next."""


def read_head(source: str) -> Head:
    """Raises InvalidInput for what is no well-formed XML."""
    root = read_tree(source)
    info = child_of(root, "info")
    links = children_of(info, "link") if info is not None else []
    guides = [one for one in links if one.get("type") == "guide"]
    sorted_by = [
        plain(one)
        for one in (children_of(info, "title") if info is not None else [])
        if one.get("type") == "sort"
    ]
    title = title_of(root)
    sections = [one for one in root.iter() if local(one) == "section" and id_of(one)]
    groups = [
        name
        for one in root.iter()
        if local(one) == "links"
        for name in (one.get("groups") or "").split()
    ]
    return Head(
        page=id_of(root),
        title=title,
        sort_title=(sorted_by or [title])[0],
        titles={id_of(one): title_of(one) for one in sections},
        guides=tuple(_guide(one, one.get("xref") or "") for one in guides),
        topics=tuple(one.get("xref") or "" for one in links if one.get("type") == "topic"),
        groups=tuple(groups),
        following=next((one.get("xref") or "" for one in links if one.get("type") == "next"), ""),
    )


def title_of(source: etree._Element) -> str:
    found = child_of(source, "title")
    return shorten(plain(found), _LONGEST) if found is not None else ""


def _guide(link: etree._Element, target: str) -> Guided:
    page, _, section = target.partition("#")
    return Guided(page, section, link.get("group") or "")
