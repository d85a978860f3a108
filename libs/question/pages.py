"""Find the page of a book that a question names."""

import re
from collections.abc import Sequence
from itertools import chain

from libs.language.asked_in import known_languages, language_asked_in
from libs.language.entries import Pattern
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon
from libs.question.about_book import asks_of_part
from libs.text import collapse_space

_PARTED = re.compile(r"^[\s,;:–—-]+|\s+(?=[,;:])")
"""What parted the page from the rest, where it stood first or last."""

_WORD = re.compile(r"\w")
_NAME = re.compile(r"\d|(?<![a-z])[ivxlc]+(?![a-z])", re.IGNORECASE)
"""What the name of a page has: a digit, or Roman numerals."""


def _lexicon_of_page(question: str, language: str) -> Lexicon:
    """Return the rules by which a question names a page: those of its own language, or the book's.

    A page is named by its number or label, so that a question in any language may ask for it: what it
    says of the page tells more of its language than a few function words.
    """
    if not _NAME.search(question):
        return load_lexicon(language)
    own = dict.fromkeys((language_asked_in(question, language or FALLBACK), language))
    tried = map(load_lexicon, dict.fromkeys((*own, *known_languages())))
    whole = (lexicon for lexicon in tried if _asks_of_whole(question, lexicon))
    naming = (load_lexicon(code) for code in own if load_lexicon(code).names.page.search(question))
    return next(chain(whole, naming), load_lexicon(language))


def read_page(question: str, language: str) -> str:
    """Return the number or label of the one page that is named; "" for none, or several."""
    named = _lexicon_of_page(question, language).names.page.findall(question)
    found = {_plain(name) for name in named}
    return found.pop() if len(found) == 1 else ""


def _plain(name: str) -> str:
    return str(int(name)) if name.isdecimal() else name.replace("–", "-")


def omit_page(question: str, language: str) -> str:
    """Return what is asked for beside the page: no text says on which page it stands."""
    page = _lexicon_of_page(question, language).names.page
    rest = _PARTED.sub("", collapse_space(page.sub(" ", question)))
    return rest if _WORD.search(rest) else ""


def asks_of_page(question: str, language: str) -> bool:
    """Whether a question wants what stands on the page that it names, as one may of a chapter."""
    return _asks_of_whole(question, _lexicon_of_page(question, language))


def _asks_of_whole(question: str, lexicon: Lexicon) -> bool:
    found = lexicon.names.page.search(question)
    return found is not None and asks_of_part(question, found.span(), lexicon.about_book)


def name_page_topic(question: str, language: str) -> str:
    """Return what a question wants the page of; "" for another question."""
    return _thing_in(question, [one.names.page_asked for one in _lexicons_of(question, language)])


def name_part_topic(question: str, language: str) -> str:
    """Return what a question wants the chapter or section of; "" for another question."""
    return _thing_in(question, [one.spans.part_named for one in _lexicons_of(question, language)])


def _lexicons_of(question: str, language: str) -> list[Lexicon]:
    own = dict.fromkeys((language_asked_in(question, language or FALLBACK), language))
    return [load_lexicon(code) for code in own]


def _thing_in(question: str, patterns: Sequence[Pattern]) -> str:
    found = (pattern.search(question) for pattern in patterns)
    return next((one["thing"] for one in found if one), "")
