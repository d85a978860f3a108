"""Quotations with markup are found where the reader sees them, and offsets go back and forth."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deploy.evaluation.quotations import Text, align, match_path, overlaps, squeeze
from deploy.evaluation.report.plain import as_markdown


def _at(text: str, quote: str) -> list[str]:
    return [text[start:end] for start, end in Text(text).find(quote)]


def test_emphasis_of_the_source_does_not_matter() -> None:
    assert _at("It will not work. Buy RTX.", "It **will not work**.") == ["It will not work"]


def test_table_bars_and_white_space_do_not_matter() -> None:
    text = "Part | Price\nThe Brain | $249\nWi-Fi | $0"
    assert _at(text, "| **The Brain** | **$249** |") == ["The Brain | $249"]


def test_link_targets_and_tags_of_the_source_do_not_matter() -> None:
    text = "Read the guide before you start."
    assert _at(text, "Read the [guide](https://example.org/a1) before<br/> you") == [
        "Read the guide before you"
    ]


def test_list_numbers_of_the_source_do_not_matter() -> None:
    text = "Open the lid\n\nPull the plug"
    assert _at(text, "1. Open the lid 2. Pull the plug") == [text]


def test_every_place_of_a_quotation_is_found() -> None:
    assert Text("Stop it. Go. Stop it.").find("stop it") == [(0, 7), (13, 20)]


def test_a_long_quotation_that_differs_in_the_middle_is_found_by_its_ends() -> None:
    begin = "The controller runs at one thousand hertz and reads all of the joint encoders"
    end = "before it writes the next torque command to each of the motor drivers in turn"
    text = f"Intro. {begin}, as figure four shows in detail, {end}. Outro."
    assert _at(text, f"{begin} as the figure shows {end}") == [
        f"{begin}, as figure four shows in detail, {end}"
    ]


def test_a_quotation_that_runs_on_into_the_navigation_is_found_by_its_beginning() -> None:
    begin = "Further information is kept in the handbook, and in the packages that it names there"
    text = f"Intro. {begin}."
    assert _at(text, f"{begin}. Chapter 9. Keeping up Chapter 11. Moving on") == [begin]
    assert _at(text, f"{begin[:40]}. Chapter 9. Keeping up Chapter 11. Moving on to more") == []


def test_a_quotation_that_the_book_does_not_have_is_not_found() -> None:
    assert Text("Nothing like it.").find("Something altogether different stands here") == []
    assert Text("Anything").find("---") == []


def test_compatibility_forms_are_one() -> None:
    assert squeeze("ﬁne Ⅳ") == squeeze("fine IV")
    assert _at("the ﬁne print", "fine print") == ["ﬁne print"]


def test_paths_match_by_their_ends() -> None:
    paths = ["docs/intro/a.md", "intro/b.md", "other/a.md"]
    assert match_path("docs/intro/b.md", paths) == "intro/b.md"
    assert match_path("intro/a.md", paths) == "docs/intro/a.md"
    assert match_path("a.md", ["a.md", "x/a.md"]) == "a.md"
    assert match_path("c.md", paths) is None


def test_ranges_that_only_touch_do_not_overlap() -> None:
    assert overlaps((0, 5), (4, 6))
    assert not overlaps((0, 5), (5, 6))


def test_offsets_go_back_over_changed_white_space() -> None:
    original, ingested = "One  two.\n Three", "One two.\n\nThree"
    found = align(original, ingested)
    assert found.share == 1.0
    start = ingested.index("two")
    low, high = found.back(start, start + len("two."))
    assert original[low:high] == "two."


def test_offsets_go_back_over_lost_characters() -> None:
    original = "Here are *stars* and `ticks` in a rather long sentence to go on with."
    ingested = "Here are stars and ticks in a rather long sentence to go on with."
    found = align(original, ingested)
    start = ingested.index("sentence")
    low, high = found.back(start, start + 8)
    assert original[low:high] == "sentence"
    assert found.share > 0.9


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp")), max_size=60)
)
def test_an_escaped_text_shows_all_of_its_characters(text: str) -> None:
    tokens = MarkdownIt().parse(as_markdown(text))
    shown = "".join(
        child.content for token in tokens for child in token.children or [] if child.type == "text"
    )
    assert "".join(shown.split()) == "".join(text.split())
    assert all(token.type.startswith("paragraph") or token.type == "inline" for token in tokens)


def test_long_lines_are_paragraphs_and_short_ones_are_wrapped_text() -> None:
    long = "words " * 30
    tokens = MarkdownIt().parse(as_markdown(f"one\ntwo\n{long}\n{long}\nthree\n"))
    assert sum(token.type == "paragraph_open" for token in tokens) == 4
