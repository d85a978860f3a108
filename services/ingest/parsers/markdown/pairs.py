"""Pair the tags that have lines to themselves: which elements are open on each line."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from markdown_it.token import Token

from services.ingest.parsers.markdown.tags import Tag


def pair_blocks(tokens: Sequence[Token], begins: Callable[[Tag], bool]) -> Mapping[int, int]:
    """Return by how much the lines of tags, by their number, open and close elements that `begins`.

    What is in such an element belongs to it, and one without an end is none.
    """
    opened: list[tuple[str, int, bool]] = []
    names: Counter[str] = Counter()
    turns: Counter[int] = Counter()
    for token in tokens:
        if token.type != "tags":
            continue
        line = (token.map or [0])[0]
        for tag in token.meta["tags"]:
            name = tag.name.lower()
            if tag.closing and names[name]:
                ended = ""
                while ended != name:  # what has no end of its own ends with what it is in
                    ended, begin, counts = opened.pop()
                    names[ended] -= 1
                turns[begin] += counts
                turns[line] -= counts
            elif not (tag.closing or tag.self_closing) and (names[name] or begins(tag)):
                opened.append((name, line, begins(tag)))
                names[name] += 1
    return turns
