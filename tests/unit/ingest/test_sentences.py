"""Sentences end where a reader of the language says they do."""

import pytest

from services.ingest.model.book import Block, BlockKind
from services.ingest.splitters.spans import spans_of

CASES = [
    ("en", ["Dr. Smith has 3.14 of them, e.g. for the arm.", "He uses v1.2 now."]),
    ("en", ["See https://example.org/a.b?c=d.", "It is short.", "No. 5 is alive!", "Is it?"]),
    ("en", ["The file is named foo.txt and holds 1.5 MB.", "It is read."]),
    ("en", ["“Why not?” she said.", "He left at 5 p.m. and came back."]),
    ("en", ["The U.S. Army has it.", "We do not (cf. Fig. 3)."]),
    ("de", ["Das ist z. B. ein Arm.", "Er wiegt 3,5 kg.", "Am 3. Mai kam Dr. Müller."]),
    ("fr", ["Bien sûr, M. Dupont a 3,5 kg de fer.", "Est-ce vrai ?", "Oui, p. ex. ici."]),
    ("es", ["El Sr. Pérez pesa 3,5 kilos.", "¿Es verdad?", "¡Claro que sí!"]),
    ("ar", ["الروبوت آلة ذكية.", "هل يعمل الآن؟", "نعم، يعمل."]),
    ("ur", ["روبوٹ ایک مشین ہے۔", "کیا یہ کام کرتا ہے؟", "جی ہاں۔"]),
    ("hi", ["रोबोट एक मशीन है।", "क्या यह काम करता है?", "हाँ।"]),
    ("zh", ["机器人是一种机器。", "它工作吗？", "是的！"]),
    ("ja", ["ロボットは機械です。", "動きますか？", "はい。"]),
    ("ru", ["Робот весит 3,5 кило.", "Он работает?", "Да, работает."]),
]


def sentences(text: str, language: str) -> list[str]:
    block = Block(BlockKind.PARAGRAPH, 0, len(text))
    spans = spans_of(text, block, language)
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(("language", "expected"), CASES)
def test_sentences_are_those_of_the_language(
    language: str,
    expected: list[str],
) -> None:
    space = "" if language in ("zh", "ja") else " "
    assert sentences(space.join(expected), language) == expected
