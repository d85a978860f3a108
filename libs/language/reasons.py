"""How a language gives the reason for what it says."""

from msgspec import Struct

from libs.language.entries import OFF, Pattern


class Reasons(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of what answers "why"; where `given` is OFF, nothing tells a bare fact from a reason."""

    asked: Pattern = OFF
    """Asks why something is so, but not what it is for."""

    given: Pattern = OFF
    """Stands in a sentence that says of something also why it is so: a cause, a purpose, what it
    prevents, or the case in which it is so."""

    told_after: Pattern = OFF
    """Stands in a sentence that gives the reason for the one before it: what would be otherwise, or
    what had been."""

    points_back: Pattern = OFF
    """Says, at an end of a sentence, that the one before gives the reason: "as a result"."""

    faults: Pattern = OFF
    """Stands in the title over faults, each of which a paragraph begins with: "Troubleshooting"."""
