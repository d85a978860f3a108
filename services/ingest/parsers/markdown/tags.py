"""Find the tag or expression that starts at a "<" or a "{"."""

import html
import re
from dataclasses import dataclass, field

from services.ingest.parsers.markdown.jsx import is_absent, literal, scan_braces, style_of

_MAX_LENGTH = 20_000

_NAME = re.compile(r"[A-Za-z][\w.:-]*")
_SPACE = re.compile(r"\s*")
_ATTRIBUTE = re.compile(r"[^\s\"'<>/={}]+")
_BARE_VALUE = re.compile(r"[^\s\"'=<>`{}]+")

BLOCK_NAMES = frozenset(
    """address article aside blockquote body center datalist dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li main menu nav
    ol option p section select summary table tbody td tfoot th thead title tr ul video audio""".split()  # noqa: SIM905
)
_INLINE_NAMES = frozenset(
    """a abbr b bdi bdo big br button canvas cite code data del dfn em embed font i img input ins kbd
    label map mark meter noscript object output picture pre progress q ruby rp rt s samp script small
    source span strike strong style sub sup svg template textarea time track tt u var wbr col colgroup
    caption link meta path g circle rect line polygon text base area slot acronym optgroup
    hgroup noembed noframes""".split()  # noqa: SIM905
)


@dataclass
class Tag:
    """An HTML or JSX tag that ends at offset `end`; name "" is a JSX fragment."""

    name: str
    end: int
    closing: bool = False
    attributes: dict[str, str] = field(default_factory=dict)
    self_closing: bool = False
    turn: int = 0
    """1 where what follows is unseen and what stands before it is not, -1 the other way round."""

    @property
    def is_component(self) -> bool:
        return self.name[:1].isupper() or "." in self.name

    @property
    def is_block(self) -> bool:
        return self.is_component or self.name.lower() in BLOCK_NAMES


def scan_tag(text: str, start: int, mdx: bool) -> Tag | None:
    """Return the tag that starts at `text[start]`, a "<"; None when it is not one.

    Outside of MDX a name that is neither HTML's nor a component's own is text, and so is what looks
    like a type's parameter, as in `Vec<String>`.
    """
    closing = text.startswith("</", start)
    position = start + (2 if closing else 1)
    name = _NAME.match(text, position)
    if name is None:
        fragment = mdx and text.startswith(">", position)
        return Tag("", position + 1, closing) if fragment else None
    before = "" if closing or start == 0 else text[start - 1]
    if not mdx and not _is_known(name[0], before):
        return None
    if closing:
        end = _SPACE.match(text, name.end()).end()  # type: ignore[union-attr]
        return Tag(name[0], end + 1, closing=True) if text.startswith(">", end) else None
    return _scan_attributes(text, name[0], name.end(), min(len(text), start + _MAX_LENGTH))


def _is_known(name: str, before: str) -> bool:
    if name.lower() in BLOCK_NAMES or name.lower() in _INLINE_NAMES or "-" in name:
        return True
    return name[0].isupper() and len(name) > 1 and not (before.isalnum() or before in ("_", ":"))


def _scan_attributes(text: str, name: str, position: int, limit: int) -> Tag | None:
    attributes: dict[str, str] = {}
    while position < limit:
        after_space = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        if text.startswith(">", after_space):
            return Tag(name, after_space + 1, attributes=attributes)
        if text.startswith("/>", after_space):
            return Tag(name, after_space + 2, attributes=attributes, self_closing=True)
        if after_space == position:
            return None
        if text.startswith("{", after_space):
            position = scan_braces(text, after_space)
        else:
            position = _scan_attribute(text, after_space, attributes)
        if position < 0:
            return None
    return None


def _scan_attribute(text: str, position: int, attributes: dict[str, str]) -> int:
    """Read one attribute into `attributes`; return where it ends, or -1."""
    key = _ATTRIBUTE.match(text, position)
    if key is None:
        return -1
    equals = _SPACE.match(text, key.end()).end()  # type: ignore[union-attr]
    if not text.startswith("=", equals):
        attributes[key[0]] = ""
        return key.end()
    start = _SPACE.match(text, equals + 1).end()  # type: ignore[union-attr]
    opener = text[start : start + 1]
    if opener in ("'", '"') and opener:
        end = text.find(opener, start + 1, start + _MAX_LENGTH)
        attributes[key[0]] = html.unescape(text[start + 1 : end])
        return end + 1 if end >= 0 else -1
    if opener == "{":
        end = scan_braces(text, start)
        if end > 0:
            _take_expression(key[0], text[start + 1 : end - 1], attributes)
        return end
    value = _BARE_VALUE.match(text, start)
    attributes[key[0]] = html.unescape(value[0]) if value else ""
    return value.end() if value else -1


def _take_expression(key: str, expression: str, attributes: dict[str, str]) -> None:
    """Read into `attributes` one whose value is an expression."""
    if not is_absent(expression):
        attributes[key] = style_of(expression) if key == "style" else literal(expression)
