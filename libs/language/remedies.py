"""How a language calls the lines of a record about a fault: what is seen, why, and what helps."""

from msgspec import Struct

from libs.language.entries import OFF, Pattern


class Remedies(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of what answers "what can I do?" where a book lists faults and what helps."""

    asked: Pattern = OFF
    """Asks what helps against what the question says."""

    seen: Pattern = OFF
    """Begins the line of a record that says what is seen, with which the record begins."""

    titled: Pattern = OFF
    """Stands in the title over faults, each of which a paragraph begins with: "Troubleshooting"."""

    labelled: Pattern = OFF
    """Begins the line that says what helps, or stands over it."""
