"""Titles and sentences that limit all behind them go with it, wherever it is cut into chunks."""

import pytest

from libs.profiles import Chunking
from services.ingest.model.book import Chunk, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens

SMALL = Chunking("heading", 1, 20, 0, 20, (1, 2, 3, 4, 5, 6))
PUMPS = "\n\n".join(f"The pump number {number} runs very well today." for number in range(4))


def chunks_of(source: str, language: str = "en") -> list[Chunk]:
    [placed] = plan_book(Source([SourceFile("a.md", source.encode())])).documents
    document, _ = parse_document(placed)
    return split_document("b", language, document, SMALL, LetterTokens())


def limits_of(chunk: Chunk) -> list[str]:
    beside = {one.start: one.text for one in chunk.neighbours}
    return [
        beside.get(lead.start) or chunk.body[lead.start - chunk.start : lead.end - chunk.start]
        for lead in chunk.lead_ins
    ]


def limits_at(chunks: list[Chunk], said: str) -> list[str]:
    """Return what limits the sentence, by the chunk that holds it."""
    [chunk] = [one for one in chunks if said in one.body]
    at = chunk.start + chunk.body.index(said)
    led = [lead.end <= at < lead.until for lead in chunk.lead_ins]
    return [text for text, is_led in zip(limits_of(chunk), led, strict=True) if is_led]


@pytest.mark.parametrize(
    "title", ["Myths", "Deprecated in 3.0", "How not to start a pump", "Exercise 3", "Exercises"]
)
def test_a_title_that_withdraws_all_below_it_goes_with_the_last_chunk_of_its_section(
    title: str,
) -> None:
    chunks = chunks_of(f"# T\n\n## {title}\n\n### Pumps\n\n{PUMPS}\n\n## Valves\n\nIt is green.\n")
    assert limits_at(chunks, "number 0") == limits_at(chunks, "number 3") == [title]
    assert limits_at(chunks, "It is green.") == []


@pytest.mark.parametrize(
    ("said", "limits"),
    [
        ("This manual was written for wooden hulls.", True),
        ("This manual was written by the two families who shared the house.", False),
        ("This guide was made with a word processor.", False),
    ],
)
def test_by_whom_a_text_was_written_limits_nothing(said: str, limits: bool) -> None:
    chunks = chunks_of(f"# T\n\n## Pumps\n\n{said}\n\n{PUMPS}\n")
    assert limits_at(chunks, "number 0") == [said] * limits


@pytest.mark.parametrize(
    "title",
    [
        "Pumps",
        "Why does it not start?",
        "Old myths and new pumps?",
        "Exercise and bones",
        "Exercise, food and sleep",
    ],
)
def test_other_titles_go_with_nothing(title: str) -> None:
    is_myth = "myths" in title
    limits = limits_at(chunks_of(f"# T\n\n## {title}\n\n{PUMPS}\n"), "number 3")
    assert limits == ([title] if is_myth else [])


def test_a_sentence_that_says_where_its_section_holds_goes_with_all_of_it() -> None:
    limit = "The following applies to steel hulls only."
    chunks = chunks_of(f"# T\n\n## A\n\n{limit}\n\n{PUMPS}\n\n## B\n\nIt is green.\n")
    assert limits_at(chunks, "number 0") == limits_at(chunks, "number 3") == [limit]
    assert limits_at(chunks, "It is green.") == []


def test_within_a_paragraph_it_goes_with_the_rest_of_that() -> None:
    told = "Pumps are red. What follows applies to steel only. Valves are blue."
    chunks = chunks_of(f"# T\n\n## A\n\nHulls are grey.\n\n{told}\n\nLids are black.\n")
    assert limits_at(chunks, "Pumps are red.") == []
    assert limits_at(chunks, "Valves are blue.") == ["What follows applies to steel only."]
    assert limits_at(chunks, "Lids are black.") == []


def test_a_supposition_ends_with_its_paragraph() -> None:
    told = "Suppose that the pump is off. The hold fills. The boat sinks."
    chunks = chunks_of(f"# T\n\n{told}\n\nPumps are red.\n")
    assert limits_at(chunks, "The boat sinks.") == ["Suppose that the pump is off."]
    assert limits_at(chunks, "Pumps are red.") == []


@pytest.mark.parametrize(
    "opening",
    [
        "This chapter describes pumps, not valves.",
        "The following example starts a pump.",
        "In this section only pumps are shown.",
    ],
)
def test_a_chapter_that_says_what_it_is_about_limits_nothing(opening: str) -> None:
    assert limits_at(chunks_of(f"# T\n\n{opening}\n\n{PUMPS}\n"), "number 3") == []


@pytest.mark.parametrize(
    ("language", "title", "limit", "supposed"),
    [
        ("de", "Irrtümer", "Das Folgende gilt nur für Stahl.", "Angenommen, die Pumpe steht."),
        ("fr", "Idées reçues", "Ce qui suit ne vaut que pour l’acier.", "Imaginons une panne."),
        ("es", "Mitos", "Lo siguiente vale solo para el acero.", "Supongamos una avería."),
        ("pt", "Mitos", "O que se segue vale apenas para o aço.", "Imaginemos uma avaria."),
        ("ru", "Мифы", "Следующее относится только к стали.", "Предположим, насос стоит."),
        ("ar", "خرافات", "ما يلي ينطبق على الفولاذ فقط.", "لنفترض أن المضخة توقفت."),
        ("hi", "मिथक", "निम्नलिखित केवल इस्पात पर लागू है।", "मान लें कि पंप बंद है।"),
        ("ja", "俗説", "以下は鋼だけに当てはまる。", "仮にポンプが止まったとしよう。"),
        ("zh", "误区", "以下内容仅适用于钢。", "假设水泵停了。"),
    ],
)
def test_each_language_of_the_product_tells_them(
    language: str, title: str, limit: str, supposed: str
) -> None:
    source = f"# T\n\n## {title}\n\n{limit}\n\n{supposed} XYZ.\n"
    assert limits_at(chunks_of(source, language), "XYZ.") == [title, limit, supposed]
