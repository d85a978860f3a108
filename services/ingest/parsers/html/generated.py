"""Read what style sheets write before and after the text of elements: "Do not " in a warning."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import tinycss2
from lxml import etree

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.css.effect import Around, effect_of
from services.ingest.parsers.css.laid import lay_all, lay_sheets
from services.ingest.parsers.css.rules import Rule
from services.ingest.parsers.css.selectors import Holds, Matcher
from services.ingest.parsers.css.shorthands import lay
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.html.marks import text_of, writable
from services.ingest.parsers.html.sheets import SAYS_WORDS, Sheets
from services.ingest.parsers.scripts import STRIKING

_SHOWN_WHOLE = frozenset(
    (
        *("img", "br", "wbr", "input", "hr", "video", "audio", "svg", "iframe", "object", "canvas"),
        *("embed", "textarea", "select", "option", "meter", "progress", "math", "col", "link"),
    )
)
"""Elements before and after whose text browsers draw nothing."""
_NO_LINE = frozenset(
    (
        *("html", "head", "body", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "ul", "ol"),
        *("dl", "menu", "dir"),
    )
)
"""Elements of which the text is that of others in them."""
_ICONS = ("icon", "awesome", "symbol", "glyph", "dingbat")
"""In the names of fonts whose letters are drawings."""
_IN_LINE = ("", "contents", "ruby")
_OUT_OF_LINE = ("absolute", "fixed")
_NOT_KNOWN = "a style sheet counts it, or takes it from elsewhere"
_NO_PLACE = "a style sheet writes it where no text of the page stands"


class Generated(NamedTuple):
    """A text that stands before or after that of an element, and how: on a line of its own, apart.

    `reason` says why it is not read; "" where it is.
    """

    element: etree._Element
    part: str
    text: str
    is_block: bool
    is_apart: bool
    reason: str

    def put(self) -> None:
        """Make it a part of its page."""
        element, text = self.element, writable(self.text)
        written = element.makeelement("div" if self.is_block else "span")
        if self.part == "before":
            written.text = f"{text} " if self.is_apart else text
            written.tail, element.text = element.text, None
            element.insert(0, written)
        else:
            written.text = f" {text}" if self.is_apart else text
            element.append(written)

    def named(self) -> DroppedContent:
        """Return what the report says of one that is not read."""
        place = f"line {self.element.sourceline}"
        return DroppedContent("generated text", place, self.reason, visible(self.text))


class GeneratedText:
    """Reads what sheets write beside the text of the elements of one page, on a wide screen."""

    def __init__(self, sheets: Sheets, matcher: Matcher) -> None:
        self._parts = sheets.parts
        self._matcher = matcher

    @property
    def is_tired(self) -> bool:
        """Whether the sheets ask more of the page than is answered, so that more may be written."""
        return self._matcher.is_tired

    def look(self, element: etree._Element, around: Around, keys: Sequence[str]) -> list[Generated]:
        """Return what stands before and after an element's text; `keys` are what rules are kept by."""
        if element.tag in _SHOWN_WHOLE:
            return []
        found = (self._read(part, element, around, keys) for part in self._parts)
        return [one for one in found if one]

    def _read(
        self, part: str, element: etree._Element, around: Around, keys: Sequence[str]
    ) -> Generated | None:
        rules = list(self._rules(part, element, keys))
        if not any(SAYS_WORDS.search(rule.said["content"].value) for rule in _telling(rules)):
            return None
        laid = lay_all(lay_sheets([(Holds.NOW, rule) for rule in rules]), {}, {})
        said = lay(laid.said, around.variables)
        text, is_whole = _text_of(said.pop("content", ""), element)
        text = "".join(sign for sign in text if unicodedata.category(sign) != "Co")
        effect = effect_of(said, around)
        if effect.hides_all or effect.hides_words or _is_drawing(rules):
            return None
        if is_whole and not (_is_read(text) or _is_sign(text, part, element)):
            return None
        no_place = element.tag in _NO_LINE or next(_preformatted(element), None) is not None
        strikes = STRIKING.search(";".join(f"{name}:{value}" for name, value in said.items()))
        reason = _NO_PLACE if no_place or strikes else ""
        display = said.get("display", "")
        is_apart = around.makes_boxes or "float" in said or said.get("position") in _OUT_OF_LINE
        is_block = not (is_apart or display in _IN_LINE or display.startswith("inline"))
        return Generated(
            element, part, text, is_block, is_apart, reason if is_whole else _NOT_KNOWN
        )

    def _rules(self, part: str, element: etree._Element, keys: Sequence[str]) -> Iterator[Rule]:
        """Return the rules that hold now, the lightest first."""
        by_key = self._parts[part]
        asked = {rule.weight[-1]: rule for key in keys for rule in by_key.get(key, ())}
        holding = [
            rule
            for rule in asked.values()
            if rule.screens[0] and self._matcher.asks(rule.tree, element) >= Holds.NOW
        ]
        yield from sorted(holding, key=lambda rule: rule.weight)


def _telling(rules: list[Rule]) -> Iterator[Rule]:
    return (rule for rule in rules if "content" in rule.said)


def _is_drawing(rules: list[Rule]) -> bool:
    """Whether the letters are set in a font of drawings."""
    fonts = (
        rule.said[name].value
        for rule in rules
        for name in ("font", "font-family")
        if name in rule.said
    )
    return any(icons in font.lower() for font in fonts for icons in _ICONS)


def _text_of(value: str, element: etree._Element) -> tuple[str, bool]:
    """Return what a value of `content` says, as far as it is known, and whether that is all of it."""
    text, is_whole = "", True
    for part in tinycss2.parse_component_value_list(value, skip_comments=True):
        if part == "/":  # what programs say that read it aloud
            break
        if part.type == "string":
            text += part.value
        elif part.type == "function" and part.lower_name == "attr":
            shown = _attribute(part.arguments, element)
            text += shown
            is_whole = is_whole and not shown.strip()
        elif part.type == "function" and part.lower_name in ("counter", "counters"):
            is_whole = False
    return text, is_whole


def _attribute(arguments: Sequence[tinycss2.ast.Node], element: etree._Element) -> str:
    name = next((one.value for one in arguments if one.type == "ident"), "")
    return element.get(name) or "" if name else ""


def _is_read(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_sign(text: str, part: str, element: etree._Element) -> bool:
    """Whether a sign stands right beside a number, of which it is a part: "-5", "5 %"."""
    words = text_of(element).strip()
    beside = words[:1] if part == "before" else words[-1:]
    sign = text.strip()
    return (
        beside.isdecimal()
        and bool(sign)
        and (sign in "-%°" or unicodedata.category(sign[0])[0] == "S")
    )


def _preformatted(element: etree._Element) -> Iterator[etree._Element]:
    return (one for one in chain((element,), element.iterancestors()) if one.tag == "pre")
