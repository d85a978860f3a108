"""Detect questions that are about selected text as a whole, or that point at it."""

from libs.language.lexicon import Lexicon
from libs.text import content_terms

_FEW = 4
"""Content terms up to which a question that points at the text says too little to be judged by."""


def is_deictic(question: str, lexicon: Lexicon) -> bool:
    """Whether `question` can be answered by nothing but the text that the reader selected.

    "Explain this", "why?" and "what does it need?" are; "how many poles does this motor have when it is
    wound in a star?" says what it asks for, and is not.
    """
    rules = lexicon.selections
    own = set(content_terms(question)) - set(content_terms(" ".join(sorted(rules.bare))))
    if not own or rules.opens.search(question):
        return True
    return len(own) <= _FEW and rules.points.search(question) is not None
