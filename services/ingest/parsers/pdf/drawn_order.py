"""Put the words of a line in reading order where a file draws them in another.

Word processors draw what is in another font after the rest of a line. Of lines in Arabic or Hebrew,
PDFium gives the words in between that run to the right last word first.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from services.ingest.parsers.pdf.arabic_letters import with_lam_first
from services.ingest.parsers.pdf.line import HYPHEN, Sign
from services.ingest.parsers.pdf.marking import Marked

_BACK = 0.3
"""Of a letter's height: what ends so far left of the text before it was drawn out of order."""
_SPACE = 0.17
"""Of a letter's height: the least space between words."""
_NEAR = 1.0
"""Of a letter's height: words of one phrase are no farther apart."""
_SAME_LINE = 0.35
"""Of a letter's height: how far apart letters of one line stand at most."""
_TO_THE_LEFT = ("R", "AL")


def runs_left(letter: str) -> bool:
    """Whether a letter is of a script that is read from the right."""
    return letter > "\u0590" and unicodedata.bidirectional(letter) in _TO_THE_LEFT


def in_drawn_order(run: list[Sign]) -> list[Sign]:
    """Return the characters of a line as they are read."""
    run = with_lam_first(run)
    if not any(_goes_back(before, sign) for before, sign in pairwise(_seen(run))):
        return run
    if any(runs_left(sign[0]) for sign in run):
        return list(_with_phrases(run))
    return _sorted(run)


def in_reading_direction(
    rows: Sequence[tuple[float, list[Marked]]], runs: Sequence[Sequence[Sign]]
) -> list[tuple[float, list[Marked]]]:
    """Return the rows of a table, their cells from the right where its words are read from there.

    `runs` are the characters of its page, whose words tell where all cells are numbers.
    """
    words = [text for _, cells in rows for text, _ in cells if any(map(str.isalpha, text))]
    texts = words or ["".join(sign[0] for sign in run) for run in runs]
    to_left = sum(any(map(runs_left, text)) for text in texts)
    if 2 * to_left <= len(texts):
        return [*rows]
    return [(height, cells[::-1]) for height, cells in rows]


def _seen(run: Sequence[Sign]) -> list[Sign]:
    return [*filter(_is_seen, run)]


def _goes_back(before: Sign, sign: Sign) -> bool:
    return sign[1] < before[1] and sign[2] < before[2] - _BACK * (sign[4] - sign[3])


def _sorted(run: list[Sign]) -> list[Sign]:
    """Return the stretches of a line from the left; the line as it is if they are not side by side."""
    stretches: list[list[Sign]] = []
    for sign in run:
        if sign[0].isspace() and not stretches:
            continue
        last = _last_of(stretches[-1]) if stretches else None
        if last is None or (_is_seen(sign) and _is_elsewhere(last, sign)):
            stretches.append([sign])
        else:
            stretches[-1].append(sign)
    ordered = sorted((_without_spaces(one) for one in stretches), key=lambda one: one[0][1])
    heights = [sign[3] + sign[4] for one in ordered for sign in _seen(one)]
    size = max(sign[4] - sign[3] for sign in _seen(run))
    if max(heights) - min(heights) > 2 * _SAME_LINE * size:
        return run
    if any(after[0][1] < before[-1][2] - _BACK * size for before, after in pairwise(ordered)):
        return run
    placed = [sign for one in _parted(ordered) for sign in one]
    # A word that is broken at the end of what was drawn last may end elsewhere.
    return [
        ("-", *sign[1:]) if sign[0] == HYPHEN and sign is not placed[-1] else sign
        for sign in placed
    ]


def _is_seen(sign: Sign) -> bool:
    return not sign[0].isspace() and sign[0] != HYPHEN


def _last_of(stretch: Sequence[Sign]) -> Sign | None:
    """Return its last character, but no space that PDFium adds: it has the place of the next word."""
    return next((sign for sign in reversed(stretch) if sign[2] > sign[1]), None)


def _is_elsewhere(last: Sign, sign: Sign) -> bool:
    """Whether a character does not stand right behind another: left of it, or behind a gap."""
    return _goes_back(last, sign) or sign[1] - last[2] > _SPACE * (sign[4] - sign[3])


def _without_spaces(stretch: list[Sign]) -> list[Sign]:
    end = len(stretch)
    while end > 1 and stretch[end - 1][0].isspace():
        end -= 1
    return stretch[:end]


def _parted(stretches: Sequence[list[Sign]]) -> Iterator[list[Sign]]:
    """Yield stretches with the spaces between them."""
    for before, stretch in zip([None, *stretches], stretches, strict=False):
        if before:
            last, first = before[-1], stretch[0]
            if first[1] - last[2] > _SPACE * (first[4] - first[3]):
                yield [(" ", last[2], first[1], first[3], first[4], ())]
        yield stretch


def _with_phrases(run: list[Sign]) -> Iterator[Sign]:
    """Yield a line that is read from the right, other phrases in it with their first word first."""
    words = [list(word) for _, word in groupby(run, key=lambda sign: sign[0].isspace())]
    at = 0
    while at < len(words):
        end = at + 1
        while end + 1 < len(words) and _go_on(*words[end - 1 : end + 2]):
            end += 2
        phrase = [sign for word in words[at:end] for sign in word]
        yield from phrase if end == at + 1 else _from_left(phrase)
        at = end


def _from_left(phrase: Sequence[Sign]) -> Iterator[Sign]:
    """Yield the words of a phrase from the left; the mark behind it is of the text around it."""
    words = _seen(phrase)
    end = len(words)
    while not words[end - 1][0].isalnum():
        end -= 1
    ordered = sorted(words[:end], key=lambda sign: sign[1])
    yield from ordered[:1]
    for before, sign in pairwise(ordered):
        if sign[1] - before[2] > _SPACE * (sign[4] - sign[3]):
            yield (" ", before[2], sign[1], sign[3], sign[4], ())
        yield sign
    yield from words[end:]


def _runs_right(word: Sequence[Sign]) -> bool:
    has_letter = any(unicodedata.bidirectional(sign[0]) == "L" for sign in word)
    return has_letter and not any(runs_left(sign[0]) for sign in word)


def _go_on(before: Sequence[Sign], space: Sequence[Sign], word: Sequence[Sign]) -> bool:
    """Whether a word, behind a space, stands left of another and is of one phrase with it."""
    is_open = before[-1][0].isalnum() and word[0][0].isalnum() and space[0][0].isspace()
    if not (is_open and _runs_right(before) and _runs_right(word)):
        return False
    gap = min(sign[1] for sign in before) - max(sign[2] for sign in word if sign[0].isalnum())
    return -_BACK <= gap / max(word[-1][4] - word[-1][3], 0.1) < _NEAR
