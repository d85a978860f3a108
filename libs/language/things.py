"""How a language names the things asked about: where a noun begins, and where it ends."""

from typing import Literal

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Things(Struct, frozen=True, forbid_unknown_fields=True):
    """Words and patterns that find nouns in a question; where `noun` is "" none is found."""

    noun: Literal["", "first", "last", "capital"] = ""
    """Which of the words behind an article or a preposition is the noun; "capital" where any noun has
    one, and nothing else but the first word."""

    asks: Pattern = OFF
    """Asks how something is done, or what a thing has, so that the book has to speak of each noun."""

    of_values: bool = False
    """Whether a question for a quantity asks so too, whatever its words."""

    introduces: Words = NO_WORDS
    """Articles, prepositions and their like, behind which a noun comes, with its adjectives."""

    verb_follows: Words = NO_WORDS
    """Words behind which a verb stands before the noun: "to", "I"."""

    helping: Words = NO_WORDS
    """Verbs behind which comes who or what does it, and is called otherwise, and a verb."""

    joins: Words = NO_WORDS
    """Prepositions that stand behind nouns alone: "of"."""

    verb_form: Pattern = OFF
    """The end of a verb or an adverb that may stand where a noun would."""
