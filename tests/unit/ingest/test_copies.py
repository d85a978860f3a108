"""The same text is taken into a book once: pages under two names, a whole beside its chapters."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.plan import Plan, plan_book, planning_part
from services.ingest.planning.copies import omit_copies
from services.ingest.planning.page_text import read_page_text

_SITE = "https://books.example/spec"


def _paragraphs(chapter: int, count: int = 12) -> str:
    return "".join(
        f"<p>Chapter {chapter} says in paragraph {at} what no other paragraph of the book says.</p>"
        for at in range(count)
    )


def _page(body: str, canonical: str = "") -> bytes:
    link = f'<link rel="canonical" href="{_SITE}/{canonical}">' if canonical else ""
    return f"<html><head><title>T</title>{link}</head><body>{body}</body></html>".encode()


def _plan(files: dict[str, bytes]) -> Plan:
    whole = Source([SourceFile(path, data) for path, data in files.items()])
    plan = plan_book(whole)
    lean = plan_book(Source([planning_part(file) for file in whole.files]))
    assert _paths(lean) == _paths(plan)
    assert lean.warnings == plan.warnings
    return plan


def _paths(plan: Plan) -> list[str]:
    return [placed.file.path for placed in plan.documents]


def test_a_page_under_two_names_is_read_by_the_name_that_it_gives_itself() -> None:
    page = _page(_paragraphs(1), "ch-routers.html")
    plan = _plan({"ch01.html": page, "ch-routers.html": page, "z.html": _page(_paragraphs(2))})
    assert _paths(plan) == ["ch-routers.html", "z.html"]
    assert list(plan.warnings) == [
        '1 document was left out as copies of others: "ch01.html" of "ch-routers.html".'
    ]


def test_a_page_under_two_names_is_read_by_the_name_that_others_link_to() -> None:
    page = _page(_paragraphs(1))
    files = {
        "a.html": page,
        "b.html": page,
        "c.html": _page('<a href="b.html#x">b</a>' + _paragraphs(2)),
    }
    assert _paths(_plan(files)) == ["b.html", "c.html"]


def test_a_page_that_says_it_is_another_is_left_out_where_their_text_is_the_same() -> None:
    files = {
        "print.html": _page("<div>For printing</div>" + _paragraphs(1), "servo.html"),
        "servo.html": _page(_paragraphs(1), "servo.html"),
    }
    assert _paths(_plan(files)) == ["servo.html"]


def test_pages_that_all_say_they_are_the_first_page_are_kept() -> None:
    files = {f"{n}.html": _page(_paragraphs(n), "index.html") for n in range(3)}
    plan = _plan({"index.html": _page(_paragraphs(9), "index.html"), **files})
    assert _paths(plan) == ["index.html", "0.html", "1.html", "2.html"]
    assert not plan.warnings


def test_a_whole_book_beside_its_chapters_is_left_out() -> None:
    chapters = {f"ch{n}.html": _page(_paragraphs(n)) for n in range(4)}
    whole = _page("<h1>All</h1>" + "".join(map(_paragraphs, range(4))))
    plan = _plan({**chapters, "book.html": whole})
    assert _paths(plan) == list(chapters)
    assert list(plan.warnings) == [
        '"book.html" was left out: all its text stands in other documents of the source.'
    ]


def test_a_whole_with_a_chapter_more_is_kept() -> None:
    chapters = {f"ch{n}.html": _page(_paragraphs(n)) for n in range(4)}
    whole = _page("".join(map(_paragraphs, range(5))))
    assert "book.html" in _paths(_plan({**chapters, "book.html": whole}))


def test_another_version_of_a_page_is_no_whole_of_it() -> None:
    old = _paragraphs(1, 60)
    new = old.replace("in paragraph 59", "in the last paragraph")
    assert _paths(_plan({"v1.html": _page(old), "v2.html": _page(new)})) == ["v1.html", "v2.html"]


def test_a_page_that_the_book_orders_stays() -> None:
    page = _page(_paragraphs(1), "b.html")
    plan = _plan({"quoth.toml": b'order = ["a.html"]', "a.html": page, "b.html": page})
    assert _paths(plan) == ["a.html", "b.html"]


def test_hidden_text_tells_no_page_from_another() -> None:
    body = _paragraphs(1)
    script = "<script>if (a > b) { document.write('<p>' + 'x'.repeat(99) + '</p>') }</script>"
    comment = f"<!-- <p>{'secret ' * 20}</p> -->"
    assert read_page_text(_page(script + comment + body).decode()) == read_page_text(
        _page(body).decode()
    )


@pytest.mark.parametrize("unclosed", ["<", "<!--", "<script", "<link ", "<p", "&amp"])
def test_a_page_of_nothing_but_beginnings_is_read_in_one_pass(unclosed: str) -> None:
    assert read_page_text(unclosed * 200_000).canonical == ""


def test_pages_that_only_lead_to_others_are_left_out_and_named() -> None:
    def leading(
        to: str, body: str = "<p>Go on to the page that you are looking for, please: here.</p>"
    ) -> bytes:
        return f'<meta http-equiv="Refresh" content="0; url={to}">{body}'.encode()

    files = {
        "index.html": _page(_paragraphs(1)),
        "sub/note.html": leading("../a%20b.html#note", ""),
        "old.html": leading("a%20b.html"),
        "a b.html": _page(_paragraphs(2)),
        "self.html": leading("self.html"),
        "gone.html": leading("gone-too.html"),
        "long.html": leading("index.html", _paragraphs(3)),
        "round.html": leading("about.html"),
        "about.html": leading("round.html"),
    }
    plan = _plan(files)
    assert sorted({*files} - {*_paths(plan)}) == ["old.html", "sub/note.html"]
    named = '"sub/note.html" to "a b.html", "old.html" to "a b.html"'
    assert list(plan.warnings) == [
        f"2 documents were left out, which only lead to others: {named}."
    ]


def test_pages_without_text_are_no_copies() -> None:
    files = {path: SourceFile(path, _page("")) for path in ("a.html", "b.html")}
    assert omit_copies(files, list(files), ()) == (["a.html", "b.html"], [])
