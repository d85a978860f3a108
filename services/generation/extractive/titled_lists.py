"""Lead with things that a section tells one by one, each below a title or a label of its own.

"Three Types of Unemployment" has "1. Frictional Unemployment" and two more below it, and no sentence
names them all; a sentence that announces four phases is followed by four paragraphs, each of which
begins with the name of one.
"""

import re
from collections.abc import Iterator, Sequence

from libs.question.expected import AnswerKind
from libs.question.said import words_in
from libs.question.synonyms import are_said, is_said
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.places import Place, is_new_line, place_of
from services.generation.model import BlockKind

_LEAST, _MOST = 2, 9
_NUMBERED = re.compile(r"^\W*(?:\w+ )?(?:\d{1,2}|[A-H]|[IVX]{1,4})[.:)]\s")
_LABELLED = re.compile(r"^\W*[^\W_][^.!?:–—]{1,50}(?::|\s[–—-])\s")
_WORD = re.compile(r"[^\W_]+")

_Path = tuple[str, ...]


def list_titled(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return how each of the sections begins that tell one of the things asked for; [] without any."""
    if asked.selection is not None or asked.own or not _asks_for_things(asked):
        return []
    wanted = asked.uncounted
    if not wanted:
        return []
    sections = _sections_of(fit)
    for parent in dict.fromkeys(path[:-1] for path in sections):
        if parent and are_said(wanted, parent[-1], asked.lexicon, asked.analysis.language):
            told = _told_below(asked, parent, sections)
            if told:
                return [_opening(sections[path]) for path in told]
    return _paragraphs_announced(asked, wanted, fit)


def _asks_for_things(asked: Asked) -> bool:
    return asked.types.list_of_things or asked.expects(AnswerKind.LIST)


def _sections_of(fit: Sequence[Ranked]) -> dict[_Path, list[CandidateSpan]]:
    """Return the spans of each section by its titles, both in the order of the book."""
    items = sorted((one.item for one in fit), key=lambda item: item.key)
    sections: dict[_Path, list[CandidateSpan]] = {}
    for item in items:
        path = item.passage.locator.section_path
        if path and item.heading == path[-1]:
            sections.setdefault(path, []).append(item)
    return sections


def _told_below(
    asked: Asked, parent: _Path, sections: dict[_Path, list[CandidateSpan]]
) -> list[_Path]:
    """Return the sections right below the title that are each of one thing; [] if some are missing.

    They are numbered, or called as the things are, "Structural unemployment", or all there are.
    """
    rules = asked.lexicon.spans
    below = [
        path for path in sections if path[:-1] == parent and not rules.specifies.search(path[-1])
    ]
    numbers = [_NUMBERED.match(path[-1]) for path in below]
    numbered = [path for path, found in zip(below, numbers, strict=True) if found]
    counts = set(_numbers_in(parent[-1], asked))
    called = [path for path in below if _names_kind(asked, path[-1])]
    for told in (numbered, called, [] if numbered or called or not counts else below):
        if len(told) in counts or (not counts and _LEAST <= len(told) <= _MOST):
            return told
    return []


def _names_kind(asked: Asked, title: str) -> bool:
    """Whether a title is called as the things are, and is not of all of them: "Comparing the types"."""
    held, language = words_in(title), asked.analysis.language
    kind = next((one for one in words(asked.analysis.question) if one in asked.uncounted), "")
    said = [one for one in asked.uncounted if is_said(one, held, asked.lexicon, language)]
    return bool(said) and (kind not in said or len(asked.uncounted) == 1)


def _opening(items: Sequence[CandidateSpan]) -> Place:
    """Return the first sentence of a section, with its title where that stands right over it."""
    first = items[0]
    at = first.index - 1
    is_titled = at >= 0 and first.passage.spans[at].kind is BlockKind.HEADING
    return place_of(first, at if is_titled else first.index)


def _paragraphs_announced(
    asked: Asked, wanted: frozenset[str], fit: Sequence[Ranked]
) -> list[Place]:
    """Return a sentence that announces several things, with the paragraphs that name one each."""
    for one in fit:
        item = one.item
        if item.span.kind is not BlockKind.PARAGRAPH:
            continue
        over = f"{item.text}\n{item.heading}"
        if not are_said(wanted, over, asked.lexicon, asked.analysis.language):
            continue
        counts = set(_numbers_in(item.text, asked))
        told = _labelled_behind(item) if counts else []
        if len(told) in counts:
            return [place_of(item), *(place_of(item, at, at) for at in told)]
    return []


def _labelled_behind(item: CandidateSpan) -> list[int]:
    """Return the first sentences of the paragraphs behind the span's own that begin with a label."""
    passage, told = item.passage, list[int]()
    for at in range(item.index + 1, len(passage.spans)):
        if passage.spans[at].kind is not BlockKind.PARAGRAPH:
            break
        if is_new_line(passage, at):
            if _LABELLED.match(passage.text_of(passage.spans[at])):
                told.append(at)
            elif told:
                break
    return told


def _numbers_in(text: str, asked: Asked) -> Iterator[int]:
    known = asked.lexicon.checks.numbers.values
    for word in _WORD.findall(text.lower()):
        value = float(word) if word.isdecimal() else known.get(word, 0.0)
        if _LEAST <= value <= _MOST:
            yield int(value)
