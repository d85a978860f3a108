"""Read the sentences of a draft, and the claims behind them, from lines of text."""

import re

from libs.text import sentence_ranges
from services.generation.model import Claim, DraftSentence

_MARKER = re.compile(
    r"""\[\s*source\s+(?P<source>\d{1,4})\s*[:,–—-]?\s*["“](?P<quote>.*?)["”]\s*\]
    | [\[(]\s*source\s*:\s*(?P<section>[^\[\]"“]{1,200}?)\s*[-–—,:]\s*["“](?P<excerpt>.*?)["”]\s*[\])]
    | [\[(]\s*(?:section|see|source)\s*:\s*(?P<path>[^\[\]"“()]{1,300}?)\s*[\])]
    | \[\s*sources?\s+(?P<numbers>\d{1,4}(?:\s*(?:,|;|&|and)\s*(?:source\s+)?\d{1,4})*)\s*\]""",
    re.IGNORECASE | re.VERBOSE,
)
_PAGE = re.compile(r"\s*\(?(?:page|p\.)\s*\w*\)?\s*$", re.IGNORECASE)
_CONFIDENCE = re.compile(r"\W*confidence\W{1,5}\d+(?:\.\d+)?\W*", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_EMPHASIS = re.compile(r"\*\*(\S(?:.*?\S)?)\*\*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LOOSE = " \t.,;"


class DraftParser:
    """Reads lines such as `The arm has six joints. [Source 2: "an arm with six joints"]`.

    The other styles are `[Source: Title (Page 4) - "exact quote"]` and `[Section: A > B]`. A marker
    without a quote is a claim without a quote; text without a marker makes none.
    """

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> list[DraftSentence]:
        """Take more text; return the sentences of the lines that it completes."""
        *lines, self._rest = (self._rest + mend(text)).split("\n")
        return [sentence for line in lines for sentence in parse_line(line)]

    def finish(self) -> list[DraftSentence]:
        """Return the sentences of the last line."""
        line, self._rest = self._rest, ""
        return parse_line(line)


def mend(text: str) -> str:
    """Replace halves of characters, which can't be handled further; what stands in is refused later."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def parse_line(line: str) -> list[DraftSentence]:
    line = _BULLET.sub("", line.strip())
    if _CONFIDENCE.fullmatch(line):
        return []  # of the answer, not part of it
    sentences: list[DraftSentence] = []
    claims: list[Claim] = []
    text, position = "", 0
    for marker in _MARKER.finditer(line):
        between = line[position : marker.start()]
        if between.strip(_LOOSE):
            sentences += _close(text, claims, between)
            text, claims = between, []
        claims += _claims(marker)
        position = marker.end()
    tail = line[position:]
    sentences += _close(text, claims, tail)
    if tail.strip(_LOOSE):
        sentences += _close(tail, [], "")
    return sentences


def _claims(marker: "re.Match[str]") -> list[Claim]:
    if marker["source"]:
        return [Claim(int(marker["source"]), marker["quote"])]
    if marker["section"]:
        section = _PAGE.sub("", marker["section"])
        return [Claim(0, marker["excerpt"], section=section)]
    if marker["path"]:
        return [Claim(0, section=_PAGE.sub("", marker["path"]))]
    return [Claim(int(number)) for number in re.findall(r"\d+", marker["numbers"])]


def _close(text: str, claims: list[Claim], following: str) -> list[DraftSentence]:
    """Split `text` into sentences; the claims belong to the last, next to which they stand."""
    text = _EMPHASIS.sub(r"\1", text.lstrip(_LOOSE).rstrip())
    if not text:
        return [DraftSentence("", tuple(claims))] if claims else []
    if following[:1] in (".", "!", "?") and text[-1] not in ".!?":
        text += following[0]
    *before, (start, end) = sentence_ranges(text) or [(0, len(text))]
    drafts = [DraftSentence(text[first:last], ()) for first, last in before]
    return [*drafts, DraftSentence(text[start:end], tuple(claims))]
