"""Detect questions that are about selected text as a whole, or that point at it."""

from libs.language.lexicon import Lexicon
from libs.text import content_terms, words

_FEW = 4
"""Content terms up to which a question that points at the text says too little to be judged by."""


def is_deictic(question: str, lexicon: Lexicon) -> bool:
    """Whether `question` can be answered by nothing but the text that the reader selected.

    "Explain this", "why?" and "what does it need?" are; "how many poles does this motor have when it is
    wound in a star?" says what it asks for, and is not.
    """
    rules = lexicon.selections
    asking = set(content_terms(" ".join(sorted(rules.bare))))
    if set(content_terms(question)) <= asking or rules.opens.search(question):
        return True
    own = set(content_terms(without_function_words(question, lexicon))) - asking
    return len(own) <= _FEW and rules.points.search(question) is not None


def terms_to_say(question: str, lexicon: Lexicon) -> list[str]:
    """Return the terms that a text has to say which answers `question`, each once.

    Of marked text the reader may call by name what it calls "we", and ask "what happens" where it says
    what does.
    """
    told = without_function_words(question, lexicon)
    all_terms = content_terms(told) or content_terms(question)
    unsaid = set(content_terms(" ".join(sorted(lexicon.selections.unsaid))))
    own = [term for term in all_terms if term not in unsaid]
    return list(dict.fromkeys(own or all_terms))


def without_function_words(question: str, lexicon: Lexicon) -> str:
    """Return what the question is about in its own language: terms know of English ones alone."""
    spaced = lexicon.between_words.sub(" ", question)
    return " ".join(word for word in words(spaced) if word not in lexicon.stop_words)
