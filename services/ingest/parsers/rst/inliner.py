"""Find addresses in text that is not marked up, in work that grows as the text does."""

import re

from docutils import nodes
from docutils.parsers.rst import states

_LONG = re.compile(r"\S{400,}")
"""docutils tries each character of a run as the beginning of an address, and looks through the rest."""


def make_inliner() -> states.Inliner:
    """Return docutils' own, but that leaves runs of hundreds of characters without a space alone."""
    inliner = states.Inliner()
    look = inliner.implicit_inline

    def look_around(text: str, lineno: int) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        at = 0
        for long in _LONG.finditer(text):
            found += look(text[at : long.start()], lineno)
            found.append(nodes.Text(long.group()))
            at = long.end()
        found += look(text[at:], lineno)
        return found

    # Not a class of our own: docutils looks its patterns up in the class itself.
    inliner.implicit_inline = look_around
    return inliner
