"""Titles and listings that a page marks by roles and classes alone are what they look like."""

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html


def read(body: str, title: str = "Kilns") -> ParsedText:
    return parse_html(f"<html><head><title>{title}</title></head><body>{body}</body></html>", "F")


def shown(body: str) -> list[tuple[str, str]]:
    parsed = read(body)
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]


def paths(body: str) -> list[tuple[str, ...]]:
    return [one.path for one in read(body).sections]


def test_a_heading_of_a_section_that_stands_in_a_header_is_kept() -> None:
    body = (
        "<header><h2>The site</h2></header><main><h1>Kiln</h1><p>An oven.</p>"
        "<section><header><h3>Bricks</h3></header><p>They are red.</p></section></main>"
    )
    assert paths(body) == [("Kiln",), ("Kiln", "Bricks")]


def test_an_element_with_the_role_of_a_heading_is_one_as_deep_as_it_says() -> None:
    body = (
        '<h1>Kiln</h1><div role="heading">Bricks</div><p>They are red.</p>'
        '<p role="heading" aria-level="3">Clay</p><p>It is grey.</p>'
        '<span role="heading" aria-level="99">Deep</span><p>End.</p>'
    )
    assert paths(body) == [
        ("Kiln",),
        ("Kiln", "Bricks"),
        ("Kiln", "Bricks", "Clay"),
        ("Kiln", "Bricks", "Clay", "Deep"),
    ]


def test_the_title_of_a_page_of_doxygen_stands_over_its_headings() -> None:
    title = (
        '<div class="header"><div class="headertitle"><div class="title">Kiln Class'
        '<div class="ingroups"><a href="g.html">Ovens</a></div></div></div></div>'
    )
    body = f"{title}<h1>Use</h1><p>It burns.</p><h2>Wood</h2><p>Dry.</p>"
    assert read(body, "Ovens").title == "Kiln Class"
    assert paths(body) == [
        ("Kiln Class",),
        ("Kiln Class", "Use"),
        ("Kiln Class", "Use", "Wood"),
    ]
    assert paths(f"{title}<h2>Use</h2><p>It burns.</p>") == [
        ("Kiln Class",),
        ("Kiln Class", "Use"),
    ]
    assert ("PARAGRAPH", "Ovens") in shown(body)


def test_a_listing_whose_lines_are_boxes_is_code_as_it_stands() -> None:
    lines = (
        '<div class="fragment"><div class="line"><span class="lineno">1</span>if (hot) {</div>'
        '<div class="line">    open(&quot;door&quot;);</div><div class="line">}</div>'
        '<div class="ttc"><div class="ttname">open</div></div></div><!-- fragment -->'
    )
    assert shown(f"<h1>Kiln</h1><p>So:</p>{lines}<p>Then wait.</p>")[2:] == [
        ("CODE", 'if (hot) {\n    open("door");\n}'),
        ("PARAGRAPH", "Then wait."),
    ]
    mixed = '<div class="fragment"><p>Words.</p><div class="line">More.</div></div>'
    assert shown(f"<h1>Kiln</h1>{mixed}")[1:] == [("PARAGRAPH", "Words."), ("PARAGRAPH", "More.")]


def test_the_tabs_above_a_page_that_lead_to_others_are_no_text() -> None:
    tabs = (
        '<div class="tabs"><ul class="tablist"><li><a href="a.html">Main</a></li>'
        '<li><a href="b.html">Classes</a></li></ul></div>'
    )
    assert shown(f"{tabs}<h1>Kiln</h1><p>An oven.</p>") == [
        ("HEADING", "Kiln"),
        ("PARAGRAPH", "An oven."),
    ]


def test_an_article_below_the_headings_of_the_page_is_not_all_of_it() -> None:
    body = "<h1>Kiln</h1><h3>Summary</h3><p>An oven.</p>{}<h3>See also</h3><p>Bricks are elsewhere.</p>"
    part = "<article><h4>fire(wood)</h4><h3>Types</h3><p>It burns.</p></article>"
    assert ("PARAGRAPH", "An oven.") in shown(body.format(part))
    assert ("PARAGRAPH", "Bricks are elsewhere.") in shown(body.format("<article>So.</article>"))
    beside = "<h1>Site</h1><h3>News</h3><p>Old.</p><article><h2>Kiln</h2><p>An oven.</p></article>"
    assert shown(beside) == [("HEADING", "Kiln"), ("PARAGRAPH", "An oven.")]


def test_the_title_of_an_abstract_is_no_beginning_of_its_text() -> None:
    page = (
        '<h1 class="title">The Hut Book</h1><div class="abstract"><p class="title">'
        "<strong>Abstract</strong></p><p>This book tells how huts are kept.</p></div>"
    )
    assert shown(page)[1:] == [
        ("CAPTION", "Abstract"),
        ("PARAGRAPH", "This book tells how huts are kept."),
    ]
