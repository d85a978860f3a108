"""An index of questions that stand again as titles of their answers is no text."""

from services.ingest.parsers.plain import parse_plain

INDEX = """\
START:  How to start it?
ASH:    Where do I get "the" ash?
LEAD:   The lead drips.
SALT:   Is salt safe?
"""
ANSWERS = """\
START: How to start it?
    Light the kiln and wait.

ASH: Where do I get the ash?
    Burn wood for it.

LEAD: The lead drips.
    Use less of it.

SALT: Is salt safe?
    It is not for all.
"""


def titles(text: str) -> list[str]:
    return [section.path[-1] for section in parse_plain(text, "Fallback").sections[1:]]


def test_questions_that_stand_again_are_titles_and_their_index_is_left_out() -> None:
    parsed = parse_plain(f"{INDEX}\n{ANSWERS}", "Fallback")
    assert "LEAD: The lead drips." in titles(f"{INDEX}\n{ANSWERS}")
    assert parsed.text.count("The lead drips") == 1
    assert '"the"' not in parsed.text
    assert [one.kind for one in parsed.dropped_content] == ["table of contents"]


def test_an_index_of_which_one_line_stands_nowhere_else_stays() -> None:
    text = f"{INDEX}CLAY:   Why does it crack?\n\n{ANSWERS}"
    assert not titles(text)
    assert "Why does it crack?" in parse_plain(text, "Fallback").text
