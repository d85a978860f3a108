"""How a language asks for values, and says them: sizes, signs, what is the most of a kind."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Attribute(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of something that a person or thing has one of, such as the place and date of birth."""

    asked: Pattern = OFF
    """Indicates a question for it, within one for a place, a date or, of an age, a quantity.

    Its group `of` is what it is asked of, where that stands within: "number of the service line".
    """

    said: Pattern = OFF
    """Indicates a sentence that speaks of it, in whatever words."""


class Extremes(Struct, frozen=True, forbid_unknown_fields=True):
    """Questions for which of several has the most or the least of something."""

    asked: Pattern = OFF
    """What asks so: its group `most` or `least` has matched last."""

    compared: Pattern = OFF
    """What asks so of two: "cheaper"; its groups are the same."""

    dimensions: dict[str, Pattern] = {}
    """What an adjective measures, by dimension: "cheapest" money; `any` where only a verb tells."""


class Values(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate a value of some type in a sentence."""

    number: Pattern = OFF
    """In digits or words."""

    single: Pattern = OFF
    """The article before a unit of which there is one: "rest it for an hour"."""

    lasting: Pattern = OFF
    """Says how long something lasts, without a number: "overnight"."""

    multiple: Pattern = OFF
    """Says how many times as much something is."""

    often: Pattern = OFF
    """Says how often something happens, without a number."""

    extent: Words = NO_WORDS
    """What the length of a text, a name or a number is told in."""

    origin: Pattern = OFF
    """Says whose work something is, where a name stands beside it."""

    agent: Pattern = OFF
    """Says who does something: a name, or what stands before a doer, as "by". `▯` is a word of the
    question."""

    passive: Pattern = OFF
    """Says that something is done to a thing, and leaves open by whom."""

    alike_from: int = 0
    """Letters from which on words that begin alike are forms of one; 0 where their stems tell."""

    compounds: bool = False
    """Whether several nouns are written as one word: "Übernachtungspreis"."""

    drops_subject: bool = False
    """Whether what goes on about the same thing need not have a pronoun for it: "Se vendió"."""

    beginning: Pattern = OFF
    """What some forms of a word begin with and others do not: "geschärft", "schärft"."""

    affirmed: Pattern = OFF
    denied: Pattern = OFF
    """All of the cell of a table that says yes, or no, to what its column is called."""

    unit: Pattern = OFF
    """Its first group is what may be a unit, behind a number."""

    date: Pattern = OFF
    year: Pattern = OFF
    """A date with its year, where the language asks for one apart from other dates."""

    occasion: Pattern = OFF
    """Says when, or in which case, something is so."""

    recurring: Pattern = OFF
    """Says when something is so again and again, as opening hours do, which is no date of what
    happened once."""

    name: Pattern = OFF
    """Says what somebody or something is called. `▯` is a word of the question."""

    person: Pattern = OFF
    place: Pattern = OFF
    followed: Pattern = OFF
    """Says what something followed, which may be why it is so: "after a storm"."""

    cause: Pattern = OFF
    definition: Pattern = OFF
    code: Pattern = OFF
