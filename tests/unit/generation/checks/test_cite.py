"""A citation is the book, character by character, or it is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from services.generation.checks.cite import Citations
from services.generation.model import (
    BlockKind,
    Citation,
    Claim,
    DraftSentence,
    Grounding,
    Locator,
    Passage,
    PassageScores,
    Selection,
    Span,
    Verdict,
)
from services.generation.proof import examine_sentence
from services.generation.sections import SectionStart
from tests.support.generation_fakes import DOCUMENT, PASSAGE_TEXTS, PASSAGES, passage

FORCE = "A hydraulic actuator turns the pressure of a fluid into force."


def check(
    sentence: str, *claims: Claim, passages: tuple[Passage, ...] = PASSAGES
) -> list[Citation]:
    return Citations(passages).check(DraftSentence(sentence, tuple(claims)))


def only(citations: list[Citation]) -> Citation:
    (citation,) = citations
    return citation


def test_an_exact_quote_is_located_in_the_document() -> None:
    citation = only(check("x", Claim(1, "turns the pressure of a fluid")))
    assert citation.verdict is Verdict.EXACT
    assert DOCUMENT[citation.locator.start : citation.locator.end] == citation.quote
    assert citation.locator.section_path == ("Actuators", "Hydraulic")
    assert citation.chunk_id == PASSAGES[0].chunk_id


def test_a_folded_quote_becomes_the_books_own_characters() -> None:
    text = "The ﬁrst “spring–damper”  law holds."
    book = passage(text, document=text)
    citation = only(check("x", Claim(1, 'first "spring-damper" law'), passages=(book,)))
    assert citation.quote == "ﬁrst “spring–damper”  law"
    assert citation.verdict is Verdict.NORMALISED


@pytest.mark.parametrize(
    "claim",
    [
        Claim(0, FORCE),
        Claim(3, FORCE),
        Claim(0, PASSAGE_TEXTS[-1]),
        Claim(-1, PASSAGE_TEXTS[0]),
        Claim(2, FORCE),
        Claim(1, "turns the pressure into force"),
        Claim(1, "A hydraulic actuator … It holds 21 MPa"),
        Claim(1, "A hydraulic actuator ... into force."),
        Claim(1, "force. Hydraulic lines do not tolerate dirt."),
        Claim(1, "force"),
        Claim(1, "a fluid"),
        Claim(1, "urns the pressure of a flui"),
        Claim(1, "  "),
        Claim(1, "TURNS THE PRESSURE OF A FLUID"),
    ],
)
def test_a_quote_that_is_not_in_its_source_is_no_citation(claim: Claim) -> None:
    assert check("Not in the book either.", claim) == []


def test_a_whole_sentence_proves_itself_however_short() -> None:
    book = Passage("c", Locator("d", 10, 13), "No.", (Span(10, 13, BlockKind(2)),))
    assert only(check("No.", Claim(1, "No."), passages=(book,))).locator.start == 10


def test_whole_sentences_in_a_row_prove_themselves_however_short() -> None:
    text = "停车每天10元。门票30元。"
    spans = (Span(0, 8, BlockKind.PARAGRAPH), Span(8, 14, BlockKind.PARAGRAPH))
    book = Passage("a", Locator("a.md", 0, 14, ("A",)), text, spans, PassageScores(fused=0.5))
    assert only(check("x", Claim(1, text), passages=(book,))).quote == text
    assert check("x", Claim(1, "门票30元"), passages=(book,)) == []


def test_a_long_listing_proves_itself_with_the_indent_that_it_begins_with() -> None:
    listing = "    def callback(self):\n" + "        self.publish('state')\n" * 40
    book = Passage(
        "c",
        Locator("d", 10, 10 + len(listing)),
        listing,
        (Span(10, 10 + len(listing), BlockKind(4)),),
    )
    citation = only(check(listing, Claim(1, listing), passages=(book,)))
    assert citation.quote == listing
    assert check(listing, Claim(1, listing[30:-30]), passages=(book,)) == []


def test_a_quote_is_on_its_own_page_and_not_on_that_of_its_passage() -> None:
    text = "The first page ends here. The second one begins and goes on. The third one ends it."
    place = Locator("d", 100, 100 + len(text), page=7)
    book = Passage("c", place, text, page_breaks=((126, 8), (161, 9)))
    quotes = ["The first page ends here.", "begins and goes on", "The third one ends it."]
    pages = [only(check("x", Claim(1, q), passages=(book,))).locator.page for q in quotes]
    assert pages == [7, 8, 9]


def test_a_quote_is_on_the_page_that_its_source_calls_so() -> None:
    text = "The first page ends here. The second one begins and goes on."
    place = Locator("d", 100, 100 + len(text), page=7, page_label="iv")
    book = Passage("c", place, text, page_breaks=((126, 8),), page_labels=((8, "1"),))
    quotes = ["The first page ends here.", "begins and goes on"]
    places = [only(check("x", Claim(1, q), passages=(book,))).locator for q in quotes]
    assert [(one.page, one.shown_page) for one in places] == [(7, "iv"), (8, "1")]


def test_a_quote_is_in_its_own_section_and_not_in_the_first_of_its_passage() -> None:
    text = "Brood is young bees.\n\nNectar is sweet.\n\nPropolis is a glue."
    place = Locator("d", 100, 100 + len(text), ("Words", "Brood"), "u#brood", anchor="brood")
    starts = (100, 100 + text.index("Nectar"), 100 + text.index("Propolis"))
    names = ("Brood", "Nectar", "Propolis")
    sections = tuple(
        SectionStart(start, ("Words", name), name.lower(), f"u#{name.lower()}")
        for start, name in zip(starts, names, strict=True)
    )
    book = Passage("c", place, text, sections=sections)
    for quote, name in zip(text.split("\n\n"), names, strict=True):
        found = only(check("x", Claim(1, quote), passages=(book,))).locator
        assert (found.section_path, found.url) == (("Words", name), f"u#{name.lower()}")
        named = Claim(0, section=f"Words > {name}")
        assert only(check(quote, named, passages=(book,))).locator.section_path[-1] == name


TABLE = "The fastest ones.\n\nName | Speed\nFalcon | 320 km/h\n\nKind | Legs\nAnt | six legs of it"


def rows_of(text: str, offset: int = 0) -> tuple[Span, ...]:
    spans, place = [], offset
    for line in text.split("\n"):
        kind = BlockKind.TABLE if "|" in line else BlockKind.PARAGRAPH
        spans += [Span(place, place + len(line), kind)] if line else []
        place += len(line) + 1
    return tuple(spans)


@pytest.mark.parametrize(
    ("quote", "header"),
    [
        ("Falcon | 320 km/h", "Name | Speed"),
        ("Ant | six legs of it", "Kind | Legs"),
        ("Name | Speed", ""),
        ("The fastest ones.", ""),
    ],
)
def test_a_row_is_cited_with_the_header_of_its_table_beside_it(quote: str, header: str) -> None:
    book = Passage("c", Locator("d", 0, len(TABLE)), TABLE, rows_of(TABLE))
    citation = only(check("x", Claim(1, quote), passages=(book,)))
    assert (citation.quote, citation.table_header) == (quote, header)


def test_a_row_below_the_start_of_its_passage_has_the_header_from_before_it() -> None:
    text = "Falcon | 320 km/h\nSwift | 170 km/h\n\nKind | Legs\nAnt | six legs of it"
    place = Locator("d", 50, 50 + len(text))
    book = Passage("c", place, text, rows_of(text, 50), table_header="Name | Speed")
    cited = [only(check("x", Claim(1, row), passages=(book,))) for row in text.split("\n") if row]
    assert [citation.table_header for citation in cited] == [
        *("Name | Speed", "Name | Speed", "", "Kind | Legs")
    ]
    assert all(text[c.locator.start - 50 : c.locator.end - 50] == c.quote for c in cited)


def test_a_very_long_quote_says_too_little_about_where() -> None:
    text = "word " * 200
    book = passage(text + "end", document=text + "end")
    assert check("x", Claim(1, text.strip()), passages=(book,)) == []


def test_a_claim_without_a_quote_stands_for_its_sentence() -> None:
    assert only(check(FORCE, Claim(1))).quote == FORCE
    assert check("Force is made of pressure.", Claim(1)) == []


def test_the_place_that_was_meant_is_cited_when_two_are_equal() -> None:
    text = "It turns left here. It turns left here."
    book = Passage("c", Locator("d", 0, len(text)), text)
    assert (
        only(check("x", Claim(1, "It turns left here.", 20), passages=(book,))).locator.start == 20
    )


def test_a_range_has_one_number_and_is_sent_once() -> None:
    citations = Citations(PASSAGES)
    first = citations.check(DraftSentence(FORCE, (Claim(1, FORCE), Claim(1, FORCE))))
    numbers, new = citations.issue(first)
    assert (numbers, len(new)) == ([1], 1)
    second = citations.check(
        DraftSentence("x", (Claim(1, FORCE), Claim(1, PASSAGE_TEXTS[0][-37:])))
    )
    numbers, new = citations.issue(second)
    assert numbers == [1, 2]
    assert [citation.number for citation in new] == [2]
    assert [citation.number for citation in citations.issued] == [1, 2]


def test_a_snippet_shows_the_quote_with_whole_words_around_it() -> None:
    text = "before " * 60 + "the quoted words are here " + "after " * 60
    book = passage(text.strip(), document=text)
    citation = only(check("x", Claim(1, "the quoted words are here"), passages=(book,)))
    assert len(citation.snippet) <= 200
    assert citation.quote in citation.snippet
    assert set(citation.snippet.replace(citation.quote, "").split()) == {"before", "after"}


@pytest.mark.parametrize(("words", "whole"), [(40, False), (3, True)])
def test_a_snippet_has_a_heading_whole_or_not_at_all(words: int, whole: bool) -> None:
    heading, quote = " ".join(["Title"] * words), "the quoted words are here"
    text = f"{heading}\n{quote}\n{heading}"
    ends = Span(0, len(heading), BlockKind.HEADING)
    begins = Span(len(text) - len(heading), len(text), BlockKind.HEADING)
    book = Passage("c1", Locator("a.md", 0, len(text)), text, (ends, begins))
    snippet = only(check("x", Claim(1, quote), passages=(book,))).snippet
    assert snippet == (text if whole else quote)


def test_a_snippet_of_a_long_quote_ends_with_a_word() -> None:
    text = "word " * 100
    book = passage(text.strip(), document=text)
    quote = ("word " * 60).strip()
    assert set(only(check("x", Claim(1, quote), passages=(book,))).snippet.split()) == {"word"}


texts = st.text(alphabet=st.sampled_from("ab .é“”'-–ﬁ\n\u00a0😀"), max_size=60)


@given(document=texts.filter(str.strip), quote=texts, data=st.data())
def test_every_citation_of_any_draft_is_the_document(
    document: str, quote: str, data: DataObject
) -> None:
    start = data.draw(st.integers(0, len(document) - 1))
    end = data.draw(st.integers(start + 1, len(document)))
    cut = data.draw(st.integers(0, end - start))
    book = Passage("c", Locator("d", start, end), document[start:end])
    copied = document[start + cut : end]
    claims = tuple(
        Claim(data.draw(st.integers(-1, 3)), text, data.draw(st.integers(-1, 70)))
        for text in (quote, copied, copied.replace("“", '"'), "")
    )
    for citation in Citations((book,)).check(DraftSentence(copied, claims)):
        place = citation.locator
        assert document[place.start : place.end] == citation.quote
        assert start <= place.start < place.end <= end
        assert len(citation.snippet) <= 200


LIST = (
    "Never do any of these:\n\nOpen the valve when hot.\nTouch the bare wire.\n\n"
    "Keep these in mind:\n\nThe door is heavy. Lift it.\n\nDry days:\n\nWater plants twice."
)


def list_passage() -> Passage:
    spans, place = [], 0
    for line in LIST.split("\n"):
        item = line.endswith(".")
        kind = BlockKind.LIST_ITEM if item else BlockKind.PARAGRAPH
        spans += [Span(place, place + len(line), kind)] if line else []
        place += len(line) + 1
    return Passage("c", Locator("d", 0, len(LIST)), LIST, tuple(spans))


@pytest.mark.parametrize(
    ("quote", "before"),
    [
        ("Open the valve when hot.", ["Never do any of these:"]),
        ("Touch the bare wire.", ["Never do any of these:"]),
        ("The door is heavy. Lift it.", ["Keep these in mind:"]),
        ("Water plants twice.", ["Dry days:"]),
    ],
)
def test_an_item_is_shown_behind_the_words_before_its_list(quote: str, before: list[str]) -> None:
    citations = Citations((list_passage(),))
    draft = DraftSentence(quote, (Claim(1, quote),))
    shown = [*before, quote]
    whole = DraftSentence(" ".join(shown), tuple(Claim(1, text) for text in shown))
    for written in (draft, whole):
        examined = examine_sentence(written, citations, Grounding.VERBATIM)
        assert examined.passed
        assert examined.draft.text.split("\n") == (shown if written is draft else [whole.text])


def test_words_before_a_list_are_not_shown_without_it() -> None:
    quote = "Never do any of these:"
    draft = DraftSentence(quote, (Claim(1, quote),))
    examined = examine_sentence(draft, Citations((list_passage(),)), Grounding.VERBATIM)
    assert examined.draft.text.split("\n") == [
        quote,
        "Open the valve when hot.",
        "Touch the bare wire.",
    ]


def test_an_item_behind_one_that_introduces_others_is_shown_behind_all_of_them() -> None:
    lines = ["To clean:", "Take care never to:", "Use oil.", "Wash your hands."]
    text, place, spans = "\n".join(lines), 0, []
    for number, line in enumerate(lines):
        kind = BlockKind.LIST_ITEM if number else BlockKind.PARAGRAPH
        spans.append(Span(place, place + len(line), kind))
        place += len(line) + 1
    citations = Citations((Passage("c", Locator("d", 0, len(text)), text, tuple(spans)),))
    [found] = citations.excerpt(check_with(citations, lines[3]))
    assert found.text.split("\n") == lines


def check_with(citations: Citations, quote: str) -> list[Citation]:
    return citations.check(DraftSentence(quote, (Claim(1, quote),)))


GROUPED = (
    "n | Bias | Error\n | Peng | \n200 | 0.11 | 0.21\n400 | 0.12 | 0.22\n"
    " | Portnoy | \n200 | 0.31 | 0.41\n400 | 0.32 | 0.42"
)


@pytest.mark.parametrize(
    ("quote", "header"),
    [
        ("400 | 0.12 | 0.22", "Peng: n | Bias | Error"),
        ("400 | 0.32 | 0.42", "Portnoy: n | Bias | Error"),
    ],
)
@pytest.mark.parametrize("is_over", [False, True])
def test_a_row_is_cited_under_the_name_of_its_own_group(
    quote: str, header: str, *, is_over: bool
) -> None:
    names, label, rows = GROUPED.split("\n", 2)
    text = "\n".join((label, names, rows)) if is_over else GROUPED
    book = Passage("c", Locator("d", 0, len(text)), text, rows_of(text))
    assert only(check("x", Claim(1, quote), passages=(book,))).table_header == header


def test_a_row_below_the_start_of_its_passage_is_cited_under_its_own_group() -> None:
    text = "800 | 0.13 | 0.23\n | Portnoy | \n200 | 0.31 | 0.41"
    place = Locator("d", 50, 50 + len(text))
    book = Passage("c", place, text, rows_of(text, 50), table_header="Peng\nn | Bias | Error")
    quotes = text.split("\n")[::2]
    cited = [only(check("x", Claim(1, quote), passages=(book,))) for quote in quotes]
    assert [one.table_header for one in cited] == [
        *("Peng: n | Bias | Error", "Portnoy: n | Bias | Error")
    ]


def test_a_name_in_the_middle_of_its_rows_is_no_name_of_those_below() -> None:
    text = "Way | n | Bias\n | 200 | 0.11\nPeng |  | \n | 400 | 0.12\n | 200 | 0.31\nPortnoy |  | "
    book = Passage("c", Locator("d", 0, len(text)), text, rows_of(text))
    for row in (" | 400 | 0.12", " | 200 | 0.31"):
        cited = only(check("x", Claim(1, row.strip(" |")), passages=(book,)))
        assert cited.table_header == "Way | n | Bias"


def test_a_marked_sentence_is_shown_without_what_it_leans_on() -> None:
    lines = ("Pumps are loud.", "However, this one is not.")
    text = " ".join(lines)
    held = passage(text, text)
    second = held.locator.start + text.index(lines[1])

    def shown(marked: Selection | None) -> list[str]:
        citations = Citations((held,), marked)
        [found] = citations.excerpt(check_with(citations, lines[1]), "en")
        return found.text.split("\n")

    document = held.locator.document
    assert shown(None) == [text]
    assert shown(Selection(document, second, held.locator.end)) == [lines[1]]
    # Of a word of it that is marked it is told as ever.
    assert shown(Selection(document, second, second + 7)) == [text]
