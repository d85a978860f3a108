"""Write Markdown documents that show exactly the given texts."""

import re
from collections.abc import Mapping
from pathlib import Path

_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_SPACES = re.compile(r"[^\S\n]+")
_WRAPPED_CHARACTERS = 120
"""Lines that are longer were not wrapped by an editor: each is a paragraph."""


def as_markdown(text: str) -> str:
    """Escape a text so that Markdown shows all of its characters and makes nothing of them.

    By entities: a backslash before a bracket begins a formula in some dialects.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    written: list[str] = []
    before = ""
    for line in (_SPACES.sub(" ", line).strip() for line in lines):
        if before and max(len(before), len(line)) > _WRAPPED_CHARACTERS:
            written.append("")
        written.append(_PUNCTUATION.sub(_entity, line))
        before = line
    return "\n".join(written)


def _entity(found: "re.Match[str]") -> str:
    return f"&#{ord(found[0])};"


def write_documents(folder: Path, texts: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Write (title, text) by id, a file each; return the id of each file name."""
    width = len(str(len(texts)))
    named = {}
    for number, (name, (title, text)) in enumerate(texts.items()):
        file_name = f"{number:0{width}}.md"
        heading = f"# {as_markdown(title)}\n\n" if title.strip() else ""
        (folder / file_name).write_text(f"{heading}{as_markdown(text)}\n", "utf-8")
        named[file_name] = name
    return named
