"""Rewrite what stands within a line of AsciiDoc as Markdown."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape

_INLINE = re.compile(
    r"""
      \\(?P<escaped>[*_`^~{<+\[\]\#])
    | (?P<character>&(?:[A-Za-z]{2,30}\d{0,2}|\#\d{2,7}|\#x[\da-fA-F]{2,6});)
    | \+\+(?P<pass2>[^+\n]+)\+\+
    | (?<!\w)\+(?P<pass1>\S(?:[^+\n]*\S)?)\+(?!\w)
    | pass:\w*\[(?P<pass>[^\]]{0,500})\]
    | ``(?P<mono2>[^`]{1,500})``
    | `(?P<mono>[^`]{1,500})`
    | footnote:\w*\[(?P<note>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,3000})\]
    | image::?(?P<image>[^\s\[]{1,500})\[(?P<alt>[^\]]{0,500})\]
    | (?P<macro>[a-z]{2,12}):(?P<target>(?!:)[^\s\[:][^\s\[]{0,500})
      \[(?P<shown>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]
    | (?P<url>(?:https?|ftp|irc)://[^\s\[<>]*[^\s\[<>.,;:!?)'"])(?:\[(?P<linked>[^\]]{0,500})\])?
    | <<(?P<ref>[^\s,>]{1,200})(?:,\s*(?P<named>[^>]{0,300}))?>>
    | \[\[(?P<anchor>[^\]]{1,200})\]\]
    | \{(?P<attribute>[A-Za-z][\w-]*)\}
    | \*\*(?P<bold2>\S(?:.{0,500}?\S)?)\*\*
    | (?<![\w*])\*(?P<bold>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])
    | __(?P<slant2>\S(?:.{0,500}?\S)?)__
    | (?<![\w_])_(?P<slant>[^\s_](?:[^_]*[^\s_])?)_(?![\w_])
    | (?<!\w)'(?P<quoted>[^\s'](?:[^'\n]*[^\s'])?)'(?!\w)
    | \^(?P<raised>[^\s^]{1,60})\^
    | (?<![~/])~(?P<lowered>\w{1,20})~
    | (?:\[(?P<roles>\.?[\w.-]{0,80})\])?(?P<hashes>\#\#?)
      (?P<marked>[^\s\#](?:[^\#\n]{0,300}[^\s\#])?)(?P=hashes)
    """,
    re.VERBOSE,
)
_SPECIAL = re.compile(r"[\\`*_<>\[\]$~^]")
_ATTRIBUTES = {
    "asterisk": "*",
    "plus": "+",
    "caret": "^",
    "tilde": "~",
    "backtick": "`",
    "vbar": "|",
    "nbsp": " ",
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "apos": "'",
    "quot": '"',
    "sp": " ",
    "startsb": "[",
    "endsb": "]",
    "empty": "",
    "blank": "",
    "backslash": "\\",
    "zwsp": "",
    "litdd": "--",
    "cpp": "C++",
    "deg": "°",
    "ldquo": "“",
    "rdquo": "”",
    "two-colons": "::",
}
_STRUCK = "line-through"
_LINKS = ("link", "xref", "mailto")


def escape(text: str) -> str:
    """Return text of which Markdown shows every sign as it is."""
    return _SPECIAL.sub(r"\\\g<0>", text).replace("&", "&amp;")


def code(text: str) -> str:
    """Return a text as code of one line."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}"


@dataclass
class Inline:
    """Rewrites lines; `titles` are headings by their ids, `attributes` what names stand for."""

    titles: Mapping[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)

    def rewrite(self, text: str) -> str:
        """Return one line of text as Markdown."""
        parts, at = list[str](), 0
        for found in _INLINE.finditer(text):
            parts += [escape(text[at : found.start()]), self._rewritten(found)]
            at = found.end()
        return "".join([*parts, escape(text[at:])])

    def _rewritten(self, found: re.Match[str]) -> str:
        name = next(key for key in _ORDER if found[key] is not None)
        return _READERS[name](self, found)

    def macro(self, found: re.Match[str]) -> str:
        """Return a link's text with its address; of a macro of the book's own what it shows."""
        macro, target, shown = found["macro"], found["target"], found["shown"].rstrip("^ ")
        if macro in _LINKS:
            return self.link(target if macro != "mailto" else f"mailto:{target}", shown or target)
        if macro.startswith("link"):
            return escape(f"{target}({shown})" if shown else target)
        if macro in ("kbd", "btn", "menu"):
            return escape(" > ".join(part for part in (target, shown) if part))
        return self.rewrite(shown or target)

    def link(self, target: str, shown: str) -> str:
        address = re.sub(r"[\s()<>]", "", target)
        return f"[{self.rewrite(shown)}]({address})"

    def url(self, found: re.Match[str]) -> str:
        shown = (found["linked"] or "").rstrip("^")
        return self.link(found["url"], shown) if shown else f"<{found['url']}>"

    def reference(self, found: re.Match[str]) -> str:
        target = found["ref"].lstrip("#").partition("#")[2] or found["ref"].lstrip("#")
        shown = found["named"] or self.titles.get(target) or target.strip("_").replace("_", " ")
        return f"[{escape(shown)}](#{target})"

    def note(self, found: re.Match[str]) -> str:
        self.footnotes.append(self.rewrite(found["note"]))
        return f"[^{len(self.footnotes)}]"

    def image(self, found: re.Match[str]) -> str:
        """Return a picture, whose file lies below the folder that the document names for them."""
        folder = self.attributes.get("imagesdir", "")
        address = found["image"]
        if folder and not re.match(r"[a-z][a-z0-9+.-]*:|/", address):
            address = f"{folder.rstrip('/')}/{address}"
        alternative = escape(found["alt"].partition(",")[0].strip('" '))
        return f"![{alternative}](<{re.sub(r'[<>]', '', address)}>)"

    def attribute(self, found: re.Match[str]) -> str:
        name = found["attribute"]
        known = _ATTRIBUTES.get(name.lower())
        return escape(self.attributes.get(name, found[0] if known is None else known))

    def marked(self, found: re.Match[str]) -> str:
        """Return text with a role, of which only one changes what the book says."""
        shown = self.rewrite(found["marked"])
        return f"<del>{shown}</del>" if _STRUCK in (found["roles"] or "").split(".") else shown

    def quoted(self, found: re.Match[str]) -> str:
        inner = found["quoted"]
        # In older books quotes are emphasis; one with spaces is likelier speech.
        return f"*{self.rewrite(inner)}*" if " " not in inner else f"'{self.rewrite(inner)}'"


_Reader = Callable[[Inline, re.Match[str]], str]
_READERS: dict[str, _Reader] = {
    "escaped": lambda _, found: escape(found["escaped"]),
    "character": lambda _, found: escape(unescape(found["character"])),
    "pass2": lambda _, found: escape(found["pass2"]),
    "pass1": lambda _, found: escape(found["pass1"]),
    "pass": lambda _, found: escape(found["pass"]),
    "mono2": lambda _, found: code(found["mono2"]),
    "mono": lambda self, found: code(_plain(self, found["mono"])),
    "note": Inline.note,
    "image": Inline.image,
    "macro": Inline.macro,
    "url": Inline.url,
    "ref": Inline.reference,
    "anchor": lambda _, _found: "",
    "attribute": Inline.attribute,
    "bold2": lambda self, found: f"**{self.rewrite(found['bold2'])}**",
    "bold": lambda self, found: f"**{self.rewrite(found['bold'])}**",
    "slant2": lambda self, found: f"*{self.rewrite(found['slant2'])}*",
    "slant": lambda self, found: f"*{self.rewrite(found['slant'])}*",
    "quoted": Inline.quoted,
    "raised": lambda _, found: f"<sup>{escape(found['raised'])}</sup>",
    "lowered": lambda _, found: f"<sub>{escape(found['lowered'])}</sub>",
    "marked": Inline.marked,
}
_ORDER = tuple(_READERS)
_PASSED = re.compile(r"\A\+(.*)\+\Z|\\(?=[*_`^~{<\[])")


def _plain(inline: Inline, text: str) -> str:
    """Return what a run of code shows: its attributes, without what keeps signs as they are."""
    shown = unescape(_PASSED.sub(lambda found: found[1] or "", text))
    return re.sub(
        r"\{([A-Za-z][\w-]*)\}",
        lambda found: inline.attributes.get(found[1], _ATTRIBUTES.get(found[1], found[0])),
        shown,
    )
