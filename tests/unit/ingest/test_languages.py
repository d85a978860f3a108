"""Parts of a document in another language are told, and read by the rules of their own."""

import pytest

from libs.profiles import Chunking
from services.ingest.model.book import PlacedFile, ReadDocument, SourceFile
from services.ingest.ports.reading import ReadTask
from services.ingest.read import read_document
from tests.support.ingest_fakes import LetterTokens

SMALL = Chunking("heading", 1, 40, 0, 40, (1, 2, 3, 4, 5, 6))
ENGLISH = """# The mill

The mill stands at the end of the valley, where the brook is still narrow. Its wheel turns from
March to October, and in winter the ice is broken with long poles before the sluice is opened.

## The stones

Two pairs of stones grind the rye, and a third one, which is smaller, is kept for the oats. The
miller dresses them twice a year with a hammer that his grandfather brought from the mountains.
"""
GERMAN = """# Die Mühle

Die Mühle steht am Ende des Tales, wo der Bach noch schmal ist. Das Rad dreht sich vom März bis in
den Oktober, und im Winter wird das Eis mit langen Stangen gebrochen, bevor man das Wehr öffnet.

## Die Steine

Zwei Paar Steine mahlen den Roggen, und ein drittes, das kleiner ist, wird für den Hafer behalten.
Der Müller schärft sie bzw. lässt sie am 3. März schärfen, mit einem Hammer vom Berg.

Das Mehl kommt in Säcke aus Leinen, die der Bäcker am nächsten Morgen mit dem Wagen abholt. Für
jeden Sack bekommt der Müller zwei Brote, und am Ende des Jahres rechnen beide miteinander ab.

## Irrtümer

Wer den Hafer feucht mahlt, spart Zeit.

```sh
grind --oats
```

Das Mehl wird dann besonders weiß.
"""
ARABIC = """# الطاحونة

تقع الطاحونة في آخر الوادي حيث يضيق الجدول. يدور الدولاب من مارس إلى أكتوبر.

## الحجارة

يطحن زوجان من الحجارة الشعير، وزوج ثالث أصغر يطحن الشوفان.

## الطحان

يشحذ الطحان الحجارة مرتين في السنة بمطرقة جلبها جده من الجبال البعيدة في الشمال.

يباع الدقيق في السوق كل يوم خميس في أكياس من الكتان، ويشتري الخباز نصفه في أول النهار.

## الشتاء

يكسر الطحان الجليد بعصي طويلة قبل أن يفتح السد في أول أيام الربيع من كل سنة.

يبقى الباقي لأهل القرية الذين يدفعون ثمنه بعد الحصاد من القمح والشعير.
"""


def read(source: str, language: str = "") -> ReadDocument:
    file = SourceFile("a.md", source.encode())
    placed = PlacedFile(file, position=0, url="", title="")
    return read_document(ReadTask("book", language, placed, SMALL), LetterTokens())


def language_at(document: ReadDocument, said: str) -> str:
    [chunk] = [chunk for chunk in document.chunks if said in chunk.body]
    return document.languages.get(chunk.chunk_id, document.report.language)


@pytest.mark.parametrize(
    "said", ["Die Mühle steht", "Irrtümer", "Zwei Paar", "spart Zeit", "grind --oats", "weiß"]
)
def test_half_of_a_document_is_in_its_own_language_with_its_titles_and_what_is_short(
    said: str,
) -> None:
    document = read(f"{ENGLISH}\n{ENGLISH.replace('mill', 'barn')}\n{GERMAN}")
    assert document.report.language == "en"
    assert document.report.passage_languages == ("de",)
    assert language_at(document, said) == "de"
    assert language_at(document, "The barn stands") == "en"


def test_another_script_is_told_of_less() -> None:
    document = read(f"{ENGLISH}\n{ENGLISH.replace('mill', 'barn')}\n{ARABIC}")
    assert document.report.passage_languages == ("ar",)
    assert language_at(document, "يكسر الطحان الجليد") == "ar"


def test_sentences_are_cut_and_limits_told_by_the_language_of_their_part() -> None:
    document = read(f"{ENGLISH}\n{ENGLISH.replace('mill', 'barn')}\n{GERMAN}")
    spans = [
        chunk.body[span.start - chunk.start : span.end - chunk.start]
        for chunk in document.chunks
        for span in chunk.spans
    ]
    whole = "Der Müller schärft sie bzw. lässt sie am 3. März schärfen, mit einem Hammer vom Berg."
    assert whole in [" ".join(span.split()) for span in spans]
    [last] = [chunk for chunk in document.chunks if "besonders weiß" in chunk.body]
    limits = [last.body[one.start - last.start : one.end - last.start] for one in last.lead_ins]
    assert "Irrtümer" in limits


def test_a_quotation_in_another_language_is_none_of_the_documents() -> None:
    [_, quoted, *_] = GERMAN.split("\n\n")
    document = read(f"{ENGLISH}\n> {' '.join(quoted.split())}\n\nSo the song begins.\n")
    assert (document.languages, document.report.passage_languages) == ({}, ())


def test_a_stated_language_is_that_of_all_parts() -> None:
    assert read(f"{ENGLISH}\n{GERMAN}", "en").languages == {}
