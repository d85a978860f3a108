"""AsciiDoc: what manuals use of it is read, what is left out is named with its line of the file."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.asciidoc import parse_asciidoc


def parse(source: str) -> ParsedText:
    return parse_asciidoc(source, "Fallback")


def pieces(source: str) -> list[tuple[str, str]]:
    parsed = parse(source)
    return [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]


def test_titles_of_one_line_and_of_two_make_the_tree() -> None:
    source = (
        "= Book\nAn Author <a@b.example>\nv1, 2020\n:toc:\n\n== One\n\nText.\n\nTwo\n~~~\n\nMore.\n"
    )
    parsed = parse(source)
    assert parsed.title == "Book"
    paths = [section.path for section in parsed.sections]
    assert paths == [("Book",), ("Book", "One"), ("Book", "One", "Two")]
    assert "Author" not in parsed.text
    old = parse("NAME\n====\n\nAbove\n-----\nSaid.\n\nBelow\n^^^^^\nTold.\n")
    assert [section.path for section in old.sections][-1] == ("NAME", "Above", "Below")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Some *bold* and _slanted_ `code`.", "Some bold and slanted code."),
        ("A **b**old and __s__lanted.", "A bold and slanted."),
        ("Use `<name>` or <name>, x < y & $5 or $6.", "Use <name> or <name>, x < y & $5 or $6."),
        ("See https://a.example/b[the page] or link:c.html[that].", "See the page or that."),
        ("See https://a.example/b.", "See https://a.example/b."),
        ("Read linkgit:git-add[1] and kbd:[Ctrl+C].", "Read git-add(1) and kbd:[Ctrl+C]."),
        ("2^10^ of H~2~O", "2^10 of H2O"),
        ("A {plus} B, {unset} and +*raw*+.", "A + B, {unset} and *raw*."),
        (r"Not \*bold* nor snake_case_name.", "Not *bold* nor snake_case_name."),
        ("`git\nbisect` goes\non.", "git bisect goes on."),
        ("One. +\nTwo.", "One.\nTwo."),
        ("NOTE: Mind it.", "NOTE: Mind it."),
        ("It&#8217;s `a&#124;b`, C&#43;&#43; &copy; AT&T &none;", "It’s a|b, C++ © AT&T &none;"),
    ],
)
def test_inline_markup_becomes_the_text_that_a_reader_sees(source: str, text: str) -> None:
    assert parse(source).text == text


def test_attributes_stand_for_what_they_were_set_to() -> None:
    assert parse(":name: Quoth\n\n{name} reads.\n").text == "Quoth reads."


def test_lists_nest_by_their_marks_and_take_what_is_attached() -> None:
    source = "* a\n** b\n+\n----\ncode\n----\n* c\n\n. one\n. two\n\nAfter.\n"
    assert pieces(source) == [
        *(("LIST_ITEM", "a"), ("LIST_ITEM", "b"), ("CODE", "code"), ("LIST_ITEM", "c")),
        *(("LIST_ITEM", "one"), ("LIST_ITEM", "two"), ("PARAGRAPH", "After.")),
    ]
    blocks = parse(source).blocks
    assert [block.label for block in blocks if block.label] == ["-", "-", "-", "1.", "2."]


def test_a_term_stands_with_what_is_said_of_it() -> None:
    assert pieces("-f::\n--force::\n\tDo it\n\tanyway.\n\nstd::vector is no term.\n") == [
        ("LIST_ITEM", "-f:"),
        ("LIST_ITEM", "--force: Do it anyway."),
        ("PARAGRAPH", "std::vector is no term."),
    ]


def test_code_keeps_its_lines_and_loses_the_numbers_of_its_callouts() -> None:
    source = "[source,python]\n----\nif x < 1: <1>\n    *y*\n----\n\n literal *too*\n   more\n"
    assert pieces(source) == [("CODE", "if x < 1:\n    *y*"), ("CODE", " literal *too*\n   more")]


def test_tables_have_their_cells_wherever_those_stand() -> None:
    source = (
        '[cols="1,2"]\n|===\n|Name |Weight\n\n|Arm\n|5 kg\n\n|Leg | 7 kg\n|===\n\n'
        "|===\n|a |b\n2+|both\n|===\n"
    )
    (_, first), (_, second) = pieces(source)
    assert first.split("\n") == ["Name | Weight", "Arm | 5 kg", "Leg | 7 kg"]
    assert second.split("\n")[0] == "a | b"
    assert "both" in second


def test_references_show_the_title_that_they_lead_to() -> None:
    source = (
        "[[arms]]\n== The arms\n\nSee <<arms>>, <<legs,the legs>> and <<_the_feet>>.\n\n"
        "== The feet\n\nX.\n"
    )
    assert "See The arms, the legs and The feet." in parse(source).text


def test_a_footnote_stands_apart_from_its_sentence() -> None:
    parsed = parse("It holds.footnote:[Mostly.] Next.\n")
    assert "It holds.[1] Next." in parsed.text
    assert pieces("It holds.footnote:[Mostly.] Next.\n")[-1] == ("FOOTNOTE", "Mostly.")


def test_dropped_content_is_named_with_its_line() -> None:
    source = (
        "Text.\n\ninclude::other.adoc[]\n\n////\nhidden\n////\n\n"
        "ifdef::backend[]\nOnly there.\nendif::[]\n\n++++\n<b>raw</b>\n++++\n\nEnd.\n"
    )
    parsed = parse(source)
    assert parsed.text == "Text.\n\nEnd."
    assert [(item.kind, item.place) for item in parsed.dropped_content] == [
        ("include", "line 3"),
        ("condition", "line 9"),
        ("passed through", "line 13"),
    ]


def test_text_conditional_on_a_defined_attribute_is_kept() -> None:
    block = "{0}def::there[]\n{1}.\nendif::there[]\n\n"
    source = ":there:\n\n" + block.format("if", "Shown") + block.format("ifn", "Not")
    assert parse(source).text == "Shown."
