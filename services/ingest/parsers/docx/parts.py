"""Read what of a DOCX file stands beside its text: looks, links, pictures, notes, kinds of lists."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from lxml import etree

from services.ingest.model.book import DroppedContent, Markup, MarkupKind, SourceFile
from services.ingest.parsers.docx.formulas import FORMULA, write_formula
from services.ingest.parsers.docx.paint import (
    UNKNOWN,
    are_alike,
    colour_of,
    ground_of,
    ground_under,
    is_tiny,
)
from services.ingest.parsers.dropped import REWRITTEN, name_places, picture, visible, visible_in
from services.ingest.parsers.invisible import hidden
from services.ingest.parsers.markup import nested, place, with_scripts
from services.ingest.parsers.scripts import Piece, Script, moved, struck, write_scripts

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
_SKIPPED = frozenset(
    (
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
        *(qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:instrText")),
    )
)
_DELETED, _DELETED_TEXT = qn("w:del"), (qn("w:delText"), qn("w:t"))
_ALIGNED = {"superscript": Script.RAISED, "subscript": Script.LOWERED}
_LEAST_RAISED = 3
"""Half points from which on text is raised, and not set a little better."""
_OLD_PICTURE = "{urn:schemas-microsoft-com:vml}imagedata"
_LINK, _BOOKMARK = qn("w:hyperlink"), qn("w:bookmarkStart")
_OWN_CODES = range(0xE000, 0xF900)
_BREAKS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:tab"): " ", qn("w:noBreakHyphen"): "-"}
_REFERENCES = {qn("w:footnoteReference"): "footnote", qn("w:endnoteReference"): "endnote"}
_NOTES = (
    ("footnote", RELATIONSHIP_TYPE.FOOTNOTES),
    ("endnote", RELATIONSHIP_TYPE.ENDNOTES),
)


@dataclass(frozen=True)
class Face:
    """How a run of text is set, as far as that changes what it says."""

    script: Script = Script.LINE
    is_struck: bool = False
    is_hidden: bool = False
    is_bold: bool = False
    is_italic: bool = False
    is_tiny: bool = False
    colour: str = UNKNOWN
    ground: str = ""
    """Of its own; empty for what it stands on."""


@dataclass
class Words:
    """The text of a paragraph with the notes it refers to and the descriptions of its pictures."""

    text: str = ""
    markup: tuple[Markup, ...] = ()
    notes: list[str] = field(default_factory=list)
    captions: list[tuple[str, str]] = field(default_factory=list)
    """Descriptions of pictures, and the ids of their files' parts."""
    pictures: list[str] = field(default_factory=list)
    """Ids of the parts of those without a description."""
    dropped_content: list[DroppedContent] = field(default_factory=list)
    """Pictures without a description, what else is no text, and what is struck out or raised."""


def read_words(
    paragraph: etree._Element,
    faces: Mapping[str, Face] | None = None,
    links: Mapping[str, str] | None = None,
) -> Words:
    """Read a paragraph.

    `faces` are those of the document's styles, `links` the addresses that it leads to, by their id.
    """
    reader = _WordReader(paragraph, faces or {}, links or {})
    walk = etree.iterwalk(paragraph, events=("start", "end"))
    for event, element in walk:
        if element.tag == _LINK:
            reader.link(element, ends=event == "end")
        elif event == "end":
            continue
        elif element.tag == FORMULA:
            reader.formula(element)
            walk.skip_subtree()
        elif element.tag in _SKIPPED or (
            element is not paragraph and element.tag == qn("w:txbxContent")
        ):
            if element.tag == _DELETED:
                reader.delete(element)
            walk.skip_subtree()
        else:
            reader.read(element)
    return reader.words()


class _WordReader:
    def __init__(
        self, paragraph: etree._Element, faces: Mapping[str, Face], links: Mapping[str, str]
    ) -> None:
        self._words = Words()
        self._parts: list[Piece] = []
        self._struck: list[str] = []
        self._hidden: list[str] = []
        self._faces = faces
        self._links = links
        self._link_start = 0
        self._markup: list[Markup] = []
        """By the number of parts before the beginning and the end of each."""
        self._paragraph = paragraph
        self._under = ""
        self._usual = self._face = _face_of(paragraph.find(qn("w:pPr")), Face(), faces)

    def delete(self, element: etree._Element) -> None:
        """Note what a tracked change took out; what one only moved stands where it is now."""
        self._struck += [one.text or "" for one in element.iter(*_DELETED_TEXT)]

    def formula(self, element: etree._Element) -> None:
        for gone in element.iter(_DELETED):
            self.delete(gone)
        text, is_rewritten = write_formula(element, _SKIPPED)
        self._parts.append((text, Script.LINE))
        if is_rewritten:
            changed = replace(REWRITTEN, characters=visible(text))
            self._words.dropped_content.append(changed)

    def link(self, element: etree._Element, *, ends: bool) -> None:
        """Begin or end a link, to another place of the document or out of it."""
        if not ends:
            self._link_start = len(self._parts)
            return
        name = element.get(qn("w:anchor"), "")
        address = f"#{name}" if name else self._links.get(element.get(qn("r:id"), ""), "")
        if address:
            self._mark(MarkupKind.LINK, self._link_start, address)

    def _mark(self, kind: MarkupKind, start: int, value: str = "") -> None:
        self._markup.append(Markup(kind, start, len(self._parts), value))

    def read(self, element: etree._Element) -> None:
        tag = element.tag
        if tag == qn("w:r"):
            self._face = _face_of(element.find(qn("w:rPr")), self._usual, self._faces)
        elif tag == qn("w:t"):
            self._read_text(element.text or "")
        elif tag in _BREAKS:
            self._parts.append((_BREAKS[tag], Script.LINE))
        elif tag in _REFERENCES:
            number = element.get(qn("w:id"), "")
            self._words.notes.append(f"{_REFERENCES[tag]} {number}")
            self._mark(MarkupKind.FOOTNOTE_REFERENCE, len(self._parts), number)
        elif tag == _BOOKMARK:
            self._mark(MarkupKind.ANCHOR, len(self._parts), element.get(qn("w:name"), ""))
        elif tag == qn("w:sym"):
            _read_sign(element, self._parts, self._words)
        elif tag in (qn("wp:docPr"), _OLD_PICTURE):
            _read_drawing(element, self._words)

    def _read_text(self, text: str) -> None:
        if self._face.is_hidden or self._face.is_tiny or self._is_unseen():
            self._hidden.append(text)
        elif self._face.is_struck:
            self._struck.append(text)
        else:
            start = len(self._parts)
            self._parts.append((text, self._face.script))
            # What the whole paragraph is set in, such as a heading's bold, marks nothing in it.
            if self._face.is_italic and not self._usual.is_italic:
                self._mark(MarkupKind.EMPHASIS, start)
            if self._face.is_bold and not self._usual.is_bold:
                self._mark(MarkupKind.STRONG, start)

    def _is_unseen(self) -> bool:
        """Whether the run has the colour of what it stands on."""
        if self._face.colour == UNKNOWN:
            return False
        if not self._face.ground:
            self._under = self._under or ground_under(self._paragraph)
        return are_alike(self._face.colour, self._face.ground or self._under)

    def words(self) -> Words:
        text, raised, runs = write_scripts(self._parts)
        words, gone = self._words, "".join(self._struck)
        words.text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if self._markup or runs:
            raw = "".join(part for part, _ in self._parts)
            at = list(accumulate((len(part) for part, _ in self._parts), initial=0))
            found = [
                Markup(one.kind, at[one.start], at[one.end], one.value)
                for one in _united(self._markup)
            ]
            raw, markup = with_scripts(raw, found, runs)
            words.markup = place(raw, words.text, nested(markup))
        words.dropped_content += [struck(gone, "")] if gone.strip() else []
        unseen = "".join(self._hidden)
        words.dropped_content += [hidden(unseen, "")] if unseen.strip() else []
        words.dropped_content += [moved(raised, "")] if raised else []
        return words


def _united(markup: Sequence[Markup]) -> list[Markup]:
    """Return emphasis that goes on from run to run as one range."""
    united: list[Markup] = []
    last: dict[MarkupKind, int] = {}
    for one in markup:
        at = last.get(one.kind, -1)
        if not one.value and at >= 0 and united[at].end == one.start:
            united[at] = united[at]._replace(end=one.end)
        else:
            last[one.kind] = len(united)
            united.append(one)
    return united


def read_links(document: Document) -> dict[str, str]:
    """Return the addresses that links of the document's body lead to, by their id."""
    return {
        name: str(one.target_ref)
        for name, one in document.part.rels.items()
        if one.is_external and one.reltype == RELATIONSHIP_TYPE.HYPERLINK
    }


def read_pictures(document: Document, wanted: Container[str]) -> list[SourceFile]:
    """Return the files of the pictures that the body shows, by the ids of their parts."""
    return [
        SourceFile(name, one.target_part.blob)
        for name, one in document.part.rels.items()
        if name in wanted and one.reltype == RELATIONSHIP_TYPE.IMAGE and not one.is_external
    ]


def read_faces(document: Document) -> dict[str, Face]:
    """Return the faces that the document's styles give, by their id."""
    own = {style.style_id: style.element for style in document.styles}
    faces: dict[str, Face] = {}
    for name in own:
        chain = [name]
        while (above := own[chain[-1]].find(qn("w:basedOn"))) is not None:
            parent = above.get(qn("w:val"), "")
            if parent not in own or parent in chain:
                break
            chain.append(parent)
        face = Face()
        for one in reversed(chain):
            face = _face_of(own[one].find(qn("w:rPr")), face, {})
            for shading in own[one].iterfind(f"{qn('w:pPr')}/{qn('w:shd')}"):
                face = replace(face, ground=ground_of(shading) or face.ground)
        if face != Face():
            faces[name] = face
    return faces


_PAINT = (qn("w:highlight"), qn("w:shd"))
_SWITCHES = {
    qn("w:strike"): "is_struck",
    qn("w:dstrike"): "is_struck",
    qn("w:vanish"): "is_hidden",
    qn("w:specVanish"): "is_hidden",
    qn("w:b"): "is_bold",
    qn("w:i"): "is_italic",
}


def _face_of(marks: etree._Element | None, usual: Face, styles: Mapping[str, Face]) -> Face:
    """Return the face that properties give text which would else have the `usual` one."""
    for mark in () if marks is None else marks:
        value = mark.get(qn("w:val"), "")
        if mark.tag in (qn("w:rStyle"), qn("w:pStyle")):
            usual = styles.get(value, usual)
        elif field := _SWITCHES.get(mark.tag):
            switched: dict[str, Any] = {field: value not in ("0", "false", "off")}
            usual = replace(usual, **switched)
        elif mark.tag == qn("w:color"):
            usual = replace(usual, colour=colour_of(mark))
        elif mark.tag == qn("w:sz"):
            usual = replace(usual, is_tiny=is_tiny(mark))
        elif mark.tag in _PAINT and (ground := ground_of(mark)):
            # A highlight lies over a shading, whichever is said first.
            over = map(ground_of, mark.itersiblings(_PAINT[0], preceding=True))
            usual = usual if any(over) else replace(usual, ground=ground)
        elif mark.tag == qn("w:vertAlign"):
            usual = replace(usual, script=_ALIGNED.get(value, Script.LINE))
        elif mark.tag == qn("w:position") and _is_far(value):
            usual = replace(usual, script=Script.LOWERED if value < "0" else Script.RAISED)
    return usual


def _is_far(half_points: str) -> bool:
    found = re.fullmatch(r"-?(\d{1,5})", half_points)
    return found is not None and int(found[1]) >= _LEAST_RAISED


def _read_sign(sign: etree._Element, parts: list[Piece], words: Words) -> None:
    """Read a sign of a font for symbols, whose own codes say nothing without that font."""
    code = int(sign.get(qn("w:char"), "0"), 16)
    if code in _OWN_CODES or not chr(code).isprintable():
        reason = f"it is drawn by the font {sign.get(qn('w:font'), '')} and has no letter"
        words.dropped_content.append(DroppedContent("sign", "", reason, 1))
    else:
        parts.append((chr(code), Script.LINE))


def _read_drawing(element: etree._Element, words: Words) -> None:
    """Read the description of a picture, a chart or a diagram; shapes have their text elsewhere."""
    holder = element.getparent()
    assert holder is not None
    caption = " ".join((element.get("descr") or holder.get("alt") or "").split())
    blip = next(holder.iter(qn("a:blip")), None)
    name = element.get(qn("r:id"), "") if blip is None else blip.get(qn("r:embed"), "")
    is_picture = element.tag == _OLD_PICTURE or next(holder.iter(qn("pic:pic")), None) is not None
    if caption or is_picture:
        words.dropped_content.append(picture(caption, name, ""))
    if caption:
        words.captions.append((caption, name))
    elif is_picture:
        words.pictures += [name] if name else []
    else:
        data = next(holder.iter(qn("a:graphicData")), None)
        kind = "" if data is None else data.get("uri", "").rsplit("/", 1)[-1]
        if kind in ("chart", "diagram"):
            words.dropped_content.append(DroppedContent(kind, "", "what it shows is no text"))


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


def read_margins(document: Document) -> Iterator[DroppedContent]:
    """Yield the running heads and feet, which no paragraph of the body holds."""
    for relation in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
        for number, root in enumerate(_parts(document, relation), start=1):
            characters = visible_in(read_words(one).text for one in root.iter(qn("w:p")))
            if characters:
                place = f"{relation.rsplit('/', 1)[-1]} {number}"
                yield DroppedContent(
                    "running head or foot", place, "it repeats on every page", characters
                )


def read_comments(document: Document) -> Iterator[DroppedContent]:
    """Yield what was noted beside the text, and is no part of it, all comments as one."""
    comments = [
        visible_in(read_words(one).text for one in comment.iter(qn("w:p")))
        for root in _parts(document, RELATIONSHIP_TYPE.COMMENTS)
        for comment in root.iter(qn("w:comment"))
    ]
    if told := [number for number, characters in enumerate(comments, start=1) if characters]:
        one, several = "it is a comment", f"they are {len(told)} comments"
        reason = f"{several if len(told) > 1 else one} beside the text"
        yield DroppedContent("note", name_places("comment", told), reason, sum(comments))


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
