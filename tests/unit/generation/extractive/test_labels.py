"""The line of a record that is labelled with what is asked leads before the one with the thing."""

import pytest

from tests.support.leads import lead_of

RECORD = ("Machine: g5.large or NC6", "GPU: Kestrel A10 (24 GB)", "Storage: 200 GB")
FAULT = ("Error 17: the rotor is stuck", "Cause: ice in the bearing", "Cure: warm it up")
FLAT = (0.9, 0.2, 0.1)


@pytest.mark.parametrize(
    ("language", "question", "pieces", "line"),
    [
        ("en", "Which GPU does a g5.large have?", RECORD, RECORD[1]),
        ("en", "Error 17: the rotor is stuck - cause?", FAULT, FAULT[1]),
        ("de", "Fehler 17 – Ursache?", ("Fehler 17: Stillstand", "Ursache: Eis"), "Ursache: Eis"),
        # The likeliest has what is asked for itself.
        (
            "en",
            "Which GPU does a g5.large have?",
            ("The GPU of a g5.large is a Kestrel.", *RECORD[1:]),
            "The GPU of a g5.large is a Kestrel.",
        ),
        # No line of its record says what it is of.
        (
            "en",
            "Which GPU does a g7.large have?",
            ("A machine is dear.", *RECORD[1:2], RECORD[0]),
            "A machine is dear.",
        ),
    ],
)
def test_the_labelled_line_leads(
    language: str, question: str, pieces: tuple[str, ...], line: str
) -> None:
    assert lead_of(question, pieces, FLAT[: len(pieces)], language) == line
