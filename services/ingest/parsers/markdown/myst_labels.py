"""Find the labels of figures, tables and code in Markdown for Sphinx, with their captions."""

import re
from collections.abc import Iterator, Sequence

from services.ingest.parsers.markdown.myst_names import CODE, PICTURES

# Each run of spaces is taken by one part and given back by none.
_OPENING = re.compile(r"[ \t>]*+(`{3,}|~{3,}|:{3,})\{([A-Za-z][\w:+.-]{0,60})\}(.*)")
_OPTION = re.compile(r"[ \t>]*+:?(name|label|caption)[ \t]*+:[ \t]*+(.*)")
_ANY_OPTION = re.compile(r"[ \t>]*+:[\w-]{1,60}:.*|[ \t>]*+---[ \t]*")
_TARGET = re.compile(r"[ \t]*+\(([^()\s]{1,200})\)=[ \t]*")
_MOST_LINES = 60
"""Of a directive, in which its caption stands."""
_FENCE = re.compile(r"[ \t>]*+(`{3,}|~{3,})(?!\{)")
_EQUATION = re.compile(r"[^`]{0,1000}\$\$[ \t]*\(([^()\s]{1,200})\)[ \t]*")
_UNLABELLED = re.compile(
    r"[ \t>]*+\\begin\{(?:equation|multline|gather|align|alignat|flalign|eqnarray)\}"
)
"""Begins formulas that Sphinx may count too, as the settings of the book say."""
_UNCAPTIONED = frozenset(("math", "eval-rst", "toctree", "include"))


def read_captions(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the labels of directives, in small letters, and the captions that readers see of them."""
    for at, line in enumerate(lines):
        opening = _OPENING.fullmatch(line) if "{" in line else None
        if opening is None or opening[2].lower() in _UNCAPTIONED:
            continue
        inside = _inside(lines, at + 1, opening[1])
        options, body = _options(inside)
        labels = [options[name] for name in ("name", "label") if options.get(name)]
        above = _TARGET.fullmatch(lines[at - 1]) if at else None
        labels += [above[1]] if above else []
        caption = _caption(opening[2].lower(), opening[3].strip(), options, body)
        if opening[2].lower() == "figure-md" and opening[3].strip():
            labels.append(opening[3].split()[0])
        for label in labels if caption else ():
            yield label.lower(), caption


def read_equations(lines: Sequence[str]) -> dict[str, str]:
    """Return what Sphinx shows where formulas are referred to, "(1)", by their labels in small letters.

    Nothing where a file has formulas that may be counted without a label.
    """
    found: dict[str, str] = {}
    fence = ""
    for at, line in enumerate(lines):
        opening = _OPENING.fullmatch(line) if "{" in line else None
        label = ""
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opening and opening[2].lower() == "math":
            options, _ = _options(_inside(lines, at + 1, opening[1]))
            label, fence = options.get("label") or options.get("name", ""), opening[1]
        elif opening and opening[2].lower() in CODE:
            fence = opening[1]
        elif code := _FENCE.match(line):
            fence = code[1]
        elif _UNLABELLED.match(line):
            return {}
        elif "$$" in line and (labelled := _EQUATION.fullmatch(line)):
            label = labelled[1]
        if label:
            found.setdefault(label.lower(), f"({len(found) + 1})")
    return found


def _closes(line: str, fence: str) -> bool:
    mark = line.strip(" \t>")
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _inside(lines: Sequence[str], start: int, fence: str) -> list[str]:
    inside: list[str] = []
    for line in lines[start : start + _MOST_LINES]:
        if _closes(line, fence):
            break
        inside.append(line)
    return inside


def _options(inside: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options right below a directive, and the lines behind them."""
    found: dict[str, str] = {}
    is_block = bool(inside) and inside[0].strip(" \t>") == "---"
    for at, line in enumerate(inside):
        if at and is_block and line.strip(" \t>") == "---":
            return found, list(inside[at + 1 :])
        option = _OPTION.fullmatch(line)
        if option and (is_block or line.lstrip(" \t>").startswith(":")):
            found[option[1]] = option[2].strip().strip("\"'")
        elif not (is_block or _ANY_OPTION.fullmatch(line)):
            return found, list(inside[at:])
    return found, []


def _caption(name: str, argument: str, options: dict[str, str], body: Sequence[str]) -> str:
    if name in CODE:
        return options.get("caption", "")
    if name not in PICTURES and name != "figure-md":
        return argument
    paragraphs = [part for part in "\n".join(body).split("\n\n") if part.strip()]
    first = paragraphs[1:2] if name == "figure-md" else paragraphs[:1]
    return " ".join(" ".join(first).split())
