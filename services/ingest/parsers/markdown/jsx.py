"""Read the expressions in braces of JSX: the strings they are, and the styles."""

import re
from collections.abc import Iterator

_MAX_LENGTH = 20_000
_MAX_DEPTH = 100

_STEP = re.compile(r"[{}\"'`]|/\*|//")
_LITERAL = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)\s*")
_NUMBER = re.compile(r"\s*(-?(?:\d+\.?\d*|\.\d+))\s*")
_ABSENT = frozenset(("false", "null", "undefined"))
"""What an attribute is not there with."""
_PLAIN = re.compile(r"[^,(\[{}\"'`/]+|/(?![*/])")
_PAIR = re.compile(r"\s*(?:'([\w-]+)'|\"([\w-]+)\"|([\w$]+))\s*:(.*)", re.DOTALL)
_CAPITAL = re.compile(r"(?=[A-Z])")
_VENDORS = ("webkit-", "moz-", "o-", "ms-")
_UNITLESS = frozenset(
    (
        *("opacity", "z-index", "font-weight", "line-height", "zoom", "scale", "order", "flex"),
        *("flex-grow", "flex-shrink", "orphans", "widows", "tab-size", "column-count"),
    )
)
"""Properties whose numbers are no pixels."""
_RECKONED = "var(--reckoned)"
"""A value that is not known."""


def scan_braces(text: str, start: int) -> int:
    """Return the offset after the "}" that closes the "{" at `start`; -1 when there is none."""
    depth, position, limit = 0, start, min(len(text), start + _MAX_LENGTH)
    while depth < _MAX_DEPTH:
        step = _STEP.search(text, position, limit)
        if step is None:
            return -1
        position = step.end()
        if step[0] == "{":
            depth += 1
        elif step[0] == "}":
            depth -= 1
            if depth == 0:
                return position
        else:
            position = _skip(text, step, limit)
            if position < 0:
                return -1
    return -1


def _skip(text: str, step: "re.Match[str]", limit: int) -> int:
    """Return the offset after the string or comment that `step` opens; -1 when it is left open."""
    closer = {"/*": "*/", "//": "\n"}.get(step[0], step[0])
    position = step.end()
    while (end := text.find(closer, position, limit)) >= 0:
        escaped = closer in "\"'`" and text[end - 1] == "\\"
        if not escaped:
            return end + len(closer)
        position = end + 1
    return -1


def literal(expression: str) -> str:
    """Return the string that an expression is; "" for every other expression."""
    match = _LITERAL.fullmatch(expression)
    return next((part for part in match.groups() if part is not None), "") if match else ""


def is_absent(expression: str) -> bool:
    """Whether an attribute that has this for its value is none."""
    return expression.strip() in _ABSENT


def is_comment(expression: str) -> bool:
    return expression.strip().startswith("/*") and expression.strip().endswith("*/")


def style_of(expression: str) -> str:
    """Return as CSS the style that an expression is: an object of properties, in braces.

    What a program reckons is not known, nor of more than an object what letters stand on.
    """
    text = expression.strip()
    if not (text.startswith("{") and scan_braces(text, 0) == len(text)):
        return literal(text) or f"background:{_RECKONED}"
    return ";".join(filter(None, map(_declaration, _parts(text[1:-1]))))


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas of an object, without comments."""
    part, position = "", 0
    while position < len(text):
        plain = _PLAIN.match(text, position)
        step = _STEP.match(text, position)
        if text[position] == ",":
            yield part
            part, end = "", position + 1
        elif plain:
            part, end = part + plain[0], plain.end()
        elif step and step[0] in ("/*", "//"):
            end = _skip(text, step, len(text))
        elif step and step[0] == "{":
            end = scan_braces(text, position)
            part += text[position:end]
        elif step:
            end = _skip(text, step, len(text))
            part += text[position:end]
        else:
            end = _end_of_call(text, position)
            part += text[position:end]
        position = end if end > position else len(text)
    yield part


def _end_of_call(text: str, start: int) -> int:
    """Return where a bracket at `start` ends; none is within another that counts here."""
    closer = ")" if text[start] == "(" else "]"
    return text.find(closer, start) + 1


def _declaration(part: str) -> str:
    """Return a property of an object as CSS; more than one, which are not known, as a ground."""
    pair = _PAIR.fullmatch(part)
    if pair is None:
        return f"background:{_RECKONED}" if part.strip() else ""
    key = next(one for one in pair.groups() if one)
    name = key if "-" in key else _CAPITAL.sub("-", key).lower()
    name = f"-{name}" if name.startswith(_VENDORS) else name
    number = _NUMBER.fullmatch(pair[4])
    if number:
        is_bare = name in _UNITLESS or not float(number[1])
        return f"{name}:{number[1]}{'' if is_bare else 'px'}"
    return f"{name}:{literal(pair[4]) or _RECKONED}"
