"""Leave out the tags that makers of sites fill in, and mend the links that only these understand.

Jekyll writes `{{ site.url }}/Graphics/scale.png` where an address stands: Liquid is filled in before
anyone reads Markdown, so that to a parser of Markdown neither the link nor its definition is one.
"""

import re
from collections.abc import Callable, Sequence, Set

_CODE = r"(?P<code>(?<!`)(?P<ticks>`{1,5})(?!`).{1,500}?(?<!`)(?P=ticks)(?!`))"
_RAW = r"\{%-?\s*raw\s*-?%\}(?P<raw>.{0,500}?)\{%-?\s*endraw\s*-?%\}"
_WRITTEN = r"\{\{-?\s*(?P<quote>['\"])(?P<written>[^{}'\"]*)(?P=quote)\s*\|[^{}]*\}\}"
_FILLED_IN = r"\{\{-?\s*[A-Za-z_][\w-]*(?:[.\[]|\s*\|\s*[a-z_]+)[^{}]*\}\}"
_TAG = r"\{%-?\s*[a-z][^{}]*%\}|\{\{[<%][^{}]*[>%]\}\}"
_LIQUID = re.compile(rf"{_CODE}|(?<![\w^_}}\\$])(?:{_RAW}|{_WRITTEN}|{_FILLED_IN}|{_TAG})")
"""A tag within a line: one with a field or a filter, for a mere word in braces is a name of MyST.
What stands in code is text, and so is what stands behind a sign of TeX or of a shell."""
_DEFINITION = re.compile(r"(\s{0,3}\[(?!\^)([^\[\]]{1,200})\]:)[ \t]*(.*)")
_PATH = re.compile(r"(?:\w{2,10}:/|\.{0,2})/.*[^\s<>]")
_ADDRESS = re.compile(r"<[^<>]*>.*|\S+(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?")
_PICTURE = re.compile(
    rf"{_CODE}|!\[(?P<said>[^\[\]]{{1,500}})\][ ]?\[(?P<label>[^\[\]^]{{1,200}})\]"
)
_INDENTED = re.compile(r" {4}|\t")


def without_tags(line: str, lose: Callable[[str], None]) -> str:
    """Return a line without tags, each of which is told; a definition of a link stays one."""
    if "{{" not in line and "{%" not in line:
        return line
    lost: list[str] = []

    def replace(found: "re.Match[str]") -> str:
        if found["code"]:
            return found[0]
        kept = found["raw"] or found["written"] or ""
        lost.append(found[0].replace(kept, "", 1) if kept else found[0])
        return kept

    shown = _LIQUID.sub(replace, line)
    for tag in lost:
        lose(tag)
    definition = _DEFINITION.fullmatch(shown.rstrip()) if lost else None
    return _defined(definition) if definition else shown


def mend_references(lines: Sequence[str], is_code: Sequence[bool]) -> list[str]:
    """Return the lines, with definitions whose addresses have spaces, and pictures without any.

    These are pictures that refer to what nothing defines: what they show is told by their words.
    """
    text = [line for line, code in zip(lines, is_code, strict=True) if not code]
    used = {_label(one) for line in text for one in re.findall(r"\[([^\[\]]{1,200})\](?!:)", line)}
    mended = [
        line if code else _mend_definition(line, used)
        for line, code in zip(lines, is_code, strict=True)
    ]
    known = {_label(found[2]) for line in mended if (found := _DEFINITION.fullmatch(line.rstrip()))}
    return [
        line if code or "![" not in line or _INDENTED.match(line) else _mend_pictures(line, known)
        for line, code in zip(mended, is_code, strict=True)
    ]


def _mend_definition(line: str, used: Set[str]) -> str:
    found = _DEFINITION.fullmatch(line.rstrip())
    if found is None or _ADDRESS.fullmatch(found[3]) or not _PATH.fullmatch(found[3]):
        return line
    return _defined(found) if _label(found[2]) in used else line


def _defined(found: "re.Match[str]") -> str:
    address = found[3]
    return f"{found[1]} {address if _ADDRESS.fullmatch(address) else f'<{address}>'}"


def _mend_pictures(line: str, known: Set[str]) -> str:
    def replace(found: "re.Match[str]") -> str:
        if found["code"] or _label(found["label"]) in known:
            return found[0]
        return f"![{found['said']}](<>)"

    return _PICTURE.sub(replace, line)


def _label(text: str) -> str:
    return " ".join(text.casefold().split())
