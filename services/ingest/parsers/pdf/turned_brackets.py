"""Turn the brackets of lines that are read from the right, of which files name what is drawn.

Unicode names a bracket by what it does, so that "(" opens in Arabic too, where it is drawn as ")". Many
files name the sign as it is drawn, and PDFium turns some of them around, with the space beside them.
"""

from collections.abc import Sequence
from itertools import takewhile

from services.ingest.parsers.pdf.drawn_order import runs_left
from services.ingest.parsers.pdf.line import Sign

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OPENING = {bracket: pair[0] for pair in _PAIRS.items() for bracket in pair}
"""The one that opens, by itself and by what closes it."""


def with_turned_brackets(run: list[Sign]) -> list[Sign]:
    """Return a line with brackets that open and close in turn, if it is read from the right.

    A line whose brackets do so stays as it is.
    """
    if not any(sign[0] in _OPENING for sign in run) or not any(runs_left(one[0]) for one in run):
        return run
    for opening in _PAIRS:
        places = [at for at, sign in enumerate(run) if _OPENING.get(sign[0]) == opening]
        if not _are_in_turn([run[at][0] for at in places]):
            run = _in_turn(run, places, opening)
    return run


def _are_in_turn(brackets: Sequence[str]) -> bool:
    """Whether they open and close in turn, but for one that another line closes or opens.

    One alone does not tell.
    """
    if len(brackets) < 2:
        return not brackets
    inner = brackets[1:] if len(brackets) % 2 and brackets[0] not in _PAIRS else brackets
    depth = 0
    for bracket in inner:
        depth += 1 if bracket in _PAIRS else -1
        if depth < 0:
            return False
    return depth == (len(brackets) % 2 and inner is brackets)


def _in_turn(run: Sequence[Sign], places: Sequence[int], opening: str) -> list[Sign]:
    """Return a line whose brackets at `places` open and close in turn, the spaces outside of them."""
    opens = not (len(places) % 2 and _ends_a_word(run, places[0]))
    turned = [*run]
    for at in places:
        turned[at] = (opening if opens else _PAIRS[opening], *run[at][1:])
        opens = not opens
    return _with_spaces_outside(_around_phrases(turned, opening), opening)


def _with_spaces_outside(run: list[Sign], opening: str) -> list[Sign]:
    """Return a line without a space within a bracket that has none on its other side, but there."""
    read = [*run]
    for at in range(1, len(run) - 1):
        if read[at][0] == opening and _is_space(read, at + 1) and not _is_space(read, at - 1):
            read[at], read[at + 1] = read[at + 1], read[at]
        elif (
            read[at][0] == _PAIRS[opening]
            and _is_space(read, at - 1)
            and not _is_space(read, at + 1)
        ):
            read[at - 1], read[at] = read[at], read[at - 1]
    return read


def _around_phrases(run: list[Sign], opening: str) -> list[Sign]:
    """Return a line with an empty pair around the phrase before, where it is drawn so."""
    read: list[Sign] = []
    at = 0
    while at < len(run):
        end = at + 2 + _is_space(run, at + 1)
        pair = [sign for sign in run[at:end] if not sign[0].isspace()]
        phrase = _phrase_at_end(read) if _are_empty(pair, opening) else []
        if phrase and _are_around(pair, phrase):
            read[len(read) - len(phrase) :] = [pair[0], *phrase, pair[1], *run[at + 1 : end - 1]]
            at = end
        else:
            read.append(run[at])
            at += 1
    return read


def _are_empty(pair: Sequence[Sign], opening: str) -> bool:
    return [sign[0] for sign in pair] == [opening, _PAIRS[opening]]


def _phrase_at_end(read: Sequence[Sign]) -> list[Sign]:
    """Return the words that run to the right at the end of what was read."""
    back = takewhile(lambda sign: not runs_left(sign[0]), reversed(read))
    phrase = [*back][::-1]
    while phrase and phrase[0][0].isspace():
        del phrase[0]
    return phrase


def _are_around(pair: Sequence[Sign], phrase: Sequence[Sign]) -> bool:
    """Whether the one stands right and the other left of a phrase."""
    seen = [sign for sign in phrase if not sign[0].isspace()]
    left, right = min(sign[1] for sign in seen), max(sign[2] for sign in seen)
    middles = sorted((sign[1] + sign[2]) / 2 for sign in pair)
    return middles[0] < left and right < middles[1]


def _ends_a_word(run: Sequence[Sign], at: int) -> bool:
    return not _is_space(run, at - 1) and (_is_space(run, at + 1) or run[at + 1][0] in ".,:;")


def _is_space(run: Sequence[Sign], at: int) -> bool:
    return not 0 <= at < len(run) or run[at][0].isspace()
