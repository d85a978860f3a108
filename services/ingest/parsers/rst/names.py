"""Find the titles that other files may refer to, and the files that a file lists."""

import re
from collections.abc import Iterator, Sequence

from services.ingest.parsers.sphinx_labels import title_of_caption

_RULE_SIGNS = r"[=\-~^\"'*+#.:_`]"
_TITLE = (
    rf"(?:{_RULE_SIGNS}{{3,}}[ ]*\n)?[ ]*(?P<title>\S[^\n]*)\n"
    rf"(?P<rule>{_RULE_SIGNS})(?P=rule){{2,}}[ ]*\n"
)
_FIRST = re.compile(rf"(?:^|\n){_TITLE}")
_LABELLED = re.compile(rf"^(?P<labels>(?:\.\. _[^\n]+:[ ]*\n\s*)+)\n?{_TITLE}", re.MULTILINE)
_LABEL = re.compile(r"\.\. _`?([^\n`]+?)`?:[ ]*(?:\n|$)")
_LABEL_LINE = re.compile(r"^[ \t]*\.\. _`?([^\n`]{1,200}?)`?:[ ]*$", re.MULTILINE)
_CAPTIONED = re.compile(
    r"^(?P<above>\.\. _[^\n]{1,200}:[ ]*\n[ ]*\n)?"
    r"(?P<indent>[ \t]*)\.\. (?P<name>figure|table|list-table|csv-table|code-block|sourcecode)::"
    r"[ \t]*(?P<title>[^\n]*)\n(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n){1,60})",
    re.MULTILINE,
)
_NAME_OPTION = re.compile(r"^[ \t]+:name:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_OPTIONS = re.compile(r"(?:[ \t]+:[\w-]+:[^\n]*\n)*")
_TOCTREE = re.compile(
    r"^([ \t]*)\.\. toctree::[^\n]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\n)*)", re.MULTILINE
)
_CAPTION = re.compile(r"^[ \t]+:caption:(.*)$", re.MULTILINE)
_ENTRY = re.compile(r"(?:[^<\n]*<([^>\n]+)>|([^\s:<][^<\n]*))")
_OPTION = re.compile(r"[ \t]+:([\w-]{1,60}):(.*)")
_CODE_FOLLOWS = re.compile(
    r"\.\. (?:code-block|sourcecode|code|literalinclude|prompt|highlight)::|(?!\.\. ).*::\s*$"
)
_MARKUP = re.compile(r":[\w:+.-]+:`([^`]*)`|``?([^`]*)``?|\*\*?([^*]+)\*\*?")
_MAX_TEXT = 4_000_000


def read_names(name: str, text: str, path: str = "") -> dict[str, str]:
    """Return what a reference shows: "doc:" and `name`, or "ref:" and a label, with the title.

    Of formulas that is a number, by "eq:" and the label.

    With the `path` of the file also where it leads: "at:" and each label of the file, with the path.
    """
    text = text[:_MAX_TEXT]
    names = {}
    first = _FIRST.search(text)
    if first:
        names[f"doc:{name}"] = _plain(first["title"])
    for match in _LABELLED.finditer(text):
        for label in _LABEL.findall(match["labels"]):
            names[f"ref:{' '.join(label.lower().split())}"] = _plain(match["title"])
    for match in _CAPTIONED.finditer(text + "\n"):
        caption = _caption_of(match)
        labels = [*_LABEL.findall(match["above"] or ""), *_NAME_OPTION.findall(match["body"])]
        for label in labels if caption else ():
            names.setdefault(f"ref:{' '.join(label.lower().split())}", caption)
    equations = read_equations(text)
    labels = [*_LABEL_LINE.findall(text), *equations]
    for label in labels if path else ():
        names[f"at:{' '.join(label.lower().split())}"] = path
    return names | {f"eq:{label}": number for label, number in equations.items()}


def read_equations(text: str) -> dict[str, str]:
    """Return what Sphinx shows where formulas are referred to, "(1)", by their labels in small letters.

    What looks like a formula in a block of code is none.
    """
    found: dict[str, str] = {}
    outside = -1  # the indentation of what the code at hand belongs to
    lines = text.split("\n") if ".. math::" in text else []
    for at, line in enumerate(lines):
        body = line.lstrip()
        indent = len(line) - len(body)
        if not body or (0 <= outside < indent):
            continue
        outside = -1
        if body.startswith(".. math::"):
            options = dict(_read_options(lines, at + 1))
            label = " ".join((options.get("label") or options.get("name", "")).lower().split())
            if label:
                found.setdefault(label, f"({len(found) + 1})")
        elif _CODE_FOLLOWS.match(body):
            outside = indent
    return found


def _read_options(lines: Sequence[str], start: int) -> Iterator[tuple[str, str]]:
    """Yield the options that stand right below a directive."""
    for line in lines[start:]:
        option = _OPTION.fullmatch(line)
        if option is None:
            return
        yield option[1], option[2].strip()


def _caption_of(directive: re.Match[str]) -> str:
    """Return the caption of a figure, of a table or of code, as a name within a sentence."""
    said = directive["title"]
    if directive["name"] == "figure":
        body = _OPTIONS.sub("", directive["body"], count=1).lstrip("\n")
        said = re.split(r"\n[ \t]*\n", body, maxsplit=1)[0]
    elif directive["name"] in ("code-block", "sourcecode"):
        caption = _CAPTION.search(directive["body"])
        said = caption[1] if caption else ""
    return title_of_caption(_plain(" ".join(said.split())))


def _plain(title: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or found[2] or found[3] or "", title).strip()


def read_toctrees(text: str) -> list[tuple[str, list[str]]]:
    """Return the toctrees of a file: the caption, and the documents named, without their ending."""
    return [_read_toctree(match[2]) for match in _TOCTREE.finditer(text + "\n")]


def _read_toctree(body: str) -> tuple[str, list[str]]:
    entries = []
    for line in body.split("\n"):
        entry = _ENTRY.fullmatch(line.strip())
        if entry:
            entries.append((entry[1] or entry[2]).strip().removesuffix(".rst"))
    caption = _CAPTION.search(body)
    return caption[1].strip() if caption else "", entries
