"""Read the inside of a paragraph as the text that a reader sees."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from services.ingest.model.book import DroppedContent, Markup, MarkupKind
from services.ingest.parsers.markdown.content import CITATION, DIRECTIVE, EXPRESSION
from services.ingest.parsers.markdown.grammar import grammar
from services.ingest.parsers.markdown.jsx import is_comment, literal
from services.ingest.parsers.markdown.simple import MARKUP
from services.ingest.parsers.markdown.tags import Tag
from services.ingest.parsers.markup import (
    KINDS_OF_TAGS,
    TextWithMarkup,
    nested,
    picture_of,
    place,
    shift,
    with_scripts,
)
from services.ingest.parsers.scripts import (
    STRUCK_TAGS,
    TAGS,
    Piece,
    Script,
    strikes,
    write_scripts,
)
from services.ingest.parsers.wrapped import is_unspaced, without_unspaced_breaks

_BLANK = re.compile(r"[\t\r\f\v\n]")
_BLANKS = re.compile(r"[ \t\r\f\v\n]+")
_SPACES = re.compile("[ \t]{2,}")
_AROUND_BREAK = re.compile(r"[ \t]*\n\s*")
_HIDDEN = ("script", "style", "template")
_BREAKS = ("br", "hr")
_WRAPPED = ["text", "softbreak", "text"]
_LABELS = ("label", "title")


@dataclass
class Line:
    """Text of a paragraph; labels stand before it, captions after; the rest is what was noticed."""

    text: str = ""
    labels: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    lost: list[tuple[DroppedContent, str]] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    hidden: str = ""
    moved: str = ""
    """What stood raised or lowered."""
    pictures: list[tuple[str, str]] = field(default_factory=list)
    """Descriptions, "" without one, and addresses of the pictures."""
    sources: list[str] = field(default_factory=list)
    """Of each caption the address of the picture that it describes, or ""."""
    heading: int = 0
    """Level of the HTML heading that the paragraph is, else 0."""
    markup: Sequence[Markup] = ()
    """Of ranges of `text`."""


def read_inline(children: Sequence[Token], *, is_unseen: bool = False) -> Line:
    """Return what a reader sees; of what `is_unseen` only elements that are shown all the same."""
    if not is_unseen and len(children) == 1 and children[0].type == "text":
        [token] = children
        text = _shown(_BLANK.sub(" ", without_unspaced_breaks(token.content)))
        return Line(text, markup=place(token.content, text, token.meta.get(MARKUP, ())))
    return _Reader(is_unseen=is_unseen).read(children)


def _is_unspaced_break(children: Sequence[Token], at: int) -> bool:
    around = children[max(0, at - 1) : at + 2]
    if children[at].type != "softbreak" or [one.type for one in around] != _WRAPPED:
        return False
    return is_unspaced(around[0].content, around[2].content)


def joined(line: Line) -> TextWithMarkup:
    """Return all that a line shows, its labels and captions around it, as one line."""
    together = " ".join((*line.labels, line.text, *line.captions))
    text = " ".join(together.split())
    if not (line.markup or line.captions):
        return text, ()
    at = sum(len(label) + 1 for label in line.labels)
    markup = list(shift(line.markup, at))
    at += len(line.text) + 1
    for caption, address in zip(line.captions, line.sources, strict=True):
        markup += shift(picture_of(caption, address), at)
        at += len(caption) + 1
    return text, place(together, text, markup)


def plain(markdown: str) -> str:
    """Return what a reader sees of one line of Markdown, such as a caption in an attribute."""
    tokens = grammar(mdx=False).parseInline(markdown[:2000])
    return read_inline(tokens[0].children or []).text if tokens else ""


def labels_of(tag: Tag) -> list[str]:
    """Return what a component shows of its attributes, such as the label of a tab."""
    if tag.closing or not (tag.is_component or tag.name.lower() in ("details", "figure")):
        return []
    shown = [plain(tag.attributes[key]) for key in _LABELS if tag.attributes.get(key)]
    if file_name := tag.attributes.get("file-name"):
        shown.append(f"Filename: {file_name}")
    return [text for text in shown if text]


def captions_of(tag: Tag) -> list[str]:
    """Return the caption of a numbered component, and the alternative text of an image."""
    if tag.closing:
        return []
    caption, number = tag.attributes.get("caption", ""), tag.attributes.get("number", "")
    if tag.is_component and (caption or number):
        parts = (f"{tag.name} {number}" if number else "", plain(caption))
        return [": ".join(part for part in parts if part)]
    alternative = _BLANKS.sub(" ", tag.attributes.get("alt", "")).strip()
    return [alternative] if alternative else []


def address_of(tag: Tag) -> str:
    """Return the address of the picture that a tag shows."""
    return tag.attributes.get("src", "").strip()


class _Reader:
    def __init__(self, *, is_unseen: bool = False) -> None:
        self._line = Line()
        self._parts: list[Piece] = []
        self._hidden = 0
        self._unseen: list[str] = []
        self._unseen_depth = int(is_unseen)
        self._struck: list[str] = []
        self._struck_depth = 0
        self._struck_tags: list[str] = []
        """Tags of one name that are open: the style of the first of them strikes out what is in it."""
        self._spans: list[bool] = []
        """Of those with attributes that are open, whether they are struck out."""
        self._scripts: list[Script] = []
        self._length = 0
        """Of the parts so far."""
        self._markup: list[Markup] = []
        self._begun: list[tuple[str, list[Markup]]] = []
        """What has no end yet: by what ends it, all that one tag or mark says."""
        self._closings: Counter[str] = Counter()
        """Closing tags that are still to come, so that one without an end does nothing."""

    def read(self, children: Sequence[Token]) -> Line:
        tags = (token.meta["tag"] for token in children if token.type == "tag")
        self._closings.update(tag.name.lower() for tag in tags if tag.closing)
        for at, token in enumerate(children):
            handler = _HANDLERS.get(token.type)
            if handler and not _is_unspaced_break(children, at):
                handler(self, token)
        if self._struck:
            self._line.struck.append("".join(self._struck))
        self._line.hidden = "".join(self._unseen)
        text, self._line.moved, runs = write_scripts(self._parts)
        self._line.text = _shown(text)
        if self._markup or runs:
            raw = "".join(part for part, _ in self._parts)
            raw, markup = with_scripts(raw, self._markup, runs)
            self._line.markup = place(raw, self._line.text, nested(markup))
        self._line.heading = _heading_level(children)
        return self._line

    def text(self, token: Token) -> None:
        self._add(_BLANK.sub(" ", token.content))

    def verbatim(self, token: Token) -> None:
        self._add(token.content)

    def code(self, token: Token) -> None:
        self._add_marked(MarkupKind.CODE, token.content)

    def begin(self, token: Token) -> None:
        name = token.type.removesuffix("_open")
        self._begin(name, (_KINDS[name], str(token.attrs.get("href", ""))))

    def end(self, token: Token) -> None:
        self._end(token.type.removesuffix("_close"))

    def _begin(self, name: str, *says: tuple[MarkupKind, str]) -> None:
        at = self._length
        self._begun.append((name, [Markup(kind, at, at, value) for kind, value in says]))

    def _end(self, name: str) -> None:
        for at in range(len(self._begun) - 1, -1, -1):
            if self._begun[at][0] == name:
                _, says = self._begun.pop(at)
                self._markup += [one._replace(end=self._length) for one in says]
                return

    def _add_marked(self, kind: MarkupKind, text: str, value: str = "") -> None:
        start = self._length
        self._add(text)
        self._markup.append(Markup(kind, start, self._length, value))

    def soft_break(self, _: Token) -> None:
        self._add(" ")

    def hard_break(self, _: Token) -> None:
        self._add("\n")

    def math(self, token: Token) -> None:
        self._add_marked(MarkupKind.FORMULA, f"${token.content}$")

    def display_math(self, token: Token) -> None:
        self._add_marked(MarkupKind.FORMULA, f"$${token.content}$$")

    def _add(self, text: str) -> None:
        if self._hidden:
            return
        if self._unseen_depth:
            self._unseen.append(text)
            return
        if self._struck_depth:
            self._struck.append(text)
        else:
            self._parts.append((text, self._scripts[-1] if self._scripts else Script.LINE))
            self._length += len(text)

    def strike(self, _: Token) -> None:
        self._struck_depth += 1

    def end_strike(self, _: Token) -> None:
        self._struck_depth = max(0, self._struck_depth - 1)
        if not self._struck_depth and self._struck:
            self._line.struck.append("".join(self._struck))
            self._struck = []

    def span(self, token: Token) -> None:
        """Begin a span with attributes, of which one may strike it out."""
        is_struck = strikes({name: str(value) for name, value in token.attrs.items()})
        self._spans.append(is_struck)
        if is_struck:
            self.strike(token)

    def end_span(self, token: Token) -> None:
        if self._spans.pop():
            self.end_strike(token)

    def image(self, token: Token) -> None:
        alternative = read_inline(token.children or []).text
        title = str(token.attrs.get("title", ""))
        caption = " – ".join(part for part in (alternative, title) if part)
        self._add_picture(caption, str(token.attrs.get("src", "")))

    def _add_picture(self, caption: str, address: str) -> None:
        if self._hidden or self._struck_depth or self._unseen_depth:
            return
        self._line.pictures.append((caption, address))
        if caption:
            self._caption(caption, address)
        elif address:
            at = self._length
            self._markup.append(Markup(MarkupKind.IMAGE, at, at, address))

    def _caption(self, caption: str, address: str = "") -> None:
        self._line.captions.append(caption)
        self._line.sources.append(address)

    def tag(self, token: Token) -> None:
        tag: Tag = token.meta["tag"]
        name = tag.name.lower()
        if tag.closing:
            self._closings[name] -= 1
        if name in _HIDDEN:
            self._hidden = max(0, self._hidden + (-1 if tag.closing else 1))
        if self._is_passed_over(tag):
            return
        is_struck = self._follow_struck(tag, name, token)
        if name in STRUCK_TAGS or name in TAGS:
            self._mark(name, token, closing=tag.closing)
        elif name not in _HIDDEN and not is_struck and (name in _BREAKS or tag.is_block):
            self._add("\n")
        self._take_markup(tag, name)
        self._line.labels += labels_of(tag)
        if name == "img" and not tag.closing:
            self._add_picture(" ".join(captions_of(tag)), address_of(tag))
            return
        for caption in captions_of(tag):
            self._caption(caption)

    def _take_markup(self, tag: Tag, name: str) -> None:
        """Begin or end what a tag marks; one without an end marks nothing."""
        if tag.closing:
            self._end(f"</{name}>")
            return
        anchor = tag.attributes.get("id") or (name == "a" and tag.attributes.get("name"))
        if anchor and not tag.is_component:
            self._markup.append(Markup(MarkupKind.ANCHOR, self._length, self._length, anchor))
        address = tag.attributes.get("href") or (name == "link" and tag.attributes.get("to"))
        if tag.self_closing or self._closings[name] <= 0:
            return
        says: list[tuple[MarkupKind, str]] = []
        if name in KINDS_OF_TAGS:
            says.append((KINDS_OF_TAGS[name], ""))
        elif address and name in ("a", "link"):
            says.append((MarkupKind.LINK, address))
        if language := tag.attributes.get("lang"):
            says.append((MarkupKind.LANGUAGE, language))
        if (direction := tag.attributes.get("dir", "").lower()) in ("ltr", "rtl"):
            says.append((MarkupKind.DIRECTION, direction))
        if says:
            self._begin(f"</{name}>", *says)

    def _is_passed_over(self, tag: Tag) -> bool:
        """Follow elements that turn what is seen; return whether nobody sees this one."""
        before = self._unseen_depth
        self._unseen_depth += tag.turn
        return (before if tag.closing else self._unseen_depth) > 0

    def _follow_struck(self, tag: Tag, name: str, token: Token) -> bool:
        """Follow an element whose style strikes it out; one without an end strikes out nothing."""
        opens = not (tag.closing or tag.self_closing)
        is_inside = bool(self._struck_tags) and name == self._struck_tags[0]
        begins = opens and not self._struck_tags and self._closings[name] > 0
        if (is_inside and opens) or (begins and strikes(tag.attributes)):
            self._struck_tags.append(name)
            if not is_inside:
                self.strike(token)
            return True
        if is_inside and tag.closing:
            self._struck_tags.pop()
            if not self._struck_tags:
                self.end_strike(token)
            return True
        return False

    def _mark(self, name: str, token: Token, *, closing: bool) -> None:
        """Begin or end what is struck out, raised or lowered."""
        if closing:
            if name in STRUCK_TAGS:
                self.end_strike(token)
            elif self._scripts:
                self._scripts.pop()
        elif self._closings[name] > 0:
            if name in STRUCK_TAGS:
                self.strike(token)
            else:
                self._scripts.append(TAGS[name])

    def footnote(self, token: Token) -> None:
        if self._unseen_depth:
            return
        self._line.footnotes.append(token.meta["label"])
        number = str(token.meta["id"] + 1)
        self._add_marked(MarkupKind.FOOTNOTE_REFERENCE, f"[{number}]", number)

    def expression(self, token: Token) -> None:
        expression: str = token.meta["text"]
        self._add(literal(expression))
        if not literal(expression) and not is_comment(expression) and expression.strip():
            self._line.lost.append((EXPRESSION, expression))

    def citation(self, token: Token) -> None:
        """Leave out a citation, with the space before it."""
        self._line.lost.append((CITATION, token.meta["text"]))
        text, script = self._parts[-1] if self._parts else ("", Script.LINE)
        shown = text.rstrip(" ")
        begun = (one.start for _, says in self._begun for one in says)
        least = max((0, *begun, *(one.end for one in self._markup)))
        if not self._unseen_depth and self._length - len(text) + len(shown) >= least:
            self._parts[-1:] = [(shown, script)] if self._parts else []
            self._length -= len(text) - len(shown)

    def comment(self, token: Token) -> None:
        self._unseen.append(token.meta["text"])

    def directive(self, token: Token) -> None:
        self._line.lost.append((DIRECTIVE, token.meta["text"]))


_KINDS = {
    "link": MarkupKind.LINK,
    "em": MarkupKind.EMPHASIS,
    "strong": MarkupKind.STRONG,
}
_HANDLERS: dict[str, Callable[[_Reader, Token], None]] = {
    "text": _Reader.text,
    "text_special": _Reader.verbatim,
    "code_inline": _Reader.code,
    **{f"{name}_open": _Reader.begin for name in _KINDS},
    **{f"{name}_close": _Reader.end for name in _KINDS},
    "softbreak": _Reader.soft_break,
    "hardbreak": _Reader.hard_break,
    "math_inline": _Reader.math,
    "math_inline_double": _Reader.display_math,
    "s_open": _Reader.strike,
    "s_close": _Reader.end_strike,
    "span_open": _Reader.span,
    "span_close": _Reader.end_span,
    "image": _Reader.image,
    "tag": _Reader.tag,
    "footnote_ref": _Reader.footnote,
    "expression": _Reader.expression,
    "directive": _Reader.directive,
    "citation": _Reader.citation,
    "comment": _Reader.comment,
}


def _shown(text: str) -> str:
    # Looked for first: a search for what is hardly ever there takes longer.
    if "  " in text or "\t" in text:
        text = _SPACES.sub(" ", text)
    return (_AROUND_BREAK.sub("\n", text) if "\n" in text else text).strip()


def _heading_level(children: Sequence[Token]) -> int:
    if not any(token.type == "tag" for token in children):
        return 0
    ends = [token for token in children if token.type != "text" or token.content.strip()]
    if len(ends) < 2 or ends[0].type != "tag" or ends[-1].type != "tag":
        return 0
    first, last = ends[0].meta["tag"], ends[-1].meta["tag"]
    is_heading = re.fullmatch("h[1-6]", first.name.lower()) and last.closing
    return int(first.name[1]) if is_heading and first.name == last.name else 0
