"""Name the letters of fonts that a file has by their numbers alone, as TrueType fonts count them.

Such a file leaves out which letters its numbers are, and PDFium gives the numbers: "$OJHPHHQ" is
"Algemeen". Most fonts have the signs of Mac OS Roman first, in its order, behind three of their own.
"""

from collections.abc import Collection, Mapping, Sequence

_FIRST, _LAST, _BEHIND_ASCII = 3, 225, 98
"""The numbers of a space, of the last of these signs, and of the first that is not in ASCII."""
_LEAST = 8
"""Signs that are looked at, to tell what they are."""
_LOWER, _KNOWN, _MOST_LOWER = 0.4, 0.95, 0.25
"""Of the signs without a letter: those that are small letters by their numbers at least, those that are
signs of text, and those that would be small letters as they are at most."""
_OF_TEXT = frozenset(" .,;:!?'\"()/%&+-=*@")


def named_by_number(codes: Sequence[int], unmapped: Collection[int]) -> Mapping[int, str]:
    """Return the letters of characters of a page by their places, if their numbers are those of a font.

    `codes` are the characters of the page as PDFium gives them, `unmapped` the places of those for
    which the file has no letter.
    """
    named = {at: _letter(codes[at]) for at in unmapped}
    if len(named) < _LEAST:
        return {}
    least = len(named)
    lower = sum("a" <= letter <= "z" for letter in named.values())
    known = sum(letter.isalnum() or letter in _OF_TEXT for letter in named.values() if letter)
    as_they_are = sum(ord("a") <= codes[at] <= ord("z") for at in unmapped)
    if lower < _LOWER * least or known < _KNOWN * least or as_they_are > _MOST_LOWER * least:
        return {}
    return {at: letter for at, letter in named.items() if letter}


def _letter(number: int) -> str:
    """Return the letter of a sign of a font; "" for one that is not of the usual ones."""
    if not _FIRST <= number <= _LAST:
        return ""
    code = number + 0x20 - _FIRST + (number >= _BEHIND_ASCII)
    return bytes([code]).decode("mac_roman")
