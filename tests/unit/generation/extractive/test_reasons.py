"""A question for a reason is answered by what says one, with the fact that it is the reason for."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from libs.question.expected import AnswerKind
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.reasons import has_reason_for
from services.generation.model import BlockKind, Locator, Passage, PassageScores, Span
from services.generation.other_value import OtherValue
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY, lead_of

RINSED = "The basin is rinsed with boiling water. Soap would leave a taste."


def lead(question: str, sentences: tuple[str, ...], language: str) -> str:
    """Return what leads of the sentences of one paragraph, of which the first is the nearest."""
    nearness = [0.9, *[0.2] * (len(sentences) - 1)]
    return lead_of(question, sentences, nearness, language, between=" ")


@pytest.mark.parametrize(
    ("language", "question", "sentences"),
    [
        # Only that it is so, and what is beside it is the reason for another thing.
        (
            "en",
            "Why is the glaze fired at 1,300 °C?",
            (
                "The glaze is fired at 1,300 °C in the large gas kiln.",
                "The door is bricked up to keep the heat in.",
            ),
        ),
        ("en", "Why does a bag of clay cost £12?", ("A bag of clay costs £12 at the counter.",)),
        # That it is so is said nowhere.
        (
            "en",
            "Why is the north tower empty?",
            ("The north tower was built by Leo Marr.", "The south tower is forty metres high."),
        ),
        ("de", "Warum ist die Orgel verstimmt?", ("Die Orgel hat drei Manuale.",)),
        (
            "en",
            "Why did the museum have 9,000 visitors in 2005?",
            ("In 1990 the museum had 4,000 visitors; in 2005 it had 9,000 visitors.",),
        ),
        (
            "en",
            "Why does the society have 140 members?",
            ("The society that looks after the lock has 140 members.",),
        ),
        (
            "en",
            "Why are the walls of brick?",
            ("The walls are of red brick.", "The bed is of stone; mud would wash away."),
        ),
        (
            "de",
            "Warum ist das Becken 50 Meter lang?",
            (
                "Das Becken ist 50 Meter lang und 24 Grad warm.",
                "Der Turm ist gesperrt, da das Geländer rostet.",
            ),
        ),
        (
            "fr",
            "Pourquoi le tambour tourne-t-il à 52 tours par minute ?",
            (
                "Le tambour tourne à 52 tours par minute.",
                "La paroi est percée afin que l'air passe.",
            ),
        ),
        (
            "es",
            "¿Por qué cierra la tienda los lunes?",
            ("La tienda cierra los lunes y abre los martes.", "El pan se corta para venderlo."),
        ),
        (
            "pt",
            "Por que a torre tem doze janelas?",
            ("A torre tem doze janelas de madeira.", "O telhado foi coberto para evitar a chuva."),
        ),
        (
            "ru",
            "Почему башня покрашена в синий цвет?",
            ("Башня покрашена в синий цвет с севера.", "Окно закрыто, чтобы не дуло."),
        ),
    ],
)
def test_a_fact_without_its_reason_does_not_lead(
    language: str, question: str, sentences: tuple[str, ...]
) -> None:
    assert not lead(question, sentences, language)


@pytest.mark.parametrize(
    ("language", "question", "sentence"),
    [
        (
            "en",
            "Why is brass used for the dropouts?",
            "Brass is used for the dropouts as it fills gaps.",
        ),
        ("en", "Why is the flame kept moving?", "The flame is kept moving to spare the lug."),
        (
            "en",
            "Why is the mitre filed by hand?",
            "The mitre is filed by hand; a machine leaves burrs.",
        ),
        ("en", "Why does the door jam?", "The door jams when the seal is worn."),
        (
            "de",
            "Warum liegen die Stände im Schatten?",
            "Die Stände liegen im Schatten, um kühl zu sein.",
        ),
        (
            "fr",
            "Pourquoi le volet reste-t-il ouvert ?",
            "Le volet reste ouvert, ce qui évite la buée.",
        ),
        ("es", "¿Por qué se lava el filtro?", "El filtro se lava para que no se obstruya."),
        (
            "pt",
            "Porque é que os travões são verificados?",
            "Os travões são verificados porque a areia entra.",
        ),
        ("ru", "Почему лампа закрыта?", "Лампа закрыта, потому что стекло горячее."),
    ],
)
def test_a_fact_with_its_reason_leads(language: str, question: str, sentence: str) -> None:
    assert lead(question, (sentence,), language) == sentence


@pytest.mark.parametrize(
    ("language", "question", "sentences"),
    [
        (
            "en",
            "Why is every tube washed with acetone?",
            ("Every tube is washed with acetone.", "Oil left inside would spoil the joint."),
        ),
        (
            "en",
            "Why is the clay aged?",
            ("The clay is aged in the cellar.", "This makes it softer and prevents cracks."),
        ),
        (
            "de",
            "Warum wird das Wasser mit Ozon gereinigt?",
            ("Das Wasser wird mit Ozon gereinigt.", "Chlor würde die Fische schädigen."),
        ),
        (
            "de",
            "Warum sind Hunde verboten?",
            (
                "Hunde sind auf dem Markt verboten.",
                "Ein Hund hatte 2015 eine Theke Wurst gefressen.",
            ),
        ),
        (
            "fr",
            "Pourquoi le cyclone est-il vidé tous les soirs ?",
            ("Le cyclone est vidé tous les soirs.", "Les pellicules y prendraient feu."),
        ),
        (
            "es",
            "¿Por qué se vacía la caja?",
            ("La caja se vacía cada noche.", "El polvo ardería con una chispa."),
        ),
        (
            "pt",
            "Por que a caixa é esvaziada?",
            ("A caixa é esvaziada todas as noites.", "O pó arderia com uma faísca."),
        ),
    ],
)
def test_a_fact_leads_with_the_reason_that_the_next_sentence_gives(
    language: str, question: str, sentences: tuple[str, ...]
) -> None:
    assert lead(question, (*sentences, "A bell hangs there."), language) == " ".join(sentences)


def test_a_reason_leads_before_the_bare_fact() -> None:
    told = "The loft is closed because the stairs are rotten."
    sentences = ("The loft is closed.", "A bell hangs there.", told)
    assert lead("Why is the loft closed?", sentences, "en").endswith(told)


def test_a_reason_in_other_words_needs_no_mark() -> None:
    told = "Lamplight bleaches old cloth within a season."
    assert lead("Why are the rooms of the museum dark?", (told,), "en") == told


@pytest.mark.parametrize(
    ("question", "text", "has_reason"),
    [
        ("Why is the basin rinsed with boiling water?", RINSED, True),
        ("Why is the basin rinsed with cold water?", RINSED, False),
        ("When is the basin rinsed with boiling water?", RINSED, False),
        ("Why is the basin of stone?", "The basin is of stone. A bell hangs there.", False),
    ],
)
def test_a_fact_told_whole_with_its_reason_needs_no_gate(
    question: str, text: str, has_reason: bool
) -> None:
    held = passage(text, text, section_path=("Book", "1"))
    assert has_reason_for(analyse_question(question), [held]) == has_reason


def test_a_lead_without_the_book_s_correction_gives_way_to_the_refusal() -> None:
    text = "Lena Marsh came in 1984. Edwin Quill drew the catalogue."
    asked = prompt((passage(text, text),), "When did Lena Marsh come?")
    assert choose_places(asked, BY_SIMILARITY)
    assert not choose_places(
        replace(asked, other_value=OtherValue("1983", "Another sentence.")), BY_SIMILARITY
    )
    # Nor does a lead say that the question is wrong that only says otherwise, or denies all.
    for value in ("1983", ""):
        other = OtherValue(value, "Lena Marsh came in 1984.")
        assert not choose_places(replace(asked, other_value=other), BY_SIMILARITY)
    denied = replace(asked, other_value=OtherValue("", "Another sentence."))
    assert choose_places(denied, BY_SIMILARITY)
    whether = prompt((passage(text, text),), "Did Lena Marsh come in 1983?")
    other = OtherValue("1983", "Lena Marsh came in 1984.")
    assert not choose_places(replace(whether, other_value=other), BY_SIMILARITY)


def test_a_value_that_the_book_has_of_something_else_is_corrected_in_a_refusal() -> None:
    text = "The mill stood empty until 2006. The club was founded in 2007; Ada Lindt led it."
    other = OtherValue("2006", "The club was founded in 2007; Ada Lindt led it.")
    led = "Since the club was founded in 2006, who led it?"
    for question in (led, "Was the club founded in 2006?"):
        asked = prompt((passage(text, text),), question)
        assert choose_places(asked, BY_SIMILARITY)
        assert not choose_places(replace(asked, other_value=other), BY_SIMILARITY)
    assert other.stands_in([text])
    assert not other.stands_in(["The mill of 20061 stood empty."])
    assert not OtherValue("", text).stands_in([text])


def test_a_listing_gives_no_reason_and_what_is_for_both_is_no_comparison() -> None:
    question = "Why export KEY=1 on both the boat and the shore?"
    assert analyse_question(question).expected.kind is AnswerKind.CAUSE
    code, item = "boat: export KEY=1\nshore: export KEY=1", "Set up KEY to avoid cross-talk"
    spans = (
        Span(0, len(code), BlockKind.CODE, 0.9),
        Span(len(code) + 1, len(code) + 1 + len(item), BlockKind.LIST_ITEM, 0.5),
    )
    text = f"{code}\n{item}"
    place = Locator("a.md", 0, len(text), ("Book", "The network"))
    held = Passage("a", place, text, spans, PassageScores(fused=0.5))
    asked = replace(prompt((held,), question), analysis=analyse_question(question))
    assert held.text_of(choose_places(asked, BY_SIMILARITY)[0].span) == item


@pytest.mark.parametrize(
    ("language", "question", "sentences"),
    [
        (
            "en",
            "Why does the stove have a screen?",
            ("The stove has a screen, for hot ash flies.",),
        ),
        (
            "en",
            "Why do the sheds face south-east?",
            ("The sheds face south-east so the sun dries them.",),
        ),
        ("en", "Why was the ferry sold?", ("The ferry was sold in 1990, having no crew left.",)),
        (
            "en",
            "Why is the pier inspected?",
            ("Given its age, the pier is inspected twice a year.",),
        ),
    ],
)
def test_a_reason_is_told_in_many_ways(
    language: str, question: str, sentences: tuple[str, ...]
) -> None:
    told = lead(question, sentences, language)
    assert all(one in told for one in sentences)


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        # The reason behind it is for something else, and what goes on gives none.
        (
            "Why was the Tern sold?",
            ("The Tern ran aground in 1982.", "The mate had fallen asleep."),
        ),
        (
            "Why are letters not sealed?",
            ("Letters are not sealed.", "They are stamped with a key."),
        ),
        ("Why do sheds face south-east?", ("Sheds face south-east in this valley.",)),
    ],
)
def test_no_reason_is_what_goes_on_or_is_one_for_another_thing(
    question: str, sentences: tuple[str, ...]
) -> None:
    assert lead(question, sentences, "en") == ""


SMELL = ("It smells musty.", "The filter is used up.", "Replace it.")
SMELL_DE = ("Das Wasser riecht.", "Der Filter ist verbraucht.")


@pytest.mark.parametrize(
    ("language", "question", "sentences", "title", "led"),
    [
        ("en", "Why does it smell musty?", SMELL, "Troubleshooting", 2),
        ("de", "Warum riecht das Wasser?", SMELL_DE, "Störungen", 2),
        # What stands behind a fact elsewhere is no reason for it.
        ("en", "Why does it smell musty?", SMELL, "The cellar", 0),
    ],
)
def test_a_fault_is_told_with_what_follows_it_in_its_paragraph(
    language: str, question: str, sentences: tuple[str, ...], title: str, led: int
) -> None:
    nearness = (0.9, *[0.1] * (len(sentences) - 1))
    lead = lead_of(question, sentences, nearness, language, titles=("B", title), between=" ")
    assert lead == " ".join(sentences[:led])


@pytest.mark.parametrize(
    ("question", "sentences", "nearest", "led"),
    [
        (
            "Why does a joint in a clamp shrink?",
            (
                "Wood grows where it is bent.",
                "That is why boards that are bent are thicker.",
                "It is also why a joint in a clamp shrinks.",
            ),
            2,
            (0, 1, 2),
        ),
        (
            "Why should I burn the slip after reading it?",
            ("The slip is in clear and you should burn it after reading it.", "It burns slowly."),
            0,
            (0,),
        ),
        (
            "Why is there no head cook in the guild?",
            ("The guild is a circle of equals.", "As such, there is no head cook or chair."),
            1,
            (0, 1),
        ),
        (
            "Why is the gate not safe?",
            ("Note that the gate is not safe: the gate hangs on one hinge, and sways.",),
            0,
            (0,),
        ),
        # Another thing's name.
        (
            "Why should I weigh a parcel that was sent?",
            (
                "To know more about how to weigh a parcel that was sent, visit the office.",
                "Any parcel that was sent is weighed so that it is charged fairly.",
            ),
            0,
            (1,),
        ),
    ],
)
def test_a_reason_is_what_is_pointed_back_to_or_said_beside_it(
    question: str, sentences: tuple[str, ...], nearest: int, led: tuple[int, ...]
) -> None:
    nearness = [0.9 if at == nearest else 0.2 for at in range(len(sentences))]
    told = lead_of(question, sentences, nearness, between=" ")
    assert told == " ".join(sentences[at] for at in led)
