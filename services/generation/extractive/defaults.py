"""Answer what is so by default with what says it, and not with how it is changed.

"The default pager can be changed by setting PAGER" names the thing and tells no pager.
"""

from collections.abc import Sequence
from itertools import islice

from libs.question.expected import AnswerKind
from libs.question.said import share_of_words
from libs.table_rows import cells_of
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.intro import with_intro
from services.generation.extractive.places import Place, follow_each_other, place_of
from services.generation.model import BlockKind

_OTHERWISE = (AnswerKind.PROCEDURE, AnswerKind.CAUSE, AnswerKind.YES_NO)
"""What is asked of a default where it is not which one it is."""


_AMONG = 20
"""Likeliest spans of which one may say what the default is."""

_STATE_APART = 0.7
"""Share of a question's words from which a sentence may lack only the state: "off" for "on"."""


def leave_out_changes(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans without those that only say how a default is changed, if the default is asked.

    None where a thing's default is asked for and nothing says one.
    """
    if not _asks_default(asked) or not fit:
        return fit
    kept = [one for one in fit if not _only_changes(one.item)]
    is_told = len(kept) == len(fit) or any(_tells(asked, one.item) for one in kept[:_AMONG])
    return kept if is_told or not asked.thing else []


def find_default(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return the likeliest span that says the default that is asked for, as it is read; [] for none."""
    if asked.expects(AnswerKind.YES_NO):
        return _find_state(asked, fit)
    if not _asks_default(asked):
        return []
    telling = (one.item for one in fit[:_AMONG] if _tells(asked, one.item))
    item = next(telling, None)
    if item is None:
        return []
    if item.rules.tells_default.search(item.text) is None:
        return [place_of(item, item.intro)]
    is_whole = _says_all(asked, item.text) or not _goes_on(item)
    return with_intro(item) if is_whole else [place_of(item, item.index - 1)]


def _find_state(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return the likeliest sentence that says of a thing what it is by default, if that is asked."""
    if not _names_default(asked):
        return []
    says, rest = asked.lexicon.spans.default_asked, _without_default(asked)
    stating = (
        one.item
        for one in fit[:_AMONG]
        if one.item.span.kind is BlockKind.PARAGRAPH
        and says.search(one.item.text)
        and not _only_changes(one.item)
        and share_of_words(rest, one.item.text, asked.lexicon) >= _STATE_APART
    )
    return [place_of(item, item.intro) for item in islice(stating, 1)]


def _asks_default(asked: Asked) -> bool:
    return _names_default(asked) and not asked.expects(*_OTHERWISE)


def _names_default(asked: Asked) -> bool:
    """Whether a question about the book's matter, with nothing marked, names a default."""
    is_meant = not asked.own and asked.selection is None
    return (
        is_meant and asked.lexicon.spans.default_asked.search(asked.analysis.question) is not None
    )


def _only_changes(item: CandidateSpan) -> bool:
    rules = item.rules
    is_prose = item.span.kind is not BlockKind.TABLE
    changes = is_prose and rules.tells_change.search(item.text) is not None
    return changes and rules.tells_default.search(item.text) is None


def _without_default(asked: Asked) -> str:
    return asked.lexicon.spans.default_asked.sub(" ", asked.analysis.question)


def _tells(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a sentence says what is so by default of all that it and the one before it name."""
    # An entry tells it in its own line: "autosave (default: yes)".
    own = item.text if item.intro is None else f"{item.text}\n{item.intro_text}"
    if item.rules.tells_default.search(own) is None:
        return False
    if item.span.kind is BlockKind.TABLE:
        # "timeout SECONDS | … Default is 60." says it of what it begins with, and of no other thing.
        return _says_all(asked, cells_of(item.text)[0])
    before = item.around[:1] if _goes_on(item) else []
    return _says_all(asked, "\n".join((item.text, item.over, *before)))


def _says_all(asked: Asked, text: str) -> bool:
    return share_of_words(_without_default(asked), text, asked.lexicon) == 1.0


def _goes_on(item: CandidateSpan) -> bool:
    return item.index > 0 and follow_each_other(item.passage, item.index - 1)
