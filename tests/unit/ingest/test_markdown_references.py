"""References of pandoc, Quarto and kramdown: what a reader sees in their place, and no key of them."""

import pytest

from services.ingest.model.book import BlockKind, PlacedFile, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.markdown import parse_markdown, refers
from services.ingest.planning.names import read_names


def shown(source: str) -> str:
    return parse_markdown(source, False, "F").text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Clay shrinks [@Oke2021].", "Clay shrinks."),
        ("Clay shrinks [vgl. @a_b, S. 3; -@c:d], then rests.", "Clay shrinks, then rests."),
        ("Clay *shrinks* [see @{https://a.example}]\nhere.", "Clay shrinks here."),
        ("Clay\n[@x] shrinks.", "Clay shrinks."),
        ("**Clay** [@x] (`oven` [@y]).", "Clay (oven)."),
        ("Ask [@potter](https://p.x), @potter or a@b.c.", "Ask @potter, @potter or a@b.c."),
        ("Ask [@potter].\n\n[@potter]: https://p.example", "Ask @potter."),
        ("Ask [me at a@b.example] or `[@x]`.", "Ask [me at a@b.example] or [@x]."),
        ("    [@x] @fig-a", "[@x] @fig-a"),
        ("Write \\@fig-oven and x@fig-oven.", "Write @fig-oven and x@fig-oven."),
        ("Wait, @figaro and @sec alone.", "Wait, @figaro and @sec alone."),
    ],
)
def test_citations_are_no_text_and_names_of_people_are(written: str, read: str) -> None:
    assert shown(written) == read


def test_citations_are_told_with_their_lines() -> None:
    parsed = parse_markdown("Clay.\n\nIt shrinks [@Oke2021].\n", False, "F")
    assert [(one.kind, one.place) for one in parsed.dropped_content] == [("citation", "line 3")]


LABELLED = """# Kilns {#sec-kilns}

See {ref}.

## The *fire* {#sec-fire}

![An oven (old).](oven.png "Of brick"){#fig-oven width=50%}

| Wood | Heat |
|------|------|
| Ash  | 900  |

: Woods of kilns. {#tbl-woods}

```{r}
#| label: fig-heat
#| fig-cap: "Heat by the hour"
plot(1)
```

::: {#fig-both}
![](a.png)

Two ovens
:::
"""


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        ("@sec-fire", "The fire"),
        ("[@sec-fire; -@tbl-woods]", "The fire; Woods of kilns"),
        ("[the part @sec-fire]", "the part The fire"),
        ("@fig-oven", "An oven (old)"),
        ("(@tbl-woods)", "(Woods of kilns)"),
        ("@fig-heat", "Heat by the hour"),
        ("@fig-both", "Two ovens"),
        ("@tbl-old-woods", "old woods"),
    ],
)
def test_references_of_quarto_show_the_titles_that_they_lead_to(reference: str, title: str) -> None:
    source = LABELLED.replace("{ref}", reference)
    for path in ("a.qmd", "a.md"):
        file = SourceFile(path, source.encode(), "0" * 64)
        names = read_names({path: file}, [path])
        document, _ = parse_document(PlacedFile(file, 0, "", "F", names=names))
        assert f"See {title}." in document.text


def test_the_label_of_a_caption_is_no_text() -> None:
    parsed = parse_markdown(LABELLED, False, "F")
    told = [(one.kind, parsed.text[one.start : one.end]) for one in parsed.blocks]
    assert (BlockKind.PARAGRAPH, "Woods of kilns.") in told


def test_titles_of_other_files_are_found() -> None:
    texts = {
        "a.md": "# Kilns {#sec-kilns}\n\n![Oven](o.png){#fig-oven}\n",
        "b.md": "# Fire\n\nSee @sec-kilns and @fig-oven.\n",
    }
    files = {path: SourceFile(path, text.encode()) for path, text in texts.items()}
    assert refers(texts["b.md"])
    assert not refers(texts["a.md"])
    names = read_names(files, list(files))
    read = parse_markdown(texts["b.md"], False, "F", names=names)
    assert read.text == "Fire\n\nSee Kilns and Oven."


OPENSTAX = """# Kilns

<cnx-pi data-type="cnx.eoc">class="summary" title="Chapter Review"</cnx-pi>

<cnx-pi data-type="x">class=&amp;#8221;references&amp;#8221; title=&amp;#8221;R&amp;#8221;</cnx-pi>

{said}

![A drawing of an oven.](o.png "It burns (well)."){: #fig-1 data-title="The&#32;Oven "}

<table id="tbl-1" summary=""><thead>
<tr>
<th colspan="2">Woods of kilns </th>
</tr>
<tr><td>Ash</td><td>900</td></tr>
</thead></table>
"""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"[\\[link\\]](#tbl-1) sums up the woods.", "Woods of kilns sums up the woods."),
        (r"It burns ([\\[link\\]](/m1#fig-1)**a**).", "It burns (The Oven a)."),
        ("It burns ([[link]](#fs-9)).", "It burns."),
        ("[[link]](#fs-9) shows it.", "… shows it."),
        (
            "See this [link](#fs-9) and <x-y>width=2 is wide</x-y>.",
            "See this link and width=2 is wide.",
        ),
    ],
)
def test_a_link_that_a_number_is_to_stand_for_shows_what_it_leads_to(
    written: str, read: str
) -> None:
    parsed = parse_markdown(OPENSTAX.replace("{said}", written.replace("\\\\", "\\")), False, "F")
    told = [parsed.text[one.start : one.end] for one in parsed.blocks]
    assert told[:2] == ["Kilns", read]
