"""Recognise the heading that a block of lines shows."""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.parsers.plain.lines import indent_of, is_rule
from services.ingest.parsers.wrapped import join_all, join_unless_unspaced

_LAYOUT = load_layout()
_CHAPTER = re.compile(
    rf"(?:({alternatives(_LAYOUT.part)})|({alternatives(_LAYOUT.chapter)}))"
    rf"[ ]+(?:\d{{1,4}}|[IVXLC]{{1,8}}|(?-i:[A-Z])|{alternatives(_LAYOUT.numbers)})"
    r"(?:[.:—–-]*(?P<name>[ ]+\S.*)?)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?:(?:{alternatives(_LAYOUT.chapter)}) (?:\w{{1,3}} )?(?:{alternatives(_LAYOUT.ordinals)})"
    rf"|(?:{alternatives(_LAYOUT.ordinals)}) (?:{alternatives(_LAYOUT.chapter)}))"
    r"(?:[.:—–-]*(?P<name>[ ]+\S.*)?)",
    re.IGNORECASE,
)
_UNSPACED = re.compile(
    rf"(?:{alternatives(_LAYOUT.counter)})[ ]?"
    r"(?:\d{1,4}|[〇零一二三四五六七八九十百千]{1,6})[ ]?"
    rf"(?:({alternatives(_LAYOUT.part)})|(?:{alternatives(_LAYOUT.chapter)}))"
    r"(?P<name>[ \u3000:：、].{0,60})?"
)
_MOST_INDENT = 3
_CENTRED = 10
_STRESSED = re.compile(r"([_*])(?!\1)(.+)(?<!\1)\1")
"""How books without markup show that a line is set apart."""
_NUMBERED = re.compile(r"((?:\d{1,3}|[A-Z])(?:\.\d{1,3})+)\.?[ ]+\S.*")
_TOP = re.compile(r"(\d{1,2})\.? [^\W\d_].{0,90}")
_LEAST_TOPS = 2
_COUNT = re.compile(r"(?:\d{1,3}|[IVXLC]{1,8})[.:)]?")
_ALONE = re.compile(rf"(?:{alternatives(_LAYOUT.unnumbered)})[.:]?", re.IGNORECASE)
_GAP = re.compile(r" {2,}")
_LABEL = re.compile(r"(?:(?=.*\d)[\w.-]{1,8}|\w{1,2}|[IVXLC]+)[.):-]?")
_BOX, _WIDEST = 3, 20
"""Lines of a title between two rules, and signs of a rule that no title need be as long as."""
_MAX_LENGTH = 200
_MAX_LINES = 3


@dataclass(frozen=True)
class Heading:
    """A heading, by the style that tells its level, with the lines of the block that it takes."""

    text: str
    style: str
    line_count: int


def find_heading(lines: Sequence[str]) -> Heading | None:
    """Return the heading that a block starts with; None when it starts with other text."""
    return _underlined(lines) or _named(lines)


def _underlined(lines: Sequence[str]) -> Heading | None:
    over = 1 if is_rule(lines[0]) else 0
    if len(lines) < over + 2 or not is_rule(lines[over + 1]) or is_rule(lines[over]):
        return None
    title, rule = lines[over].strip(), lines[over + 1].strip()
    number, *others = _GAP.split(title)  # gaps part cells, or the number from a title
    if " " in rule or len(others) > 1 or (others and not _LABEL.fullmatch(number)):
        return None
    fits = 0.6 * len(title) <= len(rule) <= len(title) + 4
    if not (fits or _is_ruled_off(lines, title, rule)):
        return None
    return Heading(" ".join(title.split()), f"{'over' * over}{rule[0]}", over + 2)


def _is_ruled_off(lines: Sequence[str], title: str, rule: str) -> bool:
    """Whether a block is a title with a line across the page below, or such lines on both sides."""
    if not any(map(str.isalpha, title)) or len(rule) < _WIDEST:
        return False
    if len(lines) == _BOX:
        return lines[0].strip() == rule
    # What ends so is a sentence that a line parts from what follows.
    is_title = len(lines) == _BOX - 1 and title[-1] not in ".,;" and not _GAP.search(title)
    return is_title and len(title) <= len(rule) and not indent_of(lines[0])


def _named(lines: Sequence[str]) -> Heading | None:
    if len(lines) > _MAX_LINES or any(is_rule(line) for line in lines):
        return None
    text = " ".join(join_all([line.strip() for line in lines], join_unless_unspaced).split())
    if stressed := _STRESSED.fullmatch(text):
        text = stressed[2]
    indent = indent_of(lines[0])
    is_centred = len(lines) == 1 and indent >= _CENTRED
    style = ""
    if len(text) <= _MAX_LENGTH and (indent <= _MOST_INDENT or is_centred):
        style = _chapter_style(text) or ("" if is_centred else _other_style(text, lines))
    return Heading(text, style, len(lines)) if style else None


def _chapter_style(text: str) -> str:
    """Return the style of a title that says of itself that it is a chapter's or a part's."""
    if chapter := _CHAPTER.fullmatch(text) or _UNSPACED.fullmatch(text):
        return "part" if chapter[1] else "chapter"
    return "chapter" if _ORDINAL.fullmatch(text) else ""


def counts_chapter(text: str, *, with_name: bool = False) -> bool:
    """Whether a title counts a chapter, no part: "Chapter 6", or with its name "Chapter 6: Unicode"."""
    heading = Heading(text, _chapter_style(text), 1)
    if with_name:
        return bool(heading.style)
    return heading.style == "chapter" and has_only_number(heading)


def has_only_number(heading: Heading) -> bool:
    """Whether a heading counts its chapter and does not say what it is called."""
    text = heading.text
    for pattern in (_CHAPTER, _UNSPACED, _ORDINAL):
        if found := pattern.fullmatch(text):
            return not (found["name"] or "").strip()
    return heading.style == "chapter" and bool(_COUNT.fullmatch(text))


def _other_style(text: str, lines: Sequence[str]) -> str:
    if _ALONE.fullmatch(text):
        return "chapter"
    numbered = _NUMBERED.fullmatch(text)
    several = sum(1 for line in lines if _NUMBERED.match(line.strip())) > 1
    # "12.5 kg of clay was left." is a sentence.
    is_said = numbered and text[numbered.end(1) :].lstrip(". ")[:1].islower() and text[-1] in ".?!"
    if numbered and not several and not is_said and text[-1] not in ",;":
        return f"number {numbered[1].count('.')}"
    return ""


def find_tops(
    blocks: Sequence[Sequence[str]], headings: Sequence[Heading | None]
) -> dict[int, Heading]:
    """Return the lines that are headings over numbered ones, by place: "2. Theory" over "2.1 Waves".

    A number alone before a line is that of a list, unless a section below goes on with it. Of a chapter
    without such sections, the number is the one before that of the next.
    """
    tops = {at: top for at, block in enumerate(blocks) if (top := _top_of(block, headings[at]))}
    below = [at for at, one in enumerate(headings) if one and _is_numbered(one)]

    def goes_on(at: int, number: int) -> bool:
        following = below[bisect(below, at) : bisect(below, at) + 1]
        first = [
            one.text.split()[0].split(".")[:2] for place in following if (one := headings[place])
        ]
        return first == [[str(number), "1"]]

    sure = {at for at, (number, _) in tops.items() if goes_on(at, number)}
    if len(sure) < _LEAST_TOPS:
        return {}
    numbers, found, wanted = {tops[at][0] for at in sure}, dict[int, Heading](), 0
    # From the end, for the items of a list come before the next chapter, which has their number too.
    for at, (number, text) in reversed(tops.items()):
        if at in sure or (number == wanted and number not in numbers):
            found[at], wanted = Heading(text, "number 0", len(blocks[at])), number - 1
    return found


def _is_numbered(heading: Heading) -> bool:
    return heading.style.startswith("number ")


def _top_of(block: Sequence[str], heading: Heading | None) -> tuple[int, str] | None:
    """Return the number and the text of a line alone that may be such a heading."""
    if heading or len(block) != 1 or indent_of(block[0]) > _MOST_INDENT:
        return None
    text = " ".join(block[0].split())
    found = _TOP.fullmatch(text)
    return (int(found[1]), text) if found and text[-1] not in ".,;:" else None


def levels_of(styles: Sequence[str]) -> dict[str, int]:
    """Return the level of each style: parts, chapters and numbers by rank, rules as they appear.

    What contents list outermost is over chapters, and what they list below that under them.
    """
    found = dict.fromkeys(styles)
    listed = [f"listed {depth}" for depth in range(20)]
    numbers = [f"number {depth}" for depth in range(20)]
    ranked = ["part", listed[0], "chapter", *listed[1:], *numbers]
    named = [style for style in ranked if style in found]
    drawn = [style for style in found if style not in ranked]
    return {style: level for level, style in enumerate((*drawn, *named), start=1)}
