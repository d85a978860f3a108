"""Modules, chapters and sections of chunks: ids that stay, and places counted within the chapter."""

import uuid

from libs.profiles import Chunking
from services.ingest.model.book import Chunk
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens, source

SIZES = Chunking("heading", min_tokens=0, max_tokens=60, overlap_tokens=0)
BOOK = {
    "one/a.md": "# Arms\n\nAn arm has joints.\n\n## Motors\n\nThey turn. They stop.\n",
    "one/b.md": "# Legs\n\nA leg has a foot.\n",
    "two/c.md": "# Eyes\n\nAn eye has a lens.\n",
}


def chunks_of(files: dict[str, str], book: str = "robots") -> list[Chunk]:
    return [
        chunk
        for placed in plan_book(source(files)).documents
        for chunk in split_document(book, "en", parse_document(placed)[0], SIZES, LetterTokens())
    ]


def test_ids_are_uuids_that_chunks_of_one_module_chapter_and_section_share() -> None:
    arms, motors, legs, eyes = chunks_of(BOOK)
    assert arms.place.chapter_id == motors.place.chapter_id != legs.place.chapter_id
    assert arms.place.section_id != motors.place.section_id
    assert arms.place.module_id == legs.place.module_id != eyes.place.module_id
    for chunk in (arms, motors, legs, eyes):
        ids = (chunk.place.module_id, chunk.place.chapter_id, chunk.place.section_id)
        assert [str(uuid.UUID(one)) for one in (*ids, chunk.chunk_id)][:3] == list(ids)
    again = chunks_of(BOOK | {"two/d.md": "# Ears\n\nAn ear hears.\n"})
    assert [chunk.place for chunk in again[:4]] == [
        arms.place,
        motors.place,
        legs.place,
        eyes.place,
    ]
    assert {chunk.place.chapter_id for chunk in chunks_of(BOOK, "others")} & {
        arms.place.chapter_id
    } == set()


def test_chunks_are_counted_from_zero_in_their_chapter_with_its_title_and_their_heading() -> None:
    places = [chunk.place for chunk in chunks_of(BOOK)]
    assert [(place.chapter_title, place.heading, place.index) for place in places] == [
        ("Arms", "", 0),
        ("Arms", "Motors", 1),
        ("Legs", "", 0),
        ("Eyes", "", 0),
    ]


def test_the_topmost_sections_of_an_only_document_are_its_chapters() -> None:
    text = "# Robots\n\nA book.\n\n## Arms\n\nBent.\n\n### Joints\n\nTurn.\n\n## Legs\n\nWalk.\n"
    places = [chunk.place for chunk in chunks_of({"robots.md": text})]
    assert [(place.chapter_title, place.heading, place.index) for place in places] == [
        ("Robots", "", 0),
        ("Arms", "", 0),
        ("Arms", "Joints", 1),
        ("Legs", "", 0),
    ]


def test_sentences_are_numbered_through_the_document() -> None:
    places = [chunk.place for chunk in chunks_of(BOOK)]
    # A title counts as one: it is quoted as one.
    assert [(place.first_sentence, place.last_sentence) for place in places[:2]] == [(0, 1), (2, 4)]


def test_the_outermost_part_of_the_contents_is_the_module_of_all_that_stands_below_it() -> None:
    summary = (
        "# Summary\n\n# First part\n\n- [Arms](one/a.md)\n  - [Legs](one/b.md)\n\n"
        "# Second part\n\n- [Eyes](two/c.md)\n"
    )
    documents = plan_book(source(BOOK | {"SUMMARY.md": summary})).documents
    assert [placed.module for placed in documents] == ["First part", "First part", "Second part"]
