"""Tell which attribute of a person or thing is asked for, and whether a sentence speaks of it.

"Where was she born?" is not answered by where she worked, though both are places.
"""

from libs.language.lexicon import Lexicon
from libs.language.values import Attribute
from libs.text import is_unspaced, words

AGE = "age"
_QUANTITIES = frozenset((AGE, "depth", "height", "length", "width"))
"""The attributes that are quantities; the others are places and dates."""

_OF_LIVES = frozenset((AGE, "birth", "death", "dwelling", "marriage", "study"))


def asked_attribute(question: str, lexicon: Lexicon, *, is_quantity: bool) -> Attribute | None:
    """Return what is asked of a thing, such as its birth; None for what there is no rule for."""
    named = (
        one
        for name, one in lexicon.attributes.items()
        if (name in _QUANTITIES) is is_quantity and one.asked.search(question)
    )
    return next(named, None)


def words_for(attribute: Attribute, question: str) -> str:
    """Return the words of `question` that name the attribute, which a sentence may name by others."""
    if any(map(is_unspaced, words(question))):
        return " ".join(found[0] for found in attribute.said.finditer(question))
    named = (word for word in words(question) if attribute.said.search(word))
    return " ".join(named)


def is_of_life(attribute: Attribute, lexicon: Lexicon) -> bool:
    """Whether it is told in a life, which names its person once."""
    return any(lexicon.attributes.get(name) == attribute for name in _OF_LIVES)
