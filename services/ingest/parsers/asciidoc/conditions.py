"""Tell whether the condition of lines of AsciiDoc is met by the attributes that are set."""

import operator
import re
from collections.abc import Sequence

from services.ingest.parsers.asciidoc.inline import Inline

_COMPARED = re.compile(r"\s*(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+?)\s*")
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def is_met(name: str, target: str, expression: str, inline: Inline) -> bool:
    """Return whether the condition of an `ifdef`, `ifndef` or `ifeval` holds."""
    if name == "ifeval":
        return _is_true(inline.known(expression))
    names = re.split(r"[,+]", target)
    choose = all if "+" in target else any
    return choose(one in inline.attributes for one in names) is (name == "ifdef")


def count_lines(source: Sequence[str], first: int) -> int:
    """Return how many lines the condition that begins at one takes, its end among them."""
    depth = 0
    for at in range(first, len(source)):
        line = source[at]
        depth += line.startswith("ifeval::")
        depth += line.startswith(("ifdef::", "ifndef::")) and line.rstrip().endswith("[]")
        is_end = line.startswith("endif::")
        depth -= is_end
        if is_end and depth <= 0:
            return at + 1 - first
    return len(source) - first


def _is_true(expression: str) -> bool:
    found = _COMPARED.fullmatch(expression)
    if found is None:
        return False
    left, right = found[1].strip("\"'"), found[3].strip("\"'")
    try:
        return bool(_COMPARE[found[2]](float(left), float(right)))
    except ValueError:
        return bool(_COMPARE[found[2]](left, right))
