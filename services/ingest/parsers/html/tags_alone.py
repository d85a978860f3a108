"""Tell what sheets hide of tags that stand in another format, each judged by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from services.ingest.parsers.html.linked import Find, take_in_sheets
from services.ingest.parsers.html.marks import writable
from services.ingest.parsers.html.sheets import sheets_of
from services.ingest.parsers.html.unseen import Unseen


@dataclass
class Around:
    """What a text in another format has of a page's head: sheets, scripts, addresses of sheets."""

    styles: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    links: list[Mapping[str, str]] = field(default_factory=list)
    """The text of each sheet with the attributes of its tag, and the attributes of links."""


def hides_tags(
    around: Around, tags: Sequence[tuple[str, Mapping[str, str]]], path: str, find: Find
) -> list[bool]:
    """Say of each tag, a name and attributes, whether what is in it is unseen on every screen.

    `find` has the sheets of the source, to which addresses in a text at `path` lead. What a selector
    asks of other tags around is not known: such hides nothing.
    """
    root = etree.Element("html")
    head = etree.SubElement(root, "head")
    for text, attributes in around.styles:
        _element(head, "style", attributes).text = writable(text)
    for text in around.scripts:
        etree.SubElement(head, "script").text = writable(text)
    for attributes in around.links:
        _element(head, "link", attributes)
    take_in_sheets(root, path, find)
    body = etree.SubElement(root, "body")
    elements = [_element(body, name, attributes) for name, attributes in tags]
    unseen = Unseen(sheets_of(root), root)
    for one in (root, head, body):
        unseen.look(one)
    return [
        bool(verdict.hides_all or verdict.hides_words) for verdict in map(unseen.look, elements)
    ]


def _element(around: etree._Element, name: str, attributes: Mapping[str, str]) -> etree._Element:
    """Return the tag as an element; attributes with names that none can have are left out."""
    element = etree.SubElement(around, "span" if not name.isalnum() else name.lower())
    for key, value in attributes.items():
        if key.replace("-", "").isalnum() and key.isascii() and key[0].isalpha():
            element.set(key.lower(), writable(value))
    return element
