"""Uploads: what is taken, and what is refused with one clear message."""

import io
import random
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, Literal

import pytest

from deploy.rest_client import packing
from libs.errors import InvalidInput, QuothError, TooLarge
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Source, SourceFile
from services.ingest.parsers.archive import ENDINGS, MIB, Limits
from services.ingest.parsers.formats import DOCUMENT_ENDINGS, FOREIGN
from tests.support.ingest_fakes import tarred, zipped

Pack = Callable[[Mapping[str, bytes | str]], bytes]

PAGE = "# Title\n\nText.\n"
MODES: dict[str, Literal["w", "w:gz", "w:bz2", "w:xz"]] = {
    ".tar": "w",
    ".tar.gz": "w:gz",
    ".tgz": "w:gz",
    ".tar.bz2": "w:bz2",
    ".tar.xz": "w:xz",
}


ALLOWED = "With allow_partial (--allow-partial) the rest is published"


def fetch(name: str, data: bytes, *, allow_partial: bool = False, **limits: int) -> Source:
    stream = io.BytesIO(data)
    return fetch_source(name, stream, Limits(**limits), allow_partial=allow_partial)


def paths(source: Source) -> list[str]:
    return [file.path for file in source.files]


def refusal(
    name: str,
    data: bytes,
    error: type[QuothError] = InvalidInput,
    *,
    allow_partial: bool = False,
    **limits: int,
) -> str:
    with pytest.raises(error) as caught:
        fetch(name, data, allow_partial=allow_partial, **limits)
    return caught.value.message


@pytest.mark.parametrize("ending", [".zip", *MODES])
def test_every_archive_format_gives_the_same_files(ending: str) -> None:
    files = {"docs/b.md": PAGE, "docs/a.mdx": PAGE}
    data = zipped(files) if ending == ".zip" else tarred(files, MODES[ending])
    source = fetch(f"book{ending}", data)
    assert paths(source) == ["docs/a.mdx", "docs/b.md"]
    assert source.files[0].data == PAGE.encode()


@pytest.mark.parametrize("name", ["page.md", "Page.MDX", "folder/page.markdown", "c:\\x\\page.md"])
def test_a_single_document_is_a_book_of_one_document(name: str) -> None:
    assert len(fetch(name, PAGE.encode()).files) == 1


def test_only_documents_and_what_orders_them_are_taken() -> None:
    files = dict.fromkeys(
        [
            *("a.md", "quoth.toml", "x/_category_.json", "src/SUMMARY.md", "LICENSE"),
            *("img/a.png", "code.py", ".git/x.md", "node_modules/y.md", "__MACOSX/z.md", ".h.md"),
        ],
        "",
    )
    assert paths(fetch("b.zip", zipped(files))) == [
        *("a.md", "img/a.png", "quoth.toml", "src/SUMMARY.md", "x/_category_.json")
    ]


def test_a_name_with_a_backslash_is_refused_with_what_to_do() -> None:
    message = refusal("b.tgz", tarred({"ok.md": PAGE, "back\\slash.md": PAGE}))
    assert "a name with a backslash" in message
    assert "rename it" in message


@pytest.mark.control("V11")
@pytest.mark.fault("G6")
@pytest.mark.parametrize(
    "path",
    ["../a.md", "x/../../a.md", "/etc/a.md", "..\\a.md", "x\\a.md", "C:/a.md", "x/\x07.md"],
)
def test_a_path_that_leaves_its_folder_refuses_the_whole_archive(path: str) -> None:
    if "\\" not in path:
        assert "The archive holds" in refusal("b.zip", zipped({"ok.md": PAGE, path: PAGE}))
    assert "The archive holds" in refusal("b.tgz", tarred({"ok.md": PAGE, path: PAGE}))


@pytest.mark.control("V11")
def test_links_and_devices_are_left_out_with_a_warning() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE)):
            member = tarfile.TarInfo(f"link{number}.md")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        member = tarfile.TarInfo("a.md")
        member.size = len(PAGE)
        archive.addfile(member, io.BytesIO(PAGE.encode()))
    source = fetch("b.tar", buffer.getvalue())
    assert paths(source) == ["a.md"]
    assert len(source.warnings) == 3


@pytest.mark.control("V11")
def test_a_symbolic_link_in_a_zip_is_left_out() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.md", PAGE)
    source = fetch("b.zip", buffer.getvalue())
    assert paths(source) == ["a.md"]
    assert "link.md" in source.warnings[0]


@pytest.mark.fault("G6")
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_that_unpacks_to_far_more_than_its_size_is_too_large(pack: Pack) -> None:
    bomb = pack({f"{number}.md": b" " * (8 * MIB) for number in range(3)})
    name = "b.zip" if pack is zipped else "b.tgz"
    assert "100 times its size" in refusal(name, bomb, TooLarge)


@pytest.mark.fault("G6")
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_the_limits_on_documents_totals_and_entries_hold(pack: Pack) -> None:
    name = "b.zip" if pack is zipped else "b.tgz"
    data = pack({f"{number}.md": PAGE * 100 for number in range(10)})
    assert "more than 9 entries" in refusal(name, data, TooLarge, entries=9)
    assert '".' not in refusal(name, data, TooLarge, document=100)
    assert "MiB" in refusal(name, data, TooLarge, unpacked=3000)
    assert len(fetch(name, data, entries=10).files) == 10


@pytest.mark.fault("G6")
def test_a_zip_with_too_many_entries_is_refused_before_an_entry_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = zipped({f"{number}.md": b"" for number in range(300)})
    made: list[object] = []

    class Counted(zipfile.ZipInfo):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            made.append(arguments)
            super().__init__(*arguments, **named)

    monkeypatch.setattr(zipfile, "ZipInfo", Counted)
    assert "more than 299 entries" in refusal("b.zip", data, TooLarge, entries=299)
    assert not made
    assert len(fetch("b.zip", zipped({"a.md": PAGE}), entries=1).files) == 1


@pytest.mark.fault("G6")
def test_a_zip_that_says_its_directory_is_huge_is_refused_before_it_is_read() -> None:
    data = zipped({"a.md": PAGE, "pad.bin": random.Random(1).randbytes(20_000)})
    end = data.rfind(b"PK\x05\x06")
    lying = bytearray(data)
    lying[end + 12 : end + 16] = (end - 10).to_bytes(4, "little")
    assert "more than 10 entries" in refusal("b.zip", bytes(lying), TooLarge, entries=10)


@pytest.mark.fault("G6")
def test_a_tar_is_counted_as_it_unpacks_whatever_it_holds() -> None:
    data = tarred({"a.md": PAGE, "huge.bin": b"\0" * (6 * MIB)})
    assert "100 times" in refusal("b.tgz", data, TooLarge)


@pytest.mark.fault("G6")
def test_a_zip_that_lies_about_sizes_is_refused() -> None:
    data = bytearray(zipped({"a.md": PAGE * 50}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (5).to_bytes(4, "little")
    assert "damaged" in refusal("b.zip", bytes(data))


@pytest.mark.parametrize("name", ["b.zip", "b.tar", "b.tgz", "b.tar.bz2", "b.tar.xz"])
@pytest.mark.parametrize("data", [b"not an archive at all" * 100, b"PK\x03\x04", b"\x1f\x8b\x08"])
def test_a_file_that_is_no_archive_is_refused(name: str, data: bytes) -> None:
    assert "damaged, or not in the format" in refusal(name, data)


@pytest.mark.parametrize("ending", [".zip", *MODES])
def test_an_archive_that_is_cut_off_is_refused_or_complete(ending: str) -> None:
    files = {f"{n}.md": PAGE + str(n) * 500 for n in range(20)}
    data = zipped(files) if ending == ".zip" else tarred(files, MODES[ending])
    for cut in range(1, len(data), max(1, len(data) // 40)):
        try:
            source = fetch(f"b{ending}", data[:cut])
        except InvalidInput:
            continue
        # A tar without its last blocks of zeros has lost nothing.
        assert all(file.data == files[file.path].encode() for file in source.files)


def test_the_same_path_twice_is_refused() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("a.md"), io.BytesIO())
    assert "twice" in refusal("b.tar", buffer.getvalue())


def test_an_archive_without_documents_is_refused() -> None:
    expected = "The source holds no document (.md, .mdx"
    assert refusal("b.zip", zipped({"a.log": "x"})).startswith(expected)
    assert refusal("b.zip", zipped({"LICENSE.txt": "x"})).startswith(expected)
    assert refusal("b.zip", zipped({})).startswith(expected)
    assert refusal("b.zip", zipped({"SUMMARY.md": "[a](a.md)"})).startswith(expected)


def test_a_document_of_a_form_that_is_not_read_is_told_with_what_to_do() -> None:
    files = {"a.md": PAGE, "b/one.rtf": "= A", "two.rtf": "", "c.tex": ""}
    found = fetch("b.zip", zipped(files))
    assert paths(found) == ["a.md"]
    advice = "is not read: convert it to HTML, Markdown, EPUB or PDF and ingest that."
    assert sorted(found.warnings) == [
        f'"b/one.rtf" and 1 more was left out: RTF {advice}',
        f'"c.tex" was left out: LaTeX {advice}',
    ]
    for name, data in (("book.rtf", b"= A"), ("b.zip", zipped({"book.rtf": "= A"}))):
        assert refusal(name, data) == f'"book.rtf": RTF {advice}'


def test_an_archive_inside_an_archive_is_told_with_what_to_do() -> None:
    inner = zipped({"a.md": PAGE})
    found = fetch("b.zip", zipped({"a.md": PAGE, "x/two.tar.gz": inner, "one.ZIP": inner}))
    assert paths(found) == ["a.md"]
    advice = "an archive inside an archive is not read: unpack it first."
    assert found.warnings == [f'"x/two.tar.gz" and 1 more was left out: {advice}']
    assert refusal("b.zip", zipped({"one.zip": inner})) == f'"one.zip": {advice}'
    large = zipped({"a.md": PAGE, "large.zip": b"PK" * MIB})
    assert fetch("b.zip", large, document=MIB).warnings == [
        'Left out: "large.zip" is larger than 1 MiB.'
    ]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_document_that_is_too_large_is_left_out_by_name_where_some_may_be(pack: Pack) -> None:
    name = "b.zip" if pack is zipped else "b.tgz"
    small, large = {"a.md": PAGE, "quoth.toml": ""}, {"docs/huge.md": "x" * 2 * MIB}
    data = pack({**large, **small})
    assert "huge.md" in refusal(name, data, TooLarge, document=MIB)
    source = fetch(name, data, allow_partial=True, document=MIB)
    assert paths(source) == ["a.md", "quoth.toml"]
    reason = 'Left out: "docs/huge.md" is larger than 1 MiB.'
    assert source.warnings == [reason]
    message = refusal(name, pack(large), allow_partial=True, document=MIB)
    assert message.startswith("The source holds no document")
    assert message.endswith(reason)
    order = pack({"a.md": PAGE, "quoth.toml": "#" * 2 * MIB})
    assert "quoth.toml" in refusal(name, order, TooLarge, allow_partial=True, document=MIB)


@pytest.mark.fault("G6")
def test_the_holes_of_a_sparse_file_are_counted_as_what_they_become() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        hole = tarfile.TarInfo("hole.md")
        hole.pax_headers = {"GNU.sparse.size": str(8 * MIB), "GNU.sparse.map": "0,0"}
        archive.addfile(hole)
    assert "100 times" in refusal("b.tar", buffer.getvalue(), TooLarge)


def test_the_command_line_knows_the_same_formats_as_ingest() -> None:
    assert set(packing.FOREIGN) == set(FOREIGN)
    assert set(packing.DOCUMENTS) == set(DOCUMENT_ENDINGS)
    assert set(packing.ARCHIVES) == set(ENDINGS)


def test_no_format_is_both_read_and_left_out() -> None:
    # What is foreign is left out first, so its parser would never be asked.
    assert set(FOREIGN).isdisjoint(DOCUMENT_ENDINGS)


def test_an_empty_upload_is_refused() -> None:
    assert refusal("a.md", b"") == "The source is empty."


def test_an_unknown_ending_names_the_known_ones() -> None:
    assert ".tar.gz" in refusal("book.rar", b"x")
    assert ".mdx" in refusal("", b"x")


@pytest.mark.fault("G5")
def test_bytes_that_are_not_utf8_are_named_with_their_place() -> None:
    message = refusal("b.zip", zipped({"d/a.md": b"# ok\n\nbad \xff byte"}))
    assert message == '"d/a.md" is not UTF-8 text: byte 10, line 3.'


def test_all_files_that_cannot_be_read_are_named_at_once() -> None:
    files: dict[str, bytes | str] = {
        "a.md": b"\xff",
        "b.md": PAGE,
        "c.pdf": b"no",
        **dict.fromkeys("defghijklm", b""),
    }
    files = {path if "." in path else f"{path}.docx": data for path, data in files.items()}
    message = refusal("b.zip", zipped(files))
    assert message.startswith(
        '12 documents can\'t be read: "a.md" is not UTF-8 text: byte 0, line 1. '
        '"c.pdf" is no PDF file, whatever its name says. "d.docx" is no DOCX file'
    )
    assert f" and 2 more. {ALLOWED}" in message


def test_the_rest_is_spoken_of_where_there_is_one() -> None:
    def said(files: dict[str, str | bytes]) -> str:
        return refusal("b.zip", zipped(files))

    assert said({"a.md": b"o\0", "b.md": PAGE}).startswith(
        f'"a.md" holds a NUL character: byte 1, line 1. {ALLOWED}'
    )
    assert ALLOWED not in said({"a.md": b"o\0"})
    # What orders a book is no document: nothing is published without it.
    assert ALLOWED not in said({"quoth.toml": "title = 3", "a.md": b"\xff", "b.md": PAGE})


@pytest.mark.fault("G5")
def test_a_nul_is_named_with_its_place() -> None:
    assert refusal("a.md", b"one\ntw\0o") == '"a.md" holds a NUL character: byte 6, line 2.'


def test_a_long_path_is_refused() -> None:
    assert "512" in refusal("b.zip", zipped({"x" * 600 + ".md": PAGE}))


@pytest.mark.parametrize(
    ("toml", "part"),
    [
        ("titel = 'x'", "unknown key 'titel'"),
        ("title = 3", "title must be"),
        ("order = 'a.md'", "order must be a list"),
        ("language = 'english'", 'quoth.toml: language: "english" is no language code'),
        ("language = 'xx'", "ISO 639"),
        ("base_url = 'javascript:x'", "base_url must start"),
        ("title = ", "not valid TOML"),
    ],
)
def test_a_quoth_toml_with_a_mistake_is_refused_with_the_key(toml: str, part: str) -> None:
    assert part in refusal("b.zip", zipped({"a.md": PAGE, "quoth.toml": toml}))


def test_unpacked_files_lie_in_the_given_room_and_are_read_one_by_one() -> None:
    files = {f"{number}.md": f"{PAGE}{number}" for number in (2, 0, 1)}
    room = io.BytesIO()
    source = fetch_source("b.zip", io.BytesIO(zipped(files)), Limits(), room=room)
    assert len(room.getvalue()) == sum(map(len, files.values()))
    assert [(file.path, file.data.decode()) for file in source.files] == sorted(files.items())
    assert [file.path for file in source.files[1:]] == ["1.md", "2.md"]
    again = source.files[1]
    assert again.content_hash == SourceFile("1.md", again.data).content_hash


def test_faults_of_an_archive_are_named_before_faults_of_its_files() -> None:
    files = {"a.md": b"\xffabc", "z.md": b"x" * 200}
    assert "not UTF-8" in refusal("b.zip", zipped(files))
    assert "is larger than" in refusal("b.zip", zipped(files), TooLarge, document=100)


def test_pictures_beyond_their_room_are_left_out_and_the_book_is_taken() -> None:
    files = {"a.md": "# A", **{f"{n}.png": "x" * 10 for n in range(4)}, "big.png": "y" * 30}
    limits = Limits(image=20, images=25, image_count=9)
    fetched = fetch_source("b.zip", io.BytesIO(zipped(files)), limits)
    assert [file.path for file in fetched.files] == ["0.png", "1.png", "a.md"]
    assert fetched.warnings == [
        '"2.png" was left out: the pictures take too much room.',
        '"3.png" was left out: the pictures take too much room.',
        'Left out: "big.png" is larger than 0 MiB.',
    ]
    few = fetch_source("b.zip", io.BytesIO(zipped(files)), Limits(image_count=1))
    assert len(few.files) == 2


def test_source_code_that_sphinx_shows_beside_its_pages_is_no_part_of_the_book() -> None:
    files = {"index.html": "<h1>A</h1>", "_modules/requests/api.html": "<h1>Source code</h1>"}
    fetched = fetch_source("b.zip", io.BytesIO(zipped(files)), Limits())
    assert [file.path for file in fetched.files] == ["index.html"]


def test_only_texts_are_files_for_programs_by_their_names() -> None:
    names = ["requirements.html", "robots.md", "a.txt", "requirements.txt", "robots.txt"]
    found = fetch_source("b.zip", io.BytesIO(zipped(dict.fromkeys(names, "x"))), Limits())
    assert sorted(file.path for file in found.files) == ["a.txt", "requirements.html", "robots.md"]
