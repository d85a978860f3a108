"""What a reader typed in, whether it is a courtesy and no question out; by its words, in English."""

import re

from libs.text import words

_PHRASES = frozenset(
    """hi hello hey yo hiya greetings
    good_morning good_afternoon good_evening good_night good_day
    thanks thank_you thank_you_very_much thanks_a_lot many_thanks thank_you_so_much cheers thx ty
    bye goodbye good_bye see_you see_you_later
    ok okay great nice cool perfect good_job well_done got_it i_see awesome wonderful
    how_are_you how_are_you_doing how_are_you_today how's_it_going what's_up nice_to_meet_you
    who_are_you what_are_you are_you_a_bot are_you_human what_can_you_do help sorry please
    hello_there hi_there hey_there that_was_helpful that_helps very_helpful""".split()  # noqa: SIM905
)
_LONGEST = 5
_MOST_WORDS = 12
_EMPTY_FILLERS = frozenset("so very much again everyone quoth and for your the help all".split())  # noqa: SIM905
_MARK = re.compile(r"[’]")


def is_courtesy(text: str) -> bool:
    """Whether `text` is made of greetings, thanks and the like, and nothing to look up."""
    spoken = words(_MARK.sub("'", text))
    if not spoken or len(spoken) > _MOST_WORDS:
        return False
    at, found = 0, False
    while at < len(spoken):
        length = _phrase_length(spoken, at)
        found |= length > 0
        if not length and not (found and spoken[at] in _EMPTY_FILLERS):
            return False
        at += max(1, length)
    return found


def _phrase_length(spoken: list[str], at: int) -> int:
    """Return the length of the longest phrase that begins at word `at`, 0 for none."""
    for length in range(min(_LONGEST, len(spoken) - at), 0, -1):
        if "_".join(spoken[at : at + length]) in _PHRASES:
            return length
    return 0
