"""Take the answer out of the channels that gpt-oss models write in, besides thoughts and tool calls.

Servers that do not take them apart send them as they are, `<|channel|>analysis<|message|>…<|end|>…`, or
without their special tokens, `analysis…assistantfinal…`.
"""

import re

_TOKEN = re.compile(
    r"<\|(?P<mark>start|channel|constrain|message|end|return|call)\|>"
    r"|assistant(?P<bare>analysis|commentary|final)"
)
_BEGUN_TOKEN = re.compile(r"<(?:\|[a-z]{0,9}\|?)?\Z")
_BARE_NAMES = ("analysis", "commentary")
_BARE_BEGIN = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z\"']|<\|)")
"""No word of an answer: a sentence begins right behind it."""
_BARE_TURNS = tuple(f"assistant{name}" for name in (*_BARE_NAMES, "final"))
_SHOWN = "final"
_LONGEST_HEADER = 200


class Channels:
    """Passes on what is for the reader in a text that comes in pieces: one channel, or all without any.

    What stands in quotation marks or in code of a text without channels is no token of them.
    """

    def __init__(self) -> None:
        self._held = ""
        self._begun = self._bare = False
        self._channel: str | None = None
        self._header: str | None = None
        self._line = ""

    def feed(self, text: str) -> str:
        """Take more text; return what of it is for the reader."""
        self._held += text
        if not self._begun and not self._begin():
            return ""
        shown = self._take_tokens()
        end = len(self._held) - self._begun_length()
        ready, self._held = self._held[:end], self._held[end:]
        return shown + self._pass_on(ready)

    def finish(self) -> str:
        """Return what was held back, since it might have begun a token."""
        held, self._held = self._held, ""
        return self._pass_on(held)

    def _begin(self) -> bool:
        """Whether it is known how the text begins."""
        begin = self._held.lstrip().removesuffix("<")
        if any(name.startswith(begin) for name in _BARE_NAMES):
            return False
        self._begun = True
        if bare := _BARE_BEGIN.match(self._held):
            self._bare, self._channel = True, bare[0].strip()
            self._held = self._held[bare.end() :]
        return True

    def _take_tokens(self) -> str:
        shown, start = "", 0
        for token in _TOKEN.finditer(self._held):
            shown += self._pass_on(self._held[start : token.start()])
            start = token.end()
            if not self._turn(token):
                shown += self._pass_on(token[0])
        self._held = self._held[start:]
        return shown

    def _turn(self, token: re.Match[str]) -> bool:
        """Go where a token says; whether it is one."""
        if token["bare"]:
            self._channel = token["bare"] if self._bare else self._channel
            return self._bare
        if self._channel is None and self._header is None and is_quoted(self._line):
            return False
        if token["mark"] != "message":
            self._header = self._header or ""
        else:
            name = self._channel or "" if self._header is None else self._header
            self._channel = _SHOWN if _SHOWN in name else "analysis"
            self._header = None
        return True

    def _pass_on(self, text: str) -> str:
        if self._header is not None:
            self._header = (self._header + text)[:_LONGEST_HEADER]
            return ""
        if self._channel not in (None, _SHOWN):
            return ""
        self._line = (self._line + text).rpartition("\n")[2]
        return text

    def _begun_length(self) -> int:
        """Return how many characters at the end may begin a token."""
        begun = _BEGUN_TOKEN.search(self._held)
        if begun or not self._bare:
            return len(begun[0]) if begun else 0
        longest = max(map(len, _BARE_TURNS))
        ends = (self._held[-length:] for length in range(longest, 0, -1))
        return next((len(end) for end in ends if _may_turn(end)), 0)


def _may_turn(end: str) -> bool:
    return any(turn.startswith(end) for turn in _BARE_TURNS)


def is_quoted(before: str) -> bool:
    """Whether what follows in a line is within quotation marks, or in code."""
    return bool(before.count('"') % 2 or before.count("`") % 2) or before.count("“") > before.count(
        "”"
    )
