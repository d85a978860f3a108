"""Find titles and sentences that say of all behind them, for a while, that it does not simply hold.

They are told by the words of the language that they are in: a title such as "Myths", "The following
applies to wooden hulls only", "Suppose that …".
"""

from collections.abc import Iterator, Sequence

from libs.language.checks import Context
from libs.language.lexicon import load_lexicon
from services.ingest.model.book import Block, BlockKind, LeadIn, Section, Span
from services.ingest.splitters.languages import NOT_SPOKEN, Spoken

VERSION = "limits 3"
"""Of what is told from these words. With another way of finding it, all documents are read again."""

_LONGEST = 300
"""Characters of a sentence or a title that is looked at; of longer ones no neighbour is kept."""

_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.ADMONITION)
_INTRODUCES = (":", "：")

Pieces = Sequence[tuple[Block, Sequence[Span]]]


def find_limits(
    text: str,
    pieces: Pieces,
    sections: Sequence[Section],
    language: str,
    spoken: Spoken = NOT_SPOKEN,
) -> Iterator[LeadIn]:
    """Yield them with where what they limit ends, in no order.

    A title limits its section with all below it. So does a sentence that opens the section or stands
    alone; within a paragraph, and where it only supposes something, it limits the rest of that.
    """
    ends = {section.start: section.end for section in sections}
    end, opens = len(text), True
    for block, spans in pieces:
        rules = load_lexicon(spoken.get(block.start, language)).checks.context
        if block.kind is BlockKind.HEADING:
            end, opens = ends.get(block.start, end), True
            title = text[block.start : block.end]
            if len(title) <= _LONGEST and rules.withdrawn_title.search(title):
                yield LeadIn(block.start, block.end, end, False)
        elif block.kind in _PROSE:
            reaches = end if len(spans) == 1 or opens else block.end
            yield from _in_prose(text, spans, (reaches, block.end), rules)
            opens = False


def _in_prose(
    text: str, spans: Sequence[Span], ends: tuple[int, int], rules: Context
) -> Iterator[LeadIn]:
    """Yield those of a block; `ends` are where limits at its beginning end, and where it does."""
    for at, span in enumerate(spans):
        said = text[span.start : span.end].rstrip()
        if len(said) > _LONGEST or said.endswith(_INTRODUCES):
            continue  # What ends so belongs to what it introduces, which is no matter of words.
        if rules.limits_below.search(said):
            yield LeadIn(span.start, span.end, ends[at > 0], False)
        elif rules.supposes.search(said):
            yield LeadIn(span.start, span.end, ends[1], False)
