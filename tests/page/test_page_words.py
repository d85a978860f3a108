"""The page's words: all of them in the dictionaries, none beside, and each of them used."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pygments.lexers import JavascriptLexer
from pygments.token import Comment, String, Text, Whitespace

from services.gateway.errors import STATUS_BY_KIND
from services.gateway.routes.page import WEB

DICTIONARIES = sorted((WEB / "languages").glob("*.js"))
PAGES = sorted(WEB.glob("*.html"))
# The plugin speaks to who builds a site.
SCRIPTS = sorted(
    path
    for path in WEB.rglob("*.js")
    if not {"languages", "docusaurus"} & set(path.relative_to(WEB).parts)
)
KEY = re.compile(r'^  "?([\w.-]+)"?:(?= |$)', re.MULTILINE)
ENGLISH = set(KEY.findall((WEB / "languages/en.js").read_text("utf-8")))

TEXT = re.compile(r"[^\W\d_]{2,}[,.;:!?…”]* [“(]?[^\W\d_]{2,}|^[A-Z][a-z]{2,}\b")
"""Two words, or one that begins like a sentence."""
SELECTOR = re.compile(r"(?:^|[\s,>])[\w*]*[.#\[][\w-]|^:|^\([\w-]+: [\w.]+\)$|\{")
TO_MACHINES = re.compile(
    r"Quoth|Accept|Authorization|Bearer |Content-Type|Enter|Escape|Files|Idempotency-Key"
    r"|noopener noreferrer|quoth ingest PATH"
)
"""A name, keys of a keyboard, headers of a request, a command."""
SAID_TO_THE_GATEWAY = re.compile(r"const (?:ABOUT|EXPLAIN) = .*?;\n", re.DOTALL)
"""Questions: whoever answers them reads the language of the book."""
OF_A_CLASS = re.compile(r"class:[^,}]*$")
TO_DEVELOPERS = re.compile(r"(?:Error|console\.\w+)\($")


def literals(source: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of text between quotes, each with the code before it."""
    before = ""
    for kind, text in JavascriptLexer().get_tokens(SAID_TO_THE_GATEWAY.sub("", source)):
        if kind in String and kind not in String.Regex and kind not in String.Interpol:
            yield text.strip("\"'`"), before
        if kind not in Comment and kind not in Text and kind not in Whitespace:
            before = (before + text)[-40:]


def untranslated(source: str) -> list[str]:
    return [
        text
        for text, before in literals(source)
        if TEXT.search(text)
        and not SELECTOR.search(text)
        and not TO_MACHINES.fullmatch(text)
        and not TO_DEVELOPERS.search(before.rstrip("\"'`"))
        and not OF_A_CLASS.search(before)
    ]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(WEB)))
def test_no_script_has_words_of_its_own(path: Path) -> None:
    assert untranslated(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('element("p", {}, "No passage found.")', ["No passage found."]),
        ('button("Print", onclick)', ["Print"]),
        ("said = `${n} of the book`;", [" of the book"]),
        ("const one = { title: 'Two letters' }; // A comment of words", ["Two letters"]),
        ('element("a", { class: "proof short" }, all("details.support, .page mark"))', []),
        ('throw new TypeError("The page has no such part.")', []),
        ('if (event.key === "Escape") t("answer.copy-link")', []),
    ],
)
def test_words_are_told_from_names(code: str, found: list[str]) -> None:
    assert untranslated(code) == found


class _Words(HTMLParser):
    """Gathers what a page says without a dictionary, and the keys that it names."""

    SPOKEN = ("alt", "aria-label", "placeholder", "title")

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.keys: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.words += [value for name, value in given.items() if name in self.SPOKEN]
        self.keys |= {value for name, value in given.items() if re.match("data-t(-|$)", name)}

    def handle_data(self, data: str) -> None:
        self.words += [data.strip()] if data.strip() else []


def read_page(path: Path) -> _Words:
    page = _Words()
    page.feed(path.read_text("utf-8"))
    return page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_page_has_words_of_its_own_but_its_name(path: Path) -> None:
    # Without JavaScript there are no dictionaries either.
    said = [words for words in read_page(path).words if "needs JavaScript" not in words]
    assert set(said) <= {"Quoth", "Review · Quoth", "Aa"}


@pytest.mark.parametrize("path", sorted((WEB / "style").glob("*.css")), ids=lambda path: path.name)
def test_no_style_sheet_has_words(path: Path) -> None:
    contents = re.findall(r"content:([^;]*);", path.read_text("utf-8"))
    written = [text for one in contents for text in re.findall(r'"([^"]*)"', one)]
    assert [
        text for text in written if re.search(r"[^\W\d_]", re.sub(r"\\[0-9a-f]+", "", text))
    ] == []


def named_keys() -> tuple[set[str], set[str]]:
    """Return the keys that scripts and pages name, and the beginnings of those they make up."""
    whole: set[str] = set().union(*(read_page(path).keys for path in PAGES))
    begun: set[str] = set()
    for path in SCRIPTS:
        source = path.read_text("utf-8")
        whole |= set(re.findall(r'"([\w-]+(?:\.[\w-]+)?)"', source)) & ENGLISH
        whole |= set(re.findall(r'\bt\(\s*"([^"]+)"', source))
        whole |= set(re.findall(r'data-t(?:-[\w-]+)?"?: "([^"]+)"', source))
        begun |= set(re.findall(r"`(\w+\.)\$\{", source))
    return whole, begun


def test_every_key_that_is_named_is_there_and_every_one_that_is_there_is_named() -> None:
    whole, begun = named_keys()
    assert whole - ENGLISH == set()
    unused = {key for key in ENGLISH - whole if not key.startswith(tuple(begun))}
    assert unused == set()


def test_every_problem_has_words() -> None:
    assert {f"problem.{kind}" for kind in STATUS_BY_KIND} <= ENGLISH


def test_there_is_a_dictionary_of_each_language_that_the_page_names() -> None:
    loaded = re.findall(r"languages/(\w+)\.js", (WEB / "common/language.js").read_text("utf-8"))
    assert sorted(set(loaded)) == [path.stem for path in DICTIONARIES]
