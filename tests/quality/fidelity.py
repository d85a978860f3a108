"""Count what the page shows of a source as a browser does: links, emphasis, tables and the like.

    python -m tests.quality.fidelity BOOKS

BOOKS holds `physical_ai` and `debian_policy`; manuals of Debian are taken from /usr/share/doc where
they are installed. Of each book places are drawn by lot, the kinds in turn; each is kept if the page
has the same words, as the same thing, leading to the same place. Prints a table and what was lost.
"""

import asyncio
import json
import random
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import pypdfium2 as pdfium
from markdown_it import MarkdownIt
from playwright.async_api import Page, async_playwright

from services.gateway.bootstrap import bootstrap
from services.gateway.server import listen, start_server
from services.gateway.settings import Settings
from services.ingest.model.book import DroppedContent
from services.ingest.parse import parse_with_pictures
from services.ingest.parsers.images import is_image
from services.ingest.parsers.rst.names import read_names
from tests.support.browser import ARGUMENTS, CHROMIUM
from tests.support.drawn_documents import Parse, parse_and_show
from tests.support.gateway_fakes import FakeBackend

PLACES = 40
_SEED = 17
_MOST_DOCUMENTS = 12
_DRAWN_MS = 120_000
_BEGINNING = 30
_DOC = Path("/usr/share/doc")
_PRINTED = {
    "dblatex": (
        "debian-reference-en/docs/debian-reference.en.pdf",
        "debian-reference-en/docs",
        "ch*.en.html",
    ),
    "dblatex, small": ("debmake-doc/debmake-doc.en.pdf", "debmake-doc/html", "ch*.en.html"),
    "Sphinx": (
        "developers-reference/docs/developers-reference.pdf",
        "developers-reference/docs",
        "[b-t]*.html",
    ),
}
"""By what made them, PDFs and the pages that show the same source, below _DOC."""
_FIND = """(isPane) => {
  const main = "[role=main], main, article";
  const root = isPane ? document.querySelector(".page") : document.querySelector(main) ?? document.body;
  const AWAY = ".headerlink, nav, .navheader, .navfooter, .footer, script, style, .toc, .written"
    + ", .cell-bar, .page-begin, .sphinxsidebar, .linenos, .contents, .toctree-wrapper";
  const BOXES = ".note, .warning, .important, .caution, .tip, [role=presentation]";
  const tagOf = (one) => one.tagName.toUpperCase();
  const textOf = (one, more = "") => {
    const copy = one.cloneNode(true);
    for (const gone of copy.querySelectorAll(AWAY + more)) gone.remove();
    const text = copy.textContent.replace(/[\\s\\u00ad\\u200b¶]+/g, "");
    return text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'");
  };
  const between = (start, end) => {
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(...end);
    const box = document.createElement("div");
    box.append(range.cloneContents());
    return textOf(box);
  };
  const found = [];
  const add = (kind, one, detail = "", more = "") => {
    const text = textOf(one, more);
    if (text && !one.closest(AWAY)) found.push([kind, text, detail]);
  };
  const each = (selector, use) => { for (const one of root.querySelectorAll(selector)) use(one); };
  each("a[href]", (one) => {
    const address = one.getAttribute("href");
    const isMark = one.closest(".note-mark, .footnote-reference, .fn-backref, .toc-backref, sup");
    if (isMark || one.querySelector("sup, img") || /^(mailto|javascript):/.test(address)) return;
    const isOut = /^(https?:)?\\/\\//.test(address);
    add("link", one, isPane && !isOut ? "inside" : one.href);
  });
  each("em, i, dfn, var, cite, strong, b", (one) => {
    const isStrong = /^(STRONG|B)$/.test(tagOf(one));
    if (one.closest("h1, h2, h3, h4, h5, h6, pre, dt.sig, .xref")) return;
    if (one.closest(".table .title, .figure .title")) return;
    add("emphasis", one, isStrong ? "strong" : "em");
  });
  const code = "code, tt, kbd, samp";
  each(code, (one) => {
    if (!one.closest("pre, dt.sig") && !one.parentElement.closest(code)) add("code in a line", one);
  });
  each("pre", (one) => add("code block", one));
  each("sup, sub", (one) => {
    if (!one.querySelector("a") && !one.closest("a")) add("raised or lowered", one);
  });
  each("table", (one) => {
    if (one.querySelector("table, pre") || one.closest(`${AWAY}, ${BOXES}`) || !one.rows.length) return;
    const cellOf = (cell) => [textOf(cell, ", .note-mark, sup:has(a)"), cell.colSpan, cell.rowSpan];
    const rows = [...one.rows].map((row) => [...row.cells].map(cellOf));
    const shown = rows.filter((row) => row.some(([text]) => text));
    if (shown.some((row) => row.length > 1)) found.push(["table", JSON.stringify(shown), ""]);
  });
  each("li", (one) => {
    const list = one.parentElement;
    const inner = isPane ? "" : ", ul, ol, dl, table, pre, div.highlight, blockquote, img";
    let label = "•";
    if (isPane && !/^[•–]$/.test(one.dataset.label)) label = one.dataset.label.replace(/[.)]$/, "");
    if (!isPane && tagOf(list) === "OL") {
      const items = [...list.children].filter((child) => tagOf(child) === "LI");
      label = String((list.start ?? 1) + items.indexOf(one));
    }
    add("list item", one, label, inner);
  });
  each("img", (one) => {
    if (one.closest(`${AWAY}, ${BOXES}`)) return;
    if (isPane && one.closest(".lost")) return;
    const width = isPane ? one.getAttribute("width") : one.naturalWidth;
    const at = [...one.parentNode.childNodes].indexOf(one);
    const around = [
      between([root, 0], [one.parentNode, at]).slice(-24),
      between([one.parentNode, at + 1], [root, root.childNodes.length]).slice(0, 24),
    ];
    const words = (one.getAttribute("alt") ?? "").replace(/\\s+/g, "");
    found.push(["image", words, String(width), around]);
  });
  each(isPane ? ".tex" : "math, .math", (one) => add("formula", one));
  return found;
}"""


_NAMES = {
    "link": ("link", "role"),
    "emphasis": ("bold text", "slanted text"),
    "code in a line": ("code in a line", "role"),
    "code block": ("code", "directive", "block"),
    "raised or lowered": ("raised number", "lowered text", "raised or lowered text"),
    "table": ("table",),
    "list item": ("list",),
    "image": ("picture", "drawing"),
    "formula": ("formula",),
}
"""What the report calls what a browser shows."""
EXPLAINED = {
    ("PDF", "list item", "Ifprermfails"): "it begins with code: what follows stands as paragraphs",
    ("HTML manual", "table", '[[["Installationmethod"'): "its note stands in the text behind it",
    ("reST", "code block", ">>>L=[1,2,3]"): "a site leaves out what it tells its own tests there",
    ("PDF, dblatex", "code in a line", "aptinstall"): "print has a part of it in another font",
}
"""Why places count as lost that are in the text, by book, kind and first words."""

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Place:
    """Something that a browser shows: what it is, its words without space, where it leads.

    `around` are the words before and behind a picture.
    """

    kind: str
    text: str
    detail: str
    around: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """A book of one format: its documents by path, and the pages that show their sources.

    `pictures` are files beside the documents; `looked_at` are the pages that places are drawn from,
    and the documents that are to show them.
    """

    name: str
    documents: dict[str, bytes]
    pictures: dict[str, bytes]
    pages: Sequence[Path]
    looked_at: Sequence[tuple[str, Path]]
    printed: str = ""
    """What a PDF's viewer has, without space: its pictures have sizes of their own."""

    @cached_property
    def places(self) -> set[Path]:
        """What links to the pages lead to, without endings."""
        return {page.resolve().with_suffix("") for page in self.pages}


def books_of(shared: Path, room: Path) -> Iterator[Book]:
    yield _markdown("Markdown course", shared / "physical_ai", room / "md")
    pages = sorted((_DOC / "installation-guide-amd64" / "en").glob("*.html"))
    yield _book("HTML manual", pages, pages)
    policy = shared / "debian_policy"
    yield _epub("EPUB", next(policy.rglob("*.epub")), room / "epub")
    yield _printed("PDF", next(policy.rglob("*.pdf")), policy / "html", "*.html")
    faq = shared / "debian_faq"
    yield _printed("PDF, dblatex, FAQ", next(faq.rglob("*.pdf")), faq / "html", "*.html")
    for name, (pdf, html, shown) in _PRINTED.items():
        if (_DOC / pdf).exists():
            yield _printed(f"PDF, {name}", _DOC / pdf, _DOC / html, shown)
    sources = _DOC / "python3.11" / "html" / "_sources" / "howto"
    texts = sorted(sources.glob("*.rst.txt"))
    built = _DOC / "python3.11" / "html" / "howto"
    yield _book("reST", texts, [built / one.name.replace(".rst.txt", ".html") for one in texts])


def _printed(name: str, pdf: Path, folder: Path, pages: str) -> Book:
    html = sorted(folder.glob(pages))
    looked_at = [(pdf.name, one) for one in _some(html)]
    with pdfium.PdfDocument(pdf) as document:
        text = "".join(page.get_textpage().get_text_range() for page in document)
    return Book(name, {pdf.name: pdf.read_bytes()}, {}, html, looked_at, _letters(text))


def _book(name: str, documents: Sequence[Path], pages: Sequence[Path]) -> Book:
    held = {path.name: path.read_bytes() for path in documents}
    folder = documents[0].parent if documents else Path()
    pictures = {
        **_pictures_of(folder, folder),
        # Of sources that are published without their pictures those that the site shows.
        **(_pictures_of(pages[0].parent.parent / "_images", None) if pages else {}),
    }
    return Book(name, held, pictures, pages, _some(list(zip(held, pages, strict=True))))


def _pictures_of(folder: Path, root: Path | None) -> dict[str, bytes]:
    """Return the pictures below a folder by their paths below `root`, by their names without one."""
    return {
        str(path.relative_to(root)) if root else path.name: path.read_bytes()
        for path in folder.rglob("*")
        if is_image(path.name)
    }


def _some(things: Sequence[Thing]) -> list[Thing]:
    step = max(1, len(things) // _MOST_DOCUMENTS)
    return list(things[::step][:_MOST_DOCUMENTS])


def _markdown(name: str, folder: Path, room: Path) -> Book:
    room.mkdir()
    render = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    held, pages = {}, []
    for path in sorted(folder.rglob("*.md*")):
        text = path.read_text("utf-8")
        if text.startswith("---"):
            text = text.split("\n---", 1)[1].partition("\n")[2]
        # Without its ending, as the addresses of a site are.
        pages.append(room / path.relative_to(folder).with_suffix(".html"))
        pages[-1].parent.mkdir(parents=True, exist_ok=True)
        pages[-1].write_text(f"<meta charset=utf-8><body>{render.render(text)}", "utf-8")
        held[str(path.relative_to(folder))] = path.read_bytes()
    pictures = _pictures_of(folder, folder)
    for shown, data in pictures.items():
        (room / shown).parent.mkdir(parents=True, exist_ok=True)
        (room / shown).write_bytes(data)
    return Book(name, held, pictures, pages, _some(list(zip(held, pages, strict=True))))


def _epub(name: str, path: Path, room: Path) -> Book:
    with zipfile.ZipFile(path) as archive:
        archive.extractall(room)
    pages = [
        page
        for page in sorted(room.rglob("*.xhtml"))
        if page.name not in ("nav.xhtml", "genindex.xhtml", "index.xhtml")
    ]
    held = {path.name: path.read_bytes()}
    return Book(name, held, {}, pages, [(path.name, page) for page in _some(pages)])


async def find(page: Page, url: str, *, pane: bool) -> list[Place]:
    await page.goto("about:blank")
    await page.goto(url)
    if pane:
        await page.wait_for_selector(".page h1, .page p")
        await page.wait_for_selector(".rest:empty", state="attached", timeout=_DRAWN_MS)
    return [
        Place(kind, text, detail, tuple(*around))
        for kind, text, detail, *around in await page.evaluate(_FIND, pane)
    ]


def draw_lot(places: Sequence[Place]) -> list[Place]:
    """Return the places that are looked at, the kinds in turn."""
    lot = random.Random(_SEED)
    by_kind: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_kind[place.kind].append(place)
    for same in by_kind.values():
        lot.shuffle(same)
    drawn: list[Place] = []
    while len(drawn) < PLACES and any(by_kind.values()):
        drawn += [same.pop() for same in by_kind.values() if same]
    return drawn[:PLACES]


def is_kept(place: Place, shown: Sequence[Place], *, is_print: bool) -> bool:
    same = [one for one in shown if one.kind == place.kind]
    if place.kind == "image" and is_print:
        return any(_is_same_print(one, place) for one in same)
    if place.kind == "list item":
        return any(
            one.detail == place.detail and one.text and place.text.startswith(one.text)
            for one in same
        )
    if place.kind == "formula":
        return any(_bare(one.text) == _bare(place.text) for one in same)
    return any((one.text, one.detail) == (place.text, place.detail) for one in same)


def is_printed(place: Place, printed: str) -> bool:
    """Whether print has the words of a place: it may refer by numbers where a site has titles."""
    if not printed or place.kind == "image":
        return True
    texts = [place.text]
    if place.kind == "table":
        texts = [cell[0] for row in json.loads(place.text) for cell in row]
    return all(_letters(text)[:_BEGINNING] in printed for text in texts)


def _letters(text: str) -> str:
    # A comma tells "Chapter 8, Examples" in a line from the chapter's number above its title.
    return "".join(sign for sign in text if sign.isalnum() or sign == ",")


def _is_same_print(shown: Place, place: Place) -> bool:
    """Whether a picture has the same caption, or stands before or behind the same words."""
    captioned = bool(place.text) and shown.text.endswith(place.text)
    beside = zip(shown.around, place.around, strict=True)
    return captioned or any(one == other != "" for one, other in beside)


def _bare(formula: str) -> str:
    return "".join(sign for sign in formula if sign not in "$\\()[]")


def _in_book(place: Place, book: Book) -> Place | None:
    """Return a place as the pane names it; None for a link to a page that is not in the book."""
    if place.kind != "link" or place.detail.startswith("http"):
        return place
    target = Path(unquote(urlsplit(place.detail).path)).with_suffix("")
    return replace(place, detail="inside") if target in book.places else None


def is_named(place: Place, dropped_content: Sequence[DroppedContent]) -> bool:
    """Whether the ingest report names a place, by what it is and words of it."""
    for one in dropped_content:
        quoted = _letters(one.place.partition("“")[2])
        is_same = one.kind in _NAMES.get(place.kind, ())
        if (
            is_same
            and quoted
            and (quoted in _letters(place.text) or _letters(place.text) in quoted)
        ):
            return True
    return False


def explain(name: str, place: Place) -> str:
    """Return why a place counts as lost that no report can name; "" for any other."""
    for (book, kind, begins), reason in EXPLAINED.items():
        if (book, kind) == (name, place.kind) and place.text.startswith(begins):
            return reason
    return ""


async def compare(
    books: Sequence[Book],
    show: Callable[[str], None] = print,
    parse: Parse = parse_with_pictures,
) -> None:
    """Print how many of the places of each book are kept, and which are not."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = await browser.new_page()
        show("| book | places | kept | lost |\n|---|---|---|---|")
        lost: list[tuple[str, Place, Sequence[DroppedContent]]] = []
        for book in books:
            drawn, kept, told = await _compare_book(page, book, parse)
            gone = [place for place in drawn if place not in kept]
            counts = Counter(place.kind for place in gone)
            words = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "–"
            share = 100 * (len(drawn) - len(gone)) / max(1, len(drawn))
            show(f"| {book.name} | {len(drawn)} | {share:.0f} % | {words} |")
            lost += [(book.name, place, told) for place in gone]
        for name, place, dropped_content in lost:
            why = "named in the report" if is_named(place, dropped_content) else ""
            why = why or explain(name, place) or "not named"
            show(f"- {name}: {place.kind} “{place.text[:100]}” {place.detail[:80]}: {why}")
        await browser.close()


async def _compare_book(
    page: Page, book: Book, parse: Parse
) -> tuple[list[Place], set[Place], list[DroppedContent]]:
    """Return the places that were drawn by lot, those kept, and what the report names."""
    told: list[DroppedContent] = []
    backend = FakeBackend()
    names: dict[str, str] = {}
    for path, data in book.documents.items():
        if ".rst" in path:
            names |= read_names(path.partition(".")[0], data.decode(), path)
    backend.documents = {
        path: parse_and_show(
            path, data, names, files=book.pictures, kept=backend.images, told=told, parse=parse
        )
        for path, data in book.documents.items()
    }
    fakes: Any = {"library": backend, "intake": backend, "searcher": backend, "answerer": backend}
    running = await start_server(bootstrap(Settings(), probes={}, **fakes), listen(0))
    shown: list[Place] = []
    for path in dict.fromkeys(path for path, _ in book.looked_at):
        address = f"http://127.0.0.1:{running.port}/#/tide-mills/{path}"
        shown += await find(page, address, pane=True)
    source: list[Place] = []
    for _, file in book.looked_at:
        found = await find(page, file.as_uri(), pane=False)
        source += [place for one in found if (place := _in_book(one, book))]
    await page.goto("about:blank")
    await running.stop()
    drawn = draw_lot([place for place in source if is_printed(place, book.printed)])
    kept = {place for place in drawn if is_kept(place, shown, is_print=bool(book.printed))}
    return drawn, kept, told


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as room:
        asyncio.run(compare(list(books_of(Path(sys.argv[1]).resolve(), Path(room)))))
