"""A sentence passes only when its quotes say what it says, and nothing else came with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.ground import is_grounded

QUOTE = "The MPU-9250 is a 9-axis sensor that samples at 1,000 Hz and does not measure pressure."


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (QUOTE, QUOTE),
        ("The MPU-9250 samples at 1000 Hz.", QUOTE),
        ("The MPU-9250 is a sensor with 9 axis.", QUOTE),
        ("The sensor does not measure pressure.", QUOTE),
        ("The 9-axis MPU-9250 samples at 1,000 Hz.", QUOTE),
        ("It takes two seconds.", "It takes 2 s."),
        ("IMUs drift.", "An IMU drifts."),
        ("Efficiency reaches 92 percent.", "Efficiency reaches 92 %."),
        ("It holds “21 MPa”.", 'It holds "21 MPa".'),
        ("The motor is fast.", "The motor is fast, but not cheap."),
        ("The motor can't be stopped.", "The motor cannot be stopped."),
        ("Lists are\nkept.", "Lists are\n\nkept."),
        ("The motor is faster than the pump.", "The motor, as built, is faster than the pump."),
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
    ],
)
def test_what_it_does_not_say_fails(sentence, quote):
    assert not is_grounded(sentence, [quote])


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
    assert is_grounded(sentence, [f"The sensor does not measure pressure {extra} here."])


@given(quote=st.text(min_size=1, max_size=80))
def test_a_verbatim_quote_passes_and_nothing_raises(quote):
    assert is_grounded(quote, [quote])


@given(sentence=st.text(max_size=80), quote=st.text(max_size=80))
def test_any_text_is_judged_without_an_error(sentence, quote):
    assert is_grounded(sentence, [quote]) in (True, False)
