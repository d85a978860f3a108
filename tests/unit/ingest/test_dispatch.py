"""Rules are asked only where they can begin: what comes of a text is what asking all gives."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from services.ingest.parsers.markdown import dispatch
from services.ingest.parsers.markdown.content import Items
from services.ingest.parsers.markdown.grammar import grammar, rules_of
from services.ingest.parsers.markdown.items import read_items
from services.ingest.splitters import measure

BOOKS = Path(__file__).parents[4] / "shared" / "books"

_PIECES = (
    *("word", "Word", "two words", "import x from 'y'", "export const a = 1", "1.", "2)", "é"),
    *(" ", "  ", "   ", "    ", "\t", "\n", "\n", "\n\n", "\n  ", "  \n", "\\\n", "\f", "\xa0"),
    *("# ", "## x", "---", "===", "***", "- ", "+ ", "* ", "10. ", "> ", ">", ": ", "~ ", ":::"),
    *(":::note", "```", "~~~", "`", "``", "`a`", "`` b ` c ``", "*", "**", "_", "__", "~~"),
    *("$", "$$", "$x$", "\\", "\\*", "[", "]", "(", ")", "[a](b)", "![c](d)", "[^1]", "[^1]: "),
    *("[a]: /b", "[a]", "!", "&amp;", "&", "<b>", "</b>", "<h2>", "</h2>", "<!-- x -->"),
    *("<https://x.y>", "<Tab label='z'>", "<pre>", "</pre>", "{", "}", "{/* c */}"),
    *("*a b*", "**c:**", "_d_", "__e f__", "g_h", "[i `j` k](l)", "[m](http://n.o)", "...", ")"),
    *("{{#include x}}", "{x}", "| a | b |", "|--|--|", ":-", "|", "%", "@", "="),
    *("%%", "%% ", " %%", "%% c %%", "%%\n"),
)

markdown = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)


def read(md: MarkdownIt, source: str) -> tuple[Items, Any, Any, Any]:
    environment: dict[str, Any] = {}
    items = read_items(md.parse(source, environment), names={})
    footnotes = environment.get("footnotes") or {}
    return (
        items,
        footnotes.get("refs") or {},
        environment.get("references"),
        environment.get("constants"),
    )


@settings(max_examples=200)
@given(markdown, st.booleans())
@example("<h2>x</h2>\n  <!-- c -->", False)
@example("a `b`` c` d\n`` e ` f ``", False)
@example("[a `]` b\nc](d) [x\n](y)", False)
@example("> a\n> b\n    c\n===\n- d\n  e\n---\n", False)
@example("a\nb | c\n--|--\nd | e", False)
@example("a  <!-- c -->\nb", True)
@example("term\n: what it is\n\nother\n\n: more", False)
@example("*a b* **c:** _d_ `e`: __f g__, (*h*) i_j_k [l `m` n](o) **[p](q)**", False)
@example("*a*b *c *d* **e*f** _g_h **`i`** (**`j`**)", False)
@example("[a](javascript:b)", False)
@example("[a](b`c) `d`", False)
@example("[^a](b)\n\n[^a]: c", False)
@example("a*`b`* c", False)
@example("a` b `c", False)
@example("$5 [ ] a", False)
def test_asking_by_the_first_character_gives_what_asking_every_rule_gives(
    source: str, mdx: bool
) -> None:
    assert read(grammar(mdx), source) == read(rules_of(mdx), source)


@pytest.mark.skipif(not BOOKS.is_dir(), reason="the real books are not here")
@pytest.mark.parametrize("folder", ["physical_ai/docs", "rust_book/src"])
def test_real_books_read_alike_too(folder: Path) -> None:
    for path in sorted((BOOKS / folder).rglob("*.md*"))[::5]:
        source, mdx = path.read_text(encoding="utf-8"), path.suffix == ".mdx"
        assert read(grammar(mdx), source) == read(rules_of(mdx), source), path.name


@pytest.mark.parametrize("mdx", [False, True])
def test_every_rule_is_asked_somewhere(mdx: bool) -> None:
    md = rules_of(mdx)
    anywhere = {"table", "code", *dispatch._TEXT}
    assert set(md.block.ruler.get_active_rules()) <= anywhere | set(dispatch._BLOCKS)
    assert set(md.inline.ruler.get_active_rules()) == {"text", *dispatch._INLINES}


@settings(max_examples=150)
@given(st.text(st.sampled_from("aZ9é中_.-  \n\n\t\r\xa0\u3000\x0b")))
def test_parts_that_are_counted_apart_begin_where_no_token_reaches_across(text: str) -> None:
    seam = re.compile(r"(?<=\S)(?=[ \t])|(?<=[^\W_])(?=\n)")
    cuts = [0, *(match.start() for match in seam.finditer(text)), len(text)]
    expected = [text[start:end] for start, end in pairwise(cuts) if start < end]
    assert measure._PART.findall(text) == expected
