"""A manual that lies in a folder in several formats is taken once, and the report names the others."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.parsers.formats import Format
from services.ingest.plan import Plan, plan_book
from services.ingest.planning.renditions import omit_renditions

TEXT = b"# The arm\n\nThe arm holds still.\n"


def plan(*paths: str, order: str = "") -> Plan:
    files = [SourceFile(path, TEXT) for path in paths]
    if order:
        files.append(SourceFile("quoth.toml", f"order = [{order}]".encode()))
    return plan_book(Source(files))


def taken(found: Plan) -> list[str]:
    return [placed.file.path for placed in found.documents]


@pytest.mark.parametrize(
    ("paths", "best"),
    [
        (("manual.pdf", "manual.txt", "manual.epub"), "manual.epub"),
        (("manual.pdf", "manual.html", "Manual.txt"), "manual.html"),
        (("manual.rst.txt", "manual.pdf"), "manual.rst.txt"),
        (("manual.docx", "manual.pdf"), "manual.docx"),
    ],
)
def test_a_document_in_several_formats_is_read_in_the_best(
    paths: tuple[str, ...], best: str
) -> None:
    found = plan(*paths)
    assert taken(found) == [best]
    [warning] = found.warnings
    assert all(f'"{path}" of "{best}"' in warning for path in paths if path != best)
    assert '"order" in quoth.toml says which to take' in warning


def test_a_format_that_the_book_orders_is_taken_in_place_of_a_better_one() -> None:
    assert taken(plan("manual.pdf", "manual.epub", order='"manual.pdf"')) == ["manual.pdf"]
    both = plan("manual.pdf", "manual.epub", order='"manual.pdf", "manual.epub"')
    assert taken(both) == ["manual.pdf", "manual.epub"]
    assert not both.warnings


@pytest.mark.parametrize(
    "paths",
    [
        ("arm.md", "arm.txt"),
        ("install.de.pdf", "install.en.epub"),
        ("one/arm.pdf", "two/arm.epub"),
    ],
)
def test_other_languages_other_folders_and_pages_written_by_hand_are_documents_of_their_own(
    paths: tuple[str, ...],
) -> None:
    found = plan(*paths)
    assert sorted(taken(found)) == sorted(paths)
    assert not found.warnings


@pytest.mark.parametrize("other", ["manual.pdf", "Manual.epub", "manual.txt"])
def test_a_manual_beside_a_folder_of_its_name_and_another_format_is_left_out(other: str) -> None:
    pages = [f"doc/manual.html/{name}.html" for name in ("index", "arm")]
    found = plan(*pages, f"doc/{other}", "doc/other.pdf")
    assert sorted(taken(found)) == sorted([*pages, "doc/other.pdf"])
    [warning] = found.warnings
    assert f'"doc/{other}" of "doc/manual.html/"' in warning
    ordered = plan(*pages, f"doc/{other}", order=f'"doc/{other}"')
    assert f"doc/{other}" in taken(ordered)
    assert not ordered.warnings


@pytest.mark.parametrize(
    "paths",
    [
        ("html/a.html", "html/more/b.html", "manual.pdf"),
        ("d/md/a.md", "d/rst/a.rst", "d/rst/b.rst"),
        ("html/a.html", "html/b.html", "manual.txt"),
    ],
)
def test_a_folder_named_by_its_format_beside_another_form_stays_and_is_named(
    paths: tuple[str, ...],
) -> None:
    found = plan(*paths)
    assert sorted(taken(found)) == sorted(paths)
    [warning] = found.warnings
    assert "may be one text in several formats" in warning
    assert '"exclude" in quoth.toml' in warning


def test_forms_that_were_found_to_be_one_text_are_taken_once_and_others_not_named() -> None:
    paths = ("md/a.md", "html/a.html", "html/b.html", "rst/a.rst", "other.pdf", "same.epub")
    files = [SourceFile(path, TEXT) for path in paths]
    [doubtful] = plan_book(Source(files)).doubtful
    assert doubtful == ("html/", "md/", "rst/", "other.pdf", "same.epub")
    told = {"rst/": "html/", "same.epub": "html/", "other.pdf": ""}
    found = plan_book(Source(files), told)
    assert sorted(taken(found)) == ["html/a.html", "html/b.html", "md/a.md", "other.pdf"]
    named, doubt = found.warnings
    assert '"rst/" of "html/", "same.epub" of "html/"' in named
    assert doubt.startswith('"html/", "md/" may be one text')
    assert found.doubtful == [("html/", "md/")]
    assert not plan_book(Source(files), told | {"md/": ""}).doubtful


@pytest.mark.parametrize("order", ['"rst/a.rst"', '"same.pdf"'])
def test_a_form_that_the_book_orders_is_taken_first_and_stays(order: str) -> None:
    files = [SourceFile(path, TEXT) for path in ("html/a.html", "rst/a.rst", "same.pdf")]
    files.append(SourceFile("quoth.toml", f"order = [{order}]".encode()))
    [doubtful] = plan_book(Source(files)).doubtful
    expected = {
        '"rst/a.rst"': ("rst/", "html/", "same.pdf"),
        '"same.pdf"': ("html/", "rst/"),
    }
    assert doubtful == expected[order]


@pytest.mark.parametrize(
    "paths",
    [
        ("html/a.html", "html/b.html"),
        ("html/a.html", "other/manual.pdf"),
        ("html/notes.md", "manual.pdf"),
        ("html/a.html", "notes.md"),
        ("manual/a.html", "manual.pdf"),
    ],
)
def test_a_folder_that_need_not_be_another_form_gives_no_warning(paths: tuple[str, ...]) -> None:
    found = plan(*paths)
    assert sorted(taken(found)) == sorted(paths)
    assert not found.warnings


def test_a_manual_as_pages_as_text_and_as_pdf_is_taken_once() -> None:
    files = [SourceFile(path, TEXT) for path in ("html/a.html", "html/b.html", "m.txt", "m.pdf")]
    [doubtful] = plan_book(Source(files)).doubtful
    assert doubtful == ("html/", "m.txt")
    found = plan_book(Source(files), {"m.txt": "html/"})
    assert sorted(taken(found)) == ["html/a.html", "html/b.html"]


def test_many_texts_beside_pages_are_a_collection() -> None:
    assert not plan("html/a.html", *(f"{number}.txt" for number in range(9))).doubtful


def test_the_first_of_many_that_are_left_out_are_named() -> None:
    paths = [f"{number}.{ending}" for number in range(8) for ending in ("pdf", "md")]
    [warning] = plan(*paths).warnings
    assert warning.startswith("8 documents were left out")
    assert warning.count(" of ") == 6
    assert "and 3 more" in warning


def test_each_format_has_its_place_among_the_renditions_of_a_document() -> None:
    kept = [f"a{format_.endings[0]}" for format_ in Format if format_.endings]
    assert omit_renditions(kept, ()).kept == ["a.epub"]
    beside = ["a.ipynb", "a.docbook", "a.page", "a.md"]
    assert omit_renditions(beside, ()).doubtful == [("a.md", "a.docbook", "a.page", "a.ipynb")]
