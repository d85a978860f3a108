"""Find the thing a question asks for that no passage has a word for: "the tempo of", "pay income tax".

What is near it may be said at length; a book that never says "tax" tells nobody how to pay one. Words
that a book need not have to tell a thing, as "reason" or "main", count for none.
"""

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, has_part, words_in
from libs.question.synonyms import is_said
from libs.text import words

_LEAST_WORD = 3
"""Letters of a word whose forms are told from other words."""


def unsaid_things(question: QuestionAnalysis, text: str) -> list[str]:
    """Return the words of the thing that a question asks for which a text has in no form.

    Of one that is chosen among others ("which network port") or is measured the last counts alone,
    which says what it is.
    """
    lexicon = load_lexicon(question.language)
    found = lexicon.expected.thing_asked.search(question.question)
    if found is None or question.about_book or question.follow_up:
        return []
    groups = {name: text for name, text in found.groupdict().items() if text}
    thing = next(iter(groups.values()))
    told = _words_needed(thing, lexicon)
    if "which" in groups or question.expected.kind is AnswerKind.QUANTITY:
        # Who asks for "the upload size of" is told by "File size: 500 MB".
        last = words(thing)[-1]
        told = [one for one in told if one == last]
    said = words_in(text)
    return [
        one
        for one in told
        if not is_said(one, said, lexicon, question.language)
        and not (lexicon.names.capital is OFF and has_part(one, said))
    ]


def _words_needed(thing: str, lexicon: Lexicon) -> list[str]:
    """Return the words of a thing that a book which tells it has; the last of what hyphens join."""
    known = asked_words(thing, lexicon) - lexicon.expected.light - lexicon.expected.vague
    spoken = (one.rpartition("-")[2].lower() for one in thing.split())
    return [one for one in spoken if one in known and len(one) >= _LEAST_WORD and one.isalpha()]
