"""Leave out what a reasoning model thinks aloud before it answers, or in between.

Servers that do not take thoughts apart send them as text between tags: `<think>…</think>` and the like.
"""

import re
from dataclasses import dataclass

from services.generation.language_model.channels import Channels, is_quoted

_TAG = re.compile(
    r"[<◁](/?)(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning)[>▷]|\[(/?)THINK\]",
    re.IGNORECASE,
)
_BEGUN_TAG = re.compile(
    r"(?:[<◁]/?\w{0,12}(?::\w{0,9})?|\[/?(?:T(?:H(?:I(?:NK?)?)?)?)?)\Z", re.IGNORECASE
)
_OBJECT = re.compile(r"(?:```(?:json)?\s*)?\{")
_HEAD = 16
"""Characters by which an object is known."""


@dataclass
class Habit:
    """What is learnt of a model: whether its prompt opens the thought that its text then closes."""

    opens_unseen: bool = False


class Thoughts:
    """Takes thoughts out of a text that comes in pieces.

    A thought ends with its closing tag, or with the text. What stands in quotation marks or in code is
    no tag, nor is anything after the beginning of a JSON object. A closing tag that nothing opened
    makes a thought of all before it: `restart` says so, and the next text of `habit` is held back until
    that tag, or to its end when there is none.
    """

    def __init__(self, habit: Habit) -> None:
        self._habit = habit
        self._unsure: list[str] | None = [] if habit.opens_unseen else None
        self._thinking = habit.opens_unseen
        self._restarted = False
        self._held = self._head = self._line = ""
        self._channels = Channels()
        self._length = self._shown_length = 0

    @property
    def length(self) -> int:
        """Characters of what was fed that were thought and not shown, so far."""
        return self._length - self._shown_length

    def feed(self, text: str) -> str:
        """Take more text; return what of it is no thought."""
        self._length += len(text)
        return self._count(self._feed(self._channels.feed(text)))

    def _count(self, shown: str) -> str:
        self._shown_length += len(shown)
        return shown

    def _feed(self, text: str) -> str:
        self._held += text
        shown = ""
        while not self._is_object and (tag := _TAG.search(self._held)):
            before, self._held = self._held[: tag.start()], self._held[tag.end() :]
            shown += self._show(before)
            if not self._thinking and (self._is_object or is_quoted(self._line)):
                shown += self._show(tag[0])
            elif tag[1] or tag[2]:
                shown = shown if self._thinking else self._restart()
                self._thinking, self._unsure = False, None
            else:
                self._thinking, self._unsure = True, None
        begun = None if self._is_object else _BEGUN_TAG.search(self._held)
        end = begun.start() if begun else len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return shown + self._show(ready)

    def finish(self) -> str:
        """Return what was held back: what might have begun a tag, and a text that was no thought."""
        held = self._feed(self._channels.finish()) + self._show(self._held)
        self._held = ""
        if self._unsure is None:
            return self._count(held)
        self._habit.opens_unseen = False
        return self._count("".join(self._unsure))

    def take_restart(self) -> bool:
        """Whether all that was returned so far turned out to be a thought since the last call."""
        restarted, self._restarted = self._restarted, False
        return restarted

    @property
    def _is_object(self) -> bool:
        return _OBJECT.match(self._head) is not None

    def _restart(self) -> str:
        self._shown_length = 0
        self._habit.opens_unseen = self._restarted = True
        self._head = self._line = ""
        return ""

    def _show(self, text: str) -> str:
        if self._thinking:
            if self._unsure is not None:
                self._unsure.append(text)
            return ""
        self._head = (self._head + text[: _HEAD * 2]).lstrip()[:_HEAD]
        self._line = (self._line + text).rpartition("\n")[2]
        return text


def without_thoughts(text: str) -> str:
    """Return a whole text without its thoughts."""
    thoughts = Thoughts(Habit())
    return thoughts.feed(text) + thoughts.finish()
