"""The navigation of MkDocs, Jupyter Book, MyST, Quarto and bookdown gives the order of a book."""

from collections.abc import Mapping

import pytest

from services.ingest.plan import Plan, plan_book
from tests.support.ingest_fakes import source

PAGE = "# T\n\nText."


def plan(files: Mapping[str, str]) -> Plan:
    return plan_book(source(dict(files)))


def order(found: Plan) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(one.file.path, one.depth, one.part_titles) for one in found.documents]


def pages(*paths: str) -> dict[str, str]:
    return dict.fromkeys(paths, PAGE)


MKDOCS = """site_name: The kiln
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }
edit_uri: !ENV [EDIT, 'x']
nav:
  - index.md
  - Firing:
      - Slow firing: firing/slow.md
      - Deep: [firing/fast.md, 'https://elsewhere.example', firing/gone.md]
  - Words: words.md#first
"""


def test_a_site_of_mkdocs_has_its_order_its_parts_its_title_and_only_its_docs() -> None:
    docs = ("words.md", "firing/fast.md", "firing/slow.md", "index.md", "about.md")
    files = {"mkdocs.yml": MKDOCS, "CHANGES.md": PAGE, **pages(*(f"docs/{one}" for one in docs))}
    found = plan(files)
    assert order(found) == [
        ("docs/index.md", 0, ()),
        ("docs/firing/slow.md", 1, ("Firing",)),
        ("docs/firing/fast.md", 2, ("Deep",)),
        ("docs/words.md", 0, ()),
        ("docs/about.md", 0, ()),
    ]
    assert [one.title for one in found.documents][1] == "Slow firing"
    assert found.title == "The kiln"
    assert found.warnings == (
        '"mkdocs.yml": it names "firing/gone.md", which the source has not.',
        "1 documents outside of docs were left out.",
    )


JUPYTER_BOOK = """format: jb-book
root: intro
parts:
  - caption: Clay
    chapters:
      - file: wedge
        sections: [{file: deep/centre, title: Centring}]
      - glob: more/*
  - caption: Fire
    chapters: [{url: https://elsewhere.example}, {file: kiln}]
"""
OLDER = """- file: intro
- part: Clay
  chapters:
    - file: wedge
- file: kiln
"""
MYST = """version: 1
project:
  title: The kiln
  toc:
    - file: intro.md
    - title: Clay
      children: [{file: wedge.md}, {pattern: 'more/*.md'}]
"""
QUARTO = """project: {type: book}
book:
  title: The kiln
  chapters:
    - intro.qmd
    - part: Clay
      chapters: [wedge.qmd, {file: deep/centre.md}]
    - part: kiln.md
      chapters: [more/b.md]
  appendices: [more/a.md]
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "_toc.yml",
            JUPYTER_BOOK,
            "0 intro, 1 wedge Clay, 2 deep/centre, 1 more/a, 1 more/b, 1 kiln Fire",
        ),
        ("_toc.yml", OLDER, "0 intro, 1 wedge Clay, 0 kiln"),
        ("myst.yml", MYST, "0 intro, 1 wedge Clay, 1 more/a, 1 more/b"),
        (
            "_quarto.yml",
            QUARTO,
            "0 intro, 1 wedge Clay, 1 deep/centre, 0 kiln, 1 more/b, 0 more/a",
        ),
        ("_bookdown.yml", "rmd_files: [kiln.md, intro.md]", "0 kiln, 0 intro"),
    ],
)
@pytest.mark.parametrize("folder", ["", "book/"])
def test_a_book_has_the_order_of_its_navigation_and_then_what_that_does_not_name(
    name: str, text: str, expected: str, folder: str
) -> None:
    stems = ("deep/centre", "intro", "kiln", "more/a", "more/b", "wedge")
    endings = {"intro": ".qmd", "wedge": ".qmd"} if name == "_quarto.yml" else {}
    paths = [f"{folder}{stem}{endings.get(stem, '.md')}" for stem in stems]
    found = order(plan({f"{folder}{name}": text, **pages(*paths)}))
    told = [
        " ".join((str(depth), path.removeprefix(folder).split(".")[0], *parts))
        for path, depth, parts in found
    ]
    assert ", ".join(told).startswith(expected)
    assert len(found) == len(stems)


def test_a_book_of_jupyter_is_called_as_its_configuration_says() -> None:
    config = "title: The kiln\nauthor: A. Potter\n"
    files = {"_config.yml": config, "_toc.yml": OLDER, **pages("intro.md", "wedge.md")}
    assert plan(files).title == "The kiln"
    assert plan({"_config.yml": config, **pages("intro.md", "wedge.md")}).title == ""


@pytest.mark.parametrize(
    "text",
    [
        "nav: [",
        "nav: 3",
        "[]",
        "",
        "nav: &a [*a, b.md]",
        "nav: [{x: [{y: [" + "{z: [" * 400,
        "a: &a [b.md, b.md]\n"
        + "".join(
            f"{new}: &{new} [{{t: *{old}}}, {{u: *{old}}}]\n"
            for old, new in zip("abcdefghij" * 3, "bcdefghijk" * 3, strict=True)
        )
        + "nav: *k",
        "nav: 2026-99-99",
        "# " + "x" * 300_000,
    ],
)
def test_a_navigation_that_says_nothing_or_harm_changes_nothing(text: str) -> None:
    found = order(plan({"mkdocs.yml": text, **pages("docs/a.md", "docs/b.md")}))
    assert sorted(path for path, *_ in found) == ["docs/a.md", "docs/b.md"]


def test_the_navigation_of_an_example_is_not_the_books() -> None:
    files = {"examples/site/mkdocs.yml": "nav: [b.md]", **pages("examples/site/docs/b.md")}
    found = plan({**files, **pages("a.md", "c.md")})
    assert [path for path, *_ in order(found)] == ["a.md", "c.md", "examples/site/docs/b.md"]


INDEX = """# The kiln

```{toctree}
:caption: Clay
:maxdepth: 2

wedge
Centring <deep/centre>
```

:::{toctree}
kiln.md
:::
"""


def test_toctrees_of_markdown_give_the_order_as_those_of_rst_do() -> None:
    below = "# Wedging\n\n```{toctree}\nmore/b\n/more/a\n```\n"
    files = {"index.md": INDEX, "wedge.md": below, "more/a.rst": "A\n=\n\nText.\n"}
    found = plan({**files, **pages("deep/centre.md", "kiln.md", "more/b.md", "about.md")})
    assert order(found) == [
        ("index.md", 0, ()),
        ("wedge.md", 1, ("Clay",)),
        ("more/b.md", 2, ()),
        ("more/a.rst", 2, ()),
        ("deep/centre.md", 1, ()),
        ("kiln.md", 0, ()),
        ("about.md", 0, ()),
    ]


def test_a_navigation_that_is_no_yaml_is_passed_over_and_told() -> None:
    found = plan({"mkdocs.yml": "nav: [", **pages("docs/a.md", "b.md")})
    assert found.warnings == ('"mkdocs.yml": it can\'t be read as YAML and was passed over.',)
    assert len(found.documents) == 2


def test_a_folder_that_a_navigation_of_mkdocs_names_is_a_part() -> None:
    nav = "nav:\n  - Home: index.md\n  - User guide: guide/\n  - More: [words.md]\n"
    docs = ("index.md", "guide/b.md", "guide/README.md", "guide/deep-fire/x.md", "words.md")
    found = plan({"mkdocs.yml": nav, **pages(*(f"docs/{one}" for one in docs))})
    assert order(found) == [
        ("docs/index.md", 0, ()),
        ("docs/guide/README.md", 1, ("User guide",)),
        ("docs/guide/b.md", 1, ()),
        ("docs/guide/deep-fire/x.md", 2, ("Deep fire",)),
        ("docs/words.md", 1, ("More",)),
    ]


def test_the_files_of_awesome_pages_order_folders_and_name_them() -> None:
    files = {
        "mkdocs.yml": "site_name: The kiln",
        "docs/.pages": "nav:\n  - index.md\n  - Fire: firing\n  - ...\n  - last.md\n",
        "docs/clay/.pages": "title: Of clay\narrange:\n  - z.md\n",
    }
    docs = ("last.md", "index.md", "firing/a.md", "clay/b.md", "clay/z.md", "also.md")
    found = plan({**files, **pages(*(f"docs/{one}" for one in docs))})
    assert order(found) == [
        ("docs/index.md", 0, ()),
        ("docs/firing/a.md", 1, ("Fire",)),
        ("docs/also.md", 0, ()),
        ("docs/clay/z.md", 1, ("Of clay",)),
        ("docs/clay/b.md", 1, ()),
        ("docs/last.md", 0, ()),
    ]


EXTERNAL = """root: index
subtrees:
  - caption: Clay
    entries:
      - file: wedge
        subtrees: [{entries: [{file: centre}]}]
  - caption: Fire
    entries: [{glob: kilns/*}]
"""
SIDEBAR = """website:
  title: The kiln
  sidebar:
    - title: Shown
      contents:
        - index.qmd
        - section: Clay
          contents: [wedge.qmd, {text: Deep, href: centre.qmd}]
        - "---"
        - kilns/*.qmd
"""


@pytest.mark.parametrize(
    ("table", "ending"), [(("_toc.yml", EXTERNAL), "md"), (("_quarto.yml", SIDEBAR), "qmd")]
)
def test_external_tables_and_sidebars_nest_documents_below_parts(
    table: tuple[str, str], ending: str
) -> None:
    names = ("kilns/a", "kilns/b", "centre", "wedge", "index")
    found = plan({table[0]: table[1], **pages(*(f"{name}.{ending}" for name in names))})
    assert [(path.split(".")[0], part) for path, _, part in order(found)] == [
        ("index", ()),
        ("wedge", ("Clay",)),
        ("centre", ()),
        ("kilns/a", ("Fire",) if ending == "md" else ()),
        ("kilns/b", ()),
    ]


def test_a_toctree_with_a_star_names_what_fits_and_is_not_named_itself() -> None:
    tree = ".. toctree::\n   :glob:\n   :caption: Parts\n\n   Last\n   recipes/*\n"
    found = plan(
        {
            "index.rst": f"T\n=\n\n{tree}",
            **dict.fromkeys(
                ("Last.rst", "recipes/b.rst", "recipes/a.rst", "recipes/x/c.rst"), "T\n=\n\nText.\n"
            ),
        }
    )
    assert order(found)[:4] == [
        ("index.rst", 0, ()),
        ("Last.rst", 1, ("Parts",)),
        ("recipes/a.rst", 1, ()),
        ("recipes/b.rst", 1, ()),
    ]
    assert [one.is_listed for one in found.documents] == [True, True, True, True, False]


def test_parts_of_bookdown_stand_over_the_files_that_begin_them() -> None:
    files = {
        "_bookdown.yml": "book_filename: kiln",
        "index.Rmd": "---\ntitle: The kiln\n---\n\n# Welcome\n\nText.",
        "01-clay.Rmd": "# (PART) Clay {-}\n\n# Wedging\n\nText.",
        "02-fire.Rmd": "# Firing\n\nText.",
        "03-sale.Rmd": "# (PART\\*) Selling {-}\n\n# Prices\n\nText.",
    }
    assert order(plan(files)) == [
        ("index.Rmd", 0, ()),
        ("01-clay.Rmd", 1, ("Clay",)),
        ("02-fire.Rmd", 1, ()),
        ("03-sale.Rmd", 1, ("Selling",)),
    ]


def test_the_includes_of_one_asciidoc_are_its_order_and_its_further_titles_parts() -> None:
    whole = """= The kiln
:chapters: text

include::preface.adoc[]

= Clay

include::{chapters}/wedge.adoc[]
include::gone.adoc[]

= Fire
include::{chapters}/kiln.adoc[leveloffset=1]
"""
    files = {"book.adoc": whole, **pages("preface.adoc", "text/aaa.adoc", "appendix.adoc")}
    files |= {"text/wedge.adoc": PAGE, "text/kiln.adoc": f"{PAGE}\ninclude::inner.adoc[]\n"}
    found = plan({**files, "text/inner.adoc": PAGE})
    assert found.title == "The kiln"
    assert order(found) == [
        ("book.adoc", 0, ()),
        ("preface.adoc", 0, ()),
        ("text/wedge.adoc", 1, ("Clay",)),
        ("text/kiln.adoc", 1, ("Fire",)),
        ("text/inner.adoc", 2, ()),
        ("appendix.adoc", 0, ()),
        ("text/aaa.adoc", 0, ()),
    ]
    assert order(plan(pages("b.adoc", "a.adoc"))) == [("a.adoc", 0, ()), ("b.adoc", 0, ())]
