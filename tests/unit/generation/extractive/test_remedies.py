"""Where a record says what is seen, why and what helps, what helps leads for who asks for it."""

import pytest

from tests.support.leads import lead_of

FAULTS = (
    "Symptom: the kiln door stays locked",
    "Cause: a blown fuse in the latch",
    "Solution:",
    "- Let the kiln cool down.",
    "- Replace the fuse.",
    "Prevention: dust the latch once a month",
    "Symptom: the kiln hums and stays cold",
    "Fix: tighten the cable of the coil.",
)
NEAR = (0.9, 0.5, 0.0, 0.1, 0.1, 0.3, 0.2, 0.1)


@pytest.mark.parametrize(
    ("language", "question", "pieces", "lead"),
    [
        ("en", "The door of my kiln stays locked. What should I do?", FAULTS, FAULTS[2:5]),
        ("en", "How do I fix a kiln door that stays locked?", FAULTS, FAULTS[2:5]),
        (
            "de",
            "Die Tür des Ofens bleibt verriegelt. Was kann ich tun?",
            ("Störung: Tür bleibt verriegelt", "Ursache: Sicherung", "Abhilfe: Sicherung tauschen"),
            ("Abhilfe: Sicherung tauschen",),
        ),
        (
            "fr",
            "La porte du four reste bloquée, que faire ?",
            ("Problème : la porte reste bloquée", "Cause : fusible", "Remède : changer le fusible"),
            ("Remède : changer le fusible",),
        ),
        (
            "es",
            "La puerta del horno no se abre. ¿Qué puedo hacer?",
            ("Síntoma: la puerta no se abre", "Causa: fusible", "Solución: cambiar el fusible"),
            ("Solución: cambiar el fusible",),
        ),
        (
            "pt",
            "A porta do forno não abre. O que devo fazer?",
            ("Sintoma: a porta não abre", "Causa: fusível", "Solução: trocar o fusível"),
            ("Solução: trocar o fusível",),
        ),
    ],
)
def test_the_line_that_helps_leads_with_its_steps(
    language: str, question: str, pieces: tuple[str, ...], lead: tuple[str, ...]
) -> None:
    assert lead_of(question, pieces, NEAR[: len(pieces)], language) == "\n".join(lead)


def test_no_more_steps_lead_than_are_read_at_once() -> None:
    steps = [f"- Turn screw number {at} of the latch by a quarter to the left." for at in range(20)]
    pieces = ("Symptom: the door stays locked", "Solution:", *steps)
    nearness = (0.9, *[0.1] * 21)
    lead = lead_of("The door stays locked. What can I do?", pieces, nearness)
    assert lead.startswith("Solution:\n- Turn screw number 0")
    assert 400 < len(lead) <= 600


@pytest.mark.parametrize(
    ("question", "pieces"),
    [
        ("Which door stays locked?", FAULTS),
        # The record of another fault says nothing of this one.
        ("The door of my kiln is locked, what helps?", (*FAULTS[:2], *FAULTS[6:])),
    ],
)
def test_nothing_is_told_that_helps_where_that_is_not_asked_or_not_said(
    question: str, pieces: tuple[str, ...]
) -> None:
    lead = lead_of(question, pieces, NEAR[: len(pieces)])
    assert lead.startswith(FAULTS[0])
    assert not any(helps in lead for helps in ("Solution", "Fix"))


ITEM = ("- The lamp blinks red.", "The card is locked.", "Slide its tab.")


@pytest.mark.parametrize(
    ("question", "nearness", "lead"),
    [
        # The item begins with what is reported, however near another one is.
        ("The lamp blinks red. What should I do?", (0.2, 0.1, 0.1, 0.9), ITEM),
        # In other words than the book's, the likeliest span tells the item.
        ("The red light flashes. What should I do?", (0.9, 0.1, 0.1, 0.2), ITEM),
        ("Which lamp blinks red?", (0.9, 0.1, 0.1, 0.2), ITEM[:1]),
        # What has none of its words is another fault, however near the item is.
        ("The fan is loud. What should I do?", (0.9, 0.1, 0.1, 0.2), ITEM[:1]),
    ],
)
def test_the_item_of_a_list_that_begins_with_the_fault_leads_whole(
    question: str, nearness: tuple[float, ...], lead: tuple[str, ...]
) -> None:
    pieces = (*ITEM[:1], *(f"- {one}" for one in ITEM[1:]), "Press it until the lamp blinks.")
    held = lead_of(question, pieces, nearness, between=" ")
    assert held == " ".join(pieces[: len(lead)])
