"""Tell which attribute of a person or thing is asked for, and whether a sentence speaks of it.

"Where was she born?" is not answered by where she worked, though both are places.
"""

from libs.language.lexicon import Attribute, Lexicon
from libs.text import is_unspaced, words

AGE = "age"
"""The attribute that is a quantity; the others are places and dates."""


def asked_attribute(question: str, lexicon: Lexicon, *, is_quantity: bool) -> Attribute | None:
    """Return what is asked of a thing, such as its birth; None for what there is no rule for."""
    named = (
        one
        for name, one in lexicon.attributes.items()
        if (name == AGE) is is_quantity and one.asked.search(question)
    )
    return next(named, None)


def words_for(attribute: Attribute, question: str) -> str:
    """Return the words of `question` that name the attribute, which a sentence may name by others."""
    if any(map(is_unspaced, words(question))):
        return " ".join(found[0] for found in attribute.said.finditer(question))
    named = (word for word in words(question) if attribute.said.search(word))
    return " ".join(named)
