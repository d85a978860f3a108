"""Find what a question wants explained.

"What is a servo?" is answered where the book says what a servo is, not wherever it names one.
"""

from libs.language.lexicon import Lexicon


def name_definiendum(question: str, lexicon: Lexicon) -> str:
    """Return the words for what `question` wants explained; "" when it asks otherwise."""
    found = lexicon.types.definiendum.search(question)
    thing = next(filter(None, found.groups()), "") if found else ""
    return _leave_article(thing, lexicon)


def _leave_article(thing: str, lexicon: Lexicon) -> str:
    """Return `thing` without the article before it: "un servo", "l'amortisseur".

    A book names the thing without one, or with another, where it says what that is.
    """
    article, _, rest = thing.partition(" ")
    if article.lower() in lexicon.checks.clauses.articles and rest.strip():
        return rest.lstrip()
    elided = lexicon.phrasing.elided.match(thing)
    return thing[elided.end() :] if elided and elided.end() < len(thing) else thing
