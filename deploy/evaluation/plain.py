"""Plain texts in; a folder of Markdown documents that show exactly those texts out."""

import re
from collections.abc import Mapping
from pathlib import Path

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_SPACES = re.compile(r"[^\S\n]+")


def as_markdown(text: str) -> str:
    """Escape a text so that Markdown shows all of its characters and makes nothing of them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(_PUNCTUATION.sub(r"\\\1", _SPACES.sub(" ", line).strip()) for line in lines)


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
