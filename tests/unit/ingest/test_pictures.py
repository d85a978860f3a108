"""Pictures of documents: where their files are found, what is kept of them, what the report names."""

import io
from collections.abc import Mapping

import docx
import pytest

from libs.profiles import SHIPPED, load_profile
from services.ingest.model.book import MarkupKind, PlacedFile, ReadDocument, SourceFile
from services.ingest.model.image import UsedImage
from services.ingest.parsers.images import check_image
from services.ingest.pictures import PictureFiles, PictureReader
from services.ingest.ports.reading import ReadTask
from tests.support.generated_books import CONTAINER, PACKAGE
from tests.support.ingest_fakes import DirectReader, MemoryFiles, zipped
from tests.support.pictures import BOMB, HOSTILE_DRAWING, png

RED, BLUE = png(2, 1), png(3, 1)
RED_ID, BLUE_ID = (check_image(data).image_id for data in (RED, BLUE))
SOURCES = {
    "a.md": "# T\n\nOne ![a gate](img/red%20one.png) two.\n\n![](img/blue.png)\n\nThree.\n",
    "a.html": "<h1>T</h1><p>One <img src='img/red%20one.png' alt='a gate'> two.</p>"
    "<p><img src=img/blue.png></p><p>Three.</p>",
    "a.rst": "T\n=\n\nOne two.\n\n.. image:: img/red%20one.png\n   :alt: a gate\n\n"
    ".. image:: img/blue.png\n\nThree.\n",
    "a.adoc": "= T\n:imagesdir: img\n\nOne two.\n\nimage::red%20one.png[a gate]\n\n"
    "image::blue.png[]\n\nThree.\n",
}


async def read(
    path: str, data: bytes | str, files: Mapping[str, bytes] | None = None
) -> ReadDocument:
    """Read one document of a source with the files of pictures."""
    content = data.encode() if isinstance(data, str) else data
    chunking = load_profile("default", SHIPPED).chunking
    task = ReadTask("b", "en", PlacedFile(SourceFile(path, content), 0, "", path), chunking)
    reader = DirectReader()
    sources = [SourceFile(name, held) for name, held in (files or {}).items()]
    digests = PictureFiles({file.path: file.content_hash for file in sources})
    pictures = PictureReader(digests, MemoryFiles(sources), reader)
    return await pictures.put_into(await reader.read(task))


def shown(read: ReadDocument) -> list[tuple[str, str]]:
    """Return the words and the ids of the pictures."""
    document = read.document
    marks = (one for one in document.markup if one.kind is MarkupKind.IMAGE)
    return [(document.text[one.start : one.end], one.value) for one in marks]


def named(read: ReadDocument) -> list[str]:
    dropped = read.report.dropped_content
    assert list(dropped) == list(read.document.dropped_content)
    assert not any(one.address for one in dropped)
    return [one.reason for one in dropped if one.kind == "picture"]


@pytest.mark.parametrize("path", SOURCES)
async def test_a_picture_is_marked_by_its_description_or_by_its_place(path: str) -> None:
    without = await read(path, SOURCES[path])
    found = await read(path, SOURCES[path], {"img/red one.png": RED, "img/blue.png": BLUE})
    assert shown(found) == [("a gate", RED_ID), ("", BLUE_ID)]
    empty = found.document.markup[-1]
    assert found.document.text[empty.start :].startswith("Three.")
    assert named(found) == []
    assert {image.image_id for image in found.images} == {RED_ID, BLUE_ID}
    # Neither the text nor where its pieces stand depends on pictures.
    assert (without.document.text, without.document.blocks, without.chunks) == (
        *(found.document.text, found.document.blocks),
        found.chunks,
    )


async def test_a_picture_that_is_not_there_leaves_its_description_and_is_named() -> None:
    found = await read("doc/a.md", SOURCES["a.md"], {"img/blue.png": BLUE})
    assert shown(found) == []
    assert named(found) == [
        "only its description is text: “img/red one.png” is not in the source",
        "it has no description: “img/blue.png” is not in the source",
    ]
    assert "a gate" in found.document.text


@pytest.mark.control("V7")
@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("https://evil.example/a.png", "another site"),
        ("//evil.example/a.png", "another site"),
        ("data:image/png;base64,iVBO", "written into the document"),
        ("../../etc/passwd.png", "not in the source"),
        ("/etc/passwd", "is no PNG"),
        ("..%2f..%2fsecret.png", "not in the source"),
        ("%00.png", "“\\x00.png” is not in the source"),
    ],
)
async def test_no_picture_comes_from_outside_of_the_source(address: str, reason: str) -> None:
    found = await read("x/a.html", f"<h1>T</h1><img alt=a src='{address}'><p>b", {"z.png": RED})
    assert shown(found) == []
    assert reason in named(found)[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its file is empty"),
        (b"<html><script>1</script>", "its file is no PNG"),
        (BOMB, "which is too many"),
    ],
)
async def test_a_file_that_is_no_picture_is_not_served_and_named(data: bytes, reason: str) -> None:
    found = await read("a.md", "# T\n\n![a](i.png)", {"i.png": data})
    assert (shown(found), list(found.images)) == ([], [])
    assert reason in named(found)[0]


async def test_a_drawing_is_kept_without_what_would_do_harm() -> None:
    found = await read("a.md", "# T\n\n![a](i.svg)", {"i.svg": HOSTILE_DRAWING})
    [image] = found.images
    assert image.media_type == "image/svg+xml"
    assert b"evil.example" not in image.data.partition(b"<title>")[0]


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/img/a.png", "static/img/a.png"),
        ("@site/static/img/a.png", "static/img/a.png"),
        ("a.png?x=1#y", "docs/a.png"),
        ("./deep/../a.png", "docs/a.png"),
        ("fig.*", "docs/fig.svg"),
    ],
)
async def test_addresses_of_sites_lead_to_the_files_they_serve(address: str, path: str) -> None:
    files = dict.fromkeys(("static/img/a.png", "docs/a.png", "docs/fig.png", "docs/fig.svg"), "d")
    assert PictureFiles(files).find(address, "docs/t.md") == (path, "")


def test_a_document_is_as_before_while_its_pictures_are() -> None:
    files = PictureFiles({"img/a.png": "1", "static/b.png": "2"})
    assert files.is_as_before([UsedImage("img/a.png", "1", "x"), UsedImage("", "", "y")])
    assert files.is_as_before([UsedImage("gone.png", "", "")])
    assert not files.is_as_before([UsedImage("img/a.png", "3", "x")])
    assert not files.is_as_before([UsedImage("gone.png", "3", "x")])
    assert not files.is_as_before([UsedImage("b.png", "", "")])


async def test_pictures_in_cells_are_marked_where_they_stand() -> None:
    sources = {
        "a.md": "# T\n\n| a | b |\n|---|---|\n| ![x](i.png) | c |\n",
        "a.html": "<h1>T</h1><table><tr><td>a<td>b<tr><td><img alt=x src=i.png><td>c</table>",
    }
    for path, source in sources.items():
        found = await read(path, source, {"i.png": RED})
        assert shown(found) == [("x", RED_ID)]
        assert found.document.text.endswith("x | c")


async def test_tags_of_markdown_show_pictures_as_well() -> None:
    source = (
        '# T\n\n<img src="i.png" alt="a b" />\n\nx <img src="j.png" /> y\n\n![1](j.png)![2](i.png)'
    )
    found = await read("a.mdx", source, {"i.png": RED, "j.png": BLUE})
    assert shown(found) == [("a b", RED_ID), ("", BLUE_ID), ("1", BLUE_ID), ("2", RED_ID)]
    assert len(found.images) == 2


async def test_pictures_of_an_epub_come_from_its_own_file() -> None:
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>T</h1><p>x <img src="i/a.png" '
        'alt="red"/><img src="i/none.png" alt="gone"/><img src="http://e.example/x.png" alt="e"/>'
        '<img src="i/bad.png" alt="bad"/></p></body></html>'
    )
    files = {"META-INF/container.xml": CONTAINER, "b.opf": PACKAGE, "a.xhtml": body}
    data = zipped({**files, "i/a.png": RED, "i/bad.png": b"no"})
    found = await read("b.epub", data)
    assert shown(found) == [("red", RED_ID)]
    assert [image.image_id for image in found.images] == [RED_ID]
    assert [reason.partition(": ")[2] for reason in named(found)] == [
        "“none.png” is not in the source",
        "it is on another site, of which nothing is fetched",
        "its file is no PNG, JPEG, GIF, WebP, AVIF or SVG",
    ]


async def test_pictures_of_a_docx_come_from_its_own_file() -> None:
    document = docx.Document()
    document.add_paragraph("One.")
    document.add_picture(io.BytesIO(RED))
    described = document.add_picture(io.BytesIO(BLUE))
    described._inline.docPr.set("descr", "A blue line")
    stream = io.BytesIO()
    document.save(stream)
    found = await read("a.docx", stream.getvalue())
    assert shown(found) == [("", RED_ID), ("A blue line", BLUE_ID)]
    assert named(found) == []


def test_a_picture_in_a_cell_of_a_notebook_is_on_no_other_site() -> None:
    files = PictureFiles({})
    assert (
        files.find("attachment:image.png", "a.ipynb")[1] == files.find("data:image/png,x", "a")[1]
    )
    assert "site" in files.find("https://elsewhere.example/a.png", "a.ipynb")[1]
