"""Find the languages of a document's parts, each block by what stands around it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType

from libs.language.detect import (
    count_letters,
    detect_other,
    detect_throughout,
    seems_other,
    tell_apart,
)
from libs.language.scripts import LATIN, main_script, scripts_of
from services.ingest.model.book import BlockKind, Chunk, Document

_PROSE = frozenset(
    (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.ADMONITION)
)
_RUN = 200
"""Letters of blocks that are looked at together, at least: fewer tell nothing by themselves."""

_LEAST_RUNS = 2
_LEAST_LETTERS = 300
"""What a document must surely have in another language of its script: less is a quotation."""
_LEAST_OF_ONE_RUN = 250
"""Of a single run, whose halves must each tell the language: lists of names seldom agree so far."""
_LEAST_OF_SCRIPT = 100
"""Where the script tells."""

_OWN, _OTHER = "own", "other"
"""What a block seems to be in, of the script that its document is written in."""

Spoken = Mapping[int, str]
"""Languages of blocks, by where they start, that are in another than their document."""

NOT_SPOKEN: Spoken = MappingProxyType({})


def find_block_languages(document: Document, language: str) -> dict[int, str]:
    """Return the languages of blocks, by where they start, that are in another than `language`.

    First, which others the document surely has parts in; between these and its own, shorter blocks are
    told apart as well. A title is in that of what stands below it; what else is not told, such as code,
    in that of its neighbours where they agree.
    """
    others = _established(document, language)
    if not others:
        return {}
    told = [
        tell_apart(document.text[block.start : block.end], (language, *others))
        if block.kind in _PROSE
        else ""
        for block in document.blocks
    ]
    befores, afters = _carried(told), [*_carried(told[::-1])][::-1]
    found = {}
    for block, before, after in zip(document.blocks, befores, afters, strict=True):
        if block.kind is BlockKind.HEADING:
            other = after or before
        else:
            agree = before == after or not (before and after)
            other = (before or after) if agree else language
        if other != language:
            found[block.start] = other
    return found


def _carried(told: Iterable[str]) -> Iterator[str]:
    """Yield what is told last, up to each place with it; "" before anything is."""
    return accumulate(told, lambda before, now: now or before)


def find_chunk_languages(
    chunks: Iterable[Chunk], document: Document, spoken: Spoken
) -> dict[str, str]:
    """Return the languages of chunks, by their ids, most of whose letters are in blocks of another."""
    found = {chunk.chunk_id: _most_of(chunk, document, spoken) for chunk in chunks if spoken}
    return {chunk_id: other for chunk_id, other in found.items() if other}


def _most_of(chunk: Chunk, document: Document, spoken: Spoken) -> str:
    """Return the language of most of a chunk; "" for the document's."""
    blocks = document.blocks
    letters: Counter[str] = Counter()
    for block in blocks[bisect_right(blocks, chunk.start, key=attrgetter("end")) :]:
        if block.start >= chunk.end:
            break
        part = document.text[max(block.start, chunk.start) : min(block.end, chunk.end)]
        letters[spoken.get(block.start, "")] += count_letters(part)
    return max(letters, key=lambda other: letters[other], default="")


def _established(document: Document, language: str) -> list[str]:
    """Return the other languages that parts of the document are surely in, that of most first."""
    runs: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    least: dict[str, int] = {}
    for script, run in _runs(document, language):
        other = detect_other(run, language)
        if not other:
            continue
        runs[other] += 1
        letters[other] += count_letters(run)
        if script not in (_OTHER, LATIN):
            least[other] = _LEAST_OF_SCRIPT
        elif runs[other] >= _LEAST_RUNS:
            least.setdefault(other, _LEAST_LETTERS)
        elif detect_throughout(run, language) == other:
            least.setdefault(other, _LEAST_OF_ONE_RUN)
    return [
        other for other, count in letters.most_common() if other in least and count >= least[other]
    ]


def _runs(document: Document, language: str) -> Iterator[tuple[str, str]]:
    """Yield runs of prose that seem to be in another language, each with its script.

    A run ends where a block seems to be in the document's own language or has another script; what
    does not tell, such as a short item, goes on with what stands before it.
    """
    told = _OWN
    sections: list[list[str]] = [[]]
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            sections.append([])
        if block.kind not in _PROSE:
            continue
        text = document.text[block.start : block.end]
        now = _kind_of(text, language) or told
        if now != told:
            yield from ((told, run) for run in _cut(sections))
            sections = [[]]
        told = now
        if told != _OWN:
            sections[-1].append(text)
    yield from ((told, run) for run in _cut(sections))


def _kind_of(text: str, language: str) -> str:
    """Return the script of a text in which the language isn't written, else _OTHER, _OWN or ""."""
    script = main_script(text)
    if script and script not in scripts_of(language):
        return script
    return {True: _OTHER, False: _OWN, None: ""}[seems_other(text, language)]


def _cut(sections: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the sections' texts in runs of as many as tell something, cut between sections if they do.

    What is left of a section goes with its last run, that of one without a run with what follows.
    """
    runs: list[list[str]] = [[]]
    letters = 0
    for section in sections:
        first = len(runs)
        for text in section:
            runs[-1].append(text)
            letters += count_letters(text)
            if letters >= _RUN:
                runs.append([])
                letters = 0
        if len(runs) > first:
            runs[-2:] = [runs[-2] + runs[-1], []]
            letters = 0
    return ("\n".join(run) for run in runs if run)
