"""Files of Quarto and R Markdown are read as Markdown, without what only their maker reads."""

import pytest

from services.ingest.model.book import BlockKind, PlacedFile, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.markdown import rewrite_quarto

SOURCE = """---
title: Kilns
---

# Firing {#sec-firing}

```{r}
#| label: fig-x
plot(1)  # no option
```

:::: {.columns}
::: {.column width="50%"}
Left.
:::
::::

::: {.callout-warning}
## Mind this

It is hot.

::: {.callout-tip title="Gloves"}
Wear them.
:::
:::
"""


@pytest.mark.parametrize("path", ["a.qmd", "a.Rmd"])
def test_divs_are_gone_and_callouts_are_boxes_with_their_titles(path: str) -> None:
    file = SourceFile(path, SOURCE.encode(), "0" * 64)
    document, _ = parse_document(PlacedFile(file, 0, "", "fallback"))
    told = [(one.kind, document.text[one.start : one.end]) for one in document.blocks]
    assert document.title == "Kilns"
    assert (BlockKind.HEADING, "Firing") in told
    assert (BlockKind.CODE, "plot(1)  # no option") in told
    assert (BlockKind.PARAGRAPH, "Left.") in told
    assert ":::" not in document.text
    assert "label: fig-x" not in document.text
    boxes = [said for kind, said in told if kind is BlockKind.ADMONITION]
    assert any("It is hot." in said for said in boxes), told
    assert any("Wear them." in said for said in boxes)
    assert "Mind this" in document.text
    assert "Gloves" in document.text


@pytest.mark.parametrize(
    "source",
    [
        SOURCE,
        "```{r, echo=F}",
        ":::\n:::\n",
        "::: {.callout-note}",
        "::: {.callout-note}\n\n",
        "```\n::: {.x}\n```",
        "",
    ],
)
def test_there_are_as_many_lines_as_before(source: str) -> None:
    assert rewrite_quarto(source)[0].count("\n") == source.count("\n")


def test_code_is_left_as_it_stands() -> None:
    code = "````{.md}\n```\n::: {.callout-note}\n```\n````\n"
    assert rewrite_quarto(code) == (code, [])


@pytest.mark.parametrize(
    "head",
    ["```{r setup, include=FALSE}\n", "```{python}\n#| include: false\n", "```{r, echo = F}\n"],
)
def test_code_that_its_options_hide_is_left_out_and_told(head: str) -> None:
    text = f"# T\n\n{head}hint <- 'blue whale'\n```\n\n```{{r}}\nshown(1)\n```\n"
    file = SourceFile("a.qmd", text.encode(), "0" * 64)
    document, _ = parse_document(PlacedFile(file, 0, "", "fallback"))
    assert "whale" not in document.text
    assert "shown(1)" in document.text
    assert [(one.kind, one.place) for one in document.dropped_content] == [("code", "line 3")]


def test_a_part_of_bookdown_is_no_title_and_attributes_of_headings_are_gone() -> None:
    text = "# (PART) Rivers {-}\n\n# Salmon {#sec-salmon .unnumbered}\n\nIt swims.\n"
    file = SourceFile("a.Rmd", text.encode(), "0" * 64)
    document, _ = parse_document(PlacedFile(file, 0, "", "fallback"))
    assert document.title == "Salmon"
    assert document.text == "Rivers\n\nSalmon\n\nIt swims."


OTHER_FORMATS = """# Kilns

::: {.content-visible when-format="pdf"}
On paper.

::: {.callout-note}
Paper too.
:::
:::

::: {.content-visible when-format="html"}
On the web.
:::

::: {.content-hidden unless-format="pdf"}
On paper again.
:::

::: {.content-hidden when-profile="short"}
For most.
:::

Read [the page]{.content-hidden when-format="html"}[the site]{.content-visible unless-format="pdf"}.

```{=latex}
\\newpage
```

```{=html}
<p>Fired.</p>
```

```
::: {.content-visible when-format="pdf"}
```
"""


def test_text_that_other_formats_alone_show_is_left_out_and_told() -> None:
    parsed, _ = parse_document(PlacedFile(SourceFile("a.qmd", OTHER_FORMATS.encode()), 0, "", "x"))
    assert [parsed.text[block.start : block.end] for block in parsed.blocks] == [
        *("Kilns", "On the web.", "For most.", "Read the site.", "Fired."),
        '::: {.content-visible when-format="pdf"}',
    ]
    lost = [(one.kind, one.place) for one in parsed.dropped_content]
    assert lost == [
        *(("text", "line 3"), ("text", "line 15"), ("text", "line 23")),
        ("raw text", "line 25"),
    ]
