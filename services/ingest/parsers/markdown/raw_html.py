"""Read the visible text of HTML that Markdown does not look into."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from typing_extensions import override

from libs.text import collapse_space
from services.ingest.parsers.scripts import STRUCK_TAGS, TAGS, Script, marks_around

_HIDDEN = ("script", "style", "template", "noscript")
_MARKED = re.compile(r"(</?(?:sup|sub|del|strike|s)(?:\s[^<>]{0,200})?>)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_LINE_START = re.compile(r"</?(?:td|th|tr|p|li|div|br|caption|pre)\b[^<>]{0,1000}>", re.IGNORECASE)
_NEAR = 1200
"""Characters of markup before a raised one that are looked at."""


class _Table(HTMLParser):
    """Collects rows of cells."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.caption = ""
        self.rows: list[list[str]] = []
        self._inside = ""
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append("")
        elif tag == "img":
            self.handle_data(dict(attrs).get("alt") or "")
        elif tag in ("br", "p", "li", "div"):
            self.handle_data(" ")
        self._inside = "caption" if tag == "caption" else self._inside
        self._hidden = self._hidden or tag in _HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == "caption" else self._inside
        self._hidden = self._hidden and tag not in _HIDDEN

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._inside == "caption":
            self.caption += data
        elif self.rows and self.rows[-1]:
            self.rows[-1][-1] += data
        elif data.strip():
            self.rows.append([data])


class _Text(HTMLParser):
    """Collects text as it stands."""

    def __init__(self, wanted: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self._wanted = wanted
        self._open = not wanted

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = self._open or tag == self._wanted
        if tag == "br":
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if self._wanted:
            self._open = self._open and tag != self._wanted

    def handle_data(self, data: str) -> None:
        if self._open:
            self.text += data


def flatten_scripts(markup: str) -> tuple[str, str, str]:
    """Return markup without what is struck out and with raised text marked, and the two texts."""
    parts = _MARKED.split(markup)
    struck_depth, script = 0, Script.LINE
    flat, gone, raised = [parts[0]], "", ""
    for at in range(1, len(parts), 2):
        name, text = parts[at].strip("</>").split()[0].lower(), parts[at + 1]
        is_end = parts[at].startswith("</")
        if name in STRUCK_TAGS:
            struck_depth = max(0, struck_depth + (-1 if is_end else 1))
        else:
            script = Script.LINE if is_end else TAGS[name]
        if struck_depth:
            gone += _TAG.sub("", text)
            text = "".join(_TAG.findall(text))  # the cells of a row stay as many as they are
        after = _TAG.sub("", parts[at + 3][:_NEAR]) if at + 3 < len(parts) else ""
        opening, closing = marks_around(script, _line_before(flat), _TAG.sub("", text), after)
        raised += _TAG.sub("", text) if opening else ""
        flat.append(f"{opening}{text.strip()}{closing}" if opening else text)
    return "".join(flat), gone, raised


def _line_before(flat: Sequence[str]) -> str:
    near = "".join(flat[-3:])[-_NEAR:]
    return _TAG.sub("", _LINE_START.split(near)[-1])


def read_table(markup: str) -> tuple[str, list[list[str]]]:
    """Return the caption and the rows of an HTML table."""
    parser = _Table()
    parser.feed(markup)
    parser.close()
    rows = [[collapse_space(cell) for cell in row] for row in parser.rows]
    return collapse_space(parser.caption), rows


def read_preformatted(markup: str) -> str:
    parser = _Text("")
    parser.feed(markup)
    parser.close()
    return parser.text.strip("\n")


def read_title(markup: str) -> str:
    """Return the title of a drawing: what it shows instead of itself."""
    parser = _Text("title")
    parser.feed(markup)
    parser.close()
    return collapse_space(parser.text)
