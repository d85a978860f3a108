"""Score how likely one word is a misspelling of another, by the letters that differ."""

from dataclasses import dataclass
from functools import cache
from itertools import groupby

from rapidfuzz.distance import Editop, Levenshtein

from libs.language.lexicon import Spelling

_NEAR = 2
"""Places that a letter may be moved by."""


@dataclass(frozen=True)
class TypoModel:
    """What letters of a language are put for which, by its keyboard and its sounds."""

    rules: Spelling

    def explain(self, written: str, meant: str) -> bool:
        """Whether all in which `written` differs from `meant` is likely a typo.

        A letter may be left out, doubled or moved; in the place of another, or too many, may be what
        lies beside it on the keyboard or sounds like it.
        """
        if _without_doubles(written) == _without_doubles(meant):
            return True
        steps = Levenshtein.editops(written, meant)
        moved = {meant[step.dest_pos] for step in steps if step.tag != "delete"}
        return all(
            step.tag == "insert"
            or (len(steps) <= _NEAR and written[step.src_pos] in moved)
            or self._is_likely(written, meant, step)
            for step in steps
        )

    def sound(self, word: str) -> str:
        """Return a word with the letters of a sound that are several as the one that is like them."""
        for several, one in self.rules.digraphs.items():
            word = word.replace(several, one)
        return word

    def _is_likely(self, written: str, meant: str, step: Editop) -> bool:
        """Whether the letter is like the one that is meant or, where none is, like those beside it."""
        here = step.src_pos
        beside = written[max(0, here - 1) : here] + written[here + 1 : here + 2]
        others = beside if step.tag == "delete" else meant[step.dest_pos]
        return any(self._are_alike(written[here], other) for other in others)

    def _are_alike(self, one: str, other: str) -> bool:
        if one == other or any({one, other} <= set(group) for group in self.rules.sounds):
            return True
        keys = _place_keys(self.rules.keys)
        if one not in keys or other not in keys:
            return False
        (row, column), (other_row, other_column) = keys[one], keys[other]
        return abs(row - other_row) <= 1 and abs(column - other_column) <= 1


def _without_doubles(word: str) -> str:
    return "".join(letter for letter, _ in groupby(word))


@cache
def _place_keys(rows: tuple[str, ...]) -> dict[str, tuple[int, float]]:
    """Return row and column of each letter; each row is half a key further right than the one above."""
    return {
        letter: (row, column + row / 2)
        for row, letters in enumerate(rows)
        for column, letter in enumerate(letters)
    }
