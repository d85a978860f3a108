"""How much a model thinks before it answers: tokens that its bound counts, and its answer has not."""

FIRST_TOKENS = 1024
"""What a model is given that is known to think, and was not seen doing it."""
MOST_TOKENS = 8192
"""What no model is given more than: a thought so long does not end within a question's time."""
_CHARACTERS_PER_TOKEN = 4
_TELLING_CHARACTERS = 100
"""Fewer may be what was held back of an answer that broke off."""


def tokens_of_thought(characters: int) -> int:
    """Return about how many tokens were thought, where no server counts them; few tell nothing."""
    return characters // _CHARACTERS_PER_TOKEN if characters >= _TELLING_CHARACTERS else 0


class ThinkingRoom:
    """Tokens to think in, beside those of an answer: none until a model is seen or known to think."""

    def __init__(self) -> None:
        self._tokens = 0

    def tokens(self, *, known: bool) -> int:
        """Return the room of a model; `known` says that it is one that thinks."""
        return max(FIRST_TOKENS, self._tokens) if known else self._tokens

    def learn(self, tokens: int) -> None:
        """Give room for twice what a model thought, and for no less than before."""
        self._grow(2 * tokens)

    def widen(self) -> None:
        """Give twice the room to a model that had not come to its answer when it was cut off."""
        self._grow(2 * self._tokens)

    def _grow(self, tokens: int) -> None:
        self._tokens = min(MOST_TOKENS, max(FIRST_TOKENS, self._tokens, tokens))
