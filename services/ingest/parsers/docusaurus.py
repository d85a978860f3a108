"""Read the order and the address of a Docusaurus project from its own files."""

import re

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
_STRING = re.compile(r"""(["'`])((?:[^"'`\\\n]|\\.)*)\1""")
_VALUE = r"""\b{}\s*:\s*(["'`])([^"'`\n]*)\1"""
_URL = re.compile(_VALUE.format("url"))
_BASE = re.compile(_VALUE.format("baseUrl"))
_ROUTE = re.compile(r"\bdocs\s*:\s*\{[^{}]*?" + _VALUE.format("routeBasePath"), re.DOTALL)
_TITLE = re.compile(r"""\btitle\s*:\s*(["'`])((?:(?!\1)[^\\\n])*)\1""")
_NESTED = re.compile(r"\b(?:presets|plugins|themeConfig|customFields|headTags)\s*:")
_MAX_LENGTH = 1_000_000

SIDEBARS = ("sidebars.js", "sidebars.ts", "sidebars.json")
CONFIGS = ("docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs")


def read_sidebars(source: str) -> list[str]:
    """Return the strings of the file in order: the ids of documents are among them."""
    code = _COMMENT.sub("", source[:_MAX_LENGTH])
    return [match[2] for match in _STRING.finditer(code)]


def read_title(source: str) -> str:
    """Return what the site is called; "" when the file does not say so before what it nests."""
    code = _COMMENT.sub("", source[:_MAX_LENGTH])
    title = _TITLE.search(_NESTED.split(code, maxsplit=1)[0])
    return title[2].strip() if title else ""


def read_base_url(source: str) -> str:
    """Return where the site shows its documents; "" when the file does not state it plainly."""
    code = _COMMENT.sub("", source[:_MAX_LENGTH])
    url, base, route = _URL.search(code), _BASE.search(code), _ROUTE.search(code)
    if not url or not re.fullmatch(r"https?://[^\s<>\"]+", url[2]):
        return ""
    parts = (url[2], base[2] if base else "", route[2] if route else "docs")
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
