"""Text that nearly all pages of a manual have at the same end is no part of what one of them says."""

from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from tests.support.ingest_fakes import source

FOOT = (
    "<hr><div class='admonition'><p>See</p>"
    "<p>Copyright 2020 Ann Author and others.<br>Last updated 2024-05-0{0}</p>"
    "<ul><li>Part of the <a href='index.html'>whole manual</a></li></ul></div>"
)
HEAD = "<p>The manual of everything » Chapters</p>"


def page(number: int, *, body: str = "", foot: str = FOOT, head: str = HEAD) -> str:
    text = body or f"<p>What number {number * 'very '}says.</p>"
    return f"<html><body>{head}<h1>Page {number}</h1>{text}{foot.format(number)}</body></html>"


def texts_of(pages: dict[str, str]) -> dict[str, str]:
    placed = plan_book(source(pages)).documents
    return {one.file.path: parse_document(one)[0].text for one in placed}


def test_heads_and_feet_of_a_manual_are_left_out_and_named() -> None:
    pages = {f"p{number}.html": page(number) for number in range(1, 7)}
    documents = [parse_document(one)[0] for one in plan_book(source(pages)).documents]
    assert documents[1].text == "Page 2\n\nWhat number very very says."
    named = [one for one in documents[1].dropped_content if one.kind == "running head or foot"]
    assert [one.place for one in named] == ["1 piece at the beginning", "3 pieces at the end"]
    assert sum(one.characters for one in named) > len("Copyright2020AnnAuthorandothers.")


def test_the_first_page_keeps_what_the_others_repeat() -> None:
    pages = {f"p{number}.html": page(number) for number in range(1, 7)}
    documents = [parse_document(one)[0] for one in plan_book(source(pages)).documents]
    assert documents[0].text.startswith("The manual of everything")
    assert "Copyright 2020 Ann Author" in documents[0].text
    assert not [one for one in documents[0].dropped_content if one.kind == "running head or foot"]
    assert sum("Ann Author" in one.text for one in documents) == 1


def test_text_of_few_pages_or_of_their_middle_stays() -> None:
    few = {f"p{number}.html": page(number) for number in range(1, 5)}
    assert all("Copyright" in text for text in texts_of(few).values())
    notes = "<p>This is told on every single page.</p><p>And this only on page {}.</p>"
    several = {
        f"p{number}.html": page(number, body=notes.format("x" * number), foot="")
        for number in range(1, 7)
    }
    assert all("every single page" in text for text in texts_of(several).values())


def test_a_page_that_says_nothing_else_keeps_what_all_have() -> None:
    pages = {f"p{number}.html": page(number) for number in range(1, 7)}
    pages["p7.html"] = FOOT.format(7)
    assert "Copyright" in texts_of(pages)["p7.html"]


def test_a_folder_of_a_book_has_heads_and_feet_of_its_own() -> None:
    pages = {f"a/p{number}.html": page(number, foot="") for number in range(1, 7)}
    pages |= {f"b/p{number}.html": page(number, head="") for number in range(1, 7)}
    texts = texts_of(pages)
    assert texts["a/p2.html"] == texts["b/p2.html"] == "Page 2\n\nWhat number very very says."
