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
_TAGS = "\U000e0000-\U000e007f"
_FILLERS = "\u3164\uffa0"
"""Fillers of Hangul that are as wide as a letter: a blank."""
# All that Unicode calls Default_Ignorable_Code_Point (16.0), the unassigned as well: soft hyphens,
# zero-width spaces, joiners, marks and overrides of direction, selectors, fillers, tags.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    f"\u2060-\u206f{_FILLERS}\ufe00-\ufe0f\ufeff\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Beside them what controls a terminal, and the marks of annotations.
_MAY_BE_UNSEEN = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufff9-\ufffb{_IGNORABLE}]")
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_CONNECTED = (
    "\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
"""Letters of scripts whose neighbours change their shape: Arabic, Hindi, Khmer and others."""
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_INITIALS, _VOWELS = "\u1100-\u115e\ua960-\ua97c", "\u1161-\u11a7\ud7b0-\ud7c6"
_FINALS = "\u11a8-\u11ff\ud7cb-\ud7fb"
"""Letters of old Hangul, of which a syllable is made: a filler stands for one that is missing."""
_TAG = re.compile(f"[{_TAGS}]")
_SEEN = re.compile(
    f"(?<=[{_CONNECTED}{_EMOJI}])[{_JOINERS}]|(?<=[{_CONNECTED}{_EMOJI}]\ufe0f)[{_JOINERS}]"
    f"|(?<=[{_EMOJI}{_CONNECTED}{_IDEOGRAPHS}])[{_SELECTORS}]|[{_SELECTORS}](?=\u20e3)"
    f"|(?<=[\u1807-\u180a\u1820-\u18aa])[{_MONGOLIAN_SELECTORS}]"
    f"|\u115f(?=[{_VOWELS}]|\u1160[{_FINALS}])|(?<=[{_INITIALS}])\u1160|\u1160(?=[{_FINALS}])"
    f"|(?<=\\S)(?<![{_FILLERS}])[{_FILLERS}](?=[{_FILLERS}]*[^\\s{_FILLERS}])"
)
"""What changes what is seen where it stands: one sign behind another, or before it, or a blank."""
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f")
_LONGEST_FLAG = 7
_FLAGS = frozenset(("gbeng", "gbsct", "gbwls"))
"""England, Scotland and Wales: all that tags spell, which else nobody sees."""
_BLANKS = dict.fromkeys(map(ord, _FILLERS), " ")


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
    if _TAG.match(text, at):
        near = _FLAG.finditer(text, max(0, at - _LONGEST_FLAG), at + _LONGEST_FLAG)
        return any(flag.start() < at < flag.end() and _spelt(flag[0]) in _FLAGS for flag in near)
    return _SEEN.match(text, at) is not None


def _spelt(flag: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in flag[1:-1])


def drop_shapeless(text: str) -> str:
    """Return `text` without the characters that nobody sees; fillers between words are a blank."""
    unseen = list_shapeless(text)
    starts, ends = [0, *(at + 1 for at in unseen)], [*unseen, len(text)]
    shown = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return shown if shown.isascii() else shown.translate(_BLANKS)
