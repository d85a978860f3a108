"""What stands beside a chunk and may change what its first and last spans say."""

from libs.defined_terms import name_key
from libs.profiles import Chunking
from libs.text import content_terms
from services.ingest.embedding_text import known_terms
from services.ingest.model.book import Chunk, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens

ITEMS = "\n".join(f"- Item number {number} is well known." for number in range(8))
SMALL = Chunking("heading", 1, 20, 0, 20, (1, 2, 3, 4, 5, 6))


def chunks_of(source: str) -> list[Chunk]:
    [placed] = plan_book(Source([SourceFile("a.md", source.encode())])).documents
    document, _ = parse_document(placed)
    return split_document("b", "en", document, SMALL, LetterTokens())


def beside(chunk: Chunk) -> list[tuple[str, bool]]:
    return [(one.text, one.same_block) for one in chunk.neighbours]


def test_a_chunk_that_begins_inside_of_a_list_has_the_words_before_it() -> None:
    _, second, *_ = chunks_of(f"# T\n\nAll of these are untrue:\n\n{ITEMS}\n")
    assert second.body.startswith("Item number")
    first = int(second.body.split()[2])
    lead_in, before, *_ = beside(second)
    assert lead_in == ("All of these are untrue:", False)
    assert before == (f"Item number {first - 1} is well known.", False)


def test_the_title_of_a_table_is_no_lead_in_of_the_next_one() -> None:
    names = "| Name | Use |\n|---|---|\n"
    one, other = ("".join(f"| {a}{n} | {a}{n} use |\n" for n in range(9)) for a in "ab")
    chunks = chunks_of(f"# T\n\nForces\n\n{names}{one}\n{names}{other}\n")
    last = chunks[-1]
    assert last.body.startswith("b")
    assert not any("Forces" in text for text, _ in beside(last))
    assert any("Forces" in text for chunk in chunks[1:] for text, _ in beside(chunk))


def test_the_last_sentence_of_a_paragraph_of_several_is_no_lead_in() -> None:
    _, second, *_ = chunks_of(f"# T\n\nPumps turn all day. Motors stand still.\n\n{ITEMS}\n")
    assert not any("Motors" in text for text, _ in beside(second))


def test_a_chunk_that_ends_inside_of_a_paragraph_has_the_next_sentence() -> None:
    sentences = " ".join(f"The pump number {number} runs very well today." for number in range(8))
    first, second, *_ = chunks_of(f"# T\n\n{sentences}\n")
    [after] = [one for one in first.neighbours if one.start >= first.end]
    assert (after.start, after.same_block) == (second.start, True)
    [before] = [one for one in second.neighbours if one.end <= second.start]
    assert first.body.endswith(before.text)


def test_titles_and_long_spans_are_no_neighbours() -> None:
    long = "Word " * 100
    chunks = chunks_of(f"# T\n\n{long}.\n\n## U\n\nShort words here.\n\n## V\n\nMore words here.\n")
    assert [beside(chunk) for chunk in chunks if "Short" in chunk.body] == [[]]


def test_a_chunk_that_begins_inside_of_a_definition_has_its_term() -> None:
    paragraphs = "\n\n    ".join(f"Valve number {number} is open all day." for number in range(8))
    *_, last = chunks_of(f"# T\n\nPump\n: {paragraphs}\n")
    assert not last.body.startswith("Pump")
    term, *_ = beside(last)
    assert term == ("Pump", False)
    [lead] = last.lead_ins
    assert lead.is_term
    assert lead.until == last.end


def test_a_chunk_knows_by_a_key_what_it_defines_and_not_what_it_goes_on_with() -> None:
    paragraphs = "\n\n    ".join(f"Valve number {number} is open all day." for number in range(8))
    first, *_, last = chunks_of(f"# T\n\nMain pump <size>\n: {paragraphs}\n")
    key = name_key(content_terms("main pump"))
    assert key in known_terms(first)
    assert key not in known_terms(last)


def test_text_behind_a_list_of_definitions_belongs_to_no_term() -> None:
    *_, last = chunks_of("# T\n\nPump\n: It turns well.\n\n## U\n\nAll valves are green.\n")
    assert last.body.endswith("All valves are green.")
    assert all(lead.until <= last.body.index("All") + last.start for lead in last.lead_ins)
