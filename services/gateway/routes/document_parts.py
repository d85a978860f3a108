"""Parts of a document: the first of a long one can be read before the others have come."""

from bisect import bisect_left, bisect_right

from msgspec.structs import replace

from libs.errors import InvalidInput
from services.gateway.model.books import Document


def part_of(whole: Document, start: int, length: int | None) -> Document:
    """Return whole blocks from the one at `start` on, as many as `length` characters need; None is all.

    Raises InvalidInput for a start behind the text.
    """
    if start and start >= whole.length:
        raise InvalidInput(f"start: The document has {whole.length} characters.")
    if not start and length is None:
        return whole
    blocks = whole.blocks
    ends = [block.end for block in blocks]
    first = bisect_right(ends, start)
    begin = blocks[first].start if start and first < len(blocks) else start
    last = len(blocks) if length is None else bisect_left(ends, begin + length, first) + 1
    stop = blocks[last].start if last < len(blocks) else whole.length
    is_last = stop == whole.length
    markup = [one for one in whole.markup if begin <= one.start < stop + is_last]
    shown = {one.value for one in markup if one.kind == "image"}
    return replace(
        whole,
        text=whole.text[begin:stop],
        blocks=blocks[first:last],
        sections=[] if begin else whole.sections,
        markup=markup,
        images=[image for image in whole.images if image.image_id in shown],
        start=begin,
        next_start=None if is_last else stop,
    )
