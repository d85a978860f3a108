"""Fields for programs in the header of a plain text are left out and told."""

import pytest

from services.ingest.parsers.plain import parse_plain

BODY = (
    "\n\nThe mill\n\nThe mill grinds oats and rye for the whole valley, in winter and in summer.\n"
)
WIKI = "Content-Type: text/x-wiki\nWiki-Format: wiki 0.4\nCreation-Date: Wed, 19 Nov 2008"


def test_a_header_of_a_page_of_a_wiki_is_left_out_and_told() -> None:
    parsed = parse_plain(WIKI + BODY, "F")
    assert "Content-Type" not in parsed.text
    assert parsed.text.startswith("The mill")
    [told] = [one for one in parsed.dropped_content if one.kind == "header"]
    assert (told.place, told.reason) == ("lines 1-3", "it speaks to programs")


def test_a_field_goes_on_in_indented_lines() -> None:
    parsed = parse_plain(f"X-Seen: a, b,\n  c and d\nSubject: Oats{BODY}", "F")
    assert parsed.text.startswith("Subject: Oats")
    assert "c and d" not in parsed.text


@pytest.mark.parametrize(
    "header",
    [
        "Title: The mill\nAuthor: Ada Wong",
        "Content-Type: text/x-wiki",
        "Content-Type: text/x-wiki\nThis is a sentence.",
        "A word\n\nContent-Type: text/x-wiki\nWiki-Format: wiki 0.4",
    ],
    ids=["fields for readers", "one line", "a sentence", "not on top"],
)
def test_any_other_lines_stay(header: str) -> None:
    parsed = parse_plain(header + BODY, "F")
    assert "".join(header.split()) in "".join(parsed.text.split())
