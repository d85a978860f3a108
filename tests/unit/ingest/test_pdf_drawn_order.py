"""Lines of PDFs whose words a file draws, or PDFium gives, in another order than they are read."""

from services.ingest.parsers.pdf.arabic_letters import with_arabic_yeh
from services.ingest.parsers.pdf.drawn_order import in_drawn_order, in_reading_direction
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.marking import Marked

WIDTH, HEIGHT = 6.0, 10.0


def word(left: float, text: str, *, to_left: bool = False) -> list[Sign]:
    """Return letters side by side from a place, or up to it where they run to the left."""
    step = -WIDTH if to_left else WIDTH
    edges = [(left + step * at, left + step * (at + 1)) for at in range(len(text))]
    return [
        (sign, min(two), max(two), 0.0, HEIGHT, ()) for sign, two in zip(text, edges, strict=True)
    ]


def shown(run: list[Sign]) -> str:
    return "".join(sign[0] for sign in run)


def added(left: float) -> Sign:
    """Return a space that is none in the file."""
    return (" ", left, left, 0.0, HEIGHT, ())


def test_words_in_another_font_that_are_drawn_last_stand_where_they_are_seen() -> None:
    run = [*word(100, "무게 "), *word(154, "값"), added(124), *word(124, "CP"), added(200)]
    assert shown(in_drawn_order([*run, *word(200, "7")])) == "무게 CP 값 7"
    brackets = [*word(100, "팀"), *word(112, "은"), *word(106, "("), *word(118, ")")]
    assert shown(in_drawn_order(brackets)) == "팀(은)"


def test_letters_that_are_drawn_twice_or_on_two_lines_stay_as_they_are() -> None:
    twice = [*word(100, "Force"), *word(101, "Force")]
    assert in_drawn_order(twice) == twice
    lower = [(sign[0], *sign[1:3], -20.0, -10.0, ()) for sign in word(80, "below")]
    assert in_drawn_order([*word(100, "over"), *lower]) == [*word(100, "over"), *lower]
    plain = [*word(100, "as "), *word(118, "it is")]
    assert in_drawn_order(plain) is plain


def test_a_phrase_within_a_line_that_is_read_from_the_right_begins_with_its_first_word() -> None:
    hebrew = word(300, "שלום", to_left=True)
    phrase = [*word(240, "data"), added(200), *word(200, "insert")]
    behind = [added(190), *word(190, "עולם", to_left=True)]
    run = [*hebrew, added(264), *phrase, *behind]
    assert shown(in_drawn_order(run)) == "שלום insert data עולם"
    numbers = [*hebrew, added(264), *word(240, "12"), added(200), *word(200, "34")]
    assert shown(in_drawn_order(numbers)) == "שלום 12 34"


def row(*texts: str) -> tuple[float, list[Marked]]:
    return 0.0, [(text, ()) for text in texts]


def test_the_cells_of_a_row_are_read_from_the_right_as_their_words_are() -> None:
    found = in_reading_direction([row("כוח", "שם"), row("3", "מנוע")], [])
    assert found == [row("שם", "כוח"), row("מנוע", "3")]
    english = [row("Force", "Name"), row("3", "מנוע")]
    assert in_reading_direction(english, []) == english


def test_the_words_of_its_page_tell_how_a_row_of_numbers_is_read() -> None:
    page = [word(300, "שלום", to_left=True)]
    assert in_reading_direction([row("3", "4")], page) == [row("4", "3")]
    assert in_reading_direction([row("3", "4")], [word(100, "as it is")]) == [row("3", "4")]


def test_yeh_is_arabic_where_words_end_with_that_letter() -> None:
    arabic = [word(300, "یأتي", to_left=True)]
    assert shown(with_arabic_yeh(arabic)[0]) == "يأتي"
    persian = [word(300, "یکی", to_left=True)]
    assert with_arabic_yeh(persian) is persian


def test_lam_stands_before_the_alef_that_is_drawn_with_it() -> None:
    one_sign = [("ا", 282.0, 288.0, 0.0, HEIGHT, ()), ("ل", 282.0, 288.0, 0.0, HEIGHT, ())]
    run = [*word(300, "ك", to_left=True), *one_sign, *word(282, "م", to_left=True)]
    assert shown(in_drawn_order(run)) == "كلام"
    apart = word(300, "قال", to_left=True)
    assert in_drawn_order(apart) == apart


def test_a_mark_behind_a_phrase_stays_behind_it_and_commas_part_phrases() -> None:
    hebrew = word(300, "שלום", to_left=True)
    comma = word(206, ",")
    phrase = [*word(240, "Unit"), added(200), *word(212, "Best"), *comma]
    assert shown(in_drawn_order([*hebrew, added(264), *phrase])) == "שלום Best Unit,"
    listed = [*word(240, "post"), added(234), *word(234, ","), *word(204, "text")]
    assert shown(in_drawn_order([*hebrew, added(264), *listed])) == "שלום post ,text"
