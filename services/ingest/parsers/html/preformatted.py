"""Tell prose that a page shows preformatted, as manual pages and letters are, from code."""

import re
from collections.abc import Sequence

from lxml import etree

from services.ingest.parsers.html.marks import classes_of, language_of
from services.ingest.parsers.plain.lines import Run, read_blocks, split_runs
from services.ingest.parsers.plain.manual import find_sections
from services.ingest.parsers.plain.parser import is_filled, width_of

_CODE_TAGS = ("code", "kbd", "samp")
_CODE_CLASSES = re.compile(
    r"(?:.*[-_])?(?:program\w*|screen|synopsis|\w*example|\w*lisp|code\w*|source\w*|\w*highlight\w*"
    r"|literal\w*|console|shell|terminal|output|listing\w*|prettyprint|brush|src|verse\w*|poem\w*)"
    r"(?:[-_].*)?",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"[\"'“‘«¿¡(]?[^\W_]")
_ENDS = re.compile(r"[.!?:;。！？：][\"'”’»)\]]*$")
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»)\]]*(?:\s|$)")
_NO_WORDS = re.compile(r"[{}\\|;=<>$@#%^~`_*+/&\[\]]|\w\(\w*\)|--")
_CODE_LINE = re.compile(
    r"[{};]$|^\s*(?:[{}$%#@]|>>>|\.\.\s|//|/\*|\*/?(?:\s|$)|<[/!?\w]|\\\w|\.[A-Z]{2}\b|--\s|;|\"\"\"|''')"
    r"|[\w\])]\s*(?:[-+*/|&]?=|:=|=>|->)\s*\S|^\s*\w[\w.]*\(.*\)[;:]?$"
    r"|[\u2500-\u257f]|^\s*[+|].*[+|]$|\+--|--\+"
)
_DELIMITER = re.compile(r"\"\"\"|'''|/\*|\*/|<!--|-->|```|^=(?:pod|cut|begin)\b", re.MULTILINE)
"""What stands around comments: most of a program may be those."""
_LEAST_PARAGRAPHS, _LEAST_LINES = 2, 5
_LEAST_WIDTH = 50
_SHARE, _SHARE_OF_MANUAL = 0.6, 0.3
"""Of the characters that must be in wrapped sentences."""
_MOST_CODE, _MOST_CODE_OF_MANUAL = 0.05, 0.25
"""Of the lines that may look like code."""
_MOST_CAPITALS = 0.6
"""Of the lines that go on with a paragraph: each line of a poem begins with a capital."""
_MOST_SIGNS = 0.1
"""Signs that are rare in prose, per word."""


def is_prose(element: etree._Element, text: str) -> bool:
    """Whether preformatted text is paragraphs that were wrapped by hand or by a program.

    What is doubtful is code: that is shown as it stands.
    """
    if _is_named_code(element):
        return False
    blocks = read_blocks(text)
    lines = [line for block in blocks for line in block]
    width = width_of(blocks)
    if width < _LEAST_WIDTH:
        return False
    is_manual = bool(find_sections(blocks))
    if not is_manual and _DELIMITER.search(text):
        return False
    code = sum(_CODE_LINE.search(line) is not None for line in lines)
    if code > len(lines) * (_MOST_CODE_OF_MANUAL if is_manual else _MOST_CODE):
        return False
    runs = [run for block in blocks for run in split_runs(block)]
    prose = [run.lines for run in runs if _is_paragraph(run, width)]
    share = _letters(prose) / max(1, _letters([lines]))
    return (
        len(prose) >= _LEAST_PARAGRAPHS
        and sum(map(len, prose)) >= _LEAST_LINES
        and share >= (_SHARE_OF_MANUAL if is_manual else _SHARE)
    )


def _is_named_code(element: etree._Element) -> bool:
    """Whether the page says what it is: in which language, or by what it is a listing."""
    if language_of(element) or any(element.find(tag) is not None for tag in _CODE_TAGS):
        return True
    parent = element.getparent()
    names = classes_of(element) | (classes_of(parent) if parent is not None else set())
    return any(_CODE_CLASSES.fullmatch(name) for name in names)


def _is_paragraph(run: Run, width: int) -> bool:
    lines = run.lines
    if len(lines) < 2 or not is_filled(lines, run.inner, width):
        return False
    text = " ".join(lines)
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    if not words or not _BEGINS.match(lines[0]) or not _ENDS.search(lines[-1]):
        return False
    if not _SENTENCE_END.search(text) or len(_NO_WORDS.findall(text)) > _MOST_SIGNS * len(words):
        return False
    capitals = sum(line[:1].isupper() for line in lines[1:])
    return capitals <= max(1, _MOST_CAPITALS * (len(lines) - 1)) if len(lines) > 2 else True


def _letters(groups: Sequence[Sequence[str]]) -> int:
    return sum(len("".join(line.split())) for lines in groups for line in lines)
