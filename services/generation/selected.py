"""Find where text stands that a reader selected, in the passages that were found for it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from libs.text import collapse_space
from services.generation.model import Passage, Selection


def locate_selection(selection: Selection, passages: Sequence[Passage]) -> Selection:
    """Return selected text with its range, where its words alone are given and the passages hold it.

    It may go beyond a passage: then its range is that of all sentences that are in it.
    """
    if selection.start >= 0 or not selection.text.strip():
        return selection
    marked = collapse_space(selection.text)
    phrase = re.compile(r"\s+".join(map(re.escape, marked.split())))
    own = [one for one in passages if one.locator.document == selection.document]
    for passage in own:
        if found := phrase.search(passage.text):
            start = passage.locator.start
            return replace(selection, start=start + found.start(), end=start + found.end())
    # Markup that the book has not, "the *worse* of the two", parts no sentence from its words.
    letters = _letters(marked)
    spans = [
        span
        for passage in own
        for span in passage.spans
        if (text := _letters(passage.text_of(span))) and text in letters
    ]
    if not spans:
        return selection
    first, last = min(one.start for one in spans), max(one.end for one in spans)
    return replace(selection, start=first, end=last)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
