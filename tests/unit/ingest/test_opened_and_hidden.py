"""What a reader can open is text, what nothing opens is none, and sheets do no harm."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html

HIDDEN = "hidden text"
SECRET = "<p class='deep'>Deep <b>words</b>.</p>"


def dropped_from(parsed: ParsedText) -> list[tuple[str, int, bool]]:
    return [(item.kind, item.characters, item.dropped) for item in parsed.dropped_content]


@pytest.mark.parametrize(
    "sheet",
    [
        ".deep{font-size:0} b{font-size:12px}",
        ".deep{visibility:hidden} .deep b{visibility:visible}",
        ".deep{color:#fff} b{color:#000}",
    ],
)
def test_words_that_show_themselves_again_within_hidden_ones_are_read(sheet: str) -> None:
    parsed = parse_html(f"<style>{sheet}</style><h1>T</h1><p>Seen.</p>{SECRET}", "F")
    assert parsed.text == "T\n\nSeen.\n\nwords"
    assert dropped_from(parsed) == [(HIDDEN, 5, True)]


TABS = "<button aria-controls='x'>Two</button><div id='x' {}>Deep words.</div>"


@pytest.mark.parametrize(
    "page",
    [
        "<details><summary>More</summary>Deep words.</details>",
        TABS.format("hidden"),
        "<div role='tabpanel' hidden>Deep words.</div>",
        "<a data-toggle='tab' href='#x'>More</a><div id='x' style='display:none'>Deep words.</div>",
        "<a onclick=\"show('x')\">More</a><div id='x' style='display:none'>Deep words.</div>",
        (
            "<script>open('fold')</script><style>.fold{max-height:0;overflow:hidden}</style>"
            "<div class='fold'>Deep words.</div>"
        ),
        (
            "<script src='a.js'></script><style>.fold:not(.show){display:none}</style>"
            "<div class='fold'>Deep words.</div>"
        ),
        (
            "<style>.fold{display:none} input:checked ~ .fold{display:block}</style>"
            "<input type='checkbox'><label>More</label><div class='fold'>Deep words.</div>"
        ),
        (
            "<style>.tip{visibility:hidden} .of:hover .tip{visibility:visible}</style>"
            "<span class='of'>Word<span class='tip'>Deep words.</span></span>"
        ),
        (
            "<style>.fold{display:none} .fold:target{display:block}</style>"
            "<div class='fold' id='f'>Deep words.</div>"
        ),
        (
            "<style>.in{opacity:0;animation:show 1s forwards} @keyframes show{to{opacity:1}}</style>"
            "<p class='in'>Deep words.</p>"
        ),
        "<div hidden='until-found'>Deep words.</div>",
    ],
)
def test_text_that_a_reader_can_open_stays(page: str) -> None:
    parsed = parse_html(
        f"<!doctype html><html><body><h1>T</h1><p>Seen.</p>{page}</body></html>", "F"
    )
    assert "Deep words." in parsed.text


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "page",
    [
        "<p><font color='white'>Deep words.</font></p>",
        "<body bgcolor='#000'><p>Deep words.</p></body>",
        "<table bgcolor='navy'><tr><td><font color='navy'>Deep words.</font></td></tr></table>",
        "<div style='color:#fff'><p>Deep words.</p></div>",
        "<p class='sr-only'>Deep words.</p>",
        "<p style='display:/**/none'>Deep words.</p>",
        "<style>.fold{display:none} .fold.show{display:block}</style><p class='fold'>Deep words.</p>",
    ],
)
def test_a_page_hides_words_by_attributes_and_by_what_it_stands_in(page: str) -> None:
    parsed = parse_html(f"<html>{page}</html>", "F")
    assert parsed.text == ""
    assert dropped_from(parsed) == [(HIDDEN, 10, True)]


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "sheet",
    [
        ":is(" * 3000 + "p" + ")" * 3000 + "{color:red}",
        "& & {" * 40 + "display:none" + "}" * 40,
        "p{width:" + "(" * 20_000 + "}",
        ":root{" + "".join(f"--v{at}:var(--v{at + 1}) var(--v{at + 1});" for at in range(60)) + "}"
        "p{color:var(--v0)}",
        "p{width:calc(" + "1px + " * 3000 + "1px);overflow:hidden}",
        "@media " + "(" * 3000 + "{p{display:none}}",
        "@media " + "not " * 3000 + "screen{p{display:none}}",
    ],
    ids=["selectors", "rules", "brackets", "variables", "sums", "media", "nots"],
)
def test_a_sheet_that_is_made_to_harm_harms_nothing(sheet: str) -> None:
    parsed = parse_html(f"<style>{sheet}</style><h1>T</h1><p>Seen.</p>", "F")
    assert parsed.text == "T\n\nSeen."


def test_a_page_with_longer_sheets_than_are_read_is_named() -> None:
    sheet = "".join(f".a{at}{{color:red}}" for at in range(30_000))
    parsed = parse_html(f"<style>{sheet}</style><h1>T</h1><p>Seen.</p>", "F")
    assert [one.kind for one in parsed.dropped_content] == ["style sheet"]
