"""An opened document in, its footnotes and the kinds of its lists out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from lxml import etree

from services.ingest.model import Loss
from services.ingest.parsers.losses import visible_in

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
_SKIPPED = frozenset(
    (
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
        *(qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:instrText")),
    )
)
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_BREAKS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:tab"): " ", qn("w:noBreakHyphen"): "-"}
_REFERENCES = {qn("w:footnoteReference"): "footnote", qn("w:endnoteReference"): "endnote"}
_NOTES = (
    ("footnote", RELATIONSHIP_TYPE.FOOTNOTES),
    ("endnote", RELATIONSHIP_TYPE.ENDNOTES),
)


@dataclass
class Words:
    """The text of a paragraph with the notes it refers to and the descriptions of its pictures."""

    text: str = ""
    notes: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    pictures: int = 0
    """Those that have no description."""


def read_words(paragraph: etree._Element) -> Words:
    words = Words()
    parts: list[str] = []
    walk = etree.iterwalk(paragraph, events=("start",))
    for _, element in walk:
        tag = element.tag
        if tag in _SKIPPED or (element is not paragraph and tag == qn("w:txbxContent")):
            walk.skip_subtree()
        elif tag in (qn("w:t"), _MATH_TEXT):
            parts.append(element.text or "")
        elif tag in _BREAKS:
            parts.append(_BREAKS[tag])
        elif tag in _REFERENCES:
            words.notes.append(f"{_REFERENCES[tag]} {element.get(qn('w:id'))}")
        elif tag == qn("wp:docPr"):
            words.captions += [" ".join(element.get("descr", "").split())]
            is_picture = next(element.getparent().iter(qn("pic:pic")), None) is not None
            words.pictures += is_picture and not words.captions[-1]
    words.text = "\n".join(" ".join(line.split()) for line in "".join(parts).split("\n")).strip()
    words.captions = [caption for caption in words.captions if caption]
    return words


def read_notes(document: Document) -> dict[str, list[str]]:
    """Return the paragraphs of the footnotes and endnotes by kind and id."""
    notes: dict[str, list[str]] = {}
    for kind, relation in _NOTES:
        for root in _parts(document, relation):
            for note in root.iter(qn(f"w:{kind}")):
                texts = [read_words(one).text for one in note.iter(qn("w:p"))]
                if note.get(qn("w:type")) in (None, "normal"):
                    notes[f"{kind} {note.get(qn('w:id'))}"] = [text for text in texts if text]
    return notes


def read_margins(document: Document) -> Iterator[Loss]:
    """Yield the running heads and feet, which no paragraph of the body holds."""
    for relation in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
        for number, root in enumerate(_parts(document, relation), start=1):
            characters = visible_in(read_words(one).text for one in root.iter(qn("w:p")))
            if characters:
                place = f"{relation.rsplit('/', 1)[-1]} {number}"
                yield Loss("running head or foot", place, "it repeats on every page", characters)


def read_number_formats(document: Document) -> dict[tuple[str, int], str]:
    """Return the format of numbers, such as "bullet" or "decimal", by list and level."""
    formats: dict[tuple[str, int], str] = {}
    for root in _parts(document, RELATIONSHIP_TYPE.NUMBERING):
        abstract = {one.get(qn("w:abstractNumId")): one for one in root.iter(qn("w:abstractNum"))}
        for number in root.iter(qn("w:num")):
            link = number.find(qn("w:abstractNumId"))
            found = abstract.get(None if link is None else link.get(qn("w:val")))
            for level in () if found is None else found.iter(qn("w:lvl")):
                form = level.find(qn("w:numFmt"))
                key = (number.get(qn("w:numId"), ""), int(level.get(qn("w:ilvl"), "0")))
                formats[key] = "" if form is None else form.get(qn("w:val"), "")
    return formats


def _parts(document: Document, relation: str) -> Iterator[etree._Element]:
    for one in document.part.rels.values():
        if one.reltype == relation and not one.is_external:
            yield etree.fromstring(one.target_part.blob, _PARSER)
