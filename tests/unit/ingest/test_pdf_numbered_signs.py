"""Letters of PDFs that a file has by their numbers in a font alone."""

from services.ingest.parsers.pdf.numbered_signs import named_by_number

WORDS = "De weerstanden zijn met R 12 aangegeven."


def numbers(text: str) -> list[int]:
    return [byte - 29 - (byte >= 0x80) for byte in text.encode("mac_roman")]


def read(codes: list[int]) -> str:
    named = named_by_number(codes, range(len(codes)))
    return "".join(named.get(at, "?") for at in range(len(codes)))


def test_numbers_of_the_signs_of_a_font_are_its_letters() -> None:
    assert read(numbers(WORDS)) == WORDS
    assert read(numbers("temperatuurcoëfficiënt vóór één")) == "temperatuurcoëfficiënt vóór één"


def test_letters_that_a_file_does_not_name_but_has_stay() -> None:
    assert named_by_number([ord(sign) for sign in WORDS], range(len(WORDS))) == {}


def test_a_few_signs_or_bullets_are_no_letters() -> None:
    assert named_by_number([183] * 20, range(20)) == {}
    assert named_by_number(numbers("De"), range(2)) == {}
