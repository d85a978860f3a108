"""Bold with a space in it and a backslash at a paragraph's end are read as editors mean them."""

import pytest

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.markdown import parse_markdown


def read(source: str) -> tuple[str, list[str]]:
    """Return the text of a file and what of it is bold."""
    parsed = parse_markdown(source, False, "F")
    strong = [
        parsed.text[one.start : one.end] for one in parsed.markup if one.kind is MarkupKind.STRONG
    ]
    return parsed.text, strong


@pytest.mark.parametrize(
    ("source", "text", "strong"),
    [
        ("**Remarque **: ouvrez.", "Remarque : ouvrez.", ["Remarque"]),
        ("**Nom : **Donnez un nom.", "Nom : Donnez un nom.", ["Nom :"]),
        ("Pour les** lots** de gros.", "Pour les lots de gros.", ["lots"]),
        ("** Nom : **Donnez.", "Nom : Donnez.", ["Nom :"]),
        ("**a** ou **b **, **c **.", "a ou b , c .", ["a", "b", "c"]),
        ("**[Marges](m.md) **: *non*.", "Marges : non.", ["Marges"]),
        ("Ouvert.** **Et clos.", "Ouvert. Et clos.", []),
        ("****Ouvrez.\\\n****Et clos.", "Ouvrez.\nEt clos.", []),
    ],
)
def test_bold_may_have_a_space_inside_its_marks(source: str, text: str, strong: list[str]) -> None:
    assert read(f"# T\n\n{source}\n") == (f"T\n\n{text}", strong)


@pytest.mark.parametrize(
    "source",
    [
        "It is 2 **3 and 4 **5.",
        "It takes *args, **kwargs and **more.",
        "It is a ** b ** c.",
        "One ** alone.",
        "**One of **three **stays.",
        "**A _b **c_ d.",
        "Its mask is ****.",
    ],
)
def test_stars_that_mean_themselves_stay(source: str) -> None:
    assert read(f"# T\n\n{source}\n") == (f"T\n\n{source.replace('_', '')}", [])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Bravo !\\\n\nVoici.", "Bravo !\n\nVoici."),
        ("Bravo !\n\n\\\n\nVoici.", "Bravo !\n\nVoici."),
        ("Un\\\ndeux : \\\n\nVoici.", "Un\ndeux :\n\nVoici."),
        ("It begins with a \\\n\nSo.", "It begins with a \\\n\nSo."),
        ("It lies in C:\\\n\nSo.", "It lies in C:\\\n\nSo."),
        ("It lies in \\\\host\\\\\n\nSo.", "It lies in \\host\\\n\nSo."),
        ("- Signs\n- \\", "Signs\n\\"),
        ("| a | b |\n|--|--|\n| c\\ | d |", "a | b\nc\\ | d"),
    ],
)
def test_a_backslash_that_ends_a_paragraph_is_a_line_break(source: str, text: str) -> None:
    assert read(f"# T\n\n{source}\n")[0] == f"T\n\n{text}"
