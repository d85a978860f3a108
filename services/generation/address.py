"""A question and the passages found for it in, what it asks about or for that none of them has out.

Only what is surely a name counts, outside of code: an identifier (letters with digits, inner capitals,
underscores), an acronym or a year. On 981 questions that their passages answer no name was missing, and
no year on 51 that say one: readers put other words for the book's, but seldom other names.
"""

import re
from collections.abc import Iterable

from libs.text import STOP_WORDS, words
from services.generation.model import Passage

_TOKEN = re.compile(r"[A-Za-z][\w+-]*\w")
_NAME = re.compile(r"(?=.*[A-Za-z]).*\d|.*[a-z][A-Z]|.*\w_\w|.*[a-z]-[A-Z]|[A-Z]{3,}$")
_LISTING = re.compile(r"```[\s\S]*?(?:```|\Z)|^.*[{};][ \t]*$", re.MULTILINE)
"""A reader's own program has names of its own, which no book knows, wherever the question says them."""

_CODE = re.compile(r"`[^`]*`|\w*\([^)\n]*\)")

_NO_NAME = re.compile(r"v?\d+$|[A-Za-z]\d?$", re.IGNORECASE)
_ENDING = re.compile(r"(?:['’]s|(?<=[A-Z0-9])s)$")
_YEAR = re.compile(
    r"\b(?:in|since|until|till|before|after|during|by|from|to|of|year)\s+((?:1[5-9]|20)\d\d)"
    r"(?=$|[?!,;:)]|\.(?:\s|$)|\s+(?:and|or|to|until|compared|as|for|by|with|is|was|did|do|does)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Four digits that count nothing: no noun follows them."""

_PRICED = re.compile(
    r"\bhow much (?:does|do|did|would|will|is|are)\b.*\b(?:costs?|charged?|priced?)\b"
    r"|\bhow much (?:money|dollars?|euros?)\b|\bhow (?:expensive|dear|pricey)\b"
    r"|\b(?:price|prices) (?:of|for)\b|\bwhat (?:does|do|did|would|will)\b.*\bcost\b",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(
    r"\b(?:energ\w+|power|time|memory|space|performance|runtime|battery|comput\w+|heap|stack)\b",
    re.IGNORECASE,
)
"""What else a thing may cost."""

_OTHER_COST = re.compile(
    r"\b(?:runtime|performance|computational|memory)[ -]costs?\b|\boverheads?\b", re.IGNORECASE
)
"""Speaks of what a program costs, which is no money."""

_AMOUNT = re.compile(
    r"[€£¥₹]\s?\d|\d\s?[€£¥₹]|[$]\s?\d[\d,.]++(?=[\s);:]|$)(?!\s*[\\=/^+*])"
    r"|[$]\d[\d,.]*+\s?[-\N{EN DASH}\N{EM DASH}]\s?[$]?\d"
    r"|\b(?:usd|eur|gbp|dollars?|euros?|pounds|cents?|yen|rupees?|francs?|gratis"
    r"|free of charge|for free|no charge|costs? nothing|(?:without|at no) (?:charge|cost))\b",
    re.IGNORECASE,
)
"""Says a price, or that there is none; but not `$1` of a script, or `$12 / x$` of a formula."""

_LOUD = 0.5
"""Share of capitals among a question's letters from which it is shouted, and capitals say nothing."""


def lacks_price(question: str, passages: Iterable[Passage]) -> bool:
    """Whether `question` asks for a price, and no passage says one.

    Of nine questions that their passages answer with a price none lacks one.
    """
    if _PRICED.search(question) is None or _NO_MONEY.search(question):
        return False
    texts = [passage.text for passage in passages]
    return not any(_AMOUNT.search(text) or _OTHER_COST.search(text) for text in texts)


def unknown_names(question: str, passages: Iterable[Passage]) -> list[str]:
    """Return the names and years in `question` that stand in no passage, title or file name."""
    names = [*list_names(question), *list_years(question)]
    if not names:
        return []
    texts = [_everything(passage) for passage in passages]
    squeezed = [_squeeze(text) for text in texts]
    known = {word for text in texts for word in words(text)}
    initials = ["".join(word[0] for word in words(text)) for text in texts]
    return [
        name
        for name in names
        if not any(_squeeze(name) in text for text in squeezed)
        and not all(word in known for word in words(name))
        and not (name.isupper() and any(name.lower() in letters for letters in initials))
    ]


def list_names(question: str) -> list[str]:
    """Return what is surely a name in `question`; nothing when the question is shouted."""
    own = {name for code in _LISTING.findall(question) for name in _TOKEN.findall(code)}
    question = _without_code(question)
    letters = [character for character in question if character.isalpha()]
    if sum(map(str.isupper, letters)) > _LOUD * len(letters):
        return []
    tokens = (_ENDING.sub("", found) for found in _TOKEN.findall(question))
    return [
        token
        for token in tokens
        if _NAME.match(token)
        and not _NO_NAME.match(token)
        and token.lower() not in STOP_WORDS
        and token not in own
    ]


def list_years(question: str) -> list[str]:
    return _YEAR.findall(_without_code(question))


def _without_code(question: str) -> str:
    return _CODE.sub(" ", _LISTING.sub(" ", question))


def _everything(passage: Passage) -> str:
    place = passage.locator
    return "\n".join((place.document, *place.section_path, passage.text))


def _squeeze(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
