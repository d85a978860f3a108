"""How somebody defines a thing is told by a sentence of him that says what it is."""

from tests.support.leads import lead_of

OBJECTED = "Critics say that virtue in Aristotle goes in a circle."
DEFINED = "A virtue, in Aristotle's sense, is a settled state of character."


def test_the_sentence_that_says_what_it_is_leads() -> None:
    assert lead_of("How does Aristotle define virtue?", (OBJECTED, DEFINED), (0.9, 0.5)) == DEFINED


def test_another_s_sentence_does_not() -> None:
    other = "A virtue, in Hume's sense, is a pleasing quality."
    shown = lead_of("How does Aristotle define virtue?", (OBJECTED, other), (0.9, 0.5))
    assert shown == OBJECTED
