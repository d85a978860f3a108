"""AsciiDoc: what manuals use of it is read, what is left out is named with its line of the file."""

import pytest

from services.ingest.model.book import MarkupKind, ParsedText
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
    assert parsed.text.startswith("Book\n\nAn Author – Version 1, 2020\n\nOne\n\n")
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
        ("Read linkgit:git-add[1] and kbd:[Ctrl+C].", "Read git-add(1) and Ctrl+C."),
        (
            "Press kbd:[Ctrl,T], btn:[OK], menu:View[Zoom > In].",
            "Press Ctrl+T, OK, View > Zoom > In.",
        ),
        ("A knight(((Sword, Broad))) is ((Arthur)) (f(x)).", "A knight is Arthur (f(x))."),
        ("One indexterm:[a, b]\nand\n(((alone)))\nindexterm2:[two].", "One and two."),
        ("Take latexmath:[a^2] and stem:[x/y].", "Take $a^2$ and x/y."),
        ("pass:[<u>a</u>] +++<b>c</b>+++ $$d *e*$$ pass:q[*f*].", "a c d *e* f."),
        ("[.red]*a* [big]#b# [.strike]#gone# [.line-through]_too_ `x`.", "a b x."),
        ("\"`curly`\" '`single`' it's.", "“curly” ‘single’ it's."),
        (
            "https://x.example[text,window=_blank] link:++https://a.example/b_c++[x^,role=r].",
            "text x.",
        ),
        ("<https://x.example> icon:heart[] anchor:here[]there.", "https://x.example there."),
        ("{set:a:b}{a} {counter:n} {counter:n} {counter2:n}{n}.", "b 1 2 3."),
        ("[%hardbreaks]\na\nb", "a\nb"),
        (":long: one \\\n  two\n:deep: {long}!\n\nThe {deep}", "The one two!"),
        ("2^10^ of H~2~O", "2^10 of H2O"),
        (
            ":kiln: https://k.example/a_b\n\nSee {kiln}[the kiln site], {kiln}/x[its *x*], {kiln}[].",
            "See the kiln site, its x, https://k.example/a_b.",
        ),
        (
            ":base: b.html\n:to: link:{base}\n\n{to}[The base] of {base}[1].",
            "The base of b.html[1].",
        ),
        ("A {plus} B, {unset} and +*raw*+.", "A + B, {unset} and *raw*."),
        (r"Not \*bold* nor snake_case_name.", "Not *bold* nor snake_case_name."),
        ("`git\nbisect` goes\non.", "git bisect goes on."),
        ("One. +\nTwo.", "One.\nTwo."),
        ("NOTE: Mind it.", "Mind it."),
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


def test_a_plus_at_the_end_of_a_line_breaks_it_in_items_too() -> None:
    source = "A +\nb +\n\n* one +\ntwo +\n  three\n. five +\n+\nsix\n\nt:: said +\nmore\n"
    assert pieces(source) == [
        *(("PARAGRAPH", "A\nb"), ("LIST_ITEM", "one\ntwo\nthree"), ("LIST_ITEM", "five")),
        *(("LIST_ITEM", "six"), ("LIST_ITEM", "t: said\nmore")),
    ]


def test_a_term_stands_with_what_is_said_of_it() -> None:
    assert pieces("-f::\n--force::\n\tDo it\n\tanyway.\n\nstd::vector is no term.\n") == [
        ("LIST_ITEM", "-f:"),
        ("LIST_ITEM", "--force: Do it anyway."),
        ("PARAGRAPH", "std::vector is no term."),
    ]


def test_code_keeps_its_lines_and_loses_the_numbers_of_its_callouts() -> None:
    source = "[source,python]\n----\nif x < 1: <1>\n    *y*\n----\n\n literal *too*\n   more\n"
    assert pieces(source) == [("CODE", "if x < 1:\n    *y*"), ("CODE", " literal *too*\n   more")]


@pytest.mark.parametrize(
    "source",
    [
        "[source,ruby]\n.File `app.rb`\n----\nx\n----\n",
        ".File app.rb\n[[app]]\n[source,ruby]\n----\nx\n----\n",
        "[source,ruby]\n.File app.rb\nx\n",
        ":f: app.rb\n\n.File {f}\n[source,ruby]\n....\nx\n....\n",
    ],
)
def test_the_title_of_code_is_neither_code_nor_prose(source: str) -> None:
    assert pieces(f"{source}\nSaid.\n") == [
        *(("CAPTION", "File app.rb"), ("CODE", "x"), ("PARAGRAPH", "Said.")),
    ]
    parsed = parse(source)
    assert [block.label for block in parsed.blocks] == ["", "ruby"]


def test_a_title_leaves_to_its_block_what_is_said_above_it() -> None:
    noted = pieces("[NOTE]\n.Heat\n====\nHot.\n====\n")
    assert noted == [("ADMONITION", "Heat"), ("ADMONITION", "Hot.")]
    assert [one.label for one in parse(".T\n----\nx\n----\n").blocks] == ["", ""]
    within = pieces("====\n.app.rb\n----\nx\n----\n====\n\n.Open\n----\nSaid.\n")
    assert within == [
        ("CAPTION", "app.rb"),
        ("CODE", "x"),
        ("PARAGRAPH", "Open"),
        ("PARAGRAPH", "Said."),
    ]
    attached = parse("* item\n+\n.app.rb\n[source,ruby]\n----\nx\n----\n* next\n")
    assert [block.kind.name for block in attached.blocks] == [
        "LIST_ITEM",
        "CAPTION",
        "CODE",
        "LIST_ITEM",
    ]
    assert pieces('[cols="1,1"]\n.T\n|===\n|a\n|b\n|===\n')[-1] == ("TABLE", "a | b")


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
        "ifdef::backend[]\nOnly there.\nendif::[]\n\n++++\nraw\n++++\n\nEnd.\n"
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


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "[quote, A. Lincoln, At Gettysburg]\n____\nFour score.\n____\n",
            ["Four score.", "— A. Lincoln, At Gettysburg"],
        ),
        ('[quote#id,"Brown, PhD",Film]\nRoads?\n', ["Roads?", "— Brown, PhD, Film"]),
        (
            "[verse, Sandburg]\n____\nThe fog\ncomes\n\nIt sits\n____\n",
            ["The fog\ncomes", "It sits", "— Sandburg"],
        ),
        ("[verse, Sandburg]\nThe fog\ncomes\n", ["The fog\ncomes", "— Sandburg"]),
        ('"A rebellion\nis good."\n-- Thomas J.\n', ['"A rebellion is good."\n— Thomas J.']),
        ("> Said\n> so.\n", ["Said so."]),
    ],
)
def test_a_quotation_says_whose_it_is(source: str, said: list[str]) -> None:
    assert pieces(f"{source}\nAfter.\n") == [
        *(("QUOTE", one) for one in said),
        ("PARAGRAPH", "After."),
    ]


def test_formulas_in_blocks_are_kept() -> None:
    assert pieces(
        "[latexmath]\n++++\nx = y\n++++\n\n:stem: latexmath\n\n[stem]\n++++\na\n++++\n"
    ) == [
        *(("MATH", "x = y"), ("MATH", "a")),
    ]
    assert pieces("[stem]\n++++\nsqrt(4)\n++++\n") == [("CODE", "sqrt(4)")]


def test_notes_in_blocks_say_what_they_are() -> None:
    source = "[NOTE]\n====\nA box.\n\n* item\n====\n\n[TIP]\n.Titled\nA tip.\n"
    assert pieces(source) == [
        *(
            ("ADMONITION", "A box."),
            ("LIST_ITEM", "item"),
            ("ADMONITION", "Titled"),
            ("ADMONITION", "A tip."),
        ),
    ]


def test_a_reference_by_its_title_leads_to_the_heading() -> None:
    source = (
        "[[second]]\n== Second Section\n\nSee <<Second Section>>, <<Second\nSection,it>>"
        " and <<Any Other>>; 1 << 2 and 3 >> 1.\n"
    )
    parsed = parse(source)
    assert "See Second Section, it and Any Other; 1 << 2 and 3 >> 1." in parsed.text
    links = [one.value for one in parsed.markup if one.kind is MarkupKind.LINK]
    assert links == ["#second", "#second", "#AnyOther"]


def test_an_address_before_words_in_brackets_is_kept_beside_them() -> None:
    parsed = parse(
        ":kiln: https://k.example\n\nSee {kiln}[it] and https://a.example/b[the page].\n"
    )
    assert parsed.text == "See it and the page."
    links = [one.value for one in parsed.markup if one.kind is MarkupKind.LINK]
    assert links == ["https://k.example", "https://a.example/b"]


def test_references_show_titles_of_any_place_that_has_one() -> None:
    source = (
        "See xref:sec[], <<fig>>, <<p>>, <<w>>, xref:other-file.adoc[] and <<o.adoc#x,that>>.\n\n"
        "[#sec]\n== The Section\n\n[[fig]]\n.The Arm\nimage::a.png[]\n\n[[p,Part]]X. [[[w,Work]]] Y.\n"
    )
    text = parse(source).text
    assert "See The Section, The Arm, Part, [Work], other-file and that." in text
    assert text.endswith("X. [Work] Y.")


def test_a_footnote_that_is_named_again_is_the_same() -> None:
    text = parse(
        "A.footnote:x[Said.] B.footnote:x[] C.footnoteref:[y,Told.] D.footnoteref:[y]\n"
    ).text
    assert text.startswith("A.[1] B.[1] C.[2] D.[2]")


def test_values_and_spanning_cells_make_tables() -> None:
    csv = (
        '[%header,format=csv]\n|===\nA,B\n"c, d","e ""f"""\n|===\n\n,===\ng,h\n,===\n\n'
        ":===\ni:j\n:===\n"
    )
    assert [text for _, text in pieces(csv)] == ['A | B\nc, d | e "f"', "g | h", "i | j"]
    spans = "[cols=3*]\n|===\n.2+|a 2+|b\n|c |d\n|x \\| y|`p\\|q` a|\n* one\n* two\n|===\n"
    assert pieces(spans) == [("TABLE", "a | b |\na | c | d\nx | y | p|q | • one • two")]


def test_text_that_is_struck_out_is_left_out_of_paragraphs_too() -> None:
    parsed = parse("[.line-through]\nNever open it.\n\nPay [.del]#20# 30 euros.\n")
    assert parsed.text == "Pay 30 euros."
    assert [item.kind for item in parsed.dropped_content] == ["struck-out text"] * 2


def test_conditions_are_met_by_what_a_page_has_set() -> None:
    source = (
        "ifdef::backend-html5[]\nPage.\nendif::[]\n\nifdef::a,asciidoctor[Either.]\n\n"
        ':n: 3\n\nifeval::[{n} > 2]\nMore.\nendif::[]\n\nifeval::["{n}" == "4"]\nLess.\nendif::[]\n\n'
        "ifdef::a+asciidoctor[Both.]\n"
    )
    parsed = parse(source)
    assert parsed.text == "Page.\n\nEither.\n\nMore."
    assert [item.kind for item in parsed.dropped_content] == ["condition", "condition"]


def test_films_are_named_and_callouts_in_markup_are_no_code() -> None:
    parsed = parse("video::a.mp4[]\n\n----\n<x> <!--1-->\ny <1> <2>\n----\n")
    assert parsed.text == "<x>\ny"
    assert [item.kind for item in parsed.dropped_content] == ["video"]


def test_a_title_may_stand_right_below_the_line_of_another() -> None:
    parsed = parse("= B\n\nEXAMPLES\n--------\nUse a relay\n~~~~~~~~~~~\nText.\n")
    assert parsed.sections[-1].path == ("B", "EXAMPLES", "Use a relay")
    parsed = parse("= B\n\nifdef::x[]\nText.\nendif::x[]\nOrder\n-----\nText.\n")
    assert parsed.sections[-1].path == ("B", "Order")


def test_code_right_below_the_line_of_a_block_is_code() -> None:
    assert pieces("====\n\t$ cat <<END\n\tx\n====\n") == [
        ("CODE", "        $ cat <<END\n        x")
    ]


def test_terms_with_bold_words_in_them_are_terms() -> None:
    assert pieces("*server* _name_ [_option_]...::\nIt names one.\n") == [
        ("LIST_ITEM", "server name [option]...: It names one."),
    ]
    assert pieces("nit: :: Small.\n") == [("LIST_ITEM", "nit: Small.")]
    assert pieces("{empty}:: Of nothing.\n") == [("LIST_ITEM", "Of nothing.")]


def test_a_link_below_an_address_that_is_not_known_shows_its_words() -> None:
    assert (
        parse("See {base}pictures.html[the pictures] and {base}.\n").text
        == "See the pictures and {base}."
    )


@pytest.mark.fault("G4")
def test_titles_without_end_right_below_each_other_stop_nothing() -> None:
    parsed = parse_asciidoc("Text\n----\n" * 5000, "F")
    assert parsed.text.startswith("Text")


@pytest.mark.parametrize(
    ("below", "byline", "text"),
    [
        (
            "Ada Lovelace <ada@b.example>\nv1.2, 2021-03-04: A remark",
            (("Ada Lovelace",), 2021),
            "Ada Lovelace – Version 1.2, 2021-03-04 | A remark",
        ),
        (
            "Ada Lovelace; J. R. O'Hara\nMarch 4, 2021",
            (("Ada Lovelace", "J. R. O'Hara"), 2021),
            "Ada Lovelace ⋅ J. R. O'Hara – March 4, 2021",
        ),
        ("Ada Lovelace\nv1.2", (("Ada Lovelace",), 0), "Ada Lovelace – Version 1.2"),
        ("Ada Lovelace\n1.2.3", (("Ada Lovelace",), 0), "Ada Lovelace – Version 1.2.3"),
        (
            "Ada Lovelace\n2.0, May 2021\n:version-label: Edition",
            (("Ada Lovelace",), 2021),
            "Ada Lovelace – Edition 2.0, May 2021",
        ),
        ("Ada Lovelace\n:toc:", (("Ada Lovelace",), 0), "Ada Lovelace"),
        (
            ":author: Ada Lovelace\n:email: ada@b.example\n:revdate: 2021-03-04",
            (("Ada Lovelace",), 2021),
            "Ada Lovelace – 2021-03-04",
        ),
        (":toc:\n:revnumber: 3.1", ((), 0), "Version 3.1"),
        ("It holds.", ((), 0), "It holds."),
        (
            "This says at once what the book is about.",
            ((), 0),
            "This says at once what the book is about.",
        ),
        (
            "Ada Lovelace\nand goes on with it",
            (("Ada Lovelace",), 0),
            "Ada Lovelace\nand goes on with it",
        ),
    ],
)
def test_authors_and_revision_stand_below_the_title_as_pages_show_them(
    below: str, byline: tuple[tuple[str, ...], int], text: str
) -> None:
    parsed = parse(f"= Book\n{below}\n\n== One\n\nSaid.\n")
    assert parsed.byline == byline
    assert parsed.text == "\n\n".join(filter(None, ("Book", text, "One", "Said.")))
    has_address = "<" in below
    assert [one.kind for one in parsed.dropped_content] == ["authors"] * has_address


def test_a_reference_by_a_title_of_several_words_leads_to_the_heading() -> None:
    parsed = parse(
        "= A\n\n== Second Section\n\nSee xref:Second Section[x] and xref:_second_section[].\n"
    )
    assert parsed.text.endswith("See x and Second Section.")
    links = [one.value for one in parsed.markup if one.kind is MarkupKind.LINK]
    assert links == ["#_second_section"] * 2


def test_the_grid_of_a_table_is_no_id() -> None:
    table = "[grid=rows, frame=none]\n|===\n|Key |Effect\n\n|F1 |Help\n|===\n\n"
    parsed = parse(f"= Book\n\n== One\n\n{table}== Two\n\n{table}[id=last]\n== Three\n\nText.\n")
    assert parsed.warnings == ()
    anchors = [one.anchor for one in parsed.sections]
    assert "rows" not in anchors
    assert anchors[-1] == "last"
