"""Find the terms that stand below a line, each over what is said of it, as the items of a list would.

A manual may set them as paragraphs: "Guests are of three kinds:", "Owner", "Who made the file.".
"""

from services.generation.extractive.candidates import is_label
from services.generation.extractive.places import follow_each_other, is_new_line
from services.generation.model import BlockKind, Passage

_LEAST = 2


def terms_below(passage: Passage, line: int) -> list[tuple[int, int]]:
    """Return the first and the last span of each term with what is said of it, right below the line.

    [] for fewer than two.
    """
    found, at = list[tuple[int, int]](), line + 1
    while _is_label(passage, at) and _is_said_below(passage, at + 1):
        last = at + 1
        while follow_each_other(passage, last):
            last += 1
        found.append((at, last))
        at = last + 1
    return found if len(found) >= _LEAST else []


def _is_label(passage: Passage, at: int) -> bool:
    return _is_line(passage, at) and is_label(passage.text_of(passage.spans[at]))


def _is_said_below(passage: Passage, at: int) -> bool:
    return _is_line(passage, at) and not is_label(passage.text_of(passage.spans[at]))


def _is_line(passage: Passage, at: int) -> bool:
    """Whether there is such a span, and it begins a line of prose that leads to nothing."""
    if at >= len(passage.spans) or passage.spans[at].kind is not BlockKind.PARAGRAPH:
        return False
    return is_new_line(passage, at)
