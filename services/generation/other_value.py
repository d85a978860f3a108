"""What a book says other than a question takes for granted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class OtherValue:
    """What the question says, in its words, and the words of the book that say another value.

    `asked` is "" where the book denies the whole.
    """

    asked: str
    quote: str

    def stands_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts has what the question says, if of something else.

        That the book has no mention of it would not be true then.
        """
        whole = re.compile(rf"(?<!\w){re.escape(self.asked)}(?!\w)", re.IGNORECASE)
        return bool(self.asked) and any(whole.search(text) for text in texts)
