"""Find the titles that references within a file of AsciiDoc show."""

import re
from collections.abc import Iterator, Sequence

from libs.text import heading_anchor
from services.ingest.parsers.asciidoc import lines as kinds

_NAMED = re.compile(r"\[\[(\[?)([^\[\],]{1,100}),([^\[\]]{1,200})\]\]")


def read_titles(source: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the ids of headings and blocks with what they say: their own, and those of their words."""
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
            text = re.sub(r"[`*]|\[\[[^\]]*\]\]", "", title[2] if title else line.strip()).strip()
            inline = re.search(r"\[\[([^\],]+)", line)
            yield (
                own
                or (inline[1] if inline else f"_{heading_anchor(text, set()).replace('-', '_')}"),
                text,
            )
            yield text, text
            own = ""
        elif own and (named := kinds.BLOCK_TITLE.fullmatch(line)):
            yield own, named[1]
        elif line.strip() and not found:
            own = own if line.startswith("[") else ""
