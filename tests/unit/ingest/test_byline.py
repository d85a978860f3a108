"""Authors and year of a book are those that the book itself says, and nothing that tools write."""

import pytest

from libs.language.asked_in import known_languages
from libs.language.lexicon import load_lexicon
from libs.question.about_book import (
    AboutBook,
    BookAspect,
    Standing,
    is_byline,
    rate_statement,
)
from services.ingest.model.book import Source, SourceFile
from services.ingest.model.byline import NO_BYLINE, Byline, common_byline, read_byline
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from tests.support.ingest_fakes import zipped
from tests.support.pdf_files import pdf_of, text_at
from tests.unit.ingest.test_epub import FILES, OPF

NAMED = """<dc:title>A Book</dc:title><dc:creator opf:role="aut" xmlns:opf="http://www.idpf.org/2007/opf">
Ada  Wong</dc:creator><dc:creator opf:role="ill" xmlns:opf="http://www.idpf.org/2007/opf">Painter
</dc:creator><dc:creator>Ben Oke</dc:creator><dc:date opf:event="modification"
xmlns:opf="http://www.idpf.org/2007/opf">2026-01-02</dc:date><dc:date>2019-05-01T00:00:00Z</dc:date>"""


def byline_of(path: str, data: bytes) -> Byline:
    [placed] = plan_book(Source([SourceFile(path, data)])).documents
    return parse_document(placed)[0].byline


def test_an_epub_names_its_authors_and_when_it_was_published() -> None:
    opf = OPF.replace("<dc:title>A Book</dc:title>", NAMED)
    assert byline_of("b.epub", zipped({**FILES, "OPS/b.opf": opf})) == Byline(
        ("Ada Wong", "Ben Oke"), 2019
    )
    assert byline_of("b.epub", zipped(FILES)) == NO_BYLINE


def test_a_translator_of_an_epub_of_version_3_is_no_author() -> None:
    named = """<dc:title>A Book</dc:title><dc:creator id="a">Ada Wong</dc:creator><dc:creator
id="b">Bo Lind</dc:creator><meta refines="#b" property="role" scheme="marc:relators">trl</meta>"""
    opf = OPF.replace("<dc:title>A Book</dc:title>", named)
    assert byline_of("b.epub", zipped({**FILES, "OPS/b.opf": opf})) == Byline(("Ada Wong",))


def test_a_pdf_names_its_authors_and_no_year() -> None:
    page = [text_at(70, 700, "Mills turn with the tide.")]
    assert byline_of("b.pdf", pdf_of([page], author="Ada Wong; Ben Oke")) == Byline(
        ("Ada Wong", "Ben Oke")
    )
    assert byline_of("b.pdf", pdf_of([page])) == NO_BYLINE


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("author: Ada Wong\ndate: 2021-03-04", Byline(("Ada Wong",), 2021)),
        ("authors: [Ada Wong, Ben Oke]\nyear: 1998", Byline(("Ada Wong", "Ben Oke"), 1998)),
        ("authors:\n- name: Ada Wong\n  url: x\n- 7: 8", Byline(("Ada Wong",))),
        ("author: [[x]]\ndate: {a: b}", NO_BYLINE),
        ("title: T", NO_BYLINE),
    ],
)
def test_front_matter_names_authors_in_any_of_its_spellings(front: str, told: Byline) -> None:
    assert byline_of("a.md", f"---\n{front}\n---\n# A\n\nText.\n".encode()) == told


@pytest.mark.parametrize(
    ("head", "year"),
    [
        ('<meta name="date" content="2019-04-05">', 2019),
        ('<META NAME="DC.Date" CONTENT="March 2018">', 2018),
        ('<meta property="article:published_time" content="2021-03-04T09:00:00Z">', 2021),
        ('<meta itemprop="datePublished" content="1998">', 1998),
        ('<meta property="dcterms:created" content="2003">', 2003),
        ('<meta name="date" content="2020"><meta name="dc.date.created" content="2001">', 2001),
        ('<meta name="date" content="$Date$"><meta name="dc.date" content="2001">', 2001),
        ('<meta property="article:modified_time" content="2021-03-04">', 0),
        ('<meta name="last-modified" content="2021-03-04">', 0),
    ],
)
def test_an_html_page_says_in_its_head_when_it_was_made(head: str, year: int) -> None:
    page = f"<html><head>{head}</head><body><h1>A</h1><p>Text.</p></body></html>"
    assert byline_of("a.html", page.encode()) == Byline((), year)


def test_an_html_page_names_its_authors_in_its_title_or_its_head() -> None:
    head = '<meta name="DC.creator" content="Ada Wong"><meta name="DC.creator" content="Ben Oke">'
    page = "<html><head>{}</head><body><h1>A</h1>{}<p>Text.</p></body></html>"
    titled = '<h2 class="author">Cy Ito</h2>'
    names = [byline_of("a.html", page.format(head, one).encode()).authors for one in ("", titled)]
    assert names == [("Ada Wong", "Ben Oke"), ("Cy Ito",)]


def test_an_author_that_a_tool_wrote_for_nobody_is_none() -> None:
    told = read_byline(["", " Unknown", "root\nof  all", "x" * 101, "root of all"], "D:20213")
    assert told == Byline(("root of all",))
    assert read_byline(f"A{n}" for n in range(50)).authors[-1] == "A19"


def test_a_book_has_what_its_documents_say_alike() -> None:
    one, other = Byline(("Ada",), 2020), Byline(("Ben",), 2020)
    assert common_byline([one, NO_BYLINE, one]) == one
    assert common_byline([one, other]) == Byline((), 2020)
    assert common_byline([]) == NO_BYLINE


NAMED_IN_HEAD = (
    '<meta name="author" content="Ada Wong"><meta name="date" content="2012-08-21T10:00Z">'
)


def text_of(body: str, *, head: str = NAMED_IN_HEAD, language: str = "en", place: int = 0) -> str:
    page = f'<html lang="{language}"><head>{head}</head><body>{body}</body></html>'.encode()
    pages = [SourceFile(f"{number}.html", page) for number in range(place + 1)]
    return parse_document(plan_book(Source(pages)).documents[place])[0].text


def test_the_byline_of_the_first_page_s_head_stands_below_its_title() -> None:
    body = "<h1>Slate</h1><p>It splits.</p>"
    assert text_of(body) == "Slate\n\nAuthor: Ada Wong\n\nPublished: 2012-08-21\n\nIt splits."
    assert text_of(body, language="de-AT").startswith("Slate\n\nAutor: Ada Wong\n\nVeröff")
    assert text_of(body, language="xx").startswith("Slate\n\nAuthor: Ada Wong")
    assert text_of("<p>It splits.</p>").startswith("Author: Ada Wong\n\nPublished")


def test_a_byline_that_the_first_page_shows_itself_is_not_said_again() -> None:
    body = "<h1>Slate</h1><p>By Ada Wong, 2012.</p>"
    assert text_of(body) == "Slate\n\nBy Ada Wong, 2012."
    assert text_of("<h1>Slate</h1>", head="<title>Slate</title>") == "Slate"
    assert "Ada" not in text_of("<h1>Slate</h1><p>It splits.</p>", place=1)
    assert "admin" not in text_of(body, head='<meta name="author" content="admin">')


@pytest.mark.parametrize("code", sorted(known_languages()))
def test_every_language_reads_the_lines_of_the_head_that_it_writes(code: str) -> None:
    rules = load_lexicon(code).about_book
    front = Standing(at_front=True)
    for aspect, line in (
        (BookAspect.AUTHOR, rules.written_by.format(names="Ada Wong, Ben Oke")),
        (BookAspect.DATE, rules.dated.format(date="2012-08-21")),
    ):
        assert rate_statement(AboutBook(aspect), line, rules, front) >= 0.5
        assert is_byline(line, rules, front)


def first_text(path: str, data: bytes) -> str:
    return parse_document(plan_book(Source([SourceFile(path, data)])).documents[0])[0].text


def test_front_matter_s_byline_stands_below_the_title_of_the_first_file_alone() -> None:
    front = b"---\nauthor: [Ada Wong, Ben Oke]\ndate: 2021-03-04T09:00\n---\n"
    body = b"# Slate\n\nIt splits.\n"
    said = "Slate\n\nAuthor: Ada Wong, Ben Oke\n\nPublished: 2021-03-04\n\nIt splits."
    assert first_text("a.md", front + body) == said
    assert first_text("a.md", front + body + b"\nAda Wong wrote this in 2021.\n").count("2021") == 1
    assert first_text("a.md", front + b"It splits.\n").startswith("Author: Ada Wong")
    files = [SourceFile(f"{n}.md", front + body) for n in range(2)]
    second = plan_book(Source(files)).documents[1]
    assert "Ada" not in parse_document(second)[0].text


def test_an_epub_s_byline_stands_below_its_first_title() -> None:
    opf = OPF.replace("<dc:title>A Book</dc:title>", NAMED)
    told = first_text("b.epub", zipped({**FILES, "OPS/b.opf": opf}))
    assert "\n\nAuthor: Ada Wong, Ben Oke\n\nPublished: 2019-05-01\n\n" in f"\n\n{told}"
    assert "Author" not in first_text("b.epub", zipped(FILES))


def test_fields_below_the_title_of_restructured_text_name_authors() -> None:
    text = "Slate\n=====\n\n:Authors: Ada Wong; Ben Oke\n:Date: 4 March 2021\n\nIt splits.\n"
    assert byline_of("a.rst", text.encode()) == Byline(("Ada Wong", "Ben Oke"), 2021)
    assert "Authors: Ada Wong; Ben Oke" in first_text("a.rst", text.encode())
    later = "Slate\n=====\n\nIt splits.\n\n:Author: Ada Wong\n"
    assert byline_of("a.rst", later.encode()) == NO_BYLINE


@pytest.mark.parametrize(
    ("code", "before", "line"),
    [
        ("en", "This book is about slate.", "It was written by Ada Wong in 2021."),
        ("de", "Dieses Buch handelt von Schiefer.", "Es wurde von Ada Winter geschrieben."),
        ("fr", "Ce livre parle d'ardoise.", "Il a été écrit par Ada Vidal en 2021."),
        ("es", "Este libro trata de pizarra.", "Fue escrito por Ada Ibarra en 2021."),
        ("pt", "Este livro trata de ardósia.", "Foi escrito por Ada Prado em 2021."),
        ("ru", "Эта книга рассказывает о сланце.", "Она написана Адой Вольской в 2021 году."),
        ("zh", "本书介绍板岩。", "由王明编写。"),
        ("ja", "本書は粘板岩を扱います。", "山田太郎により執筆されました。"),
    ],
)
def test_it_is_the_book_where_the_sentence_before_speaks_of_that(
    code: str, before: str, line: str
) -> None:
    rules, author = load_lexicon(code).about_book, AboutBook(BookAspect.AUTHOR)
    assert rate_statement(author, line, rules, Standing(before=before)) == 1.0
    assert rate_statement(author, line, rules, Standing(before="")) == 0.0
