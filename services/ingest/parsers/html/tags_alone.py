"""Tell what nobody sees of tags that stand in another format, as if they were a page."""

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
    around: Around, tags: Sequence[tuple[str, Mapping[str, str], int]], path: str, find: Find
) -> list[bool]:
    """Say of each tag whether the words in it are unseen on every screen.

    A tag is its name, its attributes, and the place of the one around it, which comes before it; -1
    where there is none. `find` has the sheets of the source, to which addresses in a text at `path`
    lead.
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
    elements: list[etree._Element] = []
    for name, attributes, at in tags:
        elements.append(_element(elements[at] if at >= 0 else body, name, attributes))
    unseen = Unseen(sheets_of(root), root)
    for one in (root, head, body):
        unseen.look(one)
    gone: list[bool] = []
    found: list[bool] = []
    for element, (_, _, at) in zip(elements, tags, strict=True):
        verdict = unseen.look(element)
        gone.append(verdict.hides_all or (at >= 0 and gone[at]))
        found.append(gone[-1] or bool(verdict.hides_words))
    return found


def _element(around: etree._Element, name: str, attributes: Mapping[str, str]) -> etree._Element:
    """Return the tag as an element; attributes with names that none can have are left out."""
    element = etree.SubElement(around, "span" if not name.isalnum() else name.lower())
    for key, value in attributes.items():
        if key.replace("-", "").isalnum() and key.isascii() and key[0].isalpha():
            element.set(key.lower(), writable(value))
    return element
