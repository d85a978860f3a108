"""Text that no reader of a source sees: hidden by its style, or of characters without a shape."""

import re
from dataclasses import replace

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible

HIDDEN = DroppedContent("hidden text", "", "no reader of the source sees it")
TOO_MUCH_STYLE = DroppedContent(
    "style sheet", "", "it is too long to be followed: it may hide more of the page", dropped=False
)
_BY_SHEET = "a style sheet hides it from all readers"
_SHAPELESS = DroppedContent("hidden characters", "", "they have no shape, so no reader sees them")

_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MONGOLIAN_SELECTORS = "\u180b-\u180f"
_JAMO_FILLERS = "\u115f\u1160"
_TAGS = "\U000e0000-\U000e007f"
# Soft hyphens, zero-width spaces, joiners of words, marks and overrides of direction, marks of
# annotations, shorthand and scores, what controls a terminal, and what may have a shape in its place.
_MAY_BE_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u17b4\u17b5\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"{_JOINERS}{_SELECTORS}{_MONGOLIAN_SELECTORS}{_JAMO_FILLERS}{_TAGS}]"
)
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_CONNECTED = (
    "\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
"""Letters of scripts whose neighbours change their shape: Arabic, Hindi, Khmer and others."""
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JAMO = "\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff"
_TAG = re.compile(f"[{_TAGS}]")
_NOTHING = re.compile(r"(?!)")
_SEEN_BESIDE = (
    (re.compile(f"[{_JOINERS}]"), re.compile(f"[{_CONNECTED}{_EMOJI}\ufe0f]"), _NOTHING),
    (
        re.compile(f"[{_SELECTORS}]"),
        re.compile(f"[{_EMOJI}{_CONNECTED}{_IDEOGRAPHS}]"),
        re.compile("\u20e3"),
    ),
    (re.compile(f"[{_MONGOLIAN_SELECTORS}]"), re.compile("[\u1807-\u180a\u1820-\u18aa]"), _NOTHING),
    (re.compile(f"[{_JAMO_FILLERS}]"), re.compile(f"[{_JAMO}]"), re.compile(f"[{_JAMO}]")),
)
"""What is seen behind certain signs, one behind each, and what is seen before certain ones."""
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f")
_LONGEST_FLAG = 7
_FLAGS = frozenset(("gbeng", "gbsct", "gbwls"))
"""England, Scotland and Wales: all that tags spell, which else nobody sees."""
_BLANKS = {0x3164: " ", 0xFFA0: " "}
"""Fillers of Hangul: each a blank as wide as a letter."""


def hidden(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that was left out because it is hidden."""
    return replace(HIDDEN, place=place, characters=visible(text))


def hidden_by_sheet(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that a style sheet hides, whatever a reader does."""
    return replace(hidden(text, place), reason=_BY_SHEET)


def shapeless(count: int) -> DroppedContent:
    """Return what the report says of `count` characters that were left out of a document."""
    return replace(_SHAPELESS, characters=count)


def list_shapeless(text: str) -> list[int]:
    """Return where in `text` the characters stand that nobody sees, in order."""
    places = (found.start() for found in _MAY_BE_UNSEEN.finditer(text))
    return [at for at in places if not _has_shape(text, at)]


def _has_shape(text: str, at: int) -> bool:
    """Whether a sign changes what is seen where it stands, as joiners do in Hindi and emoji."""
    sign, before, after = text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if _TAG.match(sign):
        near = _FLAG.finditer(text, max(0, at - _LONGEST_FLAG), at + _LONGEST_FLAG)
        return any(flag.start() < at < flag.end() and _spelt(flag[0]) in _FLAGS for flag in near)
    return any(
        kind.match(sign) and (behind.match(before) or ahead.match(after))
        for kind, behind, ahead in _SEEN_BESIDE
    )


def _spelt(flag: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in flag[1:-1])


def drop_shapeless(text: str) -> str:
    """Return `text` without the characters that nobody sees; fillers are blanks."""
    unseen = list_shapeless(text)
    starts, ends = [0, *(at + 1 for at in unseen)], [*unseen, len(text)]
    shown = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return shown if shown.isascii() else shown.translate(_BLANKS)
