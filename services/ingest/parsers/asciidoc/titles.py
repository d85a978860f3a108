"""Find the titles that references within a file of AsciiDoc show."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from libs.text import collapse_space, heading_anchor
from services.ingest.parsers.asciidoc import lines as kinds
from services.ingest.parsers.sphinx_labels import title_of_caption

_UNSHOWN = re.compile(
    r"[`*]|\[\[[^\]]*\]\]|\(\(\([^()]{1,300}\)\)\)|footnote:\w*\[[^\]]{0,1000}\]|<<(?:[^<>,]*,)?|>>|xref:"
)
"""What is no part of a title where another place shows it; a reference in it is its words."""
_HTML_TITLE = re.compile(
    r"<(?P<name>table|figure|h[1-6])\b[^<>]{0,300}\bid=[\"'](?P<id>[^\"'<>]{1,200})[\"'][^<>]{0,300}>"
    r"(?P<title>(?:(?!</(?P=name)>)[\s\S]){0,1500})"
)
_CAPTION = re.compile(r"<(caption|figcaption)\b[^<>]{0,300}>([\s\S]{1,500}?)</\1>")
_TAG = re.compile(r"<[^<>]{0,1000}>")
_NAMED = re.compile(r"\[\[(\[?)([^\[\],]{1,100}),([^\[\]]{1,200})\]\]")


def read_titles(source: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the ids of headings and blocks with what they say: their own, and those of their words."""
    yield from _titles_in_html("\n".join(source))
    own = ""
    for at, line in enumerate(source):
        for mark, name, text in _NAMED.findall(line) if "[[" in line else ():
            yield name, f"[{text}]" if mark else text
        found = kinds.BLOCK_ANCHOR.fullmatch(line)
        attributes = kinds.BLOCK_ATTRIBUTES.fullmatch(line)
        said = (
            re.search(r"\A[\w-]*#([\w:-]+)|\bid=[\"']?([\w:.-]+)", attributes[1])
            if attributes
            else None
        )
        own = found[1] if found else (said[1] or said[2]) if said else own
        title = kinds.TITLE.fullmatch(line)
        if title or kinds.underlined(source, at):
            text = title_words(title[2] if title else line.strip())
            inline = re.search(r"\[\[([^\],]+)", line)
            yield (
                own
                or (inline[1] if inline else f"_{heading_anchor(text, set()).replace('-', '_')}"),
                text,
            )
            yield text, text
            own = ""
        elif own and (named := kinds.BLOCK_TITLE.fullmatch(line)):
            yield own, title_of_caption(title_words(named[1]))
        elif line.strip() and not found:
            own = own if line.startswith("[") else ""


def title_words(text: str) -> str:
    """Return a title as another place shows it: without anchors, terms of the index and notes."""
    return _UNSHOWN.sub("", text).strip()


def _titles_in_html(source: str) -> Iterator[tuple[str, str]]:
    """Yield the ids of tables, figures and headings of HTML with their captions."""
    for found in _HTML_TITLE.finditer(source):
        inner = found["title"]
        caption = _CAPTION.search(inner)
        shown = caption[2] if caption else inner if found["name"][0] == "h" else ""
        if text := collapse_space(unescape(_TAG.sub("", shown))):
            yield found["id"], title_of_caption(text)
