"""Tell which element of a page has what the page is about."""

import re
from collections.abc import Iterator

from lxml import etree

from services.ingest.parsers.html.hidden import is_hidden
from services.ingest.parsers.html.marks import text_of

_MAIN = (".//*[@role='main']", ".//main", ".//*[@itemprop='articleBody']")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_OF_MAIN, _LEAST_SAID, _MOST_AROUND = 200, 40, 5
"""Letters from which on a page is taken at its word; below that, how many times as many are around."""
_LEAST_OVER = 2
"""Headings of the page outside of an article, each over its own: that is a part of the page then."""


def main_of(root: etree._Element) -> etree._Element:
    """Return what the page says is its main content, else the only article, else the body."""
    body = root.find("body")
    whole = root if body is None else body
    for path in _MAIN:
        found = root.findall(path)
        if len(found) == 1:
            return whole if _says_little(found[0], whole) else found[0]
    articles = [one for one in root.iter("article") if not any(one.iterancestors("article"))]
    if len(articles) != 1 or _is_part(articles[0], whole) or _says_little(articles[0], whole):
        return whole
    return articles[0]


def _says_little(main: etree._Element, whole: etree._Element) -> bool:
    """Whether nearly all that a page says stands outside of what it calls its main content."""
    own = _letters(main, None)
    return own < _LEAST_OF_MAIN and _letters(whole, main) >= _MOST_AROUND * max(own, _LEAST_SAID)


def _letters(element: etree._Element, without: etree._Element | None) -> int:
    """Return how many letters paragraphs have that are no links."""
    letters = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "start" and (
            one is without or one.tag == "a" or (one is not element and is_hidden(one))
        ):
            walk.skip_subtree()
        elif event == "start" and one.tag == "p":
            letters += len(_LETTER.findall("".join(_said(one))))
    return letters


def _said(paragraph: etree._Element) -> Iterator[str]:
    yield paragraph.text or ""
    for one in paragraph:
        yield "" if one.tag == "a" else text_of(one)
        yield one.tail or ""


def _is_part(article: etree._Element, whole: etree._Element) -> bool:
    """Whether the sections of the page stand around an article: of a function, of an example."""
    first = next(article.iter(*_HEADINGS), None)
    own = len(_HEADINGS) + 1 if first is None else _HEADINGS[first.tag]
    over = 0
    walk = etree.iterwalk(whole, events=("start",))
    for _, one in walk:
        if one is article or (one is not whole and is_hidden(one)):
            walk.skip_subtree()
        else:
            over += _HEADINGS.get(str(one.tag), own) < own
    return over >= _LEAST_OVER
