"""A book of DocBook that lies in several files is read as one, and other XML is no document."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from libs.errors import InvalidInput
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Source
from services.ingest.parse import parse_document
from services.ingest.parsers.archive import Limits
from services.ingest.parsers.docbook.tree import put_together
from services.ingest.plan import plan_book

DOCTYPE = '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"'
XI = 'xmlns:xi="http://www.w3.org/2001/XInclude"'


def chapter(name: str, text: str = "") -> str:
    return f"<chapter id='{name}'><title>{name}</title><para>Of {name}. {text}</para></chapter>"


def fetch(files: Mapping[str, str], *, allow_partial: bool = False) -> Source:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return fetch_source("book.zip", out, Limits(), allow_partial=allow_partial)


def texts(source: Source) -> dict[str, str]:
    return {one.file.path: parse_document(one)[0].text for one in plan_book(source).documents}


def test_entities_take_in_files_in_the_order_of_the_master() -> None:
    source = fetch(
        {
            "index.docbook": f'{DOCTYPE} [<!ENTITY two SYSTEM "parts/two.xml"><!ENTITY name "clay">'
            '<!ENTITY one SYSTEM "one.xml"><!ENTITY idle SYSTEM "idle.xml">'
            '<!ENTITY % more SYSTEM "more.ent"> %more;]>'
            "<book><title>Kilns</title>&two;&one;</book>",
            "one.xml": '<?xml version="1.0"?>' + chapter("one", "&name; &more;"),
            "parts/two.xml": chapter("two") + chapter("three"),
            "idle.xml": chapter("idle") + chapter("idler"),
            "more.ent": '<!ENTITY more "and &name;"><!ENTITY name "not this">',
        }
    )
    assert texts(source) == {
        "index.docbook": "Kilns\n\ntwo\n\nOf two.\n\nthree\n\nOf three.\n\none\n\nOf one. clay and clay"
    }
    [warning] = source.warnings
    assert warning == (
        '"idle.xml" was left out: "index.docbook" declares what is there and never takes it in.'
    )


def test_inclusions_take_in_files_parts_of_them_and_text() -> None:
    source = fetch(
        {
            "a.xml": chapter("a"),
            "book.xml": f'<book xmlns="http://docbook.org/ns/docbook" {XI}><title>K</title>'
            '<xi:include href="sub/b.xml"/><xi:include href="two.xml" xpointer="y"/><chapter>'
            '<title>C</title><programlisting><xi:include href="x.txt" parse="text"/></programlisting>'
            '</chapter><xi:include href="gone.xml"><xi:fallback><chapter><title>F</title><para>f</para>'
            '</chapter></xi:fallback></xi:include><xi:include href="lost.xml"/></book>',
            "sub/b.xml": f"<chapter {XI}><title>B</title><mediaobject><imageobject>"
            '<imagedata fileref="k.png"/></imageobject></mediaobject><xi:include href="../a.xml"/>'
            "</chapter>",
            "two.xml": f"<part><title>P</title>{chapter('x')}{chapter('y')}</part>",
            "x.txt": "if a < b",
        }
    )
    [placed] = plan_book(source).documents
    document, _ = parse_document(placed)
    assert document.text == "K\n\nB\n\na\n\nOf a.\n\ny\n\nOf y.\n\nC\n\nif a < b\n\nF\n\nf"
    dropped = {one.kind: (one.reason, one.address) for one in document.dropped_content}
    assert dropped['file "lost.xml"'][0] == "the source does not hold it"
    assert dropped["picture"][1] == "sub/k.png"


@pytest.mark.control("V11")
@pytest.mark.parametrize(
    "address",
    ["../outside.xml", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x", "a/../../../e"],
)
def test_nothing_outside_of_the_source_is_taken_in(address: str) -> None:
    source = fetch(
        {
            "in/book.xml": f'{DOCTYPE} [<!ENTITY x SYSTEM "../../etc/passwd">]><book {XI}><title>K'
            f'</title>&x;<xi:include href="{address}"/><xi:include href="c.xml"/></book>',
            "in/c.xml": chapter("c"),
        }
    )
    [placed] = plan_book(source).documents
    document, _ = parse_document(placed)
    assert document.text == "K\n\nc\n\nOf c."
    assert [one.kind for one in document.dropped_content] == [
        'file "../../etc/passwd"',
        f'file "{address}"',
    ]


@pytest.mark.control("V11")
def test_no_path_outside_of_the_source_is_even_asked_for() -> None:
    asked: list[str] = []
    addresses = (
        "../../x.xml",
        "/etc/passwd",
        "file:/etc/passwd",
        "https://e.example/x",
        "b.xml",
    )
    entities = "".join(f'<!ENTITY e{n} SYSTEM "{one}">' for n, one in enumerate(addresses))
    inside = "".join(f"&e{n};<xi:include href='{one}'/>" for n, one in enumerate(addresses))
    source = f"{DOCTYPE} [{entities}]><book {XI}>{inside}</book>"
    put_together("in/book.xml", source, asked.append, strict=True)
    assert asked == ["in/b.xml", "in/b.xml"]


@pytest.mark.fault("G4")
def test_files_that_take_in_each_other_come_to_an_end() -> None:
    source = fetch(
        {
            name: f"{DOCTYPE}><book {XI}><title>{name}</title><xi:include href='{other}'/></book>"
            for name, other in (("a.xml", "b.xml"), ("b.xml", "a.xml"), ("c.xml", "c.xml"))
        }
    )
    assert texts(source) == {"a.xml": "a.xml\n\nb.xml", "c.xml": "c.xml"}


@pytest.mark.fault("G4")
def test_a_file_that_is_taken_in_without_bounds_is_refused() -> None:
    many = "".join(f"<xi:include href='b.xml#{n}'/>" for n in range(1500))
    with pytest.raises(InvalidInput, match="grow to far more"):
        fetch(
            {
                "a.xml": f"<book {XI}><title>A</title>{many}</book>",
                "b.xml": chapter("b", "clay " * 20_000),
            }
        )


def test_a_broken_part_is_named_and_with_allow_partial_left_out() -> None:
    files = {
        "book.xml": f'{DOCTYPE} [<!ENTITY c SYSTEM "c.xml">]><book><title>K</title>'
        f"{chapter('a')}&c;</book>",
        "c.xml": "<chapter><title>C</title>\n<para>no end</chapter>",
    }
    with pytest.raises(InvalidInput, match=r'"c\.xml": it is no well-formed XML: .*, line 2'):
        fetch(files)
    [placed] = plan_book(fetch(files, allow_partial=True)).documents
    document, _ = parse_document(placed)
    assert document.text == "K\n\na\n\nOf a."
    assert document.dropped_content[0].kind == 'file "c.xml"'


def test_only_docbook_and_mallard_are_documents_of_xml() -> None:
    page = '<page xmlns="http://projectmallard.org/1.0/" id="p"><title>P</title><p>x</p></page>'
    source = fetch(
        {
            "pom.xml": "<project/>",
            "jats.xml": "<article><front><title>No</title></front></article>",
            "other.xml": '<!DOCTYPE book SYSTEM "other.dtd"><book><title>No</title></book>',
            "ui.page": "<interface/>",
            "broken.xml": "<<<",
            "p.page": page,
            "v5.xml": '<article xmlns="http://docbook.org/ns/docbook"><title>A</title></article>',
            "v4.dbk": f"<!-- old -->\n{DOCTYPE}>\n<book><title>B</title></book>",
            "bare.xml": "<chapter><title>C</title></chapter>",
        }
    )
    assert sorted(file.path for file in source.files) == ["bare.xml", "p.page", "v4.dbk", "v5.xml"]
    assert not source.warnings


def test_xml_of_another_kind_alone_is_refused_by_what_it_is() -> None:
    with pytest.raises(InvalidInput, match=r'"pom\.xml" is neither DocBook nor Mallard'):
        fetch({"pom.xml": "<project/>"})


def test_pieces_that_no_document_takes_in_and_copies_are_left_out_and_named() -> None:
    book = f'{DOCTYPE} [<!ENTITY c SYSTEM "c.xml">]><book><title>K</title>&c;</book>'
    source = fetch(
        {
            "index.docbook": book,
            "kiln.xml": book,
            "c.xml": chapter("c"),
            "head.xml": "<appendix><title>Begins here",
        }
    )
    assert [file.path for file in source.files] == ["index.docbook"]
    assert source.warnings == [
        '"kiln.xml" was left out: it is a copy of "index.docbook".',
        '"head.xml" was left out: it is no whole XML file, and no document takes it in.',
    ]


def test_a_file_in_a_code_page_that_it_names_is_read() -> None:
    out = io.BytesIO()
    text = '<?xml version="1.0" encoding="ISO-8859-2"?><article><title>Łódź</title></article>'
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.docbook", text.encode("iso8859-2"))
    source = fetch_source("b.zip", out, Limits())
    assert texts(source) == {"a.docbook": "Łódź"}
