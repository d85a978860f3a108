"""One citation record has three renderers."""

import pytest

from deploy.cli.citation_styles import cut_excerpt, render_citation, style_of

RECORD = {
    "n": 3,
    "quote": "It holds 21 MPa.",
    "document": "a.mdx",
    "section_path": ["Module 1", "Actuators", "Hydraulic Systems"],
    "page": 42,
    "url": "/actuators#hydraulic-systems",
}


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("integrated", "[Source 3]"),
        ("textbook", "[Source 3]"),
        ("academic", '[Source: Hydraulic Systems (Page 42) - "It holds 21 MPa."]'),
        (
            "course",
            "[Section: Module 1 > Actuators > Hydraulic Systems](/actuators#hydraulic-systems)",
        ),
        ("only-the-server-knows", "[Source 3]"),
    ],
)
def test_the_profile_chooses_the_renderer(profile: str, text: str) -> None:
    assert render_citation(RECORD, style_of(profile)) == text


def test_parts_that_a_source_lacks_are_left_out_of_its_citation() -> None:
    bare = {**RECORD, "page": None, "url": "", "section_path": []}
    assert render_citation(bare, "excerpt") == '[Source: a.mdx - "It holds 21 MPa."]'
    assert render_citation(bare, "section") == "[Section: a.mdx]"


def test_an_excerpt_ends_with_a_sentence_within_fifty_words() -> None:
    sentence = " ".join(["word"] * 19) + " end."
    assert cut_excerpt(" ".join([sentence] * 4)) == " ".join([sentence] * 2)
    assert len(cut_excerpt("word " * 80).split()) == 50


def test_an_excerpt_has_thirty_words_of_a_quote_that_has_more_than_fifty() -> None:
    short, long = "It moves.", " ".join(["word"] * 60) + "."
    assert len(cut_excerpt(f"{short} {long}").split()) == 50
    thirty = " ".join(["word"] * 29) + " end."
    assert cut_excerpt(f"{thirty} {long}") == thirty
