"""The language of a text is found, and none is guessed of a text that does not tell."""

import pytest

from libs.language.detect import (
    detect_language,
    detect_other,
    detect_throughout,
    seems_other,
    tell_apart,
)

TEXTS = {
    "en": "A hydraulic actuator turns the pressure of a fluid into a force that moves the arm.",
    "de": "Ein hydraulischer Antrieb verwandelt den Druck einer Flüssigkeit in eine Kraft.",
    "es": "Un actuador hidráulico convierte la presión de un fluido en una fuerza que mueve el brazo.",
    "fr": "Un vérin hydraulique transforme la pression d'un fluide en une force qui déplace le bras.",
    "pt": "Um atuador hidráulico converte a pressão de um fluido em uma força que move o braço.",
    "ru": "Гидравлический привод превращает давление жидкости в силу, которая движет рукой.",
    "hi": "हाइड्रोलिक एक्चुएटर द्रव के दबाव को एक बल में बदलता है जो भुजा को चलाता है।",
    "ar": "يحول المشغل الهيدروليكي ضغط السائل إلى قوة تحرك ذراع الروبوت في المصنع.",
    "he": "מפעיל הידראולי הופך את הלחץ של נוזל לכוח המניע את הזרוע.",
    "el": "Ένας υδραυλικός ενεργοποιητής μετατρέπει την πίεση ενός ρευστού σε δύναμη.",
    "zh": "液压执行器把流体的压力转换成力,用来移动 robot 的手臂。",
    "ja": "油圧アクチュエータは流体の圧力を力に変えて腕を動かす。",
    "ko": "유압 액추에이터는 유체의 압력을 팔을 움직이는 힘으로 바꾼다.",
    "th": "ตัวกระตุ้นไฮดรอลิกเปลี่ยนแรงดันของของไหลเป็นแรง",
    "km": "ភ្នំពេញគឺជារាជធានីនៃព្រះរាជាណាចក្រកម្ពុជា",
    "lo": "ວຽງຈັນເປັນນະຄອນຫຼວງຂອງປະເທດລາວ",
    "my": "ရန်ကုန်မြို့သည်မြန်မာနိုင်ငံ၏အကြီးဆုံးမြို့ဖြစ်သည်",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert detect_language(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text", ["", "42 / 17 = 2.47", "Robotics", "Panasonic KX-TS880", "x = y + 1\nfoo(bar)"]
)
def test_a_text_that_does_not_tell_has_no_language(text: str) -> None:
    assert detect_language(text) == ""


def test_a_quotation_in_another_script_does_not_make_the_language() -> None:
    assert detect_language(f"{TEXTS['en']} It is called {TEXTS['zh'][:5]} there.") == "en"
    assert detect_language(f"{TEXTS['zh']} {TEXTS['en'][:20]}") == "zh"


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "ru", "zh", "ja", "ar", "el"])
def test_a_passage_is_told_from_a_document_in_another_language(language: str) -> None:
    passage = " ".join([TEXTS[language]] * (9 if language in ("zh", "ja") else 5))
    others = [other for other in ("en", "de", "ru") if other != language]
    assert [detect_other(passage, other) for other in others] == [language] * len(others)
    assert detect_other(passage, language) == ""


@pytest.mark.parametrize(
    "text",
    [
        TEXTS["de"],
        "apt-get, dpkg, aptitude, tasksel, debconf, debootstrap, grub, " * 6,
        "Motor, Piston, Spring, Magnet, Gear, Belt, Rope, Chain, Valve, Pump, " * 5,
        "x = y + 1; foo(bar); return baz[0] " * 12,
    ],
)
def test_a_text_that_is_short_or_no_prose_is_in_the_language_of_its_document(text: str) -> None:
    assert detect_other(text, "en") == ""


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_told_apart_where_it_is_in_one_of_the_languages(language: str) -> None:
    others = ("en", "de", "fr", "ja", "ar")
    assert tell_apart(TEXTS[language] * 2, (*others, language)) == language


@pytest.mark.parametrize("text", ["Werkzeug", "apt-get, dpkg, grub", "12.5 / 3", TEXTS["ko"]])
def test_a_short_text_or_one_in_none_of_the_languages_is_not_told_apart(text: str) -> None:
    assert tell_apart(text, ("en", "de")) == ""


def test_a_passage_in_another_script_may_be_short() -> None:
    assert detect_other(TEXTS["ar"], "en") == "ar"
    assert detect_other(TEXTS["de"], "ar") == "de"


@pytest.mark.parametrize("language", ["de", "es", "fr", "pt"])
def test_both_halves_of_a_passage_tell_one_language(language: str) -> None:
    assert detect_throughout(TEXTS[language] * 4, "en") == language
    assert detect_throughout(TEXTS[language] * 4 + "apt dpkg grub " * 20, "en") == ""


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        (TEXTS["de"], "en", True),
        (TEXTS["de"], "fr", True),
        (TEXTS["de"], "de", False),
        (TEXTS["en"], "en", False),
        (TEXTS["en"], "de", True),
        ("Werkzeug", "en", None),
        ("12.5 / 3", "de", None),
    ],
)
def test_a_block_seems_other_or_own_or_is_too_short(
    text: str, language: str, other: bool | None
) -> None:
    assert seems_other(text, language) is other
