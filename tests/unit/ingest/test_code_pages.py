"""A text that is no UTF-8 and names no encoding is read in the code page that fits its letters."""

import pytest

from services.ingest.model.book import Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.parsers.code_pages import decode_mixed, guess_code_page
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
}


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
