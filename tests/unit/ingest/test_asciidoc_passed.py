"""AsciiDoc that is HTML, or refers to other places: what a reader of the page sees is the text."""

from dataclasses import replace
from functools import partial

import pytest

from services.ingest.model.book import MarkupKind, ParsedText, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.asciidoc import names_of, parse_asciidoc, read_names
from services.ingest.plan import plan_book, planning_part
from tests.support.work import count_calls

TABLE = (
    '<table id="parts">\n<caption>The parts of a kiln.</caption>\n<thead>\n<tr><th>Part</th>'
    "<th>Use</th></tr>\n</thead>\n\n<tr><td><p>Door</p></td><td>It <em>shuts</em></td></tr>\n</table>"
)


def parse(source: str) -> ParsedText:
    return parse_asciidoc(source, "Fallback")


def pieces(source: str) -> list[tuple[str, str]]:
    parsed = parse(source)
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]


def linked(parsed: ParsedText) -> list[tuple[str, str]]:
    return [
        (parsed.text[one.start : one.end], one.value)
        for one in parsed.markup
        if one.kind is MarkupKind.LINK
    ]


def test_html_that_is_passed_through_is_read_as_a_page_is() -> None:
    source = (
        f"Before *all*.\n\n++++\n<p>A *star* & `tick` &lt;b&gt;,\n_two_ lines.</p>\n{TABLE}\n++++\n\n"
        "++++\n<pre>a  b\n\n c</pre>\n<ul><li>one</li></ul>\n"
        "<math><msup><mi>x</mi><mn>2</mn></msup></math>\n++++\n\nAfter.\n"
    )
    assert pieces(source) == [
        ("PARAGRAPH", "Before all."),
        ("PARAGRAPH", "A *star* & `tick` <b>, _two_ lines."),
        ("CAPTION", "The parts of a kiln."),
        ("TABLE", "Part | Use\nDoor | It shuts"),
        ("CODE", "a  b\n\n c"),
        ("LIST_ITEM", "one"),
        ("PARAGRAPH", "x^2"),
        ("PARAGRAPH", "After."),
    ]


def test_html_that_is_passed_through_hides_what_a_page_hides() -> None:
    parsed = parse(
        "One.\n\n++++\n<p>Seen.</p>\n<p hidden>Unseen words.</p>\n<script>run()</script>\n++++\n"
        "\nTwo.\n\n////\nno\n////\n\n++++\n\\newpage\n++++\n"
    )
    assert parsed.text == "One.\n\nSeen.\n\nTwo."
    told = [(one.kind, one.place, one.characters) for one in parsed.dropped_content]
    assert sorted(told) == [("hidden text", "line 5", 12), ("passed through", "line 15", 8)]


def test_html_between_lists_and_fences_stays_in_its_place() -> None:
    source = "* item\n+\n++++\n<p>In it.</p>\n<pre>\n````\n</pre>\n++++\n* next\n"
    assert [text for _, text in pieces(source)] == ["item", "In it.", "````", "next"]
    named = "++++\n<p>Text((((a), b))) of {x}(((sorted, c))).</p>\n++++\n"
    assert parse(f":x: it\n\n{named}").text == "Text((((a), b))) of {x}."
    assert parse(f':x: it\n\n[subs="attributes"]\n{named}').text == "Text((((a), b))) of it."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('See pass:[<a href="#a"\nclass="b">that\npage</a>] now.', "See that page now."),
        ("pass:[<b>a[0\\]</b> &#x27;q&#x27; *s*]", "a[0] 'q' *s*"),
        ("+++<u>1 + 2</u>\nand <i>3</i>+++ end", "1 + 2 and 3 end"),
    ],
)
def test_html_within_a_line_shows_its_text_alone(source: str, text: str) -> None:
    assert parse(source).text == text


@pytest.mark.parametrize("target", ["$${}$$", "++{}++", "pass:[{}]", "pass:c[{}]", "+++{}+++"])
def test_a_target_in_quotes_of_its_own_leads_where_it_says(target: str) -> None:
    address = "https://kiln.example/a_b_c"
    parsed = parse(f"See link:{target.format(address)}[] and link:{target.format(address)}[it].")
    assert parsed.text == f"See {address} and it."
    assert linked(parsed) == [(address, address), ("it", address)]
    assert not parsed.dropped_content


def test_a_reference_shows_the_title_of_what_it_leads_to() -> None:
    source = (
        "[[arms]]\n.The *arms* and <<legs>>(((arm))).\n----\ncode\n----\n\n"
        f"++++\n{TABLE}\n<figure id='f'>\n<figcaption>A <i>fig</i></figcaption></figure>\n"
        '<p>Of <a data-type="xref" href="#parts">#parts</a>.</p>\n++++\n\n'
        "== Heating(((heat)))\n\n"
        "See <<arms>>, <<parts>>, <<f>>, <<parts,that>>, <<Heating>>, <<n_o>>.\n"
    )
    parsed = parse(source)
    assert "Of The parts of a kiln." in parsed.text
    assert parsed.text.endswith(
        "See The arms and legs, The parts of a kiln, A fig, that, Heating, n o."
    )
    assert dict(linked(parsed))["Heating"] == "#_heating"


BOOK = {
    "book.adoc": "= The Kiln\n\ninclude::a.adoc[]\n\ninclude::Parts/b.adoc[]\n",
    "a.adoc": "== One\n\nSee <<door>>, <<kinds,them>>, <<Parts/b.adoc#>> and xref:Parts/b.adoc[].\n",
    "Parts/b.adoc": f"[[kinds]]\nThe Parts\n---------\n\n[[door]]\n=== Its [door]\n\nSee <<parts>>, "
    f"<<one>>.\n\n++++\n{TABLE}\n++++\n",
    "Parts/c.adoc": "[[one]]\n== The one\n\nSee <<door>>, <<parts>>.\n",
}


def test_a_reference_to_another_file_of_the_book_shows_its_title() -> None:
    files = {path: SourceFile(path, text.encode()) for path, text in BOOK.items()}
    plan = plan_book(Source([planning_part(file) for file in files.values()]))
    placed = {one.file.path: one for one in plan.documents}
    last, _ = parse_document(replace(placed["Parts/c.adoc"], file=files["Parts/c.adoc"]))
    assert last.text.endswith("See Its door, The parts of a kiln.")
    addresses = [one.value for one in last.markup if one.kind is MarkupKind.LINK]
    assert addresses == ["b.adoc#door", "b.adoc#parts"]
    first, _ = parse_document(replace(placed["a.adoc"], file=files["a.adoc"]))
    assert first.text.endswith("See Its door, them, The Parts and The Parts.")
    addresses = [one.value for one in first.markup if one.kind is MarkupKind.LINK]
    assert addresses[:2] == ["Parts/b.adoc#door", "Parts/b.adoc#kinds"]


def test_the_part_of_a_file_that_a_plan_keeps_says_the_same_of_its_names() -> None:
    for text in BOOK.values():
        title, names = read_names(text, "x.adoc")
        bare = {name: shown.translate({91: None, 93: None}) for name, shown in names.items()}
        assert read_names(names_of(text), "x.adoc") == (title, bare)


@pytest.mark.parametrize("piece", ['<table id="a">', "<caption>", "(((a", "pass:[", "<<a", "+++"])
def test_names_and_html_are_read_in_time_that_grows_as_the_text_does(piece: str) -> None:
    few, many = (count_calls(partial(parse, piece * count)) for count in (500, 1000))
    assert many <= 2.5 * few + 1000
