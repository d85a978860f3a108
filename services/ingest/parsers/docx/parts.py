"""An opened document in, its footnotes and the kinds of its lists out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from lxml import etree

from services.ingest.model import Loss
from services.ingest.parsers.losses import NO_DESCRIPTION, visible_in

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
_SKIPPED = frozenset(
    (
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
        *(qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:instrText")),
    )
)
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_OLD_PICTURE = "{urn:schemas-microsoft-com:vml}imagedata"
_OWN_CODES = range(0xE000, 0xF900)
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
    losses: list[Loss] = field(default_factory=list)
    """Pictures without a description and what else is no text."""


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
        elif tag == qn("w:sym"):
            _read_sign(element, parts, words)
        elif tag in (qn("wp:docPr"), _OLD_PICTURE):
            _read_drawing(element, words)
    words.text = "\n".join(" ".join(line.split()) for line in "".join(parts).split("\n")).strip()
    return words


def _read_sign(sign: etree._Element, parts: list[str], words: Words) -> None:
    """Read a sign of a font for symbols, whose own codes say nothing without that font."""
    code = int(sign.get(qn("w:char"), "0"), 16)
    if code in _OWN_CODES or not chr(code).isprintable():
        reason = f"it is drawn by the font {sign.get(qn('w:font'), '')} and has no letter"
        words.losses.append(Loss("sign", "", reason, 1))
    else:
        parts.append(chr(code))


def _read_drawing(element: etree._Element, words: Words) -> None:
    """Read the description of a picture, a chart or a diagram; shapes have their text elsewhere."""
    holder = element.getparent()
    assert holder is not None
    caption = " ".join((element.get("descr") or holder.get("alt") or "").split())
    if caption:
        words.captions.append(caption)
    elif element.tag == _OLD_PICTURE or next(holder.iter(qn("pic:pic")), None) is not None:
        words.losses.append(NO_DESCRIPTION)
    else:
        data = next(holder.iter(qn("a:graphicData")), None)
        kind = "" if data is None else data.get("uri", "").rsplit("/", 1)[-1]
        if kind in ("chart", "diagram"):
            words.losses.append(Loss(kind, "", "what it shows is no text"))


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
