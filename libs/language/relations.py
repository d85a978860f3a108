"""How a language asks for one side of a relation, where word order tells which side a thing is on."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Relations(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of questions with the groups `thing` and `verb`, and `at` or `to`, its preposition."""

    of_doer: Pattern = OFF
    """Asks what the thing does it to: "Who does the cook report to?", "What does rust cause?"."""

    of_object: Pattern = OFF
    """Asks who does it to the thing: "Who reports to the cook?", "What causes rust?"."""

    by: Words = NO_WORDS
    """Stands behind a verb in the passive, before who does it."""
