"""Raised, lowered and struck-out text of a page: written into its tree before that is read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.html.generated import Generated
from services.ingest.parsers.html.hidden import is_hidden, seen_text
from services.ingest.parsers.html.marks import (
    classes_of,
    is_reference,
    text_of,
    writable,
)
from services.ingest.parsers.html.sheets import Sheets, script_of_style, sheets_of
from services.ingest.parsers.html.unseen import Unseen, Verdict
from services.ingest.parsers.invisible import TOO_MUCH_STYLE, hidden, hidden_by_sheet
from services.ingest.parsers.scripts import (
    STRIKING,
    STRUCK_TAGS,
    TAGS,
    Script,
    marks_around,
    moved,
    struck,
)
from services.ingest.parsers.turned import mark_overrides

_NEAR = 40
_OF_A_LINE = frozenset(
    (
        "a",
        "b",
        "big",
        "cite",
        "code",
        "em",
        "font",
        "i",
        "ins",
        "small",
        "span",
        "strong",
        "tt",
        "var",
    )
)
"""Elements that a style sheet's class may raise; in a table it moves the lines of cells."""


_SHOWN = frozenset(("img", "svg", "math", "video", "object", "input", "hr"))
"""Elements that show something beside text."""
_Name = Callable[[str, str], DroppedContent]


class _Gone(NamedTuple):
    """What is to go, what names it, and whether all in it goes or its own words."""

    element: etree._Element
    name: _Name
    is_whole: bool


@dataclass(frozen=True)
class _Found:
    element: etree._Element
    opening: str
    closing: str
    text: str


def rewrite_scripts(
    root: etree._Element, blocks: Iterable[str]
) -> tuple[list[DroppedContent], dict[etree._Element, str]]:
    """Take out what is hidden or struck out and mark what is raised.

    `blocks` are the tags that end a line. Returns what was left out or changed, and by element what
    was written around it.
    """
    mark_overrides(root)
    sheets = sheets_of(root)
    dropped_content = list(_take_gone(root, sheets))
    written: dict[etree._Element, str] = {}
    for found in list(_find_scripts(root, frozenset(blocks), sheets)):
        _mark(found)
        written[found.element] = found.opening + found.closing
        dropped_content.append(moved(found.text, f"line {found.element.sourceline}"))
    return dropped_content, written


def _is_struck(element: etree._Element, names: frozenset[str]) -> bool:
    if element.tag in STRUCK_TAGS or STRIKING.search(element.get("style") or ""):
        return True
    return not names.isdisjoint(classes_of(element))


def _script_of(element: etree._Element, classes: Mapping[str, Script]) -> Script:
    if element.tag in TAGS:
        return TAGS[str(element.tag)]
    style = element.get("style")
    script = script_of_style(style) if style else Script.LINE
    if script is Script.LINE and classes and element.tag in _OF_A_LINE:
        named = (classes[name] for name in sorted(classes_of(element)) if name in classes)
        script = next(named, Script.LINE)
    return script


def _take_gone(root: etree._Element, sheets: Sheets) -> Iterator[DroppedContent]:
    """Empty what is hidden or struck out; what stands in such an element goes with it."""
    unseen = Unseen(sheets, root)
    gone, generated = _find_gone(root, sheets, unseen)
    if unseen.is_tired:
        yield TOO_MUCH_STYLE
    for element, name, is_whole in gone:
        element.attrib.pop("hidden", "")  # what is in it is to be counted
        text = seen_text(element) if is_whole else own_words(element)
        if is_whole and element.tag == "img":
            text, element.tag = element.get("alt") or "", "span"  # its description is no text, too
        if text.strip():
            yield name(text, f"line {element.sourceline}")
        if is_whole:
            for child in list(element):
                element.remove(child)
        for child in element:
            child.tail = None
        element.text = None
    for one in generated:
        if one.reason:
            yield one.named()
        else:
            one.put()


@dataclass
class _Opened:
    """An element whose end has not come, with what is hidden in it."""

    element: etree._Element
    verdict: Verdict
    shows: bool = False
    """Whether a reader sees anything of it."""
    gone: list[_Gone] = field(default_factory=list)

    def close(self) -> list[_Gone]:
        """Return what is hidden, as one where a reader sees nothing else of the element."""
        name = hidden_by_sheet if self.verdict.is_by_sheet else hidden
        words = own_words(self.element)
        # Highlighters give signs alone the colour of their ground: spaces, and what they take for them.
        is_sign = self.verdict.hides_words == "color" and not any(map(str.isalnum, words))
        if not self.verdict.hides_words or (is_sign and not self.gone):
            return self.gone
        if not self.shows:
            return [_Gone(self.element, name, is_whole=True)]
        return [_Gone(self.element, name, is_whole=False), *self.gone]


def _find_gone(
    root: etree._Element, sheets: Sheets, unseen: Unseen
) -> tuple[list[_Gone], list[Generated]]:
    """Return what is to go, all of an element or its own words, and what sheets write beside others."""
    generated: list[Generated] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    opened = [_Opened(root, Verdict(), shows=True)]
    for event, element in walk:
        if not isinstance(element.tag, str):
            if event == "start":
                walk.skip_subtree()
        elif event == "end":
            done = opened.pop()
            opened[-1].gone += done.close()
            opened[-1].shows |= done.shows
        else:
            one = _Opened(element, unseen.look(element))
            opened.append(one)
            name = _name_of_gone(element, one.verdict, sheets, is_root=element is root)
            if name:
                one.gone = [] if name is _elsewhere else [_Gone(element, name, is_whole=True)]
                one.verdict = Verdict()
                walk.skip_subtree()
            else:
                is_seen = not one.verdict.hides_words and bool(own_words(element).strip())
                beside = unseen.generated(element)
                one.shows = (
                    is_seen or element.tag in _SHOWN or any(not two.reason for two in beside)
                )
                generated += beside
    return opened[0].gone, generated


def _name_of_gone(
    element: etree._Element, verdict: Verdict, sheets: Sheets, *, is_root: bool
) -> _Name | None:
    """Return what names an element that is to go with all that is in it; None for one that stays."""
    if verdict.hides_all:
        return hidden_by_sheet if verdict.is_by_sheet else hidden
    element.attrib.pop("hidden", "")  # a reader can open it
    if not is_root and is_hidden(element):
        return _elsewhere
    return struck if _is_struck(element, sheets.struck) else None


def _elsewhere(text: str, place: str) -> DroppedContent:
    """Name what the reader of the page names, who leaves it out."""
    return DroppedContent("", place, "", visible(text))


def own_words(element: etree._Element) -> str:
    """Return the text of an element that stands in none within it."""
    return "".join([element.text or "", *(child.tail or "" for child in element)])


class _Scan:
    """Goes through the text of a page in reading order, with what stands before and after."""

    def __init__(self, classes: Mapping[str, Script]) -> None:
        self.classes = classes
        self.found: list[_Found] = []
        self.before = ""
        self._waiting: list[tuple[etree._Element, Script, str]] = []

    def read(self, text: str | None) -> None:
        if text:
            self.settle(text)
            self.before = (self.before + text)[-_NEAR:]

    def wait(self, element: etree._Element, script: Script, before: str) -> None:
        """Hold one back until it is known what follows."""
        self._waiting.append((element, script, before))

    def settle(self, after: str) -> None:
        for element, script, before in self._waiting:
            text = writable(text_of(element))
            opening, closing = marks_around(script, before, text, after)
            inside = (_script_of(inner, self.classes) for inner in element.iterdescendants())
            is_nested = any(inner is not Script.LINE for inner in inside)
            if opening and is_nested:
                opening, closing = f"{script.value}(", ")"
            if opening:
                self.found.append(_Found(element, opening, closing, text))
        self._waiting = []

    def end_line(self) -> None:
        self.settle("")
        self.before = ""


def _find_scripts(root: etree._Element, blocks: frozenset[str], sheets: Sheets) -> list[_Found]:
    scan = _Scan(sheets.scripts)
    opened: list[tuple[etree._Element, Script, str]] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            if opened and opened[-1][0] is element:
                scan.wait(*opened.pop())
            if element.tag in blocks:
                scan.end_line()
            if element is not root:
                scan.read(element.tail)
        elif not isinstance(element.tag, str) or (
            element is not root and (is_hidden(element) or is_reference(element))
        ):
            walk.skip_subtree()
        else:
            if element.tag in blocks or element.tag == "br":
                scan.end_line()
            script = _script_of(element, scan.classes)
            if script is not Script.LINE:
                scan.settle("")
                opened.append((element, script, scan.before))
            scan.read(element.text)
    scan.end_line()
    return [found for found in scan.found if not any(map(is_reference, found.element.iter("a")))]


def _mark(found: _Found) -> None:
    element = found.element
    element.text = writable(found.opening + (element.text or "").lstrip())
    if not len(element):
        element.text = element.text.rstrip() + writable(found.closing)
    else:
        element[-1].tail = writable((element[-1].tail or "").rstrip() + found.closing)
