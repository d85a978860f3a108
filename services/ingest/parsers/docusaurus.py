"""Read the order and the address of a Docusaurus project from its own files."""

import re
from dataclasses import dataclass

from services.ingest.parsers.contents import ContentsReader

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r"""(?:(?P<quote>["'`])(?P<text>(?:(?!(?P=quote))[^\\\n]|\\.)*)(?P=quote)|(?P<name>\w+))(?P<is_key>\s*:)?"""
    r"|(?P<sign>[{}\[\],])"
)
_ESCAPED = re.compile(r"\\(.)")
_SIDEBARS = 1
"""Objects around a sidebar: the one whose keys are the names of sidebars."""
_VALUE = r"""\b{}\s*:\s*(["'`])([^"'`\n]*)\1"""
_URL = re.compile(_VALUE.format("url"))
_BASE = re.compile(_VALUE.format("baseUrl"))
_ROUTE = re.compile(r"\bdocs\s*:\s*\{[^{}]*?" + _VALUE.format("routeBasePath"), re.DOTALL)
_CONSTANT = r"""\b(?:const|let|var)\s+{}\s*(?::\s*\w+\s*)?=\s*(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1"""
_NESTED = frozenset(("presets", "plugins", "themeConfig", "customFields", "headTags", "themes"))
"""Keys of the settings whose own titles are of other things."""
_MAX_LENGTH = 1_000_000

SIDEBARS = ("sidebars.js", "sidebars.ts", "sidebars.json")
CONFIGS = ("docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs")


def read_sidebars(source: str) -> ContentsReader:
    """Return what the sidebars of the file name: ids of documents, and other strings among them."""
    reader = _SidebarReader()
    for token in _TOKEN.finditer(_COMMENT.sub("", source[:_MAX_LENGTH])):
        reader.take(token)
    return reader.found


@dataclass
class _Item:
    """An object or a list of a sidebar, and how deep what stands in it does."""

    depth: int
    key: str = ""
    """Of the value that is read."""

    label: str = ""
    has_page: bool = False
    category: "_Item | None" = None
    """Whose page this object is a link to."""


class _SidebarReader:
    """Reads the tokens of a file of sidebars; what is no sidebar is read as well as it can be."""

    def __init__(self) -> None:
        self.found = ContentsReader()
        self._open: list[_Item] = []

    def take(self, token: re.Match[str]) -> None:
        sign, text = token["sign"], token["text"]
        if sign in ("{", "["):
            self._begin(is_list=sign == "[")
        elif sign in ("}", "]"):
            del self._open[-1:]
        elif self._open and sign == ",":
            self._open[-1].key = ""
        elif self._open and token["is_key"]:
            self._open[-1].key = text or token["name"]
        elif self._open and text:
            self._take_text(_ESCAPED.sub(r"\1", text), self._open[-1])

    def _begin(self, *, is_list: bool) -> None:
        around = self._open[-1] if self._open else _Item(0)
        inner = _Item(around.depth, category=around if around.key == "link" else None)
        label = around.label if around.key == "items" else around.key
        if is_list and around.key and len(self._open) > _SIDEBARS:
            if not around.has_page:
                self.found.add_part(label, around.depth)
            inner.depth += 1
        self._open.append(inner)

    def _take_text(self, text: str, item: _Item) -> None:
        if item.key == "label":
            item.label = text
        elif item.key in ("", "id"):
            self.found.add_document(text, item.depth)
            if item.category:
                item.category.has_page = True


def read_title(source: str) -> str:
    """Return what the site is called; "" when the file does not say so as a text or the name of one."""
    code = _COMMENT.sub("", source[:_MAX_LENGTH])
    keys, key = list[str](), ""
    for token in _TOKEN.finditer(code):
        sign, text = token["sign"], token["text"] or ""
        if sign in ("{", "["):
            keys.append(key)
        elif sign in ("}", "]"):
            del keys[-1:]
        elif token["is_key"]:
            key = text or token["name"]
            continue
        elif key == "title" and not _NESTED.intersection(keys):
            constant = re.search(_CONSTANT.format(re.escape(token["name"] or "")), code)
            named = constant[2] if token["name"] and constant else text
            return "" if "${" in named else _ESCAPED.sub(r"\1", named).strip()
        key = ""
    return ""


def read_base_url(source: str) -> str:
    """Return where the site shows its documents; "" when the file does not state it plainly."""
    code = _COMMENT.sub("", source[:_MAX_LENGTH])
    url, base, route = _URL.search(code), _BASE.search(code), _ROUTE.search(code)
    if not url or not re.fullmatch(r"https?://[^\s<>\"]+", url[2]):
        return ""
    parts = (url[2], base[2] if base else "", route[2] if route else "docs")
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
