"""A book's own table of contents says where each document stands, whatever form it has."""

import pytest

from services.ingest.model.book import Source
from services.ingest.plan import plan_book, planning_part
from tests.support.ingest_fakes import source

PAGE = "# T\n\nText."

SUMMARY = """# Summary

[Preface](preface.md)

- [Basics](basics.md)
    - [Types](basics/types.md)
        - [Numbers](basics/numbers.md)
    - [Flow](basics/flow.md)
- [Draft]()
    - [Told](told.md)
- [Empty draft]()

# Reference

* [Words](words.md)
  1. [Signs](signs.md)

# Nothing

[After](after.md)
"""
SIDEBARS = """module.exports = {docs: [
  'start',
  {type: 'category', label: 'Parts', link: {type: 'doc', id: 'parts/own'}, items: [
    "parts/arm",
    {type: 'category', label: 'Hand\\'s', items: [{type: 'doc', id: 'parts/hand', label: 'H'}]},
  ]},
  {type: 'category', label: 'Made', link: {type: 'generated-index', title: 'start'}, items: ['made']},
  {'In short': ['short']}, // 'lost'
  'end',
]};
"""
INDEX = """<nav><a href="alone.html">Alone</a></nav><main><p><a href="preface.html">Preface</a></p>
<dl><dt><a href="one.html">1</a></dt><dd><dl><dt><a href="one.html#a">1.1</a></dt>
<dt><a href="deep.html">1.2</a></dt></dl></dd><dt><a href="two.html">2</a></dt></dl></main>"""
TOCTREE = """Book
====

.. toctree::
   :maxdepth: 2

   start

.. toctree::
   :caption: Parts

   gone
   arm/index
   hand
"""


def planned(files: dict[str, str]) -> list[tuple[str, int, tuple[str, ...]]]:
    whole = source(files)
    documents = plan_book(Source([planning_part(file) for file in whole.files])).documents
    return [(placed.file.path, placed.depth, placed.part_titles) for placed in documents]


def test_lists_of_a_summary_nest_below_its_parts_and_drafts() -> None:
    names = (
        *("preface", "basics", "basics/types", "basics/numbers", "basics/flow", "told"),
        *("words", "signs", "after", "lost"),
    )
    files = {"src/SUMMARY.md": SUMMARY, **{f"src/{name}.md": PAGE for name in names}}
    assert planned(files) == [
        ("src/preface.md", 0, ()),
        ("src/basics.md", 0, ()),
        ("src/basics/types.md", 1, ()),
        ("src/basics/numbers.md", 2, ()),
        ("src/basics/flow.md", 1, ()),
        ("src/told.md", 1, ("Draft",)),
        ("src/words.md", 1, ("Reference",)),
        ("src/signs.md", 2, ()),
        ("src/after.md", 0, ()),
        ("src/lost.md", 0, ()),
    ]


@pytest.mark.parametrize("title", ["# Table of contents\n\n", "# Inhalt\n", ""])
def test_the_title_of_a_summary_is_no_part(title: str) -> None:
    files = {"SUMMARY.md": f"{title}* [A](a.md)\n  * [B](b.md)", "a.md": PAGE, "b.md": PAGE}
    assert planned(files) == [("a.md", 0, ()), ("b.md", 1, ())]


def test_categories_of_a_sidebar_are_documents_or_titles() -> None:
    names = ("start", "parts/own", "parts/arm", "parts/hand", "made", "short", "end", "lost")
    files = {"sidebars.js": SIDEBARS, **{f"docs/{name}.md": PAGE for name in names}}
    assert planned({**files, "docusaurus.config.js": "module.exports = {}"}) == [
        ("docs/start.md", 0, ()),
        ("docs/parts/own.md", 0, ()),
        ("docs/parts/arm.md", 1, ()),
        ("docs/parts/hand.md", 2, ("Hand's",)),
        ("docs/made.md", 1, ("Made",)),
        ("docs/short.md", 1, ("In short",)),
        ("docs/end.md", 0, ()),
        ("docs/lost.md", 0, ()),
    ]


def test_lists_of_a_first_page_nest() -> None:
    names = ("preface", "one", "deep", "two", "alone")
    files = {"index.html": INDEX, **{f"{name}.html": "<p>Text.</p>" for name in names}}
    assert planned(files) == [
        ("index.html", 0, ()),
        ("preface.html", 0, ()),
        ("one.html", 0, ()),
        ("deep.html", 1, ()),
        ("two.html", 0, ()),
        ("alone.html", 0, ()),
    ]


def test_a_register_that_differs_by_its_capital_is_not_the_first_page() -> None:
    names = ("preface", "one", "deep", "two", "Index")
    files = {"index.html": INDEX, **{f"{name}.html": "<p>Text.</p>" for name in names}}
    assert [path for path, _, _ in planned(files)][:2] == ["index.html", "preface.html"]
    assert planned(files)[-1] == ("Index.html", 0, ())


def test_a_menu_of_the_chapters_alone_takes_nothing_from_below_them() -> None:
    entry = "<li><a href='{0}.html'>{0}</a>".format
    menu = f"<nav><ul>{entry('one')}{entry('two')}</ul></nav>"
    listed = f"{entry('one')}<ul>{entry('one/a')}{entry('one/b')}</ul>{entry('two')}"
    index = f"{menu}<div class='toctree-wrapper'><ul>{listed}<ul>{entry('two/c')}</ul></ul></div>"
    names = ("one", "one/a", "one/b", "two", "two/c")
    files = {"index.html": index, **{f"{name}.html": "<p>Text." for name in names}}
    assert [(path.removesuffix(".html"), depth) for path, depth, _ in planned(files)] == [
        *(("index", 0), ("one", 0), ("one/a", 1), ("one/b", 1), ("two", 0), ("two/c", 1))
    ]


def test_a_page_that_a_sentence_mentions_stands_where_the_table_of_contents_lists_it() -> None:
    index = """<p><a href="rights.html">Copyright</a> by us. See <a href="end.html">the end</a>.</p>
<dl class="toc"><dt>Chapter 1. <a href="one.html">One</a></dt><dt><a href="two.html">Two</a>: more
than <a href="rights.html">rights</a></dt><dt>What <a href="why.html">why</a> is</dt>
<dt>II. <a href="end.html">End</a></dt></dl>
<table><tr><td>• <a href="cell.html">Cell</a></td><td>of a menu</td></tr></table>"""
    names = ("cell", "end", "one", "rights", "two", "why")
    files = {"index.html": index, **{f"{name}.html": "<p>Text.</p>" for name in names}}
    assert [path.partition(".")[0] for path, _, _ in planned(files)] == [
        *("index", "one", "two", "end", "cell", "rights", "why")
    ]


def test_the_buttons_that_lead_around_list_nothing() -> None:
    around = "".join(f"<td>[<a href='{name}.html'>?</a>]</td>" for name in ("words", "about"))
    index = f"<table><tr>{around}</tr></table><ul><li><a href='one.html'>One</a></ul>"
    files = {"index.html": index, **{f"{name}.html": "<p>T" for name in ("about", "one", "words")}}
    assert [path for path, _, _ in planned(files)] == [
        *("index.html", "one.html", "words.html", "about.html")
    ]


def test_a_page_that_only_another_lists_nests_below_that_one() -> None:
    entry = "<li><a href='{0}.html'>{0}</a>".format
    files = {
        "index.html": f"<ul>{entry('a')}<li><a href='c/c.html'>c</a></ul>",
        "a.html": f"<ul class='toc'>{entry('b')}<ul>{entry('deep')}</ul>{entry('c/c')}"
        f"<ul>{entry('c/d')}</ul></ul><ul>{entry('unnamed')}</ul>",
        "b.html": "<p>See <a href='c/d.html'>d</a>.",
        "deep.html": "<div class='toctree-wrapper'><ul><li><a href='index.html'>up</a></ul></div>",
        "c/c.html": "<div class='toctree-wrapper'><ul><li><a href='d.html'>d</a></ul></div>",
        "c/d.html": "<p>T",
        "unnamed.html": "<p>T",
    }
    assert planned(files) == [
        ("index.html", 0, ()),
        ("a.html", 0, ()),
        ("b.html", 1, ()),
        ("deep.html", 2, ()),
        ("c/c.html", 0, ()),
        ("c/d.html", 1, ()),
        ("unnamed.html", 0, ()),
    ]


def test_toctrees_nest_below_captions_and_documents() -> None:
    names = ("start", "hand", "arm/servo")
    arm = "Arm\n===\n\n.. toctree::\n\n   servo\n"
    files = {"index.rst": TOCTREE, "arm/index.rst": arm}
    files |= {f"{name}.rst": "T\n=\n\nText.\n" for name in names}
    assert planned(files) == [
        ("index.rst", 0, ()),
        ("start.rst", 0, ()),
        ("arm/index.rst", 1, ("Parts",)),
        ("arm/servo.rst", 2, ()),
        ("hand.rst", 1, ()),
    ]


@pytest.mark.parametrize(
    "sidebars", ["export default require('./x')", "{[}]" * 999, "{a: 'b': [", "['a', {label: 3}"]
)
def test_a_malformed_sidebar_is_ignored(sidebars: str) -> None:
    files = {"sidebars.js": sidebars, "docs/a.md": PAGE, "docs/b.md": PAGE}
    assert [path for path, *_ in planned(files)] == ["docs/a.md", "docs/b.md"]


def test_an_order_of_ones_own_has_no_contents_above_it() -> None:
    files = {"quoth.toml": 'order = ["b.md"]', "SUMMARY.md": "- [A](a.md)\n  - [B](b.md)"}
    files |= {"a.md": PAGE, "b.md": PAGE}
    assert planned(files) == [("b.md", 0, ()), ("a.md", 0, ())]
