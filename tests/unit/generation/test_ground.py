"""A sentence passes only when its quotes say what it says, and nothing else came with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.ground import examine, is_consistent, is_grounded
from services.generation.model import CheckKind

QUOTE = "The MPU-9250 is a 9-axis sensor that samples at 1,000 Hz and does not measure pressure."


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (QUOTE, QUOTE),
        ("The MPU-9250 is a 9-axis sensor that samples at 1000 Hz.", QUOTE),
        ("In short, the MPU-9250 is the 9-axis sensor that samples at 1000 Hz.", QUOTE),
        (
            "The MPU-9250 is a 9-axis sensor that samples at 1,000 Hz and doesn't measure pressure.",
            QUOTE,
        ),
        ("It takes two seconds.", "It takes 2 s."),
        ("IMUs drift.", "An IMU drifts."),
        ("Efficiency reaches 92 percent.", "Efficiency reaches 92 %."),
        ("It holds “21 MPa”.", 'It holds "21 MPa".'),
        ("The motor is fast.", "The motor is fast, but not cheap."),
        ("The motor can't be stopped.", "The motor cannot be stopped."),
        ("Lists are\nkept.", "Lists are\n\nkept."),
        ("The motor may stop.", "When it is hot, the motor may stop."),
    ],
)
def test_what_the_quote_says_passes(sentence, quote):
    assert is_grounded(sentence, [quote])


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The MPU-9250 samples at 2,000 Hz.", QUOTE),
        ("The MPU-9250 samples at 1,000 kHz.", QUOTE),
        ("The MPU-6050 samples at 1,000 Hz.", QUOTE),
        ("The MPU-9250 measures pressure.", QUOTE),
        ("The Bosch sensor samples at 1,000 Hz.", QUOTE),
        ("Sensors cost money and break often.", QUOTE),
        ("It runs from -40 °C.", "It runs from 40 °C."),
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
    ],
)
def test_what_it_does_not_say_fails(sentence, quote):
    assert not is_grounded(sentence, [quote])


def test_a_quote_is_read_with_its_unit():
    unit = "Never believe that the motor is safe when it is hot."
    assert not is_grounded("the motor is safe", ["the motor is safe"], [unit])
    assert not is_grounded("the motor is safe when it is hot.", [unit[19:]], [unit])
    assert is_grounded(unit, ["the motor is safe"], [unit])


def test_each_check_tells_what_it_found():
    made = examine("The MPU-9250 samples at 2,000 Hz.", [QUOTE])
    assert [(check.kind, check.passed) for check in made] == [
        (CheckKind.MARKUP, True),
        (CheckKind.NUMBERS, False),
    ]
    assert made[-1].reason == "a number that the quote does not have"
    assert all(
        check.passed and check.reason for check in examine("In short, IMUs drift.", ["IMUs drift."])
    )


def test_no_reason_repeats_what_was_written():
    for sentence in (
        "The zanquil stops.",
        "Zanquil 9 kg!",
        "[zanquil](x)",
        "The motor zanquil stops.",
    ):
        assert not any("zanquil" in check.reason.lower() for check in examine(sentence, [QUOTE]))


def test_without_quotes_nothing_passes():
    assert not is_grounded(QUOTE, [])


def test_two_quotes_may_prove_a_sentence_together():
    sentence = "Hydraulic actuators are strong and electric motors are clean."
    assert is_grounded(sentence, ["Hydraulic actuators are strong.", "Electric motors are clean."])
    assert not is_grounded(sentence, ["Hydraulic actuators are strong."])


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
def test_nothing_made_outside_the_book_is_carried_along(extra):
    sentence = f"The sensor does not measure pressure {extra}"
    assert not is_grounded(sentence, [QUOTE])
    assert is_grounded(sentence, [sentence])


@given(quote=st.text(min_size=1, max_size=80))
def test_a_verbatim_quote_passes_and_nothing_raises(quote):
    assert is_grounded(quote, [quote])


@given(sentence=st.text(max_size=80), quote=st.text(max_size=80))
def test_any_text_is_judged_without_an_error(sentence, quote):
    assert is_grounded(sentence, [quote]) in (True, False)


@pytest.mark.parametrize(
    ("sentence", "earlier", "consistent"),
    [
        ("The motor weighs 5 kg.", "The motor weighs 7 kg.", False),
        ("The motor is fast.", "The motor is not fast.", False),
        ("The motor is faster than the pump.", "The motor is slower than the pump.", False),
        ("The motor weighs 5 kg.", "The pump of the left leg weighs 7 kg.", True),
        ("The motor weighs 5 kg.", "The motor weighs 5 kg.", True),
    ],
)
def test_sentences_that_contradict_each_other_are_told(sentence, earlier, consistent):
    assert is_consistent(sentence, [earlier]) is consistent


def test_what_the_book_says_in_one_piece_may_carry_its_links_and_signs():
    quote = "See <b>www.example.com</b>\u202e now."
    assert examine("<b>www.example.com</b>\u202e", [quote])[0].passed
    assert not examine("<b>www.example.net</b>", [quote])[0].passed
    assert not examine("See\u202d now.", [quote])[0].passed
