"""What a question wants measured is read in the languages that technical books are in."""

import pytest

from libs.question.analyse import analyse_question

ASKED = {
    "de": {
        "Wie viel Arbeitsspeicher braucht der Dienst?": "data",
        "Wie viel Plattenplatz braucht der Index?": "data",
        "Wie hoch ist der Öldruck?": "pressure",
        "Mit welchem Drehmoment zieht man die Schraube an?": "torque",
        "Welche Spannung hat der Akku?": "voltage",
        "Wie hoch ist die Stromaufnahme?": "current",
        "Wie hoch ist die Motorleistung?": "power",
        "Wie viel Energie speichert die Feder?": "energy",
        "Mit welcher Frequenz taktet er?": "frequency",
        "Welchen Winkel hat die Klinge?": "angle",
        "Wie hoch ist die Höchstgeschwindigkeit?": "speed",
        "Welcher Anteil ist Zinn?": "share",
        "Wie hoch ist der Turm?": "length",
    },
    "fr": {
        "Combien de mémoire faut-il au service ?": "data",
        "Combien d’espace disque prend l’index ?": "data",
        "Quelle est la pression de l’huile ?": "pressure",
        "Quel est le couple de serrage de la vis ?": "torque",
        "Quelle tension faut-il au moteur ?": "voltage",
        "Quelle est l’intensité du fusible ?": "current",
        "Quelle est la puissance du four ?": "power",
        "Combien d’énergie faut-il ?": "energy",
        "Quelle est la fréquence du secteur ?": "frequency",
        "Quel angle a la lame ?": "angle",
        "À quelle vitesse tourne le tour ?": "speed",
        "Quel est le pourcentage d’étain ?": "share",
        "Combien de vannes y a-t-il ?": "count",
    },
    "es": {
        "¿Cuánta memoria necesita el servicio?": "data",
        "¿Cuánto espacio en disco ocupa el índice?": "data",
        "¿Qué presión lleva el aceite?": "pressure",
        "¿Cuál es el par de apriete del tornillo?": "torque",
        "¿Qué tensión necesita el motor?": "voltage",
        "¿Qué corriente aguanta el fusible?": "current",
        "¿Cuál es la potencia del horno?": "power",
        "¿Cuánta energía guarda el muelle?": "energy",
        "¿Cuál es la frecuencia de la red?": "frequency",
        "¿Qué ángulo tiene la hoja?": "angle",
        "¿Qué porcentaje es estaño?": "share",
    },
    "pt": {
        "Quanta memória precisa o serviço?": "data",
        "Quanto espaço em disco ocupa o índice?": "data",
        "Qual é a pressão do óleo?": "pressure",
        "Qual é o binário de aperto do parafuso?": "torque",
        "Que tensão precisa o motor?": "voltage",
        "Que corrente aguenta o fusível?": "current",
        "Qual é a potência do forno?": "power",
        "Quanta energia guarda a mola?": "energy",
        "Qual é a frequência da rede?": "frequency",
        "Que ângulo tem a lâmina?": "angle",
        "Qual é a percentagem de estanho?": "share",
    },
}

OTHERS = {
    "de": ("Welcher Eindruck bleibt?", "Welche Dienstleistung wird angeboten?"),
    "fr": ("À quelle fréquence faut-il graisser ?",),
    "es": ("¿Con qué frecuencia se limpia?",),
    "pt": ("Com que frequência se limpa?",),
}


@pytest.mark.parametrize(
    ("language", "question", "dimension"),
    [(code, *asked) for code, questions in ASKED.items() for asked in questions.items()],
)
def test_a_dimension_is_read_in_the_words_of_the_language(
    language: str, question: str, dimension: str
) -> None:
    dimensions = analyse_question(question, language).expected.dimensions
    assert {one.value for one in dimensions} == {dimension}


@pytest.mark.parametrize(
    ("language", "question"), [(code, one) for code, asked in OTHERS.items() for one in asked]
)
def test_a_word_that_is_like_one_asks_for_no_dimension(language: str, question: str) -> None:
    assert analyse_question(question, language).expected.dimensions == frozenset()
