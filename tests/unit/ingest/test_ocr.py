"""Scanned pages are read where the `ocr` extra is installed."""

import importlib.util
from typing import Any

import pytest

from services.ingest.parsers.pdf import ocr, parse_pdf
from tests.support.pdf_files import scan_of, text_at

LINES = [
    "A scanned page holds no letters but a picture of them, which has to be",
    "read by a machine that has learnt what letters look like, and which may",
    "take one of them for another. It ends with the number 4711.",
]


@pytest.fixture(scope="module")
def scan() -> bytes:
    lines = [text_at(72, 640 - 14 * n, line, 11) for n, line in enumerate(LINES)]
    return scan_of([text_at(72, 700, "Chapter One", 22), *lines])


def test_without_the_extra_a_scan_is_told_with_what_to_install(
    scan: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    parsed = parse_pdf(scan, "F")
    assert parsed.text == ""
    [warning] = parsed.warnings
    assert "no page has a text layer" in warning
    assert "install the ocr extra" in warning


def test_a_page_that_the_engine_fails_on_is_named_and_left_out(
    scan: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(picture: Any) -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(ocr, "_engine", lambda: fail)
    [warning] = parse_pdf(scan, "F").warnings
    assert "no page has a text layer" in warning


@pytest.mark.skipif(not ocr.can_read_scans(), reason="the ocr extra is not installed")
def test_a_scan_is_read_with_its_pages_and_its_headings(scan: bytes) -> None:
    parsed = parse_pdf(scan, "F")
    heading, paragraph = parsed.blocks
    assert parsed.text[heading.start : heading.end] == "Chapter One"
    assert parsed.text[paragraph.start : paragraph.end] == " ".join(LINES)
    assert paragraph.page == 1
    assert parsed.warnings == (
        "page 1 is a picture and was read by OCR: look for mistakes in its text",
    )
