"""Parse a Jupyter notebook: its text, its code and what the code printed, as Markdown."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from libs.errors import InvalidInput
from services.ingest.model.book import DroppedContent, ParsedText
from services.ingest.parsers.dropped import name_places, visible
from services.ingest.parsers.markdown import names_in, parse_markdown

_NONE: Mapping[str, str] = {}
_LONGEST_OUTPUT = 4_000
"""Characters of what one cell printed; more are a dump that nobody reads as text."""
_HIDDEN = "hide_cell"
_UNSEEN = frozenset(("remove-cell", "remove_cell", _HIDDEN))
_UNSEEN_CODE = frozenset(("remove-input", "remove_input"))
_UNSEEN_OUTPUT = frozenset(("remove-output", "remove_output"))
"""Tags of cells whose whole, code or output the makers of books leave out."""
_OBJECT = re.compile(r"\s*<[\w.]+[^<>]*>\s*\Z")
"""What Python prints of an object that has no text: "<Figure size 640x480 with 1 Axes>"."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TABLES = re.compile(r"<table\b(?:(?!<table\b).)*?</table\s*>", re.DOTALL | re.IGNORECASE)
_EMPTY_LINES = re.compile(r"\n[ \t]*(?=\n)")
_FENCES = re.compile(r"`{3,}")
_LINES = re.compile(r"\blines? (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)")

Json = dict[str, Any]


def parse_notebook(
    source: str,
    fallback_title: str,
    *,
    path: str = "",
    sheets: Mapping[str, str] = _NONE,
    names: Mapping[str, str] = _NONE,
    opens_book: bool = False,
    authors: Sequence[str] = (),
) -> ParsedText:
    """Parse a notebook of version 3 or 4; the other parameters are those of `parse_markdown`.

    Pictures that the code drew are left out, and outputs that are a dump. Places are its cells, from 1.
    Raises InvalidInput for what is no notebook.
    """
    notebook = _load(source)
    writer = _Writer(_language_of(notebook))
    for number, cell in enumerate(_cells_of(notebook), start=1):
        writer.add_cell(number, cell)
    text = "\n".join(writer.lines)
    parsed = parse_markdown(
        text,
        False,
        fallback_title,
        path=path,
        sheets=sheets,
        names=names,
        opens_book=opens_book,
        authors=names_in(_dict(notebook.get("metadata"))) or authors,
    )
    dropped = (replace(item, place=writer.in_cells(item.place)) for item in parsed.dropped_content)
    return replace(
        parsed,
        warnings=tuple(map(writer.in_cells, parsed.warnings)),
        dropped_content=(*dropped, *writer.dropped),
    )


def _load(source: str) -> Json:
    try:
        notebook = json.loads(source)
    except (ValueError, RecursionError):
        notebook = None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise InvalidInput("it is no Jupyter notebook: save it again in Jupyter")
    return notebook


def _cells_of(notebook: Json) -> Iterator[Json]:
    sheets = _dicts(notebook.get("worksheets"))  # as version 3 had them
    cells = notebook.get("cells") or [
        cell for sheet in sheets for cell in _dicts(sheet.get("cells"))
    ]
    yield from _dicts(cells)


def _language_of(notebook: Json) -> str:
    about = _dict(notebook.get("metadata"))
    named = _dict(about.get("language_info")).get("name")
    return _word(named or _dict(about.get("kernelspec")).get("language"))


@dataclass
class _Writer:
    """Writes cells as lines of Markdown, and remembers which cell each line is of."""

    language: str
    lines: list[str] = field(default_factory=list)
    dropped: list[DroppedContent] = field(default_factory=list)
    _first_lines: list[int] = field(default_factory=list)

    def add_cell(self, number: int, cell: Json) -> None:
        """Add a cell; there is one for each number, in order."""
        self._first_lines.append(len(self.lines) + 1)
        kind, tags = cell.get("cell_type"), _tags_of(cell)
        text = _text(cell.get("source", cell.get("input")))
        if tags & _UNSEEN:
            self._drop(number, "cell", "its tag says that readers don't see it", text)
        elif kind == "markdown":
            self._add(text)
        elif kind == "heading":
            level = cell.get("level")
            marks = "#" * (min(6, max(1, level)) if isinstance(level, int) else 1)
            self._add(f"{marks} {' '.join(text.split())}")
        elif kind == "code":
            self._add_code(number, cell, text, tags)
        elif number == 1 and text.startswith("---\n"):
            self.lines += [*text.rstrip().split("\n"), ""]  # the front matter of Quarto
        else:
            self._drop(number, "raw cell", "it is written for one output format", text)

    def in_cells(self, told: str) -> str:
        """Return what is told with cells in place of lines."""
        return _LINES.sub(lambda found: self._cells(found[1]), told)

    def _cells(self, lines: str) -> str:
        cells = {bisect_right(self._first_lines, int(line)) for line in re.findall(r"\d+", lines)}
        return name_places("cell", sorted(cells))

    def _add(self, text: str) -> None:
        if text.strip():
            self.lines += [*text.split("\n"), ""]

    def _add_code(self, number: int, cell: Json, text: str, tags: frozenset[str]) -> None:
        if tags & _UNSEEN_CODE:
            self._drop(number, "code", "its tag says that readers don't see it", text)
        else:
            self._add(_fenced(text, self.language))
        for output in _dicts(cell.get("outputs")):
            self._add_output(number, output, unseen=bool(tags & _UNSEEN_OUTPUT))

    def _add_output(self, number: int, output: Json, *, unseen: bool) -> None:
        # Of version 3 the forms stand beside the kind, without "text/".
        forms = _dict(output.get("data")) or output
        tables = _TABLES.findall(_text(forms.get("text/html")))
        markdown = _text(forms.get("text/markdown", forms.get("text/latex")))
        plain = _ESCAPES.sub("", _text(forms.get("text/plain", forms.get("text"))))
        if output.get("ename"):
            plain = _ESCAPES.sub("", f"{output['ename']}: {_text(output.get('evalue'))}")
        shown = "\n\n".join(_EMPTY_LINES.sub("", table) for table in tables) or markdown or plain
        is_drawn = any(str(name).startswith("image/") or name == "png" for name in forms)
        if unseen:
            self._drop(number, "output", "its tag says that readers don't see it", shown)
        elif is_drawn and shown is plain:
            self._drop(number, "picture", "its code drew it", "")
        elif len(shown) > _LONGEST_OUTPUT:
            self._drop(number, "output", f"it has over {_LONGEST_OUTPUT} characters", shown)
        elif shown is plain:
            self._add("" if _OBJECT.match(plain) else _fenced(plain, ""))
        else:
            self._add(shown)

    def _drop(self, number: int, kind: str, reason: str, text: str) -> None:
        if text.strip() or kind == "picture":
            self.dropped.append(DroppedContent(kind, f"cell {number}", reason, visible(text)))


def _fenced(code: str, language: str) -> str:
    if not code.strip():
        return ""
    fence = "`" * (max(map(len, _FENCES.findall(code)), default=2) + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def _tags_of(cell: Json) -> frozenset[str]:
    about = _dict(cell.get("metadata"))
    tags = about.get("tags")
    own = frozenset(map(str, tags)) if isinstance(tags, list) else frozenset()
    return own | ({_HIDDEN} if about.get("nbsphinx") == "hidden" else frozenset())


def _text(value: object) -> str:
    """Return a text, which notebooks write whole or as a list of its lines."""
    lines: Sequence[object] = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n")


def _word(value: object) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"[\w+#-]{1,30}", value) else ""


def _dict(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
