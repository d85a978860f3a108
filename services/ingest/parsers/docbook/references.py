"""Find what a reference in DocBook says of the element that it leads to."""

from lxml import etree

from libs.text import shorten
from services.ingest.parsers.docbook.info import is_info
from services.ingest.parsers.docbook.tree import id_of, local
from services.ingest.parsers.docbook.writer import child_of, plain

_LONGEST = 200
"""Characters of what a reference says: a title may be long, and led to from everywhere."""
_NAMED_BY = ("title", "term", "glossterm", "refentrytitle", "refname", "question")


def labels_of(root: etree._Element) -> dict[str, str]:
    """Return by the id of each element its label, its title, or that of what it stands in."""
    labels, over = dict[str, str](), [""]
    for event, one in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            over.pop()
            continue
        own = one.get("xreflabel") or _title(one)
        name = id_of(one)
        if name:
            label = own or (plain(one) if local(one) in _NAMED_BY else over[-1])
            labels[name] = shorten(label, _LONGEST)
        over.append(own or over[-1])
    return labels


def _title(one: etree._Element) -> str:
    found = child_of(one, *_NAMED_BY)
    if found is None:
        inside = next((child for child in one if is_info(child)), None)
        inside = child_of(one, "refmeta", "refnamediv") if inside is None else inside
        found = child_of(inside, *_NAMED_BY) if inside is not None else None
    return plain(found) if found is not None else ""
