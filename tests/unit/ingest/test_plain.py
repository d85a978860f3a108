"""Plain text: chapters, paragraphs, lists, code and footnotes are told by how they are laid out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ingest.model.book import BlockKind
from services.ingest.parsers.plain import parse_plain
from services.ingest.parsers.wrapped import join_lines
from tests.support.work import at_most

BOOK = """\
                    The Book of Things

Chapter 1. Beginnings

1.1. First things

    A paragraph that has been wrapped by hand at a width of
    some sixty characters, as the text of old manuals often
    is. [1]

      * An item that is so long that it has to go on in the
        line below.

        Its second paragraph.

      * Another.

    Run this:

        $ make all
        $ make test

        $ make clean

    [1] The note, which is also long enough to be wrapped at
        the same width.

1.2. Second things

    2. a list
    3. goes on
"""


def pieces(text: str) -> list[tuple[str, str, str]]:
    parsed = parse_plain(text, "Fallback")
    return [
        (block.kind.name, block.label, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


def test_the_layout_of_a_manual_becomes_blocks() -> None:
    assert pieces(BOOK) == [
        ("HEADING", "", "The Book of Things"),
        ("HEADING", "", "Chapter 1. Beginnings"),
        ("HEADING", "", "1.1. First things"),
        (
            "PARAGRAPH",
            "",
            (
                "A paragraph that has been wrapped by hand at a width of some sixty characters, as the "
                "text of old manuals often is."
            ),
        ),
        ("LIST_ITEM", "-", "An item that is so long that it has to go on in the line below."),
        ("LIST_ITEM", "", "Its second paragraph."),
        ("LIST_ITEM", "-", "Another."),
        ("PARAGRAPH", "", "Run this:"),
        ("CODE", "", "$ make all\n$ make test\n\n$ make clean"),
        ("FOOTNOTE", "1", "The note, which is also long enough to be wrapped at the same width."),
        ("HEADING", "", "1.2. Second things"),
        ("LIST_ITEM", "2.", "a list"),
        ("LIST_ITEM", "3.", "goes on"),
    ]


def test_the_headings_make_a_tree_under_the_title() -> None:
    assert [section.path[1:] for section in parse_plain(BOOK, "F").sections] == [
        (),
        ("Chapter 1. Beginnings",),
        ("Chapter 1. Beginnings", "1.1. First things"),
        ("Chapter 1. Beginnings", "1.2. Second things"),
    ]


W3M = """\
                     The FAQ

Table of Contents

1.1. What is it that is asked?
1.2. Where is it kept, and
    for how long?
1.3. Who may read it then?
1.4. Nothing

1.1. What is it that is asked?

    This is wrapped by a browser for terminals, which breaks the lines of
    addresses such as the Guide to it all (https://www.example.org/very/
    long/path) and starts others with hard spaces as here where it says
    Section 1.2, and marks footnotes by a caret and a number. ^[1]

    ^[1] The note, of which the second line stands below its mark and
    goes on (https://example.org/) for a while.

1.2. Where is it kept, and
for how long?

    See https://
    www.example.org/ for that, as it is said by many in all places; the low-
    level way is another.

       [image: A box
       of notes][image]A box of notes

1.3. Who may read it then?

1.4. Nothing
"""


def test_the_dump_of_a_browser_reads_like_the_page() -> None:
    assert pieces(W3M)[1:] == [
        ("HEADING", "", "1.1. What is it that is asked?"),
        (
            "PARAGRAPH",
            "",
            (
                "This is wrapped by a browser for terminals, which breaks the lines of addresses "
                "such as the Guide to it all (https://www.example.org/very/long/path) and starts "
                "others with hard spaces as here where it says Section 1.2, and marks footnotes "
                "by a caret and a number."
            ),
        ),
        (
            "FOOTNOTE",
            "1",
            (
                "The note, of which the second line stands below its mark and goes on "
                "(https://example.org/) for a while."
            ),
        ),
        ("HEADING", "", "1.2. Where is it kept, and for how long?"),
        (
            "PARAGRAPH",
            "",
            (
                "See https://www.example.org/ for that, as it is said by many in all places; "
                "the low-level way is another."
            ),
        ),
        ("CAPTION", "", "A box of notes"),
        ("HEADING", "", "1.3. Who may read it then?"),
        ("HEADING", "", "1.4. Nothing"),
    ]
    [warning] = parse_plain(W3M, "F").warnings
    assert warning == "the table of contents was left out: the headings stand in the text"


@pytest.mark.parametrize(
    ("above", "below", "text"),
    [
        ("see https://example.org/", "for more", "see https://example.org/ for more"),
        (
            "see https://example.org/",
            "doc/more.html now",
            "see https://example.org/doc/more.html now",
        ),
        ("see https://example.org", "/doc of it", "see https://example.org/doc of it"),
        ("(https://example.org/a", "b) is", "(https://example.org/ab) is"),
        ("see http:", "//example.org/", "see http://example.org/"),
        ("a well-", "known fact", "a well-known fact"),
        ("pre-", "and suffix", "pre- and suffix"),
        ("in the file", "/etc/passwd", "in the file /etc/passwd"),
    ],
)
def test_a_line_break_inside_an_address_or_a_word_is_no_space(
    above: str, below: str, text: str
) -> None:
    assert join_lines(above, below) == text


def test_underlined_headings_have_levels_by_their_first_use() -> None:
    text = "Title\n=====\n\nOne\n---\nText below.\n\nTwo\n---\n\nDeep\n~~~~\n\nx\n\n----\n\ny"
    parsed = parse_plain(text, "F")
    assert [section.path for section in parsed.sections] == [
        *(("Title",), ("Title", "One"), ("Title", "Two"), ("Title", "Two", "Deep"))
    ]
    assert "Text below." in parsed.text
    assert "--" not in parsed.text


def test_short_lines_that_were_not_wrapped_stay_lines() -> None:
    prose = "\n".join(["word " * 13 + "end"] * 4)
    assert pieces(f"{prose}\n\nRoses are red\nViolets are blue")[-1][2] == (
        "Roses are red\nViolets are blue"
    )


def test_a_number_in_a_sentence_is_no_heading_and_a_bracket_without_note_stays() -> None:
    assert pieces("See [3] and\n1.5 litres of it, all the same.")[0][0] == "PARAGRAPH"
    assert "[3]" in pieces("See [3].")[0][2]


def test_rows_of_a_drawn_table_without_rules_between_them_stay_apart() -> None:
    rule = "+------+------+"
    lines = (rule, "| Name | Melt |", rule, "| Tin  | 232  |", "| Lead | 327  |", rule)
    text = parse_plain("\n".join((*lines, "2 rows in set")), "F").text
    assert text == "Name | Melt\nTin | 232\nLead | 327\n\n2 rows in set"


def test_a_grid_table_is_one_row_a_line() -> None:
    table = "+----+-----+\n| A  | B   |\n+====+=====+\n| 1  | two |\n|    | sum |\n+----+-----+"
    assert pieces(table) == [("TABLE", "", "A | B\n1 | two sum")]


@settings(max_examples=150)
@given(st.text(alphabet="ab1.-*= \n\t[]()é😀:$", max_size=300))
def test_every_letter_is_kept_and_blocks_never_overlap(text: str) -> None:
    parsed = parse_plain(text, "F")
    ends = [0, *(block.end for block in parsed.blocks)]
    assert all(block.start >= end for block, end in zip(parsed.blocks, ends, strict=False))
    letters = sorted(character for character in text if character.isalpha())
    shown = "".join(block.label for block in parsed.blocks) + parsed.text
    assert sorted(c for c in shown if c in "abé") == [c for c in letters if c in "abé"]


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000_000,
        "H\n=\n\n" * 20_000,
        "* a\n" * 40_000,
        "[1] x [1]\n\n" * 5000,
        "a: \n b\n" * 20_000,
    ],
)
def test_odd_files_are_read_within_bounds(text: str) -> None:
    with at_most(12):
        parse_plain(text, "F")


@pytest.mark.parametrize(
    ("chapter", "contents"),
    [
        ("Kapitel zwei. Der Hafen", "Inhaltsverzeichnis"),
        ("Chapitre deux. Le port", "Table des matières"),
        ("Capítulo dos. El puerto", "Tabla de contenidos"),
    ],
)
def test_chapters_are_told_in_other_languages_too(chapter: str, contents: str) -> None:
    word = chapter.split(maxsplit=1)[0]
    chapters = [f"{word} 1", chapter, f"{word} 3", f"{word} 4"]
    text = "\n\n".join((contents, "\n".join(chapters), "")) + "\n\n".join(
        f"{title}\n\nText." for title in chapters
    )
    parsed = parse_plain(text, "F")
    assert [section.path[1:] for section in parsed.sections] == [(title,) for title in chapters]
    assert parsed.text.count(chapter) == 1


def test_wrapped_lines_of_a_script_without_spaces_are_one_paragraph() -> None:
    sentence = "本文档致力于为普通用户和希望对软件包有所了解的开发人员讲述如何制作软件包。"
    whole = sentence * 4
    lines = [whole[at : at + 33] for at in range(0, len(whole), 33)]
    text = "手册\n====\n\n" + "\n".join(lines) + "\n\n" + "\n".join(lines) + "\n"
    parsed = parse_plain(text, "F")
    assert parsed.text.count(whole) == 2
    assert "\n" not in parsed.text[parsed.text.index(whole) :].split("\n\n")[0]


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("The Book of Things", "The Book of Things"),
        ("The Book of Things\n\nby A. Writer", "The Book of Things"),
        ("茶の手引き", "茶の手引き"),
        ("A sentence that says something.", "F"),
        ("The Book of Things\n\nA sentence that says something.", "The Book of Things"),
        ("The Book of Things\nand its second line", "F"),
        ("* An item", "F"),
        ("a) An item", "F"),
        ("mail: a@b.example", "F"),
    ],
)
def test_a_line_alone_over_the_first_chapter_is_the_title(front: str, title: str) -> None:
    parsed = parse_plain(f"{front}\n\nCHAPTER I\n\nText.\n\nCHAPTER II\n\nMore.\n", "F")
    assert parsed.title == title
    assert [section.path for section in parsed.sections][-2:] == [
        (title, "CHAPTER I"),
        (title, "CHAPTER II"),
    ]


def terms_of(text: str) -> list[str]:
    parsed = parse_plain(text, "F")
    return [parsed.text[lead.start : lead.end] for lead in parsed.lead_ins if lead.is_term]


GLOSSARY = """\
Words
=====

"valve"
   lets water through

"gauge" (optional)
   says how much, as in:

      gauge --now

UTF-8
   an encoding

1. Brass
      This is what valves are made of.

2. Steel
      This is what gauges are made of.
"""


def test_terms_are_told_by_quotation_marks_and_by_others_beside_them() -> None:
    assert terms_of(GLOSSARY) == ['"valve"', '"gauge" (optional)', "UTF-8", "Brass", "Steel"]


def test_lines_over_deeper_ones_that_are_no_sentences_are_no_terms() -> None:
    lines = "first\n   second line of it\n\nthird\n   fourth line of it\n\nMore of the text.\n"
    assert terms_of(f"Words\n=====\n\n{lines}") == []
    assert terms_of("Words\n=====\n\nNAME\n   It is this.\n\nTYPE\n   It is that.\n") == []


def test_contents_whose_entries_stand_apart_are_left_out() -> None:
    titles = [f"{at}. Part {at}" for at in range(1, 6)]
    entries = "\n\n".join(f"* {title}" for title in titles)
    body = "\n\n".join(f"{title}\n{'=' * len(title)}\n\nWords of it." for title in titles)
    parsed = parse_plain(f"The Book\n********\n\n{entries}\n\n\n{body}\n", "F")
    assert parsed.text.count("Part 3") == 1
    assert [one.kind for one in parsed.dropped_content] == ["table of contents"]
    kept = parse_plain(f"The Book\n********\n\n* One thing\n\n* 2. Part 2\n\n{body}\n", "F")
    assert kept.text.count("Part 2") == 2


CALLS = """\
Steps
=====

1. First of all, call

      *old-prerm* upgrade *new-version*

   If this works, it goes on.

A field might be:

   Package: libc6

For example:

   Sums:
    c6f698f19f2a2aa07dbb9bbda90a2754 571925 example_1.2.orig.tar.gz of the first of the sources
    938512f08422f3509ff36f125f5873ba 6220 example_1.2-1.diff.gz of the second one of the sources

He said, and nobody

   had asked him to say so,

that it was late.
"""


def test_lines_of_signs_that_a_sentence_goes_on_with_are_code() -> None:
    parsed = parse_plain(CALLS, "F")
    code = [
        parsed.text[block.start : block.end].split("\n")[0]
        for block in parsed.blocks
        if block.kind is BlockKind.CODE
    ]
    assert code == ["*old-prerm* upgrade *new-version*", "Package: libc6", "Sums:"]
    assert "had asked him to say so," in parsed.text


def test_code_of_a_footnote_stays_with_it_and_notes_keep_their_order() -> None:
    text = (
        "One\n===\n\nLook here [1] and there. [2]\n\nAnd on.\n\nTwo\n===\n\nMore.\n\n"
        "[1] Run this:\n\n       make all\n\n    It is quick.\n\n[2] The second.\n"
    )
    parsed = parse_plain(text, "F")
    assert parsed.text.split("\n\n") == [
        *("One", "Look here and there.", "And on."),
        *("Run this:", "make all", "It is quick.", "The second.", "Two", "More."),
    ]


def test_the_index_of_a_manual_of_gnu_is_left_out_and_named() -> None:
    entries = [f"* valve {n}, how to open:      Opening.    (line   {n}0)" for n in range(4)]
    entries += ["* valve, a long name that takes a line:      Closing.", " " * 40 + "(line 123)"]
    index = "Index\n*****\n\n* Menu:\n\n" + "\n".join(entries)
    parsed = parse_plain(f"1 Valves\n********\n\nOpen them by hand.\n\n{index}\n", "T")
    assert parsed.text == "1 Valves\n\nOpen them by hand."
    [lost] = parsed.dropped_content
    assert (lost.kind, lost.place) == ("index", "lines 6-7, 9, 11-16")


def test_a_list_that_names_a_line_now_and_then_is_no_index() -> None:
    items = "* Open it.\n* Close it, see (line 12)\n* Oil it.\n* Lock it."
    assert "Oil it" in parse_plain(f"Valves\n******\n\n{items}\n", "T").text


@pytest.mark.parametrize("numbers", [("I", "II"), ("I.", "II.", "III."), ("_I_", "_II_")])
def test_roman_numbers_alone_in_their_lines_are_chapters(numbers: tuple[str, ...]) -> None:
    body = "\n\n".join(f"{number}\n\nIt rained on day {number}." for number in numbers)
    parsed = parse_plain(f"The Mill\n\n{body}\n", "F")
    bare = [number.strip("_") for number in numbers]
    assert [section.path for section in parsed.sections] == [
        ("The Mill",),
        *(("The Mill", number) for number in bare),
    ]


@pytest.mark.parametrize(
    "lines", ["I\n\nIII\n\nIt rained.", "I\n\nII\n\nIt rained.", "I\n\nIt rained."]
)
def test_roman_numbers_that_do_not_count_texts_are_none(lines: str) -> None:
    assert all(kind != "HEADING" for kind, _, _ in pieces(lines))


PROSE = "Nobody had been to the mill for years, and nobody was going to go there now."


@pytest.mark.parametrize(
    ("source", "title", "authors"),
    [
        (f"The Mill\n\n{PROSE}\n", "The Mill", ()),
        (f"The Mill\n\nby Ada Wong\n\n{PROSE}\n", "The Mill", ("Ada Wong",)),
        (f"\n\nDie Mühle\n\nVon Ada Wong\n\n{PROSE}\n", "Die Mühle", ("Ada Wong",)),
        (
            f"An eBook of The Mill\n\nTitle: The Mill\n  of the Tide\n\nAuthor: Ada Wong\n\n{PROSE}\n",
            "The Mill of the Tide",
            ("Ada Wong",),
        ),
        (f"Title: The Mill\n\n{PROSE}\n", "The Mill", ()),
        (f"the mill\n\n{PROSE}\n", "F", ()),
        (f"The Mill\nstood there.\n\n{PROSE}\n", "F", ()),
        (f"{PROSE}\n\n{PROSE}\n", "F", ()),
        ("Apple\n\nPear\n\nPlum\n\nCherry\n", "F", ()),
    ],
)
def test_a_text_is_called_by_its_header_or_its_first_line(
    source: str, title: str, authors: tuple[str, ...]
) -> None:
    parsed = parse_plain(source, "F")
    assert (parsed.title, parsed.byline.authors) == (title, authors)
    assert PROSE in parsed.text or title == "F"


_RULE = "-" * 60


def test_titles_between_lines_across_the_page_are_headings() -> None:
    text = (
        f"{_RULE}\nA.         OVERVIEW\n{_RULE}\n\nIt is a game.\n\nMovement\n{'=' * 40}\n\nWalk.\n\n"
        f"{_RULE}\nB.         ITEMS\n{_RULE}\n\nTake them.\n\nWeapons\n{'=' * 40}\n\nHit."
    )
    assert [section.path[1:] for section in parse_plain(text, "F").sections] == [
        ("A. OVERVIEW",),
        ("A. OVERVIEW", "Movement"),
        ("B. ITEMS",),
        ("B. ITEMS", "Weapons"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(f"They all left.\n{_RULE}", id="a sentence before a line"),
        pytest.param(f"Name    Value\n{_RULE}", id="the header of columns"),
        pytest.param(f"{_RULE}\n* * *\n{_RULE}", id="signs between lines"),
        pytest.param(f"{_RULE}\nObject    Button    Action\n{_RULE}", id="a header between lines"),
        pytest.param(
            f"    Object    Button\n    {'-' * 18}\n    Line      any", id="underlined cells"
        ),
        pytest.param(f"Name\n{_RULE}\nAda", id="a name over a list"),
        pytest.param("They left\n----------------", id="a line that is not across the page"),
    ],
)
def test_a_line_across_the_page_that_only_parts_makes_no_heading(block: str) -> None:
    assert len(parse_plain(f"It begins.\n\n{block}\n\nIt ends.", "F").sections) == 1


def test_a_number_alone_is_that_of_a_chapter_where_sections_below_go_on_with_it() -> None:
    text = (
        "1.  Waves\n\nThey move.\n\n1.1.  Length\n\nIt is long.\n\n1.  A list goes\n\n2.  on here\n\n"
        "2.  Wind\n\nIt blows.\n\n3.  Sails\n\n3.1.  Cloth\n\nIt is white."
    )
    assert [section.path for section in parse_plain(text, "F").sections] == [
        ("F", "1. Waves"),
        ("F", "1. Waves", "1.1. Length"),
        ("F", "2. Wind"),
        ("F", "3. Sails"),
        ("F", "3. Sails", "3.1. Cloth"),
    ]


def test_a_sentence_that_begins_with_a_measure_is_no_title() -> None:
    said = "12.5 kg of clay\nwas all that was left in the store when the men came home."
    parsed = parse_plain(f"{said}\n\nThe kiln was cold for a year.\n", "F")
    assert [one.kind for one in parsed.blocks] == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]


FIRST_INDENTED = """Outlook
=======

   Under plain DOS, conversion of equations or figures to bitmaps is not
possible because the programs for it are not available for plain DOS, and
nobody has missed them.
   There are drawbacks as well to the other way, which nobody should expect
to be as quick.
"""


def test_the_first_line_of_a_paragraph_may_stand_further_in() -> None:
    parsed = parse_plain(FIRST_INDENTED, "x")
    paragraphs = [
        parsed.text[one.start : one.end] for one in parsed.blocks if one.kind is BlockKind.PARAGRAPH
    ]
    assert [" ".join(one.split())[:26] for one in paragraphs] == [
        "Under plain DOS, conversio",
        "There are drawbacks as wel",
    ]
    assert paragraphs[1].endswith("as quick.")


def test_a_line_set_apart_in_a_paragraph_is_no_first_line() -> None:
    text = """A b
===

It is called like this, with a name
   open the large door of the mill and then wait for it
and then it goes on as before.
"""
    parsed = parse_plain(text, "x")
    assert "mill and wait for it\nand" not in parsed.text
