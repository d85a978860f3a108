"""Find where a book spells out an abbreviation: "On-Demand Mail Relay (ODMR)", "SDA | Serial Data".

Who asks what letters stand for is answered by the words that they begin, and what is alike in meaning
tells nothing of letters.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from libs.initials import abbreviations_in
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.table_rows import cells_of
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.model import BlockKind, Passage

_MOST_LETTERS = 3
"""Of an abbreviation that begin one word: "SDA" is serial data."""

_WORD = re.compile(r"[^\W\d_]+")
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OPENS = re.compile(r"[(\[]\W*$")
_GOES_ON = re.compile(r"^\W*[(\[:=–—-]")


def has_long_form_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether the passages spell out the abbreviation that the question wants spelled out."""
    if not _short_form_in(question):
        return False
    items = list_candidates(passages, question.language)
    return find_long_form(question, items) is not None


def find_long_form(
    question: QuestionAnalysis, items: Iterable[CandidateSpan]
) -> CandidateSpan | None:
    """Return the first span that spells out what the question wants so; None where none does."""
    short, lexicon = _short_form_in(question), load_lexicon(question.language)
    if not short:
        return None
    return next((one for one in items if _spells_out(one, short, lexicon)), None)


def _initials(texts: Iterable[str]) -> str:
    found = (_WORD.search(text) for text in texts)
    return "".join(one[0][0] for one in found if one).casefold()


def _short_form_in(question: QuestionAnalysis) -> str:
    """Return the one abbreviation that the question wants spelled out; "" for none."""
    if load_lexicon(question.language).short_forms.asked.search(question.question) is None:
        return ""
    asked = abbreviations_in(question.definiendum or question.question)
    return next(iter(asked)) if len(asked) == 1 else ""


def _spells_out(item: CandidateSpan, short: str, lexicon: Lexicon) -> bool:
    light, leads_to_it = lexicon.stop_words, lexicon.short_forms.said
    if item.span.kind is BlockKind.TABLE:
        cells = cells_of(item.text)
        return short in cells and any(_is_long_form(one, short, light) for one in cells)
    # A term over what is said of it is spelled out there: "SDA" over "Serial data: …".
    if item.intro_text.strip() == short and _begins_with_it(item.text, short, light):
        return True
    for found in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", item.text):
        before, behind = item.text[: found.start()], item.text[found.end() :]
        led_by = _OPENS.search(before) or leads_to_it.search(before)
        if led_by and _ends_with_it(before[: led_by.start()], short, light):
            return True
        if _GOES_ON.match(behind) and _begins_with_it(behind, short, light):
            return True
        if _GOES_ON.match(behind) and _initials(behind.split(",")) == short.casefold():
            return True
    return False


def _is_long_form(text: str, short: str, light: Collection[str]) -> bool:
    return _is_spelled(short.lower(), _words_of(text), light)


def _begins_with_it(text: str, short: str, light: Collection[str]) -> bool:
    said = _words_of(text)[: 2 * len(short)]
    return any(_is_spelled(short.lower(), said[:to], light) for to in range(2, len(said) + 1))


def _ends_with_it(text: str, short: str, light: Collection[str]) -> bool:
    said = _words_of(text)[-2 * len(short) :]
    return any(_is_spelled(short.lower(), said[at:], light) for at in range(len(said) - 1))


def _words_of(text: str) -> list[str]:
    """Return the words of a text, of which one with a capital within is several: "SpiderMonkey"."""
    return [one.lower() for one in _WORD.findall(_INNER_CAPITAL.sub(" ", text))]


def _is_spelled(letters: str, said: Sequence[str], light: Collection[str]) -> bool:
    """Whether the letters begin these words, in order and all of them but some such as "of"."""
    if not letters or not said:
        return not letters and not said
    first, rest = said[0], said[1:]
    if first in light and _is_spelled(letters, rest, light):
        return True
    longest = min(_MOST_LETTERS, len(letters))
    return any(
        first.startswith(letters[:length]) and _is_spelled(letters[length:], rest, light)
        for length in range(1, longest + 1)
    )
