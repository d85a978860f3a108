"""Find what a question wants explained.

"What is a servo?" is answered where the book says what a servo is, not wherever it names one.
"""

from libs.language.lexicon import Lexicon


def name_definiendum(question: str, lexicon: Lexicon) -> str:
    """Return the words for what `question` wants explained; "" when it asks otherwise."""
    found = lexicon.types.definiendum.search(question)
    return next(filter(None, found.groups()), "") if found else ""
