"""What a book says other than a question takes for granted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class OtherValue:
    """What the question says, in its words, and the words of the book that say another value.

    `asked` is "" where the book denies the whole.
    """

    asked: str
    quote: str
    is_ground: bool = False
    """Whether all of the question stands on it, so that nothing answers: "Since {asked}, where …?"."""
