"""A manual that lies in a folder in several formats is taken once, and the report names the others."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.plan import Plan, plan_book

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


def test_the_first_of_many_that_are_left_out_are_named() -> None:
    paths = [f"{number}.{ending}" for number in range(8) for ending in ("pdf", "md")]
    [warning] = plan(*paths).warnings
    assert warning.startswith("8 documents were left out")
    assert warning.count(" of ") == 6
    assert "and 3 more" in warning
