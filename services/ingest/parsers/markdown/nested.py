"""Read what stands in Markdown in another markup: reStructuredText of MyST, HTML of AsciiDoc."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from markdown_it.token import Token

from libs.errors import InvalidInput
from services.ingest.model.book import BlockKind, DroppedContent
from services.ingest.parsers.lazy import load_html, load_rst
from services.ingest.parsers.outline import Item, place_footnotes

EVAL_RST = "{eval-rst}"
EVAL_HTML = "{eval-html}"
"""What fences of the two begin with; HTML in Markdown itself stands in no fence."""
_DEEPEST = 6


def read_nested(
    token: Token, above: Sequence[Item], names: Mapping[str, str]
) -> tuple[Sequence[Item], Sequence[DroppedContent]]:
    """Return the pieces of a block, and what is not in them, by the lines of the whole file.

    Its titles stand below the last of those `above`. What can't be read is shown as it stands.
    """
    try:
        items, dropped = _pieces_of(token, names)
    except InvalidInput:
        return [Item(BlockKind.CODE, token.content.strip("\n"))], ()
    levels = (item.level for item in reversed(above) if item.kind is BlockKind.HEADING)
    level, first = next(levels, 0), (token.map or [0])[0] + 1
    return [_below(item, level) for item in items], [_moved(one, first) for one in dropped]


def _pieces_of(
    token: Token, names: Mapping[str, str]
) -> tuple[Sequence[Item], Sequence[DroppedContent]]:
    if token.info.startswith(EVAL_RST):
        items, dropped = load_rst().read_pieces(token.content, names)
        return items, dropped
    html = load_html()
    page = html.read_page(html.parse_tree(token.content), is_part=True)
    return list(place_footnotes(page.items, page.footnotes, page.numbers)), page.dropped_content


def _below(item: Item, level: int) -> Item:
    is_title = item.kind is BlockKind.HEADING
    # The notes of a block are told with it: nothing outside refers to them.
    bare = replace(item, footnotes=(), note="")
    return replace(bare, level=min(item.level + level, _DEEPEST)) if is_title else bare


def _moved(dropped: DroppedContent, lines: int) -> DroppedContent:
    name, _, number = dropped.place.partition(" ")
    if name != "line" or not number.isdecimal():
        return dropped
    return replace(dropped, place=f"line {int(number) + lines}")
