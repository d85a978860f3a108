"""BM25 vectors of every language: the terms that a question and a text share."""

import pytest

from libs.text import content_terms
from libs.vectors.sparse import SparseEncoder, question_encoder, sparse_encoder


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
def test_languages_without_spaces_are_segmented(
    language: str, document: str, question: str
) -> None:
    assert shared(language, document, question) >= 2


@pytest.mark.parametrize(
    ("language", "document", "question"),
    [
        ("ja", "東京は日本の首都である。", "東京"),
        ("km", "ភ្នំពេញគឺជារាជធានីនៃព្រះរាជាណាចក្រកម្ពុជា", "រាជធានី"),
        ("lo", "ວຽງຈັນເປັນນະຄອນຫຼວງຂອງປະເທດລາວ", "ນະຄອນຫຼວງ"),
        ("my", "ရန်ကုန်မြို့သည်မြန်မာနိုင်ငံ၏အကြီးဆုံးမြို့ဖြစ်သည်", "မြန်မာ"),
        ("en", "The sign reads 液压执行器, a hydraulic actuator.", "液压"),
    ],
)
def test_a_word_inside_a_run_without_spaces_is_found(
    language: str, document: str, question: str
) -> None:
    assert shared(language, document, question) >= 1


@pytest.mark.parametrize(
    ("document", "question", "both"),
    [
        ("-e\n\nExit at once.", "-e", 2),  # as the letter, too
        ("-E\n\nTrap it.", "-e", 1),
        ("With “--force” it does it.", "--force", 2),
        ("It holds $@ and $?.", "What is $?", 1),
        ("Run a && b.", "What does && do?", 1),
        ("A pre-built thing - well-made.", "-well --built", 2),
    ],
)
def test_options_and_operators_are_found_by_their_signs(
    document: str, question: str, both: int
) -> None:
    assert shared("en", document, question) == both


def test_a_question_to_a_book_in_two_languages_finds_both() -> None:
    mixed = question_encoder(["de", "en"])
    asked = set(mixed.encode_question("hydraulischer Antrieb and hydraulic actuator").indices)
    for language, text in (("de", "Die hydraulischen Antriebe."), ("en", "Hydraulic actuators.")):
        document = SparseEncoder(language).encode_document(text)
        assert set(document.indices) <= asked
    assert question_encoder(["de"]) is sparse_encoder("de")


@pytest.mark.parametrize(
    ("language", "document", "question"),
    [
        ("de", "Die hydraulischen Antriebe.", "hydraulischer Antrieb"),
        ("es", "Los actuadores hidráulicos.", "actuador hidráulico"),
        ("en", "Hydraulic actuators.", "hydraulic actuator"),
        ("en-GB", "Hydraulic actuators.", "hydraulic actuator"),
        ("el", "Τα μεγάλα σπίτια.", "μεγάλο σπίτι"),
        ("hi", "बड़ी किताबें", "बड़े किताबों"),
        ("pl", "Nowe roboty.", "nowych robotów"),
    ],
)
def test_words_are_stemmed_in_their_own_language(
    language: str, document: str, question: str
) -> None:
    assert shared(language, document, question) == 2


@pytest.mark.parametrize(
    ("language", "document", "question"),
    [
        pytest.param("ar", "الرُّوبُوتُ", "الروبوت", id="vowel points of Arabic"),
        pytest.param("ar", "الأجهزة", "الاجهزة", id="a hamza that is left out"),
        pytest.param("ar", "كتـــاب", "كتاب", id="a word made longer"),
        pytest.param("ar", "مستشفى", "مستشفي", id="a final yeh"),
        pytest.param("he", "שָׁלוֹם", "שלום", id="vowel points of Hebrew"),
        pytest.param("de", "Gera\u0308t", "Gerät", id="an accent of its own"),
        pytest.param("ja", "ＳＳＨ", "SSH", id="wide letters"),
        pytest.param("ja", "ﾃﾞｨｽｸ", "ディスク", id="narrow katakana"),
    ],
)
def test_a_word_is_found_however_its_letters_are_written(
    language: str, document: str, question: str
) -> None:
    for one, other in ((document, question), (question, document)):
        assert shared(language, one, other) >= 1
    assert content_terms(document) == content_terms(question)


@pytest.mark.parametrize("language", ["sw", "vi", "xx", ""])
def test_a_language_without_a_stemmer_keeps_its_words(language: str) -> None:
    assert shared(language, "actuators of the robots", "the robots") == 2
    assert shared(language, "actuators", "actuator") == 0


def test_an_encoder_is_made_once() -> None:
    assert sparse_encoder("de") is sparse_encoder("de")


def test_a_function_word_of_the_question_is_no_term_of_the_books_other_language() -> None:
    mixed = question_encoder(["fr", "en"])
    asked = mixed.encode_question("Qu'est-ce qu'un amortisseur ?").indices
    assert set(asked) == {
        *sparse_encoder("fr").encode_question("amortisseur").indices,
        *sparse_encoder("en").encode_question("amortisseur").indices,
    }


def test_an_option_spelled_as_a_function_word_is_kept() -> None:
    mixed = question_encoder(["es", "en"])
    known = set(sparse_encoder("en").encode_document("-e: quiet").indices)
    assert known & set(mixed.encode_question("¿Qué hace la opción -e?").indices)
