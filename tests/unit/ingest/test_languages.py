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


PRESS = {
    "de": """Die Presse wird vor dem Wechsel der Form abgekühlt, weil die Form lange heiß bleibt. Ein
geschulter Arbeiter wechselt die Form alle sechs Monate und trägt dabei Handschuhe aus Leder. Das
Öl wird nach fünftausend Stunden ersetzt, und das alte wird einer Sammelstelle übergeben.

Eine Dose mit 690 Volt versorgt die Presse. Die Sicherung, die sie schützt, hat 63 Ampere.
""",
    "fr": """La presse est refroidie avant le changement du moule, parce que le moule reste chaud. Un
ouvrier formé change le moule tous les six mois et porte alors des gants de cuir. L’huile est
remplacée après cinq mille heures de travail, et la vieille huile est remise à un centre.

La presse est branchée sur une prise de 690 volts. Le fusible qui la protège est de 63 ampères.
""",
    "ru": """Перед заменой формы пресс охлаждают, потому что форма долго остаётся горячей.

Форму меняет каждые шесть месяцев обученный рабочий в перчатках.
""",
}
SHORT = "The brook is narrow, and the wheel is small for a mill of this kind.\n"


@pytest.mark.parametrize("language", PRESS)
@pytest.mark.parametrize(
    "around",
    [
        "{english}\n## Part two\n\n{part}",
        "# Part one\n\n{part}\n{english}",
        "{english}\n{short}\n{part}\n{short}\n{other}",
    ],
    ids=["last", "first", "between"],
)
def test_one_part_of_two_paragraphs_is_in_its_own_language(language: str, around: str) -> None:
    part = PRESS[language]
    other = ENGLISH.replace("mill", "barn")
    document = read(around.format(english=ENGLISH, other=other, short=SHORT, part=part))
    assert document.report.language == "en"
    assert document.report.passage_languages == (language,)
    for paragraph in part.split("\n\n"):
        assert language_at(document, paragraph[:15]) == language
    assert language_at(document, "The mill stands") == "en"


def test_one_part_in_a_single_paragraph_is_in_its_own_language() -> None:
    part = " ".join(PRESS["de"].split())
    assert read(f"{ENGLISH}\n{SHORT}\n{part}\n").report.passage_languages == ("de",)


def test_parts_in_two_other_languages_are_cut_where_titles_are() -> None:
    parts = f"## Die Presse\n\n{PRESS['de']}\n## La presse\n\n{PRESS['fr']}"
    document = read(f"{ENGLISH}\n{ENGLISH.replace('mill', 'barn')}\n{parts}")
    assert set(document.report.passage_languages) == {"de", "fr"}


@pytest.mark.parametrize(
    "items",
    [
        "apt-get dpkg aptitude tasksel debconf debootstrap grub",
        "Motor Piston Spring Magnet Gear Belt Rope Chain Valve Pump",
        "Müller Dubois García Rossi Kowalski Novák Jansen Petrov",
    ],
)
def test_a_list_of_names_is_in_the_language_of_its_document(items: str) -> None:
    listed = "\n".join(f"- {' '.join(items.split()[at % 5 :])}" for at in range(20))
    assert read(f"{ENGLISH}\n## Names\n\n{listed}\n").report.passage_languages == ()


def test_a_list_of_names_makes_no_part_of_a_quotation() -> None:
    quoted = " ".join(PRESS["de"].split()[:25])
    names = "apt dpkg aptitude tasksel debconf debootstrap grub " * 3
    document = read(f"{ENGLISH}\n> {quoted}\n\n{names}\n")
    assert document.report.passage_languages == ()


def test_a_line_in_another_script_is_a_quotation() -> None:
    line = PRESS["ru"].partition("\n")[0]
    assert read(f"{ENGLISH}\n{line}\n").report.passage_languages == ()


def test_a_quotation_in_another_language_is_none_of_the_documents() -> None:
    [_, quoted, *_] = GERMAN.split("\n\n")
    document = read(f"{ENGLISH}\n> {' '.join(quoted.split())}\n\nSo the song begins.\n")
    assert (document.languages, document.report.passage_languages) == ({}, ())


def test_a_stated_language_is_that_of_all_parts() -> None:
    assert read(f"{ENGLISH}\n{GERMAN}", "en").languages == {}
