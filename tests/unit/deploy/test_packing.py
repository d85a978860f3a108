"""What `quoth ingest` sends, and what it refuses before anything travels."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from deploy.rest_client import packing
from deploy.rest_client.packing import MAX_IMAGE_BYTES, PackingError, open_source
from services.gateway.settings import Settings as GatewaySettings
from services.ingest import fetch
from services.ingest.parsers import archive, formats
from services.ingest.parsers.archive import Limits
from services.ingest.settings import Settings


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "a-book"
    for name, text in {
        "intro.md": "# Intro\n",
        "part/two.mdx": "# Zwei ü\n",
        "quoth.toml": 'title = "T"\n',
        "part/_category_.json": "{}",
        ".hidden/secret.md": "no",
        ".draft.md": "no",
        "node_modules/pkg/README.md": "no",
        "picture.png": "no",
        "css/page.css": ".x { display: none }",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def packed(path: Path) -> bytes:
    with open_source(path) as source:
        return source.path.read_bytes()


def names(path: Path) -> list[str]:
    return tarfile.open(fileobj=io.BytesIO(packed(path)), mode="r:gz").getnames()


def test_a_folder_becomes_an_archive_of_its_documents_pictures_and_sheets(book: Path) -> None:
    assert names(book) == [
        *("css/page.css", "intro.md", "part/_category_.json", "part/two.mdx"),
        *("picture.png", "quoth.toml"),
    ]
    with open_source(book) as source:
        assert source.file_name == "a-book.tar.gz"


def test_settings_that_begin_with_a_dot_are_sent_as_ingest_reads_them(book: Path) -> None:
    (book / "part" / ".pages").write_text("nav: [two.mdx]")
    assert "part/.pages" in names(book)
    assert ".draft.md" not in names(book)


def test_the_same_folder_makes_the_same_bytes(book: Path, tmp_path: Path) -> None:
    first = packed(book)
    for path in book.rglob("*"):
        os.utime(path, (1, 1))
    (book / "intro.md").chmod(0o600)

    assert packed(book) == first


def test_nothing_is_left_in_the_temporary_folder(book: Path) -> None:
    with open_source(book) as source:
        path = source.path
    assert not path.exists()


@pytest.mark.control("V11")
def test_a_link_out_of_the_folder_is_sent_as_a_name_for_ingest_to_tell(
    book: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("secret")
    (book / "link.md").symlink_to(tmp_path / "outside.md")
    (book / "inside.md").symlink_to(book / "intro.md")
    (book / "shared").symlink_to(tmp_path)
    (book / "logo.png").symlink_to(tmp_path / "outside.md")

    with open_source(book) as sent, sent.path.open("rb") as file:
        source = fetch.fetch_source(sent.file_name, file, Limits())
    documents = [file.path for file in source.files if file.path.endswith(".md")]
    assert documents == ["inside.md", "intro.md"]
    assert source.warnings == [
        f'"{name}" is a link or a device and was left out.'
        for name in ("link.md", "logo.png", "shared")
    ]


def test_pictures_that_are_too_large_are_sent_as_names_for_ingest_to_tell(
    book: Path,
) -> None:
    (book / "huge.png").write_bytes(b"x" * (MAX_IMAGE_BYTES + 1))
    with open_source(book) as sent, sent.path.open("rb") as file:
        assert sent.path.stat().st_size < 4096
        source = fetch.fetch_source(sent.file_name, file, Limits())
    assert source.warnings == ['Left out: "huge.png" is larger than 8 MiB.']
    assert "picture.png" in [file.path for file in source.files]


def test_a_single_document_and_an_archive_are_sent_as_they_are(book: Path, tmp_path: Path) -> None:
    archive = tmp_path / "book.zip"
    archive.write_bytes(b"anything")

    for path in (book / "intro.md", archive):
        with open_source(path) as source:
            assert (source.path, source.file_name) == (path, path.name)


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_file_that_is_not_text_is_packed_where_ingest_may_leave_it_out(
    book: Path, is_alone: bool
) -> None:
    (book / "intro.md").write_bytes(b"caf\xe9")

    path = book / "intro.md" if is_alone else book
    with open_source(path, allow_partial=True) as sent, sent.path.open("rb") as file:
        source = fetch.fetch_source(sent.file_name, file, Limits(), allow_partial=True)
    assert b"caf\xe9" in [file.data for file in source.files]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\n\n\0", r"chapter.md holds a NUL character \(line 3\)"),
    ],
)
def test_text_that_is_no_text_is_refused_with_its_place(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "chapter.md").write_bytes(content)

    for path in (tmp_path, tmp_path / "chapter.md"):
        with pytest.raises(PackingError, match=message), open_source(path):
            pytest.fail("sent")


def test_a_folder_with_a_file_that_is_no_text_says_how_the_rest_is_published(book: Path) -> None:
    (book / "chapter.md").write_bytes(b"\0")
    rest = (
        r"chapter\.md holds .*: it is not a text file\. With --allow-partial the rest is published"
    )
    with pytest.raises(PackingError, match=rest), open_source(book):
        pytest.fail("sent")

    with pytest.raises(PackingError) as caught, open_source(book / "chapter.md"):
        pytest.fail("sent")
    assert "--allow-partial" not in str(caught.value)


def test_a_file_of_200_mb_is_refused_by_name_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(200_000_000)

    with pytest.raises(PackingError, match=r"huge\.md is too large: 200 MB"), open_source(tmp_path):
        pytest.fail("sent")


def test_a_file_that_is_too_large_is_sent_as_a_name_when_ingest_may_leave_it_out(
    book: Path,
) -> None:
    with (book / "huge.md").open("wb") as huge:
        huge.truncate(200_000_000)

    with open_source(book, allow_partial=True) as sent, sent.path.open("rb") as file:
        source = fetch.fetch_source(sent.file_name, file, Limits(), allow_partial=True)
        assert sent.path.stat().st_size < 10_000
    assert [file.path for file in source.files if file.path.endswith(".md")] == ["intro.md"]
    assert source.warnings == ['Left out: "huge.md" is larger than 16 MiB.']


def test_an_archive_over_the_limit_is_refused_by_name(tmp_path: Path) -> None:
    with (tmp_path / "huge.zip").open("wb") as file:
        file.truncate(packing.MAX_UPLOAD_BYTES + 1)

    with (
        pytest.raises(PackingError, match=r"huge\.zip is too large"),
        open_source(tmp_path / "huge.zip"),
    ):
        pytest.fail("sent")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackingError, match="holds no document"), open_source(tmp_path):
        pytest.fail("sent")


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(PackingError, match="nowhere can't be read: No such file"),
        open_source(tmp_path / "nowhere"),
    ):
        pytest.fail("sent")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book.bin").write_bytes(b"PK")

    with pytest.raises(PackingError, match="neither a folder"), open_source(tmp_path / "book.bin"):
        pytest.fail("sent")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(book: Path) -> None:
    (book / "intro.md").chmod(0)

    with pytest.raises(PackingError, match=r"intro\.md can't be read"), open_source(book):
        pytest.fail("sent")


def test_a_file_that_changes_while_it_is_packed_is_read_again(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [b"# Half", b"# Whole\n\nNow it is."]
    page = book / "changing.md"
    page.write_bytes(b"# Before")
    real = os.fstat

    def change(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        if states and Path(f"/proc/self/fd/{descriptor}").resolve() == page.resolve():
            page.write_bytes(states.pop(0))
        return found

    monkeypatch.setattr(os, "fstat", change)
    with open_source(book) as source, tarfile.open(source.path) as archive:
        packed = archive.extractfile("changing.md")
        assert packed is not None
        assert packed.read() == b"# Whole\n\nNow it is."


def test_a_file_that_never_stands_still_is_named(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = book / "log.md"
    page.write_text("# Log\n")
    real = os.fstat

    def grow(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        if Path(f"/proc/self/fd/{descriptor}").resolve() == page.resolve():
            with page.open("a") as file:
                file.write("more\n")
        return found

    monkeypatch.setattr(os, "fstat", grow)
    with pytest.raises(PackingError, match=r"log\.md is being changed"), open_source(book):
        pass


def test_a_link_in_a_circle_is_named(book: Path) -> None:
    (book / "round.md").symlink_to(book / "round.md")

    with pytest.raises(PackingError, match=r"round\.md"), open_source(book):
        pytest.fail("sent")


def test_the_limits_are_those_of_the_service() -> None:
    shipped = Settings("dsn", "http://host:6334", Path("cache"))

    assert shipped.max_document_mib << 20 == packing.MAX_DOCUMENT_BYTES
    assert shipped.max_upload_mib << 20 == packing.MAX_UPLOAD_BYTES
    assert shipped.max_upload_mib == GatewaySettings().max_upload_mib
    assert formats.DOCUMENT_ENDINGS == packing.DOCUMENTS
    assert fetch.CONTROL_NAMES == packing.SETTINGS
    assert sorted(archive.ENDINGS) == sorted(packing.ARCHIVES)


def test_a_pipe_in_the_place_of_a_document_is_refused_and_not_read(book: Path) -> None:
    os.mkfifo(book / "pipe.md")

    with pytest.raises(PackingError, match=r"pipe\.md is not a regular file"), open_source(book):
        pytest.fail("sent")
    with pytest.raises(PackingError, match="regular"), open_source(book / "pipe.md"):
        pytest.fail("sent")


def test_documents_that_are_not_read_are_sent_by_name_for_ingest_to_tell(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / "b.tex").write_text("B")
    (tmp_path / "c.tar.gz").write_bytes(b"any")
    with open_source(tmp_path) as source, tarfile.open(source.path) as archive:
        assert [(one.name, one.size) for one in archive] == [
            ("a.md", 3),
            ("b.tex", 0),
            ("c.tar.gz", 0),
        ]
    with open_source(tmp_path / "b.tex") as source:
        assert source.file_name == "b.tex"


def test_xml_is_sent_whatever_it_is_and_what_is_too_large_as_a_name(tmp_path: Path) -> None:
    (tmp_path / "book.xml").write_text("<chapter><title>Kilns</title></chapter>")
    (tmp_path / "names.ent").write_text("<!ENTITY a 'b'>")
    (tmp_path / "pom.xml").write_text("<project/>")
    with (tmp_path / "data.xml").open("wb") as file:
        file.truncate(packing.MAX_DOCUMENT_BYTES + 1)
    with open_source(tmp_path) as sent, sent.path.open("rb") as file:
        source = fetch.fetch_source(sent.file_name, file, Limits())
    assert [one.path for one in source.files] == ["book.xml"]
    assert source.warnings == ['Left out: "data.xml" is larger than 16 MiB.']
