"""What makers of sites write in Markdown is read as what its readers see."""

import pytest

from services.ingest.model.byline import Byline
from services.ingest.parsers.markdown import parse_markdown


def shown(source: str) -> list[tuple[str, str]]:
    parsed = parse_markdown(source, False, "F")
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]


@pytest.mark.parametrize(
    "front",
    [
        '+++\ntitle = "Kiln"\nauthor = "Ada Wong"\ndate = 2021-03-04\n+++\n',
        "% Kiln\n% Ada Wong\n% 4 March 2021\n",
        "Title: Kiln\nAuthor: Ada Wong\nDate: 2021\n",
    ],
)
def test_front_matter_is_read_in_each_of_its_spellings(front: str) -> None:
    parsed = parse_markdown(f"{front}\nIt burns.\n", False, "F")
    assert (parsed.title, parsed.text) == ("Kiln", "Kiln\n\nIt burns.")
    assert parsed.byline == Byline(("Ada Wong",), 2021)


def test_several_authors_of_a_title_block_are_told_apart() -> None:
    parsed = parse_markdown("% Kiln\n% Ada Wong;\n  Ben Oke\n\nIt burns.\n", False, "F")
    assert parsed.byline.authors == ("Ada Wong", "Ben Oke")


@pytest.mark.parametrize(
    "source",
    ["Title: a word for a book\n\nIt burns.\n", "+++\nno = \n+++\n\nIt burns.\n", "100 % wool\n"],
)
def test_lines_that_only_look_like_front_matter_name_nobody(source: str) -> None:
    assert parse_markdown(source, False, "F").byline == Byline()


def test_tabs_of_mkdocs_are_their_names_and_their_text() -> None:
    inner = '=== "Wood"\n\n    It burns.\n\n    === "Ash"\n\n        It melts.\n\n'
    tabs = f'# Kiln\n\n{inner}=== "Gas"\n\n    It hisses.\n\nSo.\n'
    assert shown(tabs)[1:] == [
        ("PARAGRAPH", text)
        for text in ("Wood", "It burns.", "Ash", "It melts.", "Gas", "It hisses.", "So.")
    ]


@pytest.mark.parametrize(
    "box",
    [
        "::: {.note}\nIt burns.\n:::",
        "::: {#n .warning}\nIt burns.\n:::",
        "::: {.column}\n::: {.callout-tip}\nIt burns.\n:::\n:::",
    ],
)
def test_boxes_of_pandoc_are_boxes(box: str) -> None:
    assert shown(f"# Kiln\n\n{box}\n\nSo.\n")[1:] == [
        ("ADMONITION", "It burns."),
        ("PARAGRAPH", "So."),
    ]


def test_the_title_of_a_box_is_no_section() -> None:
    box = '::: {.callout-note}\n## Beware\nIt burns.\n:::\n\n::: {.tip title="Or"}\nWait.\n:::\n'
    assert shown(f"# Kiln\n\n{box}")[1:] == [
        ("ADMONITION", "Beware"),
        ("ADMONITION", "It burns."),
        ("ADMONITION", "Or"),
        ("ADMONITION", "Wait."),
    ]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ('{% hint style="info" %}', "{% endhint %}"),
        ("{{< note >}}", "{{< /note >}}"),
        ("{{% notice tip %}}", "{{% /notice %}}"),
    ],
)
def test_tags_of_sites_are_left_out_and_named_and_stay_in_listings(start: str, end: str) -> None:
    source = f"---\nx: y\n---\n# Kiln\n\n{start}\nIt burns.\n{end}\n\n```\n{start}\n```\n"
    parsed = parse_markdown(source, False, "F")
    assert parsed.text == f"Kiln\n\nIt burns.\n\n{start}"
    assert [(one.kind, one.place) for one in parsed.dropped_content] == [
        ("tag", "line 6"),
        ("tag", "line 8"),
    ]


def test_a_listing_of_jekyll_is_code() -> None:
    source = (
        "# Kiln\n\n{% highlight ruby %}\nputs 1 # {% x %}\n{% endhighlight %}\n\n[TOC]\n\nSo.\n"
    )
    assert shown(source)[1:] == [("CODE", "puts 1 # {% x %}"), ("PARAGRAPH", "So.")]


def test_a_table_drawn_with_signs_is_a_table() -> None:
    rule = "+------+-------+"
    named = f"{rule}\n| Ash  | Melts |\n{rule.replace('-', '=')}\n"
    grid = f"{named}| oak  | at    |\n|      | 1240  |\n{rule}\n| a|b  | never |\n{rule}"
    assert shown(f"# Kiln\n\n{grid}\n\nSo.\n")[1:] == [
        ("TABLE", "Ash | Melts\noak | at 1240\na|b | never"),
        ("PARAGRAPH", "So."),
    ]
    assert shown("# Kiln\n\n+---+\n| a\n+---+\n")[1:] == [("PARAGRAPH", "+---+ | a +---+")]


def test_lines_that_stand_for_another_file_are_left_out_and_told() -> None:
    source = '# T\n\n--8<-- "NOTES.md"\n\nText.\n\n```yaml\n--8<-- "a.yml:3:5"\nkey: 1\n```\n'
    parsed = parse_markdown(source, False, "x")
    assert parsed.text == "T\n\nText.\n\nkey: 1"
    assert [(one.kind, one.place) for one in parsed.dropped_content] == [
        ("include", "line 3"),
        ("include", "line 8"),
    ]


def test_links_whose_addresses_jekyll_fills_in_are_links_and_their_definitions_no_text() -> None:
    source = (
        "See [the guide][Guide 1] and [it]({{ site.url }}/kiln.html){% if x %}.\n\n"
        "![The kiln][kiln]\n\n![Its door]({{ '/door.png' | relative_url }})\n\n"
        "![Ash][nowhere]\n\n"
        "[Guide 1]: {{ site.url }}/the kiln.pdf\n[kiln]: /pictures/the kiln.png\n"
        "[roof]: {{ site.url }}\n"
    )
    assert shown(source) == [
        ("PARAGRAPH", "See the guide and it."),
        ("CAPTION", "The kiln"),
        ("CAPTION", "Its door"),
        ("CAPTION", "Ash"),
    ]
    dropped = parse_markdown(source, False, "F").dropped_content
    tags = [one.place for one in dropped if one.kind == "tag"]
    assert tags == [f"line {line}" for line in (1, 1, 5, 9, 11)]


@pytest.mark.parametrize(
    "source",
    [
        "Write `{{ site.url }}` there.\n",
        "Write ${{ secrets.KEY }} there.\n",
        "It is {{name}} there.\n",
        "```\n{{ site.url }} ![Ash][nowhere]\n```\n",
        "{% raw %}\nIt is {{ site.url }} there.\n{% endraw %}\n",
        "It is {% raw %}{{ site.url }}{% endraw %} there.\n",
        "So:\n\n    {{ site.url }}\n",
        "[Ash]: /etc/ash is read first.\n",
        "`![Ash][nowhere]` is a picture.\n",
    ],
)
def test_braces_and_brackets_that_are_text_stay(source: str) -> None:
    text = "\n".join(text for _, text in shown(source))
    plain = source.replace("{% raw %}", "").replace("{% endraw %}", "")
    assert text.split() == plain.replace("`", " ").split()
