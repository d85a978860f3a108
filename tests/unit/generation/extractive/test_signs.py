"""Who asks which key or option does something is led to what names one and says that it does."""

import pytest

from tests.support.leads import lead_of

KEYS = (
    "Lines are wrapped softly where that is switched on with a key.",
    "M-L toggles the hard wrapping of lines.",
    "M-S toggles the soft wrapping of lines.",
)
OPTIONS = (
    "Backups are copies of a file.",
    "-C directory",
    "Keep a numbered backup of every copy that is made.",
    "--backup",
    "Keep the version before as a copy.",
)


@pytest.mark.parametrize(
    ("language", "question", "pieces", "led"),
    [
        ("en", "Which key toggles soft wrapping?", KEYS, KEYS[2:]),
        # No key is asked for, but this says most of what is.
        ("en", "What toggles soft wrapping?", KEYS, KEYS[2:]),
        ("en", "Which option keeps a backup copy?", OPTIONS, OPTIONS[3:]),
        (
            "de",
            "Welche Taste öffnet die Hilfe?",
            ("Die Hilfe öffnet sich von selbst.", "Strg-H öffnet die Hilfe."),
            ("Strg-H öffnet die Hilfe.",),
        ),
        (
            "fr",
            "Quelle touche ouvre l'aide ?",
            ("L'aide ouvre une page.", "Ctrl-H ouvre l'aide."),
            ("Ctrl-H ouvre l'aide.",),
        ),
        (
            "es",
            "¿Qué tecla abre la ayuda?",
            ("La ayuda se abre sola.", "Ctrl-H abre la ayuda."),
            ("Ctrl-H abre la ayuda.",),
        ),
        (
            "pt",
            "Que tecla abre a ajuda?",
            ("A ajuda abre sozinha.", "Ctrl-H abre a ajuda."),
            ("Ctrl-H abre a ajuda.",),
        ),
    ],
)
def test_a_span_that_names_the_sign_leads(
    language: str, question: str, pieces: tuple[str, ...], led: tuple[str, ...]
) -> None:
    nearness = (0.6, 0.5, 0.5, 0.4, 0.5)[: len(pieces)]
    assert lead_of(question, pieces, nearness, language, between="\n\n") == "\n\n".join(led)


COLUMNS = ("Key | Function", "a | Opens the list", "q | Quits the program")
PROSE = "The program ends what it has begun with keys alone."


def test_a_column_called_as_the_sign_has_it() -> None:
    assert (
        lead_of("Which key stops the program?", (*COLUMNS, PROSE), (0.1, 0.3, 0.4, 0.6))
        == COLUMNS[2]
    )


def test_a_shortcut_is_a_sign_in_german_too() -> None:
    rows = ("Strg+N öffnet eine Datei.", "Strg+Q verlässt das Programm.")
    prose = "Kurzbefehle helfen, wenn man das Programm beendet."
    question = "Welcher Kurzbefehl beendet das Programm?"
    assert lead_of(question, (*rows, prose), (0.3, 0.4, 0.6), "de") == rows[1]
