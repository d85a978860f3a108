"""Write what stands inside of the lines of DocBook: keys, menus, references, pictures, footnotes."""

from collections.abc import Mapping

from lxml import etree

from services.ingest.parsers.docbook.tree import local
from services.ingest.parsers.docbook.writer import Writer, add_text, child_of, children_of, plain

_XLINK = "{http://www.w3.org/1999/xlink}href"
_TRADEMARKS = {"registered": "®", "copyright": "©", "service": "℠"}
_PICTURES = ("imagedata", "graphic", "inlinegraphic")


class Inlines(Writer):
    """Writes the lines; `labels` are what references say of the elements that they lead to."""

    def __init__(self, root: etree._Element, labels: Mapping[str, str]) -> None:
        super().__init__(root)
        self._labels = labels
        self._numbers = {
            name: str(number)
            for number, one in enumerate((n for n in root.iter() if local(n) == "footnote"), 1)
            if (name := one.get("id") or one.get("{http://www.w3.org/XML/1998/namespace}id"))
        }
        for handler, told in (
            (self._link, ("ulink", "link", "xref", "olink")),
            (self._emphasis, ("emphasis",)),
            (self._keys, ("keycombo",)),
            (self._menu, ("menuchoice",)),
            (self._picture, ("mediaobject", "inlinemediaobject", "imageobject")),
            (self._graphic, _PICTURES),
            (self._page_of_manual, ("citerefentry",)),
            (self._seen, ("glosssee", "glossseealso")),
        ):
            self.handlers |= dict.fromkeys(told, handler)
        self.handlers |= {
            "footnote": self.note,
            "footnoteref": self._note_again,
            "quote": lambda source, target: self._around(source, target, "“", "”"),
            "optional": lambda source, target: self._around(source, target, "[", "]"),
            "citation": lambda source, target: self._around(source, target, "[", "]"),
            "tag": self._tag,
            "sgmltag": self._tag,
            "trademark": self._trademark,
            "sbr": lambda _, target: add_text(target, "\n"),
            "math": self._math,
        }

    def _around(
        self, source: etree._Element, target: etree._Element, before: str, after: str
    ) -> None:
        made = self.open(target, "span", source)
        made.text = before
        self.fill(source, made)
        add_text(made, after)

    def _link(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "a", source)
        inside = source.get("linkend") or (source.get(_XLINK) or "").removeprefix("#")
        is_inside = bool(source.get("linkend")) or (source.get(_XLINK) or "").startswith("#")
        address = source.get("url") or source.get(_XLINK) or ""
        if is_inside:
            made.set("href", f"#{inside}")
        elif address:
            made.set("href", address)
        self.fill(source, made)
        if not plain(source):
            named = source.get("endterm") or inside
            known = self._labels.get(named) or self._labels.get(inside)
            add_text(made, (known or inside) if is_inside else address)

    def _emphasis(self, source: etree._Element, target: etree._Element) -> None:
        role = (source.get("role") or "").lower()
        if role in ("strikethrough", "strike"):
            self.fill(source, self.open(target, "s", source))
            return
        self.fill(
            source, self.open(target, "strong" if role in ("bold", "strong") else "em", source)
        )

    def _keys(self, source: etree._Element, target: etree._Element) -> None:
        between = {"seq": " ", "other": " ", "press": " "}.get(source.get("action") or "", "+")
        self._join(source, target, between)

    def _menu(self, source: etree._Element, target: etree._Element) -> None:
        shortcut = child_of(source, "shortcut")
        self._join(source, target, " → ", without=shortcut)
        if shortcut is not None:
            add_text(target, " (")
            self._join(shortcut, target, "+")
            add_text(target, ")")

    def _join(
        self,
        source: etree._Element,
        target: etree._Element,
        between: str,
        without: etree._Element | None = None,
    ) -> None:
        made = self.open(target, "span", source)
        parts = [one for one in source if one is not without]
        if not parts:
            add_text(made, source.text)
        for one in parts:
            add_text(made, between if one is not parts[0] else "")
            self.put(one, made)

    def _picture(self, source: etree._Element, target: etree._Element) -> None:
        """Write a picture with what is said of it in its place, and its caption."""
        drawn = next((one for one in source.iter() if local(one) in _PICTURES), None)
        told = child_of(source, "textobject")
        words = plain(told) if told is not None else ""
        if drawn is not None:
            self._draw(drawn, target, words or _alt_of(source))
        elif told is not None:
            self.fill(told, target)
        for caption in children_of(source, "caption"):
            self.fill(caption, self.open(target, "figcaption", caption))

    def _graphic(self, source: etree._Element, target: etree._Element) -> None:
        self._draw(source, target, _alt_of(source))

    def _draw(self, drawn: etree._Element, target: etree._Element, words: str) -> None:
        address = drawn.get("fileref") or ""
        made = self.open(target, "img", drawn)
        made.set("src", address)
        if words:
            made.set("alt", words)

    def _page_of_manual(self, source: etree._Element, target: etree._Element) -> None:
        number = child_of(source, "manvolnum")
        title = child_of(source, "refentrytitle")
        told = plain(title) if title is not None else ""
        self.open(target, "code", source).text = told + (
            f"({plain(number)})" if number is not None else ""
        )

    def _seen(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "span", source)
        made.text = "See " if local(source) == "glosssee" else "See also "
        self.fill(source, made)
        if not plain(source):
            named = source.get("otherterm") or ""
            add_text(made, self._labels.get(named, named))

    def _note_again(self, source: etree._Element, target: etree._Element) -> None:
        name = source.get("linkend") or ""
        self.refer_to_note(name, self._numbers.get(name, "*"), target)

    def _tag(self, source: etree._Element, target: etree._Element) -> None:
        kind = source.get("class") or ""
        around = {
            "starttag": ("<", ">"),
            "endtag": ("</", ">"),
            "emptytag": ("<", "/>"),
            "genentity": ("&", ";"),
            "attvalue": ('"', '"'),
        }
        before, after = around.get(kind, ("", ""))
        self.open(target, "code", source).text = f"{before}{plain(source)}{after}"

    def _trademark(self, source: etree._Element, target: etree._Element) -> None:
        self.fill(source, target)
        add_text(target, _TRADEMARKS.get(source.get("class") or "", "™"))

    def _math(self, source: etree._Element, target: etree._Element) -> None:
        made = self.open(target, "math", source)
        made.text = source.text
        if source.get("display"):
            made.set("display", str(source.get("display")))
        made.extend(list(source))
        for one in made.iter():
            if isinstance(one.tag, str):
                one.tag = local(one)


def _alt_of(source: etree._Element) -> str:
    told = child_of(source, "alt")
    return plain(told) if told is not None else ""
