"""A question in, a question about each thing that it compares or asks together out; in English.

What two things have in common stands in two places of a book, and one search finds the nearer one.
"""

import re

from libs.text import STOP_WORDS, content_terms

MOST_SIDES = 3
_LONGEST_QUESTION = 250
"""Characters beyond which a question holds a text or a listing, whose words join other things."""

_LEAST_TERMS = 2
"""Content terms that a clause needs to be searched for alone."""

_LONGEST_NAME = 4
"""Words of a thing that is compared."""

_ASKS = (
    "how|what|which|why|when|where|who|is|are|was|can|could|do|does|did|should|may|must|will|would"
)
_CLAUSE = re.compile(
    rf"\s*[,;]\s*(?:and|but)\s+(?:also\s+)?(?=(?:{_ASKS})\b)"
    r"|\s+and\s+(?=(?:how|what|which|why|when|where|who)\b)",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:it|its|they|them|that|this|these|those|so|each|instead|else|then)\b", re.IGNORECASE
)
"""What says that a clause can't stand alone."""

_COMPARES = re.compile(
    r"\b(?:compar\w+|contrast|differ\w*|versus|vs|both|each|same|agree\w*|than|prefer|stack up|between"
    r"|better|against|instead of|rather)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,;:?!()\"“”]+|[,;:?!()\"“”]")
_OPPOSED = frozenset({"versus", "vs", "vs.", "against", "than", "over"})
_RELATED = frozenset({"from", "with", "to"})
_JOINED = frozenset({"and", "or"})
_VERB = re.compile(
    r"compar\w*|contrast|differ\w*|stack\w*|up|prefer\w*|agree\w*|choose|pick|use[ds]?|using|go|goes"
    r"|come|grow|work|instead|rather|better|worse",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(r"\w{3,}er|more|less")
_BEFORE_NAMES = frozenset(
    """a an the my your its their our this that these those for in into of on at by even just from with
    to""".split()  # noqa: SIM905
)
_FUNCTION = STOP_WORDS | {"every", "either", "one", "onto", "whats", "what's"}


def split_question(question: str) -> tuple[str, ...]:
    """Return up to three questions, one for a side; () when `question` asks for one thing."""
    if len(question) > _LONGEST_QUESTION:
        return ()
    clauses = _clauses(question)
    if clauses or _COMPARES.search(question) is None:
        return clauses
    words = list(_WORD.finditer(question))
    texts = [word.group().lower() for word in words]
    for joints in (_OPPOSED, _RELATED, _JOINED):
        for at, text in enumerate(texts):
            if text in joints and (joints is not _RELATED or _verb_before(texts, at)):
                names = _names_around(texts, at)
                if len(names) > 1:
                    return _each(question, words, names)
    return ()


def _clauses(question: str) -> tuple[str, ...]:
    """Return the clauses when each of them can be searched for alone."""
    parts = _CLAUSE.split(question)
    alone = all(
        len(set(content_terms(part))) >= _LEAST_TERMS and not _LEANS.search(part) for part in parts
    )
    return tuple(parts[:MOST_SIDES]) if alone and len(parts) > 1 else ()


def _verb_before(texts: list[str], at: int) -> bool:
    return at > 0 and _VERB.fullmatch(texts[at - 1]) is not None


def _names_around(texts: list[str], at: int) -> list[range]:
    """Return the places of the names that the word at `at` joins; [] when there are not two."""
    names = [_name_before(texts, at), _name_after(texts, at)]
    if not all(names):
        return []
    while len(names) < MOST_SIDES and texts[at] in _JOINED:
        before = _before_name(texts, names[0].start)
        if before < 0 or texts[before] != "," or not (name := _name_before(texts, before)):
            break
        names.insert(0, name)
    return names


def _before_name(texts: list[str], start: int) -> int:
    at = start - 1
    while at >= 0 and texts[at] in _FUNCTION:
        at -= 1
    return at


def _is_of_name(text: str) -> bool:
    inner = any(map(str.isalnum, text)) and text not in _FUNCTION and text not in _OPPOSED
    return inner and _VERB.fullmatch(text) is None


def _name_before(texts: list[str], at: int) -> range:
    end = at
    while end > 0 and _is_passed(texts, end - 1, at):
        end -= 1
    start = end
    while start > 0 and end - start < _LONGEST_NAME and _is_of_name(texts[start - 1]):
        start -= 1
    return range(start, end)


def _is_passed(texts: list[str], place: int, at: int) -> bool:
    """Whether the word belongs to the joining one and not to the name before it."""
    text = texts[place]
    if texts[at] == "than" and place == at - 1 and _COMPARATIVE.fullmatch(text):
        return True
    return text == "," or _VERB.fullmatch(text) is not None


def _name_after(texts: list[str], at: int) -> range:
    start = at + 1
    while start < len(texts) and texts[start] in _BEFORE_NAMES:
        start += 1
    end = start
    while end < len(texts) and end - start < _LONGEST_NAME and _is_of_name(texts[end]):
        end += 1
    return range(start, end)


def _each(question: str, words: list[re.Match[str]], names: list[range]) -> tuple[str, ...]:
    """Return the question with each of the names in the place of all of them."""
    before = question[: words[names[0].start].start()]
    after = question[words[names[-1].stop - 1].end() :]
    texts = [question[words[name.start].start() : words[name.stop - 1].end()] for name in names]
    joined = len(names[0]) == 1 and len(names[-1]) > 1 and names[-1].start - names[-2].stop == 1
    if joined and texts[0].islower():
        # "hierarchical and decentralised control", but not "Gazebo and Isaac Sim"
        texts[0] += f" {words[names[-1].stop - 1].group()}"
    return tuple(f"{before}{text}{after}" for text in texts)
