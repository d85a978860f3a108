"""Two lines of a wrapped paragraph in, the text they are without the line break out."""

import re

_OPEN_BRACKET = re.compile(r"[(\[<](?:https?|ftp):[^\s)\]>]*$")
_ADDRESS = re.compile(r"(?:https?|ftp):(?:/?|//\S*)$")
"""What a line ends with that is broken inside an address; in brackets it may end anywhere."""
_CUT = re.compile(r"[/:#?&=%_~-]$")
_GOES_ON = re.compile(r"[\w.%~-]*[/#?&=_.]\w")
_COMPOUND = re.compile(r"[^\W_]-$")
_SUSPENDED = re.compile(r"(?:and|or|und|oder|et|ou|y|o|to|bis)\b")


def is_in_address(above: str, below: str) -> bool:
    """Whether the line break between two lines stands inside a web address."""
    if _OPEN_BRACKET.search(above):
        return True
    if not _ADDRESS.search(above) or not below:
        return False
    if above.endswith((":", "://")) or (above.endswith(":/") and below.startswith("/")):
        return True
    if _CUT.search(above):
        return bool(_GOES_ON.match(below) or above[-1] in "-#?&=%_~")
    return bool(re.match(r"[/#?&]\w", below))


def join_lines(above: str, below: str) -> str:
    """Join two lines by a space, or by nothing where the break is inside an address or a word."""
    compound = _COMPOUND.search(above) and below[:1].islower() and not _SUSPENDED.match(below)
    return above + below if compound or is_in_address(above, below) else f"{above} {below}"


def join_addresses(above: str, below: str) -> str:
    """Leave two lines as they are, unless the break is inside an address."""
    return above + below if is_in_address(above, below) else f"{above}\n{below}"
