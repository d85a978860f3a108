"""HTML that Markdown does not look into in, its visible text out."""

from html.parser import HTMLParser

from libs.text import collapse_space

_HIDDEN = ("script", "style", "template")


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

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._open = self._open or tag == self._wanted
        if tag == "br":
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if self._wanted:
            self._open = self._open and tag != self._wanted

    def handle_data(self, data: str) -> None:
        if self._open:
            self.text += data


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
