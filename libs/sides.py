"""A question in, what it compares or asks together out, each with a question of its own; in English.

What two things have in common stands in two places of a book, and one search finds the nearer one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from libs.text import STOP_WORDS, content_terms

MOST_SIDES = 3
_LONGEST_QUESTION = 250
"""Characters beyond which a question holds a text or a listing, whose words join other things."""

_LEAST_TERMS = 2
"""Content terms that a clause needs to be searched for alone."""

_TELLING = 2
"""Characters of a term that stands for something alone."""

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
_SHORTENED = re.compile(r"how (?:do|does|did|can|should|is|are|was|were)\b", re.IGNORECASE)
_LEANS = re.compile(
    r"\b(?:it|its|they|them|that|this|these|those|so|each|instead|else|then)\b", re.IGNORECASE
)
"""What says that a clause can't stand alone."""

_COMPARES = re.compile(
    r"\b(?:compar\w+|contrast|differ\w*|versus|vs|both|each|same|agree\w*|than|prefer|stack up|between"
    r"|better|against|instead of|rather|when\b.*\band when)\b",
    re.IGNORECASE,
)
_COMPARING = frozenset(
    content_terms(
        "approach best better compare comparison contrast differ difference idea key main method two"
        " versus vs"
    )
)
"""Where a question says nothing else beside the names, it wants to know what each of them is."""

_WORD = re.compile(r"[^\s,;:?()\"“”]+|[,;:?()\"“”]")
_OPPOSED = frozenset({"versus", "vs", "vs.", "against", "than", "over"})
_RELATED = frozenset({"from", "with", "to"})
_JOINED = frozenset({"and", "or"})
_TOWARDS = frozenset({"for", "in", "on", "at", "with", "to", "by", "from", "under"})
_VERB = re.compile(
    r"compar\w*|contrast|differ\w*|stack\w*|up|prefer\w*|agree\w*|choose|pick|use[ds]?|using|go|goes"
    r"|come|grow|work|instead|rather|better|worse",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"(?:al|ic|ive|ed|ous|ful|less|ing|ble|ary|ward|[ae]nt)$|^(?:big|cold|dry|early|fast|first|front|hard"
    r"|high|hot|inner|large|late|left|long|low(?:er)?|new|old|open|outer|rear|right|second|short|slow"
    r"|small|soft|strong|upper|weak|wet)$"
)
_COMPARATIVE = re.compile(r"\w{3,}er|more|less")
_BEFORE_NAMES = frozenset(
    """a an the my your its their our this that these those for in into of on at by even just from with
    to when""".split()  # noqa: SIM905
)
_FUNCTION = STOP_WORDS | {"every", "either", "one", "onto", "whats", "what's"}


@dataclass(frozen=True)
class Side:
    """One of the things that a question is about, and what it asks of that alone."""

    question: str
    name: str
    """The thing, or the clause where the side is one of its own."""

    plain: bool = False
    """Whether nothing is asked of it but what it is, as in "Compare A and B"."""


def own_terms(named: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return, of the terms of each side's name, those that are no other side's."""
    shared = frozenset.intersection(*named)
    found = [terms - shared for terms in named]
    # The "1" of "ROS 1" tells nothing apart alone.
    return [
        own if any(len(term) >= _TELLING for term in own) else terms
        for own, terms in zip(found, named, strict=True)
    ]


def split_question(question: str) -> tuple[Side, ...]:
    """Return up to three sides; () when `question` asks for one thing."""
    if len(question) > _LONGEST_QUESTION:
        return ()
    clauses = _clauses(question)
    words = list(_WORD.finditer(question))
    texts = [word.group().lower() for word in words]
    if clauses or (_COMPARES.search(question) is None and not _offers(texts)):
        return clauses
    for joints in (_OPPOSED, _RELATED, _JOINED):
        for at, text in enumerate(texts):
            if text in joints and (joints is not _RELATED or _verb_before(texts, at)):
                names = _names_around(texts, at)
                if len(names) > 1:
                    return _each(question, words, names)
    return ()


def _offers(texts: list[str]) -> bool:
    """Whether the words are but two names: "Springs or dampers?"."""
    at = texts.index("or") if texts.count("or") == 1 else 0
    before, after = _name_before(texts, at), _name_after(texts, at)
    rest = {*range(len(texts))} - {*before, *after, at}
    return bool(before) and bool(after) and all(texts[place] in "?.!" for place in rest)


def _clauses(question: str) -> tuple[Side, ...]:
    """Return the clauses when each of them can be searched for alone."""
    first, *others = parts = _CLAUSE.split(question)
    alone = all(
        len(set(content_terms(part))) >= _LEAST_TERMS and not _LEANS.search(part) for part in parts
    )
    if not alone or not others:
        return ()
    sides = [Side(part if _says_what(part) else f"{part} {first}", part) for part in others]
    return (Side(first, first), *sides)[:MOST_SIDES]


def _says_what(clause: str) -> bool:
    """Whether a clause asks something of its own: "how does B?" asks what was asked of A."""
    return _SHORTENED.match(clause) is None or len(set(content_terms(clause))) > _LEAST_TERMS


def _verb_before(texts: list[str], at: int) -> bool:
    """Whether the word belongs to a verb that compares: "differ from B", "compare the A with B"."""
    if at > 0 and _VERB.fullmatch(texts[at - 1]) is not None:
        return True
    before = _before_name(texts, _name_before(texts, at).start)
    return before >= 0 and re.fullmatch(r"compar\w*", texts[before]) is not None


def _names_around(texts: list[str], at: int) -> list[range]:
    """Return the places of the names that the word at `at` joins; [] when there are not two."""
    names = [_name_before(texts, at), _name_after(texts, at)]
    if not all(names):
        return []
    while len(names) < MOST_SIDES and (name := _next_name(texts, at, names)):
        names = sorted([*names, name], key=lambda one: one.start)
    return names


def _next_name(texts: list[str], at: int, names: list[range]) -> range:
    """Return the place of one more name: "A, B and C", "A versus B versus C"; empty when none is."""
    if texts[at] in _OPPOSED:
        end = names[-1].stop
        return _name_after(texts, end) if end < len(texts) and texts[end] in _OPPOSED else range(0)
    before = _before_name(texts, names[0].start)
    if texts[at] not in _JOINED or before < 0 or texts[before] != ",":
        return range(0)
    name = _name_before(texts, before)
    # "What is better for A, B or C?" names two.
    return range(0) if name and texts[name.start - 1] in _TOWARDS else name


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


def _each(question: str, words: list[re.Match[str]], names: list[range]) -> tuple[Side, ...]:
    """Return a side for each of the names, with the question about it in the place of all of them."""
    before = question[: words[names[0].start].start()]
    after = question[words[names[-1].stop - 1].end() :]
    texts = [question[words[name.start].start() : words[name.stop - 1].end()] for name in names]
    texts[-1] = texts[-1].rstrip(".!")
    joined = len(names[0]) == 1 and len(names[-1]) > 1 and names[-1].start - names[-2].stop == 1
    if joined and _QUALITY.search(texts[0]):
        # "hierarchical and decentralised control", but not "lidar and depth cameras"
        texts[0] += f" {texts[-1].split()[-1]}"
    more = [word.group() for word in words[names[0].stop : names[-1].start]]
    more = [word for word in more if _COMPARATIVE.fullmatch(word) and "than" in more]
    plain = not more and {*content_terms(f"{before} {after}")} <= _COMPARING
    return tuple(
        Side(f"What is {name}?", name, plain=True)
        if plain
        else Side(f"{before}{' '.join((name, *more))}{after}", name)
        for name in texts
    )
