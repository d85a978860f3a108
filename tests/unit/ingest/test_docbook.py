"""DocBook: what manuals use of it is read as they print it, what is left out is named."""

import pytest

from libs.errors import InvalidInput
from services.ingest.model.book import MarkupKind, ParsedText
from services.ingest.parsers.docbook.parser import parse_docbook

DOCTYPE = '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"'


def parse(source: str) -> ParsedText:
    return parse_docbook(source, "Fallback")


def pieces(inside: str) -> list[tuple[str, str]]:
    parsed = parse(f"<article><title>T</title>{inside}</article>")
    found = [(block.kind.name, parsed.text[block.start : block.end]) for block in parsed.blocks]
    return found[1:]


def test_sections_are_the_tree_by_their_depth_with_their_ids() -> None:
    parsed = parse(
        '<book xmlns="http://docbook.org/ns/docbook"><info><title>Kilns</title></info>'
        '<part><title>Use</title><chapter xml:id="fire"><title>Firing</title><para>Slowly.</para>'
        '<section xml:id="cool"><title>Cooling</title><para>Shut.</para></section></chapter></part>'
        '<appendix id="a"><title>Clays</title><para>Red.</para></appendix></book>'
    )
    assert parsed.title == "Kilns"
    assert [(one.path[1:], one.anchor) for one in parsed.sections[1:]] == [
        (("Use",), "use"),
        (("Use", "Firing"), "fire"),
        (("Use", "Firing", "Cooling"), "cool"),
        (("Clays",), "a"),
    ]


def test_authors_dates_and_licence_stand_below_its_title() -> None:
    parsed = parse(
        "<book><bookinfo><title>Kilns</title><subtitle>A manual</subtitle><authorgroup>"
        "<author><firstname>Ann</firstname><surname>Ash</surname></author>"
        "<author><personname>Bo Birch</personname></author></authorgroup>"
        "<copyright><year>2004</year><holder>Ann Ash</holder></copyright><edition>Third</edition>"
        "<legalnotice><para>Copy it freely.</para></legalnotice>"
        "<keywordset><keyword>unseen</keyword></keywordset></bookinfo>"
        "<chapter><title>One</title><para>Text.</para></chapter></book>"
    )
    assert parsed.byline.authors == ("Ann Ash", "Bo Birch")
    assert parsed.byline.year == 2004
    assert parsed.text.split("\n\n") == [
        *("Kilns", "A manual", "Ann Ash", "Bo Birch", "Copyright © 2004 Ann Ash", "Third"),
        *("Copy it freely.", "One", "Text."),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Run <command>kiln</command> <option>-h</option>.", "Run kiln -h."),
        (
            (
                "Choose <menuchoice><shortcut><keycombo><keycap>Ctrl</keycap><keycap>S</keycap>"
                "</keycombo></shortcut><guimenu>File</guimenu>\n<guimenuitem>Save</guimenuitem>"
                "</menuchoice>."
            ),
            "Choose File → Save (Ctrl+S).",
        ),
        ('<keycombo action="seq"><keycap>g</keycap><keycap>g</keycap></keycombo>', "g g"),
        ("Say <quote>hot</quote>.", "Say “hot”."),
        ('See <ulink url="https://a.example/b"/>.', "See https://a.example/b."),
        ('See <ulink url="https://a.example/b">that</ulink>.', "See that."),
        (
            "<citerefentry><refentrytitle>ls</refentrytitle><manvolnum>1</manvolnum></citerefentry>",
            "ls(1)",
        ),
        ("Hot.<indexterm><primary>heat</primary></indexterm><remark>check</remark>", "Hot."),
        ("H<subscript>2</subscript>O &mdash; &hellip; &#8364;", "H2O — … €"),
        ("<simplelist type='inline'><member>a</member><member>b</member></simplelist>", "a, b"),
        ('<sgmltag class="starttag">p</sgmltag> of Clay<trademark/>', "<p> of Clay™"),
    ],
)
def test_lines_are_read_as_they_are_printed(line: str, text: str) -> None:
    assert pieces(f"<para>{line}</para>") == [("PARAGRAPH", text)]


def test_a_reference_says_the_title_of_what_it_leads_to() -> None:
    read = pieces(
        '<para>See <xref linkend="b"/>, <xref linkend="t"/>, <link linkend="x">there</link>, '
        '<xref linkend="x"/> and <xref linkend="gone"/>.</para>'
        '<section id="b"><title>Clays <footnote><para>n</para></footnote></title>'
        '<para id="x">Red.</para><table id="t"><title>Heats</title></table></section>'
    )
    assert read[0][1] == "See Clays, Heats, there, Clays and gone."


def test_lists_and_terms_keep_their_marks_and_titles() -> None:
    assert pieces(
        "<itemizedlist><title>Clays</title><listitem><para>Red</para></listitem></itemizedlist>"
        "<procedure><title>Fire</title><step><para>Heat it.</para><substeps><step><para>Wait.</para>"
        "</step></substeps></step></procedure>"
        "<variablelist><varlistentry><term>-h</term><term>--help</term><listitem><para>Helps.</para>"
        "</listitem></varlistentry></variablelist>"
        "<formalpara><title>Danger</title><para>It is hot.</para></formalpara>"
    ) == [
        ("PARAGRAPH", "Clays"),
        ("LIST_ITEM", "Red"),
        ("PARAGRAPH", "Fire"),
        ("LIST_ITEM", "Heat it."),
        ("LIST_ITEM", "Wait."),
        ("PARAGRAPH", "-h"),
        ("PARAGRAPH", "--help"),
        ("PARAGRAPH", "Helps."),
        ("PARAGRAPH", "Danger. It is hot."),
    ]


def test_a_question_is_the_term_of_its_answer() -> None:
    parsed = parse(
        "<article><title>T</title><qandaset><qandaentry><question><para>Is it hot?</para></question>"
        "<answer><para>Yes.</para></answer></qandaentry></qandaset></article>"
    )
    [lead] = [one for one in parsed.lead_ins if one.is_term]
    assert parsed.text[lead.start : lead.until] == "Is it hot?\n\nYes."


def test_tables_keep_their_header_and_their_spans() -> None:
    assert pieces(
        '<table><title>Heats</title><tgroup cols="3"><colspec colname="a"/><colspec colname="b"/>'
        '<colspec colname="c"/><thead><row><entry namest="a" nameend="b">Clay</entry><entry>Heat'
        '</entry></row></thead><tbody><row><entry morerows="1">Red</entry><entry>soft</entry>'
        "<entry>900</entry></row><row><entry>hard</entry><entry>1000</entry></row></tbody></tgroup>"
        "</table>"
    ) == [("CAPTION", "Heats"), ("TABLE", "Clay | Heat\nRed | soft | 900\nhard | 1000")]
    assert pieces(
        "<segmentedlist><segtitle>Clay</segtitle><segtitle>Heat</segtitle><seglistitem><seg>Red</seg>"
        "<seg>900</seg></seglistitem></segmentedlist>"
    ) == [("TABLE", "Clay | Heat\nRed | 900")]


def test_code_and_synopses_keep_their_lines() -> None:
    assert pieces(
        '<programlisting language="python"><![CDATA[if a < b:\n    c()<co id="x"/>]]></programlisting>'
        "<cmdsynopsis><command>cp</command><arg>-r</arg><group choice='req'><arg>-a</arg><arg>-b</arg>"
        "</group><arg choice='plain' rep='repeat'><replaceable>file</replaceable></arg></cmdsynopsis>"
        "<funcsynopsis><funcprototype><funcdef>int <function>max</function></funcdef>"
        "<paramdef>int <parameter>a</parameter></paramdef><varargs/></funcprototype></funcsynopsis>"
        "<literallayout>One\n  Two</literallayout>"
    ) == [
        ("CODE", 'if a < b:\n    c()<co id="x"/>'),
        ("CODE", "cp [-r] {-a | -b} file..."),
        ("CODE", "int max(int a, ...);"),
        ("PARAGRAPH", "One\nTwo"),
    ]


def test_boxes_pictures_and_notes_are_what_they_are() -> None:
    parsed = parse(
        "<article><title>T</title><warning><para>Hot.</para></warning>"
        '<figure id="f"><title>A kiln</title><mediaobject><imageobject><imagedata fileref="k.png"/>'
        "</imageobject><textobject><phrase>Its door</phrase></textobject></mediaobject></figure>"
        "<para>Clay<footnote id='n'><para>Red.</para></footnote> burns.</para></article>"
    )
    found = [(one.kind.name, parsed.text[one.start : one.end], one.label) for one in parsed.blocks]
    assert found[1:] == [
        ("ADMONITION", "Hot.", "warning"),
        ("CAPTION", "A kiln", ""),
        ("CAPTION", "Its door", ""),
        ("PARAGRAPH", "Clay burns.", ""),
        ("FOOTNOTE", "Red.", "1"),
    ]
    assert [one.value for one in parsed.markup if one.kind is MarkupKind.IMAGE] == ["k.png"]


def test_a_manual_page_has_its_name_its_purpose_and_its_sections() -> None:
    parsed = parse(
        "<refentry><refmeta><refentrytitle>kiln</refentrytitle><manvolnum>1</manvolnum></refmeta>"
        "<refnamediv><refname>kiln</refname><refpurpose>fire clay</refpurpose></refnamediv>"
        "<refsect1><title>Options</title><para>None.</para></refsect1></refentry>"
    )
    assert parsed.title == "kiln"
    assert parsed.text == "kiln\n\nkiln — fire clay\n\nOptions\n\nNone."


def test_a_list_of_references_to_sections_is_text_as_all_else_is() -> None:
    names = ("Red", "White", "Blue")
    links = "".join(f'<listitem><para><xref linkend="{n}"/></para></listitem>' for n in names)
    sections = "".join(
        f'<section id="{n}"><title>{n}</title><para>x</para></section>' for n in names
    )
    read = pieces(f"<itemizedlist>{links}</itemizedlist>{sections}")
    assert [text for kind, text in read if kind == "LIST_ITEM"] == list(names)


def test_entities_that_the_document_defines_are_put_in() -> None:
    parsed = parse(
        f'{DOCTYPE} [<!-- <!ENTITY k "no"> --><!ENTITY k "<command>kiln</command>">'
        '<!ENTITY v "1 &amp; 2">'
        '<!ENTITY both "&k; &v;"> <!ENTITY l "de">]><book lang="&l;"><title>&both;</title>'
        "<chapter><title>A</title><para>&k;<![CDATA[ &k;]]></para></chapter></book>"
    )
    assert parsed.text == "kiln 1 & 2\n\nA\n\nkiln &k;"


def test_entities_that_nothing_defines_stand_as_their_names_and_are_told() -> None:
    parsed = parse(
        f'{DOCTYPE}><book lang="&language;"><title>The &kiln; book</title><chapter><title>A</title>'
        "<para>Press &Ctrl; &eg; in &kiln;.</para>&licence;</chapter></book>"
    )
    assert parsed.text == "The kiln book\n\nA\n\nPress Ctrl eg in kiln."
    [warning] = parsed.warnings
    assert "kiln (2), Ctrl (1), eg (1), licence (1)" in warning
    assert [one.kind for one in parsed.dropped_content] == ['entity "licence"']


def test_text_that_says_its_language_is_marked_as_such() -> None:
    parsed = parse(
        '<article lang="en"><title>T</title><para xml:lang="de_AT">Ton.</para></article>'
    )
    assert [one.value for one in parsed.markup if one.kind is MarkupKind.LANGUAGE] == ["de-AT"]


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<book><title>A</book>", "no well-formed XML: .*line 1"),
        ("<book><!-- no end", 'no well-formed XML: "-->" is missing behind line 1'),
        (f"{DOCTYPE} [<!ENTITY a 'b'", "its DOCTYPE has no end"),
        ("<section>" * 100_000, "nested too deep"),
        ("<section>" * 150 + "</section>" * 150, "nested too deep"),
        (f"{DOCTYPE} [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><book>&a;</book>", "holds itself"),
    ],
)
def test_a_document_that_can_not_be_read_is_refused_with_one_reason(
    source: str, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        parse(source)


@pytest.mark.fault("G4")
@pytest.mark.parametrize("first", ["ha", ""])
def test_entities_that_grow_without_bounds_are_refused(first: str) -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else first}">' for n in range(12))
    with pytest.raises(InvalidInput, match="far more than the file itself holds"):
        parse(f"{DOCTYPE} [{laughs}]><book><title>&a11;</title></book>")


@pytest.mark.control("V11")
@pytest.mark.parametrize(
    "address", ["/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x", "../../etc/passwd"]
)
def test_no_entity_opens_a_file_or_an_address(address: str) -> None:
    parsed = parse(
        f'{DOCTYPE} [<!ENTITY % p SYSTEM "{address}">%p;<!ENTITY x SYSTEM "{address}">]>'
        "<book><title>T</title><chapter><title>A</title><para>Said.</para>&x;</chapter></book>"
    )
    assert parsed.text == "T\n\nA\n\nSaid."
    [dropped] = parsed.dropped_content
    assert dropped.kind == f'file "{address}"'


KDE = (
    '<!DOCTYPE book PUBLIC "-//KDE//DTD DocBook XML V4.5-Based Variant V1.1//EN" "dtd/kdedbx45.dtd"'
)


def test_names_of_kde_that_no_handbook_declares_read_as_they_are_printed() -> None:
    source = (
        f'{KDE} [<!ENTITY appname "&tellico;"><!ENTITY kate "Katja">]>'
        "<book><title>The &appname; Handbook</title><chapter><title>One</title>"
        "<para>Open &systemsettings; of &kde; with &Ctrl;, &eg; in &kate; or &kfoo;.</para>"
        "</chapter></book>"
    )
    parsed = parse(source)
    assert parsed.title == "The Tellico Handbook"
    assert "Open System Settings of KDE with Ctrl, e.g. in Katja or kfoo." in parsed.text
    assert [one for one in parsed.warnings if "kfoo (1)" in one and "kde" not in one]


def test_names_of_kde_are_none_of_another_kind_of_docbook() -> None:
    source = f"{DOCTYPE}><book><title>T</title><para>See &kde; of KDE.</para></book>"
    assert "See kde of KDE." in parse(source).text
