"""Put text that marks of direction turn round into the order in which a reader sees its letters."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from lxml import etree

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible

LEFTWARD, RIGHTWARD, END = "\u202e", "\u202d", "\u202c"
"""What forces a direction on all that follows, whatever its letters, and what ends that."""
_RUN = re.compile(f"([{LEFTWARD}{RIGHTWARD}])([^{LEFTWARD}{RIGHTWARD}{END}\n]*)")
_CLUSTER = re.compile(
    r".[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u20d0-\u20f0\ufe0f]*", re.DOTALL
)
_LEFTWARD_LETTERS = frozenset(("R", "AL"))
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_STYLED = re.compile(r"unicode-bidi\s*:\s*(?:isolate|bidi)-override", re.IGNORECASE)
_DIRECTION = re.compile(r"(?<![\w-])direction\s*:\s*(rtl|ltr)", re.IGNORECASE)
_TURNED = DroppedContent(
    "turned text",
    "",
    "marks turn its direction round: it stands as a reader sees it",
    dropped=False,
)


def in_shown_order(text: str) -> str:
    """Return a text, as long, with what is turned round in the order of its letters on the page."""
    return _RUN.sub(_turn, text) if LEFTWARD in text or RIGHTWARD in text else text


def turned(texts: Sequence[str]) -> Sequence[DroppedContent]:
    """Return what the report says of texts that marks turn round; nothing where they do not."""
    runs = [
        found[2]
        for text in texts
        if LEFTWARD in text or RIGHTWARD in text
        for found in _RUN.finditer(text)
        if _turn(found) != found[0]
    ]
    count = sum(map(visible, runs))
    return [replace(_TURNED, characters=count)] if count else []


def mark_overrides(root: etree._Element) -> None:
    """Write into a page the marks that its elements and their styles stand for."""
    for element in [*root.iter("bdo"), *root.iterfind(".//*[@style]")]:
        style = element.get("style") or ""
        said = _DIRECTION.search(style)
        direction = said[1] if said else element.get("dir") or ""
        if element.tag != "bdo" and not _STYLED.search(style):
            continue
        if direction.lower() in ("rtl", "ltr") and not (element.text or "").startswith(
            (LEFTWARD, RIGHTWARD)
        ):
            mark = LEFTWARD if direction.lower() == "rtl" else RIGHTWARD
            element.text = f"{mark}{element.text or ''}"
            last = element[-1] if len(element) else None
            if last is None:
                element.text += END
            else:
                last.tail = f"{last.tail or ''}{END}"


def _turn(found: re.Match[str]) -> str:
    """Return a run as it is read; one of both kinds of letters is left as it is."""
    mark, run = found.groups()
    kinds = {unicodedata.bidirectional(letter) for letter in run}
    has_leftward = not kinds.isdisjoint(_LEFTWARD_LETTERS)
    if has_leftward is (mark == LEFTWARD) or ("L" in kinds and has_leftward):
        return found[0]
    return mark + "".join(reversed(_CLUSTER.findall(run))).translate(_MIRRORED)
