"""Text in; out what must not change from a quote to a sentence: numbers, names, negation, direction."""

import re
from collections import Counter

from libs.text import every_stem, terms, words

_SPOKEN_OF = 0.5
"""Share of a clause's meaning words from which a sentence speaks of it."""

_NUMBER = re.compile(
    r"(?<![\w.])((?:(?<=\s)|(?<=\()|^)[-−])?(\d+(?:[.,]\d+)*)\s?[-‐-―]?\s?([^\W\d_]+|[%°])?",
    re.MULTILINE,
)
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w[\w-]*")
CLAUSE = re.compile(
    r"[;:,.!?—]\s|\b(?:but|however|while|whereas|although|though|because|and|so)\b", re.IGNORECASE
)
_NEGATIONS = frozenset(
    "no not never none neither nor without cannot nothing nobody hardly except unless".split()  # noqa: SIM905
)
_COUNT_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero . two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
}
_UNITS = {
    **{name: name for name in "ms s kg g mg m mm cm km v kv mv w kw mw hz khz mhz ghz".split()},  # noqa: SIM905
    **{name: name for name in "nm n kn a ma mah wh kwh j kj pa kpa mpa bar k c f l ml".split()},  # noqa: SIM905
    **{name: name for name in "b kb mb gb tb fps rpm dof deg rad lsb px bit % °".split()},  # noqa: SIM905
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "min"),
    **dict.fromkeys(("hour", "hours", "hrs", "h"), "h"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("volt", "volts"), "v"),
    **dict.fromkeys(("watt", "watts"), "w"),
    **dict.fromkeys(("percent",), "%"),
    **dict.fromkeys(("degree", "degrees"), "deg"),
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("bits",), "bit"),
    **dict.fromkeys(("point", "points", "pts"), "point"),
}
_STRONG = frozenset(
    """all always only every everything everyone must entirely completely exclusively because
    therefore thus hence guarantees guaranteed proves""".split()  # noqa: SIM905
)
"""Words that make a statement stronger, or a cause of what merely stands beside it."""

_HEDGES = frozenset(
    """may might could rarely seldom sometimes occasionally possibly perhaps almost nearly
    partly unlikely""".split()  # noqa: SIM905
)
_OPPOSITES = (
    (
        "more greater higher larger bigger most highest largest",
        "less fewer lower smaller least lowest smallest",
    ),
    ("faster quicker fastest", "slower slowest"),
    ("stronger strongest", "weaker weakest"),
    ("better best", "worse worst"),
    ("heavier heaviest", "lighter lightest"),
    ("longer longest", "shorter shortest"),
    ("cheaper cheapest", "costlier dearer"),
    ("before earlier", "after later"),
    ("above over", "below under beneath"),
    (
        "increase increases increased increasing rise rises rising grow grows raises",
        "decrease decreases decreased decreasing fall falls falling drop drops shrinks reduces",
    ),
    ("maximum max", "minimum min"),
    ("inside within", "outside"),
    ("first", "last"),
    ("open opens opened", "close closes closed"),
    ("easier easy", "harder hard"),
    ("safe safer", "unsafe dangerous"),
    ("possible", "impossible"),
)
_POLES = {
    word: (number, side)
    for number, pair in enumerate(_OPPOSITES)
    for side, names in enumerate(pair)
    for word in names.split()
}


def numbers(text: str) -> Counter[tuple[str, str]]:
    """Count the numbers of `text`, each bare and, where it has a unit, with it."""
    found_numbers: Counter[tuple[str, str]] = Counter()
    for found in _NUMBER.finditer(in_digits(text)):
        digits = ("-" if found[1] else "") + found[2].replace(",", "")
        found_numbers[digits, ""] += 1
        unit = _UNITS.get((found[3] or "").lower())
        if unit:
            found_numbers[digits, unit] += 1
    return found_numbers


def counted(text: str) -> set[str]:
    """Return the stems of what the numbers of `text` count, when it is no unit we know."""
    following = (found[3] or "" for found in _NUMBER.finditer(in_digits(text)))
    return set().union(*(stems(word) for word in following if word.lower() not in _UNITS))


def in_digits(text: str) -> str:
    return _LETTERS.sub(lambda found: _COUNT_WORDS.get(found[0].lower(), found[0]), text)


def names(text: str) -> set[str]:
    """Return the words of `text` that may name something: with capitals, or letters and digits."""
    found_names: set[str] = set()
    for found in _WORD.finditer(text):
        word = found.group()
        mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        if mixed or any(map(str.isupper, word)):
            found_names |= stems(word)
    return found_names


def stems(text: str) -> set[str]:
    # Acronyms have no stem: the last "s" of IMUs is taken off here.
    return {stem.removesuffix("s") for stem in terms(text) if not is_negation(stem)}


def every_word(text: str) -> list[str]:
    """Return all words in order in one form: stems, units by their symbols, counts in digits."""
    spelled = words(in_digits(text))
    stemmed = every_stem(in_digits(text))
    return [
        _UNITS.get(word) or stem.removesuffix("s")
        for word, stem in zip(spelled, stemmed, strict=True)
    ]


def meaning(text: str) -> set[str]:
    """Return the stems of `text` but those of its numbers and units, which are compared apart."""
    bare = _NUMBER.sub(
        lambda found: "" if (found[3] or "").lower() in _UNITS else f" {found[3] or ''}",
        in_digits(text),
    )
    return stems(bare)


def is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def count_negations(text: str) -> int:
    return sum(map(is_negation, words(text)))


def is_negated(text: str) -> bool:
    return count_negations(text) > 0


def negations_agree(sentence: str, cited: str) -> bool:
    """Whether the sentence is negated as often as the quotes negate what it speaks of."""
    spoken_of = meaning(sentence)
    given = sum(
        count_negations(clause)
        for clause in CLAUSE.split(cited)
        if not meaning(clause) or coverage(meaning(clause), spoken_of) >= _SPOKEN_OF
    )
    return count_negations(sentence) == given


def coverage(wanted: set[str], given: set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 0.0


def adds_strength(sentence: str, cited: str) -> bool:
    """Whether the sentence says "always" or "because" where `cited` does not."""
    return bool(_STRONG & set(words(sentence)) - set(words(cited)))


def drops_hedge(sentence: str, cited: str) -> bool:
    """Whether `cited` only says "may" of what the sentence states as a fact."""
    if _HEDGES & set(words(sentence)):
        return False
    spoken_of = meaning(sentence)
    return any(
        _HEDGES & set(words(clause)) and coverage(meaning(clause), spoken_of) >= _SPOKEN_OF
        for clause in CLAUSE.split(cited)
    )


def turns_direction(sentence: str, cited: str) -> bool:
    """Whether the sentence says "more" for "less", or "A than B" for "B than A"."""
    said, given = _count_poles(sentence), _count_poles(cited)
    for (number, side), times in said.items():
        other = (number, 1 - side)
        if times > given[number, side] and given[other] > said[other]:
            return True
    return any(
        _is_crossed(sides, others)
        for sides in _comparisons(sentence)
        for others in _comparisons(cited)
    )


def _count_poles(text: str) -> Counter[tuple[int, int]]:
    return Counter(_POLES[word] for word in words(text) if word in _POLES)


def _comparisons(text: str) -> list[tuple[set[str], set[str]]]:
    """Return what stands before and after each "than", up to the ends of its sentence."""
    found = []
    for sentence in re.split(r"(?<=[.!?;])\s", text):
        before, than, after = sentence.partition(" than ")
        if than:
            left, right = stems(before), stems(after)
            found.append((left - right, right - left))
    return found


def _is_crossed(sides: tuple[set[str], set[str]], others: tuple[set[str], set[str]]) -> bool:
    straight = len(sides[0] & others[0]) + len(sides[1] & others[1])
    crossed = len(sides[0] & others[1]) + len(sides[1] & others[0])
    # The word that compares stands on the left of both, whichever way round they are.
    return crossed > 0 and crossed >= straight - 1 and bool(sides[1] & others[0])
