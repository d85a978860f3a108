"""A question in, what it wants explained out; in English.

"What is a servo?" is answered where the book says what a servo is, not wherever it names one.
"""

import re

_ASKED = re.compile(
    r"^\W*(?:what(?:'s|’s| is| are| was| were)|who (?:is|are|was|were)|define|explain"
    r"|what does(?= .* (?:mean|stand for)\b))\s+(?:the meaning of\s+)?(.+?)"
    r"(?:\s+(?:mean|stand for))?\W*$",
    re.IGNORECASE,
)


def name_thing(question: str) -> str:
    """Return the words for what `question` wants explained; "" when it asks otherwise."""
    found = _ASKED.search(question)
    return found[1] if found else ""
