"""BM25 vectors of every language: the terms that a question and a text share."""

import pytest

from libs.vectors.sparse import SparseEncoder, sparse_encoder


def shared(language: str, document: str, question: str) -> int:
    encoder = SparseEncoder(language)
    known = set(encoder.encode_document(document).indices)
    return len(known & set(encoder.encode_question(question).indices))


@pytest.mark.parametrize(
    ("language", "document", "question"),
    [
        ("zh", "机器人的液压执行器把流体的压力转换成力。", "液压执行器的压力是多少?"),
        ("ja", "油圧アクチュエータは流体の圧力を力に変える。", "油圧アクチュエータの圧力は?"),
        ("th", "ตัวกระตุ้นไฮดรอลิกเปลี่ยนแรงดันของของไหลเป็นแรง", "แรงดันของไฮดรอลิก"),
        ("zh-TW", "機器人的液壓執行器。", "液壓執行器是什麼?"),
    ],
)
def test_languages_without_spaces_are_segmented(language, document, question):
    assert shared(language, document, question) >= 2
    assert shared("xx", document, question) == 0


@pytest.mark.parametrize(
    ("language", "document", "question"),
    [
        ("de", "Die hydraulischen Antriebe.", "hydraulischer Antrieb"),
        ("es", "Los actuadores hidráulicos.", "actuador hidráulico"),
        ("en", "Hydraulic actuators.", "hydraulic actuator"),
        ("en-GB", "Hydraulic actuators.", "hydraulic actuator"),
    ],
)
def test_words_are_stemmed_in_their_own_language(language, document, question):
    assert shared(language, document, question) == 2


@pytest.mark.parametrize("language", ["pl", "eu", "xx", ""])
def test_a_language_without_a_stemmer_keeps_its_words(language):
    assert shared(language, "actuators of the robots", "the robots") == 2
    assert shared(language, "actuators", "actuator") == 0


def test_an_encoder_is_made_once():
    assert sparse_encoder("de") is sparse_encoder("de")
