"""The tokens that services show one another."""

import hashlib
import hmac
import re
from collections.abc import Sequence

from libs.settings import SettingsError

MIN_TOKEN = 32
"""Characters of a token, at least: fewer could be tried out."""

_TOKEN = re.compile(r"[!-~]+")


class Tokens:
    """Callers show the first; whoever shows any of them is one of ours. None at all: false."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.shown = tokens[0] if tokens else ""
        self._digests = [_digest(token) for token in tokens]

    @classmethod
    def parse(cls, variable: str, text: str) -> "Tokens":
        """Read tokens with blanks between. Raises SettingsError, which names `variable`."""
        tokens = text.split()
        if any(len(token) < MIN_TOKEN or not _TOKEN.fullmatch(token) for token in tokens):
            raise SettingsError(
                f"{variable}: a token is {MIN_TOKEN} printable ASCII characters or more"
            )
        return cls(tokens)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def know(self, token: str) -> bool:
        """Say whether `token` is one of them, in a time that tells nothing of how near it comes."""
        given = _digest(token)
        # All are compared, whichever it is.
        return sum(hmac.compare_digest(given, digest) for digest in self._digests) > 0


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
