"""How a language states something in a question as if it were so."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Rates(Struct, frozen=True, forbid_unknown_fields=True):
    """How a language says how often something happens."""

    every: Pattern = OFF
    """Says the time from one to the next: its group `unit`, and how many of them, `n`, if it does."""

    times: Pattern = OFF
    """Says how many times, `n`, something happens in a `unit`."""

    counts: dict[str, float] = {}
    """Words for `n` there that name no number: "twice"."""

    other: Words = NO_WORDS
    """Words that say that it is every second one: "every other day"."""

    units: dict[str, Words] = {}
    """Words for a time, by the days that it has."""

    adverbs: dict[str, Words] = {}
    """Words that say the whole, by the days from one to the next: "yearly"."""


class Claims(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of what a question takes for granted in a whole clause."""

    taken: Pattern = OFF
    """The first of its groups that is there is it: "Since {claim}, where …?"."""

    conditions: Words = NO_WORDS
    """Begin a clause of what is so in some case only, which a denial may be said of."""

    lacking: Words = NO_WORDS
    """Verbs and words that deny without a "not": what lacks something has it not."""

    forbidding: Words = NO_WORDS
    """Words that say of a thing that it may not or cannot be: a book says so by a "not"."""

    allowing: Words = NO_WORDS
    """Words that say that a thing may be so, which a book that denies it need not have."""

    being: Words = NO_WORDS
    """Words that say only that a thing is there, is used or wanted: "not present", "need not"."""

    barring: Words = NO_WORDS
    """Words that deny of themselves that something can or may be: "cannot"."""

    things: Words = NO_WORDS
    """Pronouns that may stand for the thing that such a clause begins with."""

    people: Words = NO_WORDS
    """Pronouns that may stand for the person that it begins with."""

    passed: Words = NO_WORDS
    """Words that say with a negation that something was so before: "no longer"."""

    verb_last: bool = False
    """Whether such a clause ends with its verb."""

    opposed: tuple[tuple[Words, ...], ...] = ()
    """Words of which one at most is so of a thing: "always", "never"."""

    than: str = ""
    """Stands before what a comparison is with."""

    proposed: Pattern = OFF
    """Asks why one would do something, which is not said to be so: "Pourquoi choisir …?"."""

    or_else: Pattern = OFF
    """What joins things of which each is denied: "no server or point of control"."""

    valued: Words = NO_WORDS
    """Words that judge a thing of which a book says it otherwise: "important"."""

    reversing: Pattern = OFF
    """Begins a word that says the opposite of the word without it: "insensitive"."""

    rates: Rates = Rates()
