"""A value that is asked of a thing is answered by what says it of that thing, in each language."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.sought import has_value_for
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, lead_of, passage_of

WHY_FR = "Le moulin a été rénové parce qu'il menaçait ruine. La roue est lente."


def lead(question: str, text: str, language: str, title: str = "Chapter") -> str:
    """Return what leads of `text`, whose sentences are found the nearer the further back."""
    sentences = [f"{one}." for one in text.rstrip(".").split(". ")]
    nearness = [0.6 + at / 100 for at in range(len(sentences))]
    return lead_of(question, sentences, nearness, language, titles=("Book", title), between=" ")


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # What another thing costs or measures.
        ("en", "How much does the flour cost?", "Flour is sold here. A ticket costs 4 euros."),
        ("de", "Was kostet das Mehl?", "Mehl wird hier verkauft. Im Bad kostet eine Karte 4 Euro."),
        ("es", "¿Cuánto cuesta la harina?", "La harina es buena. Hay sol. El billete cuesta 4 euros."),
        ("fr", "Quelle est la longueur du bac ?", "Le bac est vieux. Il pleut. Le pont mesure 9 m."),
        ("pt", "Quanto pesa a roda?", "A roda gira. Há sol. A ponte pesa 40 toneladas."),
        ("ru", "Сколько стоит мука?", "Мука белая. Светит солнце. Билет стоит 4 евро."),
        # When something else was done with it.
        ("en", "When was the mill sold?", "The mill grinds rye. The mill was painted in 1998."),
        ("de", "Wann wurde die Mühle verkauft?", "Die Mühle wurde 1998 renoviert."),
        ("es", "¿Cuándo se vendió el molino?", "El molino se renovó en 1998."),
        ("fr", "Quand le moulin a-t-il été vendu ?", "Le moulin a été rénové en 1998."),
        ("pt", "Quando foi vendido o moinho?", "O moinho foi renovado em 1998."),
        ("ru", "Когда продали мельницу?", "Мельницу отремонтировали в 1998 году."),
        # Who did something else, and when it fell.
        ("es", "¿Quién construyó el puente?", "El puente se derrumbó en la riada de 1784."),
        ("es", "¿Quién pintó el puente?", "El puente fue inaugurado por Ana Ribera."),
        ("de", "Wer hat die Brücke gestrichen?", "Die Brücke wurde von Hanna Bruck eröffnet."),
        # Where somebody does something else.
        ("en", "Where does Hanna Brook live?", "The ferry in Torby is steered by Hanna Brook."),
        ("fr", "Où habite Anne Rivière ?", "Le bac est piloté à Courval par Anne Rivière."),
        ("ru", "Где живёт Анна Речная?", "Паромом в Марлине управляет Анна Речная."),
    ],
)  # fmt: skip
def test_a_value_of_something_else_is_no_answer(language: str, question: str, text: str) -> None:
    assert lead(question, text, language) == ""


@pytest.mark.parametrize(
    ("language", "question", "text", "said"),
    [
        ("en", "How much does the flour cost?", "Flour costs 4 euros. Tea costs 9 euros.", "Flour"),
        ("de", "Was kostet das Mehl?", "Eine Karte ist teuer. Das Mehl kostet 4 Euro.", "Das Mehl"),
        ("en", "When was the mill sold?", "The mill began in 1998. The mill was sold in 2003.", "2003"),
        ("es", "¿Cuándo se vendió el molino?", "El molino es viejo. Se vendió en 1998.", "1998"),
        ("es", "¿Quién conduce la barca?", "La barca la conduce Ana Ribera.", "Ana Ribera"),
        ("pt", "Quem conduz a barca?", "A barca é conduzida por Ana Ribeiro.", "Ana Ribeiro"),
        ("en", "Where was Edith Varga born?", "Varga fired pots. She was born in Ely.", "Ely"),
        ("en", "Where was Edith Varga born?", "Varga was born in Ely. Pots sold.", "Ely"),
        ("de", "Wo wurde Edith Varga geboren?", "Varga malte. Geboren wurde sie in Ulm.", "Ulm"),
        # By another word for what was done.
        ("de", "Wer hat die Mühle gebaut?", "Die Mühle wurde von Johann Kestner errichtet.", "Kestner"),
        ("en", "Where does Hanna Brook live?", "Hanna Brook has a house in Torby.", "Torby"),
        ("fr", "Pourquoi le moulin a-t-il été rénové ?", WHY_FR, "parce"),
    ],
)  # fmt: skip
def test_a_sentence_that_says_it_of_the_thing_leads(
    language: str, question: str, text: str, said: str
) -> None:
    assert said in lead(question, text, language)


def test_the_title_above_a_sentence_may_name_the_thing() -> None:
    text = "It is old. Admission costs 4 euros."
    assert "4 euros" in lead("How much does the museum cost?", text, "en", title="The museum")
    assert lead("How much does the museum cost?", text, "en", title="The ferry") == ""


@pytest.mark.parametrize(
    ("question", "sentence", "is_led"),
    [
        ("Who made the paint booth?", "Paint is sprayed in the booth by Lena Marsh.", False),
        ("Who made the paint booth?", "The paint booth was made by Lena Marsh.", True),
        ("Who wrote the guide to colours?", "The guide to colours is written by Lena Marsh.", True),
        ("Who keeps the mill log?", "The mill log kept on the Swarm Agent names each sack.", False),
        ("Who keeps the mill log?", "Each week the mill log is kept by the Swarm Agent.", True),
    ],
)
def test_a_doer_is_said_with_what_is_done(question: str, sentence: str, is_led: bool) -> None:
    assert lead(question, sentence, "en") == (sentence if is_led else "")


ORGAN = "The curtain was sewn by Ada Blum. The bellows were mended by Carl Frey."
TRAINED = "Dora Klein was trained by Hans Wirth. Piet Mol made the tailstock."


@pytest.mark.parametrize(
    ("language", "question", "text", "title", "said"),
    [
        # What stands under a title is not done to what the title names.
        ("en", "Who sewed the organ?", ORGAN, "The organ", ""),
        ("en", "Who mended the organ?", ORGAN, "The organ", ""),
        ("en", "Who mended the bellows?", ORGAN, "The organ", "Carl Frey"),
        ("en", "Who mended the organ?", "It was mended by Carl Frey.", "The organ", "Carl Frey"),
        ("de", "Wer hat die Orgel genäht?", "Den Vorhang nähte Ada Blum.", "Die Orgel", ""),
        ("fr", "Qui a cousu l’orgue ?", "Ada Blum a cousu le rideau.", "L’orgue", ""),
        # Nor is what the sentence beside it says.
        ("en", "Who trained Piet Mol?", TRAINED, "Lathes", ""),
        ("en", "Who trained Dora Klein?", TRAINED, "Lathes", "Hans Wirth"),
        # A name that is a part of the thing's is told apart.
        ("en", "Who widened the Tann bridge of stone?", "Dahl widened the Marl bridge.", "A", ""),
    ],
)
def test_a_deed_is_done_to_what_its_own_sentence_names(
    language: str, question: str, text: str, title: str, said: str
) -> None:
    led = lead(question, text, language, title=title)
    assert said in led
    assert bool(said) == bool(led)


@pytest.mark.parametrize(
    ("language", "question", "text", "title"),
    [
        ("en", "Who founded the quay?", "The port was founded by Ida Moor.", "The port"),
        ("de", "Wer hat die Veranda entworfen?", "Ida Moor entwarf die Läden.", "Die Veranda"),
    ],
)
def test_a_title_is_no_thing_of_a_sentence_with_its_own(
    language: str, question: str, text: str, title: str
) -> None:
    assert lead(question, text, language, title) == ""


@pytest.mark.parametrize(
    ("question", "text", "title"),
    [
        ("Who painted the porch?", "Painted by Ida Moor in 1990.", "The porch"),
        ("Who wrote Porch?", "Ida Moor wrote the first version.", "Porch"),
        ("How heavy is the lantern?", "It weighs 840 kg.", "The lantern"),
    ],
)
def test_a_sentence_goes_on_from_its_title(question: str, text: str, title: str) -> None:
    assert text in lead(question, text, "en", title)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        (
            "es",
            "¿Quién vendió la barca?",
            "La barca está aquí. La casa la pintó Ana Ribera en 1990.",
        ),
        ("fr", "Qui a vendu le bac ?", "Le bac est ici. Le passeur Jean Rivi a vendu le pont."),
    ],
)
def test_an_article_before_a_noun_is_no_pronoun(language: str, question: str, text: str) -> None:
    assert lead(question, text, language) == ""


def test_a_price_in_crowns_is_one() -> None:
    text = "The blue seats cost 20 crowns, the red seats 35 crowns."
    assert lead("How much do the red seats cost?", text, "en") == text


def test_a_year_alone_is_no_amount() -> None:
    text = "The jetty was widened by Ida Moor in 1932."
    assert lead("How much can the jetty carry?", text, "en") == ""
    assert lead("How much can the jetty carry?", "The jetty carries 30 tonnes.", "en")


@pytest.mark.parametrize(
    ("question", "title", "text", "led"),
    [
        # Under the title stands what was done to something else.
        ("When was the organ sold?", "The organ", "The case was sold in 1701", ""),
        ("When was the great fire?", "The great fires of Orn", "In 1688 a fire broke out", ""),
    ],
)
def test_an_event_may_have_its_name_in_the_title_alone(
    question: str, title: str, text: str, led: str
) -> None:
    assert lead(question, text, "en", title) == led


WARRANTY = {
    "en": ("The guarantee on the compressor is five years.", "Let the fan run for a day."),
    "de": ("Die Garantie auf den Motor beträgt fünf Jahre.", "Den Lüfter einen Tag laufen lassen."),
    "es": ("La garantía del motor dura cinco años.", "Deje girar el ventilador un día."),
    "fr": ("La garantie du moteur dure cinq ans.", "Laissez tourner le ventilateur un jour."),
    "pt": ("A garantia do motor dura cinco anos.", "Deixe girar o ventilador um dia."),
}


@pytest.mark.parametrize(
    ("language", "question", "is_led"),
    [
        # The fan is spoken of elsewhere, nothing at all of a lid, and a motor may be called otherwise.
        ("en", "How long is the guarantee on the fan?", False),
        ("en", "How long is the guarantee on the compressor?", True),
        ("en", "How long is the guarantee on the lid?", False),
        ("de", "Wie lange gilt die Garantie auf den Lüfter?", False),
        ("de", "Wie lange gilt die Garantie auf den Motor?", True),
        ("es", "¿Cuánto dura la garantía del ventilador?", False),
        ("es", "¿Cuánto dura la garantía del motor?", True),
        ("fr", "Combien de temps dure la garantie du ventilateur ?", False),
        ("fr", "Combien de temps dure la garantie du moteur ?", True),
        ("pt", "Quanto tempo dura a garantia do ventilador?", False),
        ("pt", "Quanto tempo dura a garantia do motor?", True),
    ],
)
def test_a_measure_is_said_where_its_thing_is_named(
    language: str, question: str, is_led: bool
) -> None:
    held = tuple(
        replace(one, chunk_id=name, locator=replace(one.locator, document=name))
        for name, text, near in zip("ab", WARRANTY[language], (0.9, 0.5), strict=True)
        for one in [passage_of((text,), (near,))]
    )
    asked = replace(prompt(held, question), analysis=analyse_question(question, language))
    assert bool(choose_places(asked, BY_SIMILARITY)) is is_led


@pytest.mark.parametrize(
    ("language", "question", "text", "passes"),
    [
        ("en", "What is the phone number of the office?", "Service: 0800 555 0142.", False),
        ("en", "What is the phone number of the service?", "Service is open 1970-2100.", False),
        # What is denied tells whether it may be.
        ("de", "Darf ich in der Laube wohnen?", "Die Laube darf nicht zum Wohnen dienen.", True),
        ("de", "Darf ich in der Laube kochen?", "Die Laube darf nicht zum Wohnen dienen.", False),
        # Of one thing alone, with what is done.
        ("fr", "En quelle année Lindt a-t-il été créé ?", "Lindt a été créé en 1993.", True),
        ("fr", "En quelle année Lindt a-t-il été créé ?", "Lindt a été vendu en 1993.", False),
    ],
)
def test_a_plain_saying_needs_no_gate(
    language: str, question: str, text: str, passes: bool
) -> None:
    held = passage_of((text,), (0.1,))
    assert has_value_for(analyse_question(question, language), (held,)) is passes


def test_how_long_a_price_is_for_is_no_thing() -> None:
    assert lead("What does the mower cost per day?", "The pump costs 8 euros per day.", "en") == ""


OFFICES = (
    "Der Vorstand hat drei Mitglieder:",
    "- die Vorsitzende",
    "- der Kassenwart",
    "- der Wart",
)


@pytest.mark.parametrize(
    ("question", "led"),
    [("Wer ist der Kassenwart?", True), ("Wer ist der Wart?", False)],
)
def test_a_name_says_who_somebody_is(question: str, led: bool) -> None:
    named = "Vorsitzende ist Frau Ilse Brandner, Kassenwart ist Herr Tomasz Wolny."
    lead = lead_of(question, (*OFFICES, named), (0.2, 0.9, 0.9, 0.9, 0.3), "de")
    assert (lead == named) is led


@pytest.mark.parametrize(
    ("question", "passes"),
    [
        ("How big is a starter bed?", True),
        ("How heavy is a starter bed?", False),
        ("How big is the long bed?", False),
    ],
)
def test_a_row_that_begins_with_the_thing_needs_no_gate(question: str, *, passes: bool) -> None:
    rows = ("Plot | Area | Fee", "Starter bed | 25 m² | £18", "Half plot | 125 m² | £42")
    held = passage_of(rows, (0.1, 0.1, 0.1))
    assert has_value_for(analyse_question(question), (held,)) is passes
