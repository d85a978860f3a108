"""A sentence is the book's own only where whole sentences of it say it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.checks.facts import check_books_words, is_books_own
from services.generation.model import Check, CheckKind

QUOTE = "The MPU-9250 is a 9-axis sensor that samples at 1,000 Hz and does not measure pressure."


def check_of(sentence: str, quotes: list[str]) -> list[Check]:
    return check_books_words(sentence, quotes)[0]


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (QUOTE, QUOTE),
        (f"In short, {QUOTE}", QUOTE),
        (
            "The MPU-9250 is a 9-axis sensor that samples at 1,000 Hz and doesn't measure pressure.",
            QUOTE,
        ),
        ("It takes two seconds.", "It takes 2 s."),
        ("IMUs drift.", "An IMU drifts."),
        ("Efficiency reaches 92 percent.", "Efficiency reaches 92 %."),
        ("It holds “21 MPa”.", 'It holds "21 MPa".'),
        ("The motor can't be stopped.", "The motor cannot be stopped."),
        ("Lists are\nkept.", "Lists are\n\nkept."),
    ],
)
def test_a_sentence_of_the_quotes_clauses_passes(sentence: str, quote: str) -> None:
    assert is_books_own(sentence, [quote])


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The MPU-9250 samples at 2,000 Hz.", QUOTE),
        ("The MPU-9250 samples at 1,000 kHz.", QUOTE),
        ("The MPU-6050 samples at 1,000 Hz.", QUOTE),
        ("The MPU-9250 measures pressure.", QUOTE),
        ("The Bosch sensor samples at 1,000 Hz.", QUOTE),
        ("Sensors cost money and break often.", QUOTE),
        ("The motor is not fast.", "The motor is fast."),
        ("The motor never stops.", "The motor stops."),
        ("There are three legs.", "There are four legs."),
        ("The motor is slower than the pump.", "The motor is faster than the pump."),
        ("The pump is faster than the motor.", "The motor is faster than the pump."),
        ("The pressure decreases with depth.", "The pressure increases with depth."),
        ("The motor always stops.", "The motor stops."),
        ("The motor stops.", "The motor may stop."),
        ("The motor stops because the pump is hot.", "The motor stops. The pump is hot."),
        ("", QUOTE),
        ("!!!", QUOTE),
        ("The of and.", QUOTE),
        # True, perhaps; but words put together anew can say anything.
        ("The MPU-9250 samples at 1,000 Hz.", QUOTE),
        ("The sensor does not measure pressure.", QUOTE),
        ("The motor is faster than the pump.", "The motor, as built, is faster than the pump."),
        ("Humans harm robots.", "Robots harm humans."),
        ("Humans are fast.", "Humans are slow, robots are fast."),
        ("The motor zanquil stops.", "The motor stops."),
        ("The motor must be stopped.", "The motor can be stopped."),
        ("The motor was fast.", "The motor is fast."),
        ("Switch it on or off.", "Switch it on and off."),
        ("The motor stops.", "The motor stops, unless it is hot."),
        ("The motor stops.", "If it is hot, the motor stops."),
        ("The motor stops.", "It is wrong, the motor stops."),
        ("The motor may stop.", "When it is hot, the motor may stop."),
        ("The motor is fast.", "The motor is fast, but not cheap."),
        ("The motor is fast.", "The motor is fast; but only when it is new."),
        ("The motor is fast.", "It is a myth; the motor is fast."),
        ("The MPU-9250 is a 9-axis sensor that samples at 1000 Hz.", QUOTE),
    ],
)
def test_a_sentence_that_the_quote_does_not_say_fails(sentence: str, quote: str) -> None:
    assert not is_books_own(sentence, [quote])


def test_a_quote_is_read_with_its_unit() -> None:
    span = "Never believe that the motor is safe when it is hot."
    assert not is_books_own("the motor is safe", [span])
    assert not is_books_own("the motor is safe when it is hot.", [span])
    assert is_books_own(span, [span])


def test_each_check_tells_what_it_found() -> None:
    made = check_of("The MPU-9250 samples at 2,000 Hz.", [QUOTE])
    assert [(check.kind, check.passed) for check in made] == [
        (CheckKind.MARKUP, True),
        (CheckKind.NUMBERS, False),
    ]
    assert made[-1].reason == "a number that the quotes do not have"
    assert all(
        check.passed and check.reason
        for check in check_of("In short, IMUs drift.", ["IMUs drift."])
    )


def test_no_reason_repeats_what_was_written() -> None:
    for sentence in (
        "The zanquil stops.",
        "Zanquil 9 kg!",
        "[zanquil](x)",
        "The motor zanquil stops.",
    ):
        assert not any("zanquil" in check.reason.lower() for check in check_of(sentence, [QUOTE]))


def test_without_quotes_nothing_passes() -> None:
    assert not is_books_own(QUOTE, [])


def test_two_quotes_may_prove_a_sentence_together() -> None:
    sentence = "Hydraulic actuators are strong and electric motors are clean."
    assert is_books_own(sentence, ["Hydraulic actuators are strong.", "Electric motors are clean."])
    assert not is_books_own(sentence, ["Hydraulic actuators are strong."])


@pytest.mark.parametrize(
    "extra",
    [
        "https://evil.example",
        "HTTP://evil.example",
        "//evil.example/x",
        "www.evil.example",
        "evil.example/path",
        "javascript:alert(1)",
        "data:text/html,x",
        "<b>",
        "</p>",
        "<!-- x -->",
        "&lt;",
        "![x](y)",
        "[x](y)",
        "[x][1]",
        "\u202e",
        "\u200b",
        "\x07",
        "\ufffd",
        "[Source 1]",
    ],
)
def test_nothing_made_outside_the_book_is_carried_along(extra: str) -> None:
    sentence = f"The sensor does not measure pressure {extra}"
    assert not is_books_own(sentence, [QUOTE])
    assert is_books_own(sentence, [sentence])


@given(quote=st.text(min_size=1, max_size=80))
def test_a_verbatim_quote_passes_and_nothing_raises(quote: str) -> None:
    assert is_books_own(quote, [quote]) == bool(quote.strip())


@given(sentence=st.text(max_size=80), quote=st.text(max_size=80))
def test_any_text_is_judged_without_an_error(sentence: str, quote: str) -> None:
    assert is_books_own(sentence, [quote]) in (True, False)


def test_a_whole_sentence_of_the_book_may_have_its_links_and_signs() -> None:
    quote = "See <b>www.example.com</b>\u202e now."
    assert check_of("<b>www.example.com</b>\u202e", [quote])[0].passed
    assert not check_of("<b>www.example.net</b>", [quote])[0].passed
    assert not check_of("See\u202d now.", [quote])[0].passed


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The rod bears 21 mPa.", "The rod bears 21 MPa."),
        ("It is stiff to 40 N·m.", "It is stiff to 40 N/m."),
        ("It weighs 12 Mg.", "It weighs 12 mg."),
        ("The loop runs while `i <= n`.", "The loop runs while `i < n`."),
        ("Use `==` for names.", "Use `!=` for names."),
        ("Type `sort -L`.", "Type `sort -l`."),
        ("It costs $12.", "It costs €12."),
        ("The reading is 4.0 + 0.2 V.", "The reading is 4.0 ± 0.2 V."),
        ("It runs from -40 °C.", "It runs from 40 °C."),
        ("It gains few megapascals.", "It gains a few megapascals."),
        ("See HTTPS://varde.example/Rooms now.", "See https://varde.example/rooms now."),
        ("Open except Wednesday ☂.", "Open except Wednesday ☀."),
        ("The café is **open**.", "The café is open."),
        ("It has 10^6 rows.", "It has 10⁶ rows."),
        ("The text says that it drifts.", "It drifts."),
    ],
)
def test_a_shown_sentence_has_the_books_characters(sentence: str, quote: str) -> None:
    made, shown = check_books_words(sentence, [quote])
    assert (shown if made[-1].passed else quote) == quote


@given(sentence=st.text(max_size=80), quote=st.text(max_size=80))
def test_nothing_is_shown_that_is_not_a_piece_of_the_book(sentence: str, quote: str) -> None:
    made, shown = check_books_words(sentence, [quote])
    assert not made[-1].passed or shown.strip(" ;") in quote


@pytest.mark.parametrize(
    ("piece", "sentence"),
    [
        ("the motor stops at once", "The motor stops at once; a pump does not."),
        ("open the gas drain", "If the lamp is red: stop the motor; open the gas drain; call."),
        ("cod is eaten raw", "In spring, eel is forbidden; cod is eaten raw; hake is not."),
        ("the pump stops for good", "When it is hot, the valve opens; the pump stops for good."),
        ("guests slept for free", "In 2014 the mill was open; guests slept for free; it burnt."),
        ("open it when hot", "It is forbidden to do as follows: oil it dry; open it when hot."),
        ("the valve may be hot", "Some errors are common: the belt is dry; the valve may be hot."),
        ("it is quite safe for cats", "It is quite safe for cats; this was claimed by quacks."),
        ("it is quite safe for cats", "It is quite safe for cats; far from it."),
        ("it may run dry for hours", "It may run dry for hours; above 40 degrees it burns."),
    ],
)
def test_a_piece_between_semicolons_is_not_cut_from_its_sentence(piece: str, sentence: str) -> None:
    assert piece in sentence.lower()
    assert not is_books_own(f"{piece.capitalize()}.", [sentence])
    assert is_books_own(sentence, [sentence])


def test_a_break_of_a_line_inside_of_a_sentence_cuts_nothing_off() -> None:
    broken = "Do not, whatever they say,\nopen the valve while it is hot."
    assert not is_books_own("Open the valve while it is hot.", [broken])
    assert check_books_words(broken.replace("\n", " "), [broken])[1] == broken


def test_an_introduction_is_not_cut_off_from_its_list() -> None:
    for list_ in ("Never do this:\nOpen it hot.", "Never do this:\n\nOpen it hot."):
        assert not is_books_own("Open it hot.", [list_])
    assert is_books_own("Open it hot.", ["Do this.\nOpen it hot."])


def test_sentences_that_are_joined_are_shown_as_the_book_has_them() -> None:
    spans = ["A line is thin; it bends.", "A rod bears 21 MPa."]
    assert check_books_words("A line is thin; it bends, and a rod bears 21 mpa", spans)[1] == (
        "A line is thin; it bends. A rod bears 21 MPa."
    )


def test_sentences_are_joined_in_the_books_order_alone() -> None:
    spans = ["Open the valve slowly.", "Light the flame.", "Close the door."]
    for book in (spans, [" ".join(spans)]):
        assert is_books_own("Open the valve slowly, and close the door.", book)
        assert not is_books_own("Light the flame and open the valve slowly.", book)
        assert not is_books_own("Close the door and light the flame.", book)


def test_a_pronoun_points_to_what_it_points_to_in_the_book() -> None:
    spans = ["Anna built the mill.", "She sold it.", "Olga built the dam."]
    assert not is_books_own("Anna built the mill, and she sold it.", spans)
    assert is_books_own("Anna built the mill. She sold it.", [" ".join(spans)])
    assert not is_books_own("Olga built the dam. She sold it.", [" ".join(spans)])


@pytest.mark.parametrize(
    "pointing",
    [
        "In heat they lose half of their charge.",
        "In 1871, he was hanged.",
        "The latter kills within a day.",
        "In that case, call for help.",
        "With the same key, thieves opened the door.",
    ],
)
def test_a_sentence_that_points_back_anywhere_stays_behind_its_own(pointing: str) -> None:
    spans = ["Lead is cheap.", "Salt is light.", pointing]
    assert is_books_own(f"Salt is light. {pointing}", [" ".join(spans)])
    for book in (spans, [" ".join(spans)]):
        assert not is_books_own(f"Lead is cheap. {pointing}", book)
        assert is_books_own("Lead is cheap. Salt is light.", book)
