"""Rewrite what stands within a line of AsciiDoc as Markdown."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.asciidoc.others import file_of
from services.ingest.parsers.scripts import STRUCK_NAMES
from services.ingest.parsers.sphinx_labels import document_title

_INLINE = re.compile(
    r"""
      \\(?P<escaped>[*_`^~{<+\[\]\#(])
    | (?P<character>&(?:[A-Za-z]{2,30}\d{0,2}|\#\d{2,7}|\#x[\da-fA-F]{2,6});)
    | \(\(\((?P<hidden>[^()\n]{1,300}(?:\([^()\n]{0,300}\)[^()\n]{0,300})*)\)\)\)
    | (?<!\()\(\((?P<indexed>[^\s()](?:[^()\n]{0,300}[^\s()])?)\)\)(?!\))
    | \+\+\+(?P<pass3>(?:(?!\+\+\+)[\s\S]){1,2000})\+\+\+
    | \+\+(?P<pass2>[^+\n]+)\+\+
    | \$\$(?P<dollars>[^$\n]{1,500})\$\$
    | (?<!\w)\+(?P<pass1>\S(?:[^+\n]*\S)?)\+(?!\w)
    | pass:(?P<substituted>[\w,]*)\[(?P<pass>(?:\\\]|[^\]]){0,2000})\]
    | \[(?P<role>\.?[\w.\#-]{1,80})\](?P<styled>(?P<mark>\*\*?|__?|``?|\#\#?)(?=\S)
      [^\n*_`\#]{1,500}(?<=\S)(?P=mark)(?:(?<=[*_`\#]{2})|(?!\w)))
    | "`(?P<curly>\S(?:[^`\n]{0,500}\S)?)`"
    | '`(?P<single>\S(?:[^`\n]{0,500}\S)?)`'
    | ``(?P<mono2>[^`]{1,500})``
    | `(?P<mono>[^`]{1,500})`
    | footnote(?P<again>ref)?:(?P<noted>[\w-]*)\[(?P<note>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,3000})\]
    | image::?(?P<image>[^\s\[]{1,500})\[(?P<alt>[^\]]{0,500})\]
    | (?P<named>kbd|btn|stem|latexmath|asciimath|indexterm2?|icon|anchor|menu):
      (?P<object>[^\s\[:]{0,200})\[(?P<inner>(?:\\\]|[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]
    | xref:(?P<xref>[^\s\[\]:][^\[\]\n]{0,300})\[(?P<xref_as>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]
    | (?P<macro>[a-z]{2,12}):
      (?P<target>pass:[a-z,]{0,20}\[[^\]\n]{1,500}\]|\$\$[^$\n]{1,500}\$\$|(?!:)[^\s\[:][^\s\[]{0,500})
      \[(?P<shown>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]
    | <(?P<bare>(?:https?|ftp|irc)://[^\s\[<>]{1,500})>
    | (?P<url>(?:https?|ftp|irc)://[^\s\[<>]*[^\s\[<>.,;:!?)'"])(?:\[(?P<linked>[^\]]{0,500})\])?
    | <<(?P<ref>[^\s,>](?:[^,>]{0,200}[^\s,>])?)(?:,\s*(?P<named_as>[^>]{0,300}))?>>
    | \[\[\[(?P<work>[^\],]{1,100})(?:,(?P<listed>[^\]]{0,100}))?\]\]\]
    | \[\[(?P<anchor>[^\]]{1,200})\]\]
    | \{(?P<told>set|counter2?):(?P<what>[\w-]{1,100})!?(?P<as>:[^{}\n]{0,200})?\}
    | (?P<based>\{[A-Za-z][\w-]*\}[^\s\[\]{}]{0,200})\[(?P<based_text>[^\]]{0,500})\]
    | \{(?P<attribute>[A-Za-z][\w-]*)\}
    | \*\*(?P<bold2>\S(?:.{0,500}?\S)?)\*\*
    | (?<![\w*])\*(?P<bold>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])
    | __(?P<slant2>\S(?:.{0,500}?\S)?)__
    | (?<![\w_])_(?P<slant>[^\s_](?:[^_]*[^\s_])?)_(?![\w_])
    | (?<!\w)'(?P<quoted>[^\s'](?:[^'\n]*[^\s'])?)'(?!\w)
    | \^(?P<raised>[^\s^]{1,60})\^
    | (?<![~/])~(?P<lowered>\w{1,20})~
    | (?P<hashes>\#\#?)
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
_NAMED_VALUE = re.compile(r",\s*[\w%.-]{1,40}(?:=.*)?\Z", re.DOTALL)
_TAG = re.compile(r"(</?[A-Za-z][^<>]{0,1000}>)")
_QUOTED = re.compile(r"pass:[a-z,]*\[(.*)\]|\$\$(.*)\$\$|\+\+\+?(.*?)\+?\+\+", re.DOTALL)
"""A target that is written so that none of its signs is taken for markup."""
_REFERENCE = re.compile(r"\{([A-Za-z][\w-]*)\}")
_TOO_LONG, _MOST_NAMED = "it stands for too much text, and is left as it is typed", 20
_LONGEST_KNOWN, _MOST_KNOWN = 4096, 2_000_000
"""Characters that names stand for: in one value or address, which others may name, and in a file."""
_LINKS = ("link", "xref", "mailto")
_SCHEMES = ("http", "https", "ftp", "irc")
_BARE = re.compile(r"(?:https?|ftp|irc)://[^\s<>]+")
_ADDRESS = re.compile(r"(?:(?:https?|ftp|irc)://|(?:link|xref|mailto):)[^\s\[\]]+")


def escape(text: str) -> str:
    """Return text of which Markdown shows every sign as it is."""
    return _SPECIAL.sub(r"\\\g<0>", text).replace("&", "&amp;")


def code(text: str) -> str:
    """Return a text as code of one line."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}"


@dataclass
class Inline:
    """Rewrites lines; `titles` are headings by their ids, `attributes` what names stand for.

    `others` are titles of the book's other files and of what has an id there.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """Of footnotes that have a name."""
    room: int = _MOST_KNOWN
    """Characters that names may still stand for, in all of the file."""
    too_long: dict[str, None] = field(default_factory=dict)
    """Names that stand for too much now; `left` are all that ever did, in order."""
    left: dict[str, None] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)
    """The ids of headings by what they say."""

    def __post_init__(self) -> None:
        for place, title in self.titles.items():
            if place != title:
                self._places.setdefault(title, place)

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

    def known(self, text: str) -> str:
        """Return text with what the names in its braces stand for."""
        room = _LONGEST_KNOWN

        def value(found: re.Match[str]) -> str:
            nonlocal room
            shown = self._value(found[1], found[0], room)
            room -= len(shown)
            return shown

        return _REFERENCE.sub(value, text)

    def set(self, name: str, value: str) -> None:
        """Let a name stand for a value; for itself, as it is typed, where that would be too long."""
        known = self.known(value)
        left = any(one in self.too_long for one in _REFERENCE.findall(known))
        self.too_long.pop(name, None)
        self.attributes[name] = known
        if left:
            self.attributes[name] = f"{{{name}}}"
            self._leave(name)

    def unsaid(self) -> Iterator[DroppedContent]:
        """Yield one entry for the names that were left as they are typed."""
        if names := list(self.left):
            more = f" and {len(names) - _MOST_NAMED} more" * (len(names) > _MOST_NAMED)
            place = ", ".join(names[:_MOST_NAMED]) + more
            yield DroppedContent("attribute", place, _TOO_LONG, dropped=False)

    def _leave(self, name: str) -> None:
        self.too_long[name] = None
        self.left[name] = None

    def _value(self, name: str, typed: str, room: int) -> str:
        """Return what a name stands for; what is `typed` if nothing, or more than there is room for."""
        shown = self.attributes.get(name, _ATTRIBUTES.get(name.lower(), typed))
        if len(shown) > min(room, self.room) and shown != typed:
            self._leave(name)
            return typed
        self.room -= len(shown)
        return shown

    def macro(self, found: re.Match[str]) -> str:
        """Return a link's text with its address; of a macro of the book's own what it shows."""
        macro, target, shown = found["macro"], found["target"], _words(found["shown"])
        quoted = _QUOTED.fullmatch(target)
        target = quoted[quoted.lastindex or 0] if quoted else self.known(target)
        target = f"{macro}:{target}" if macro in _SCHEMES and target.startswith("//") else target
        if _BARE.fullmatch(target):
            return self.link(target, shown) if shown else f"<{target}>"
        if macro in _LINKS:
            return self.link(target if macro != "mailto" else f"mailto:{target}", shown or target)
        if macro.startswith("link"):
            return escape(f"{target}({shown})" if shown else target)
        return self.rewrite(shown or target)

    def named(self, found: re.Match[str]) -> str:
        """Return what a macro of AsciiDoc's own shows."""
        name, target, shown = found["named"], found["object"], found["inner"].replace("\\]", "]")
        if name == "kbd":
            keys = shown if shown.strip() in (",", "+") else re.sub(r"\s*[,+]\s*(?=\S)", "+", shown)
            return code(keys.strip())
        if name == "btn":
            return f"**{escape(shown.strip())}**"
        if name == "menu":
            return escape(" > ".join(part.strip() for part in (target, shown) if part.strip()))
        if name == "indexterm2":
            return self.rewrite(shown)
        if name in ("stem", "latexmath", "asciimath"):
            return self.formula(name, shown.strip())
        return ""

    def formula(self, name: str, shown: str) -> str:
        """Return a formula: TeX as one, AsciiMath as the code that it is."""
        return f"${shown}$" if self.is_tex(name) else code(shown)

    def is_tex(self, name: str) -> bool:
        language = self.attributes.get("stem", "")
        return name == "latexmath" or (name == "stem" and language.startswith(("latex", "tex")))

    def link(self, target: str, shown: str) -> str:
        return self._linked(self.rewrite(shown), target)

    def _linked(self, shown: str, target: str) -> str:
        address = re.sub(r"[\s()<>]", "", target)
        return f"[{shown}]({address})"

    def based(self, found: re.Match[str]) -> str:
        """Return a link to an address that begins with what a name stands for."""
        named, shown = self.known(found["based"]), found["based_text"]
        if _ADDRESS.fullmatch(named):
            return self.rewrite(f"{named}[{shown}]")
        is_text = found["based"].endswith("}") and named != found["based"]
        if is_text or not shown:
            return f"{escape(named)}{escape('[')}{self.rewrite(shown)}{escape(']')}"
        return self.link(named, _words(shown))

    def url(self, found: re.Match[str]) -> str:
        shown, address = _words(found["linked"] or ""), self.known(found["url"])
        return self.link(address, shown) if shown else f"<{address}>"

    def reference(self, found: re.Match[str]) -> str:
        return self.referred(found["ref"], found["named_as"] or "")

    def referred(self, target: str, shown: str) -> str:
        """Return a reference to a place as the title that it has there, or as the words of its id."""
        target = " ".join(target.split())
        path, _, place = target.partition("#") if "#" in target else ("", "", target)
        if not place or place.endswith(".adoc"):
            path, place = place or path, ""
        is_own = not path and place in self.titles
        path = path if path or is_own else file_of(place, self.others)
        address = f"{path}#{self._places.get(place, place)}"
        return self._linked(self.rewrite(shown or self.title_of(place, path)), address)

    def title_of(self, place: str, path: str = "") -> str:
        """Return the title of a place, or of a file; the words of its id where it has none."""
        own = self.titles.get(place, "") if place else document_title(path, self.others)
        words = (place or path.rsplit("/", maxsplit=1)[-1].removesuffix(".adoc")).strip("_")
        return own or self.others.get(f"ref:{place}") or words.replace("_", " ")

    def note(self, found: re.Match[str]) -> str:
        name, text = found["noted"], found["note"]
        if found["again"]:
            name, _, text = (part.strip() for part in text.partition(","))
        if name in self.numbers and not text:
            return f"[^{self.numbers[name]}]"
        self.footnotes.append(self.rewrite(text))
        if name:
            self.numbers[name] = len(self.footnotes)
        return f"[^{len(self.footnotes)}]"

    def image(self, found: re.Match[str]) -> str:
        """Return a picture, whose file lies below the folder that the document names for them."""
        folder = self.attributes.get("imagesdir", "")
        address = self.known(found["image"])
        if folder and not re.match(r"[a-z][a-z0-9+.-]*:|/", address):
            address = f"{folder.rstrip('/')}/{address}"
        alternative = escape(found["alt"].partition(",")[0].strip('" '))
        return f"![{alternative}](<{re.sub(r'[<>]', '', address)}>)"

    def attribute(self, found: re.Match[str]) -> str:
        return escape(self._value(found["attribute"], found[0], self.room))

    def told(self, found: re.Match[str]) -> str:
        """Set what a line sets, or count on; return the number that a counter shows."""
        name, value = found["what"], (found["as"] or "")[1:]
        if found["told"] != "set":
            counted = self.attributes.get(name, "")
            value = str(int(counted) + 1) if counted.isdecimal() else value or "1"
        self.attributes[name] = value
        return value if found["told"] == "counter" else ""

    def styled(self, found: re.Match[str]) -> str:
        """Return text with a role, of which only some change what the book says."""
        shown = self.rewrite(found["styled"])
        is_struck = not STRUCK_NAMES.isdisjoint(re.split(r"[.#]", found["role"]))
        return f"<del>{shown}</del>" if is_struck else shown

    def passed(self, found: re.Match[str]) -> str:
        """Return what is passed through: HTML as it is, or what is still to be rewritten."""
        text = found["pass"] if found["pass"] is not None else found["pass3"]
        if found["substituted"]:
            return self.rewrite(text)
        parts = _TAG.split(text.replace("\\]", "]"))
        shown = (
            " ".join(part.split()) if at % 2 else escape(unescape(part))
            for at, part in enumerate(parts)
        )
        return "".join(shown)

    def quoted(self, found: re.Match[str]) -> str:
        inner = found["quoted"]
        # In older books quotes are emphasis; one with spaces is likelier speech.
        return f"*{self.rewrite(inner)}*" if " " not in inner else f"'{self.rewrite(inner)}'"


_Reader = Callable[[Inline, re.Match[str]], str]
_READERS: dict[str, _Reader] = {
    "escaped": lambda _, found: escape(found["escaped"]),
    "character": lambda _, found: escape(unescape(found["character"])),
    "hidden": lambda _, _found: "",
    "told": Inline.told,
    "indexed": lambda self, found: self.rewrite(found["indexed"]),
    "pass3": Inline.passed,
    "pass2": lambda _, found: escape(found["pass2"]),
    "dollars": lambda _, found: escape(found["dollars"]),
    "pass1": lambda _, found: escape(found["pass1"]),
    "pass": Inline.passed,
    "styled": Inline.styled,
    "curly": lambda self, found: f"“{self.rewrite(found['curly'])}”",
    "single": lambda self, found: f"‘{self.rewrite(found['single'])}’",
    "mono2": lambda _, found: code(found["mono2"]),
    "mono": lambda self, found: code(_plain(self, found["mono"])),
    "note": Inline.note,
    "image": Inline.image,
    "named": Inline.named,
    "xref": lambda self, found: self.referred(self.known(found["xref"]), _words(found["xref_as"])),
    "macro": Inline.macro,
    "bare": lambda self, found: f"<{self.known(found['bare'])}>",
    "url": Inline.url,
    "ref": Inline.reference,
    "work": lambda _, found: escape(f"[{found['listed'] or found['work']}]"),
    "anchor": lambda _, _found: "",
    "based": Inline.based,
    "attribute": Inline.attribute,
    "bold2": lambda self, found: f"**{self.rewrite(found['bold2'])}**",
    "bold": lambda self, found: f"**{self.rewrite(found['bold'])}**",
    "slant2": lambda self, found: f"*{self.rewrite(found['slant2'])}*",
    "slant": lambda self, found: f"*{self.rewrite(found['slant'])}*",
    "quoted": Inline.quoted,
    "raised": lambda _, found: f"<sup>{escape(found['raised'])}</sup>",
    "lowered": lambda _, found: f"<sub>{escape(found['lowered'])}</sub>",
    "marked": lambda self, found: self.rewrite(found["marked"]),
}
_ORDER = tuple(_READERS)
_PASSED = re.compile(r"\A\+(.*)\+\Z|\\(?=[*_`^~{<\[])")


def _plain(inline: Inline, text: str) -> str:
    """Return what a run of code shows: its attributes, without what keeps signs as they are."""
    return inline.known(unescape(_PASSED.sub(lambda found: found[1] or "", text)))


def _words(shown: str) -> str:
    """Return the text of a link without what else its brackets say."""
    return _NAMED_VALUE.sub("", shown).rstrip("^ ") if "=" in shown else shown.rstrip("^ ")
