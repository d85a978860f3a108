"""A text that is no UTF-8 and names no encoding is read in the code page that fits its letters."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.code_pages import decode_mixed, guess_code_page
from services.ingest.parsers.encoding import decode_text, warn_of_code_page
from services.ingest.plan import plan_book

TEXTS = {
    "cp1252": "Der Ofen wird für den Ton geheizt. Die Gänge – so heißt es – öffnen sich später.",
    "cp1251": "Печь сложена из кирпича. Глазурь плавится и закрывает поры горшка.",
    "koi8_r": "Печь сложена из кирпича. Глазурь плавится и закрывает поры горшка.",
    "cp932": "窯は粘土を焼くための炉です。釉薬は器の上で溶けて、その穴をふさぎます。",
    "euc_jp": "窯は粘土を焼くための炉です。釉薬は器の上で溶けて、その穴をふさぎます。",
    "gb18030": "窑是用来烧制陶土的炉子。釉是一种玻璃，它在陶器的表面上熔化，并且填满了它的气孔。",
    "big5": "窯是用來燒製陶土的爐子。釉是一種玻璃，它在陶器的表面上熔化，並且填滿了它的氣孔。",
    "cp949": "가마는 점토를 굽는 화로이다. 유약은 그릇 위에서 녹아 구멍을 막는 유리이다.",
    "cp1253": "Ο φούρνος είναι φτιαγμένος από τούβλα και κρατά τη ζέστη για μια μέρα και μια νύχτα.",
    "cp1250": "Młyn stoi nad rzeką. Zbudował go młynarz Józef Żak, ponieważ mąka była droga.",
    "iso8859_2": "Mlýn stojí u řeky. Postavil ho mlynář Jiří Dvořák, když byla žitná mouka šťavnatá.",
    "cp1254": "Değirmen ırmağın kıyısındadır. Şükrü Işık yaptı, çünkü ekmek taze ve güzeldir.",
    "cp1257": "Malūnas stovi prie upės. Jį pastatė Jonas Žukauskas, nes duona šviežia ir graži.",
    "koi8_u": "Млин стоїть біля річки. Його збудував мірошник Іван Їжак, бо борошно свіже.",
    "cp866": "Печь сложена из кирпича. Глазурь плавится и закрывает поры горшка.",
    "iso8859_5": "Печь сложена из кирпича. Глазурь плавится и закрывает поры горшка.",
    "cp850": "Der Ofen wird für den Ton geheizt. Die Gänge, so heißt es, öffnen sich später.",
    "mac_roman": "Le règlement s’applique à tous les élèves de l’école, où l’on sert du café.",
}
ITALIAN = "Il mulino è vicino al fiume. Lo costruì Niccolò Forlì, perché la qualità è più alta."
PORTUGUESE = (
    "O moinho está à beira do rio. Foi construído por João Magalhães. O pão custa dois euros."
)


@pytest.mark.parametrize("encoding", TEXTS)
def test_the_letters_tell_the_code_page(encoding: str) -> None:
    assert guess_code_page(TEXTS[encoding].encode(encoding)) == encoding
    told = f"Kiln\n\n{TEXTS[encoding]}\n".encode(encoding)
    [placed] = plan_book(Source([SourceFile("a.txt", told)])).documents
    document, warnings = parse_document(placed)
    assert TEXTS[encoding] in document.text
    assert warnings == [
        f'"a.txt": it is no UTF-8 and was read as {encoding}, which fits its letters.'
    ]


def test_a_byte_among_letters_of_utf_8_spoils_none_of_them() -> None:
    told = "Größe, Wärme, Höhe, Dünne, Güte, Blöße: ".encode() * 3 + b"caf\xe9"
    assert decode_mixed(told).endswith("Größe, Wärme, Höhe, Dünne, Güte, Blöße: café")
    assert decode_mixed(b"caf\xe9") == ""


@pytest.mark.parametrize(
    "data", [b"bad \xff byte", b"\xe9", bytes(range(128, 256)), b"a\x00\xe9b", b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_no_words_are_in_no_code_page(data: bytes) -> None:
    assert guess_code_page(data) == ""


@pytest.mark.parametrize("text", [ITALIAN, PORTUGUESE, "Le règlement intérieur s'applique à tous."])
def test_texts_of_the_west_are_in_no_page_of_the_east(text: str) -> None:
    assert guess_code_page(text.encode("cp1252")) == "cp1252"


def test_most_of_a_text_in_utf_8_is_not_read_in_another_page() -> None:
    told = "Die Straße führt über die Brücke zur Mühle.\n".encode() * 3 + b"Gru\xdfe aus K\xf6ln\n"
    assert guess_code_page(told) == ""


def test_text_that_goes_over_to_japanese_or_korean_in_seven_bits_is_read_and_said() -> None:
    for text, encoding in (
        ("窯の温度を測ります。", "iso2022_jp"),
        ("가마의 온도를 잽니다.", "iso2022_kr"),
    ):
        file = SourceFile("a.txt", text.encode(encoding))
        assert decode_text(file) == text
        assert "and was read as iso2022" in warn_of_code_page(file)
    escapes = SourceFile("a.txt", b"\x1b[1mbold\x1b[0m and \x1b$B in UTF-8 \xc3\xa9")
    assert decode_text(escapes).endswith("é")
    assert not warn_of_code_page(escapes)
