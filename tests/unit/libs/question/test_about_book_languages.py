"""Questions about the book itself in German, Spanish, French and Portuguese, and what answers them."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.about_book import (
    AboutBook,
    BookAspect,
    Standing,
    TitleNumber,
    rate_statement,
    read_about_book,
    read_title_number,
)
from libs.question.analyse import analyse_question

FIRST = Standing(at_front=True)
CONTENTS = BookAspect.CONTENTS


@pytest.mark.parametrize(
    ("language", "question", "aspect"),
    [
        ("de", "Worum geht es in diesem Buch?", BookAspect.SUBJECT),
        ("de", "Worum geht's hier?", BookAspect.SUBJECT),
        ("de", "Können Sie mir sagen, wovon dieses Handbuch handelt?", BookAspect.SUBJECT),
        ("de", "Fass das Buch bitte kurz zusammen.", BookAspect.SUBJECT),
        ("de", "Welche Themen behandelt der Leitfaden?", BookAspect.SUBJECT),
        ("de", "Wozu dient dieses Dokument?", BookAspect.SUBJECT),
        ("de", "Wer hat das Handbuch geschrieben?", BookAspect.AUTHOR),
        ("de", "Wer ist die Autorin?", BookAspect.AUTHOR),
        ("de", "Von wem stammt diese Anleitung?", BookAspect.AUTHOR),
        ("de", "Weißt du, von wem dieses Buch geschrieben wurde?", BookAspect.AUTHOR),
        ("de", "Wann ist dieses Buch erschienen?", BookAspect.DATE),
        ("de", "Wie aktuell ist das Handbuch?", BookAspect.DATE),
        ("de", "Welche Auflage ist das?", BookAspect.VERSION),
        ("de", "Wie ist das Buch aufgebaut?", BookAspect.ORGANISATION),
        ("de", "Welche Kapitel gibt es?", BookAspect.CHAPTERS),
        ("de", "Wie viele Kapitel hat das Buch?", BookAspect.CHAPTERS),
        ("de", "Zeig mir bitte das Inhaltsverzeichnis.", BookAspect.CHAPTERS),
        ("de", "Fuer wen ist dieses Buch gedacht?", BookAspect.AUDIENCE),
        ("de", "An wen richtet sich das Buch?", BookAspect.AUDIENCE),
        ("de", "Wie heißt dieses Buch?", BookAspect.TITLE),
        ("es", "¿De qué trata este libro?", BookAspect.SUBJECT),
        ("es", "de que va este libro", BookAspect.SUBJECT),
        ("es", "¿Podría decirme de qué habla el manual?", BookAspect.SUBJECT),
        ("es", "Resume el libro, por favor.", BookAspect.SUBJECT),
        ("es", "¿Cuál es el objetivo de esta guía?", BookAspect.SUBJECT),
        ("es", "¿Quién escribió la guía?", BookAspect.AUTHOR),
        ("es", "quien es el autor", BookAspect.AUTHOR),
        ("es", "¿Por quién fue escrito este libro?", BookAspect.AUTHOR),
        ("es", "¿Quién lo escribió?", BookAspect.AUTHOR),
        ("es", "¿Cuándo se publicó este manual?", BookAspect.DATE),
        ("es", "¿De qué año es el libro?", BookAspect.DATE),
        ("es", "¿Qué versión del manual es esta?", BookAspect.VERSION),
        ("es", "¿Cómo está organizado este libro?", BookAspect.ORGANISATION),
        ("es", "¿Qué capítulos tiene?", BookAspect.CHAPTERS),
        ("es", "¿Cuántos capítulos tiene el libro?", BookAspect.CHAPTERS),
        ("es", "Muéstrame el índice", BookAspect.CHAPTERS),
        ("es", "¿A quién va dirigido este manual?", BookAspect.AUDIENCE),
        ("es", "¿Para quién es este libro?", BookAspect.AUDIENCE),
        ("es", "¿Cómo se titula el libro?", BookAspect.TITLE),
        ("fr", "De quoi parle ce manuel ?", BookAspect.SUBJECT),
        ("fr", "Pouvez-vous me dire de quoi traite ce livre ?", BookAspect.SUBJECT),
        ("fr", "Quel est le but de ce document ?", BookAspect.SUBJECT),
        ("fr", "Résume ce livre, s'il te plaît.", BookAspect.SUBJECT),
        ("fr", "À quoi sert ce guide ?", BookAspect.SUBJECT),
        ("fr", "Qui a écrit ce guide ?", BookAspect.AUTHOR),
        ("fr", "Qui est l’auteur du livre ?", BookAspect.AUTHOR),
        ("fr", "Par qui ce livre a-t-il été écrit ?", BookAspect.AUTHOR),
        ("fr", "Quand ce manuel a-t-il été publié ?", BookAspect.DATE),
        ("fr", "De quand date ce document ?", BookAspect.DATE),
        ("fr", "Quelle est la version de ce manuel ?", BookAspect.VERSION),
        ("de", "Unter welcher Lizenz steht dieses Buch?", BookAspect.LICENCE),
        ("es", "¿Bajo qué licencia está este libro?", BookAspect.LICENCE),
        ("fr", "Sous quelle licence est publié ce livre ?", BookAspect.LICENCE),
        ("pt", "Sob que licença está este livro?", BookAspect.LICENCE),
        ("de", "Wer hat dieses Buch veröffentlicht?", BookAspect.PUBLISHER),
        ("es", "¿Quién publicó este libro?", BookAspect.PUBLISHER),
        ("fr", "Qui a publié ce livre ?", BookAspect.PUBLISHER),
        ("pt", "Quem publicou este livro?", BookAspect.PUBLISHER),
        ("fr", "Comment ce livre est-il organisé ?", BookAspect.ORGANISATION),
        ("fr", "Quels sont les chapitres ?", BookAspect.CHAPTERS),
        ("fr", "Combien de chapitres y a-t-il ?", BookAspect.CHAPTERS),
        ("fr", "Montre-moi la table des matières", BookAspect.CHAPTERS),
        ("fr", "À qui s'adresse ce livre ?", BookAspect.AUDIENCE),
        ("fr", "Quel est le titre du livre ?", BookAspect.TITLE),
        ("pt", "De que trata este livro?", BookAspect.SUBJECT),
        ("pt", "Sobre o que é este manual?", BookAspect.SUBJECT),
        ("pt", "Qual é o objetivo deste guia?", BookAspect.SUBJECT),
        ("pt", "Para que serve este manual?", BookAspect.SUBJECT),
        ("pt", "Quem escreveu este livro?", BookAspect.AUTHOR),
        ("pt", "Quem é o autor do manual?", BookAspect.AUTHOR),
        ("pt", "Por quem foi escrito este guia?", BookAspect.AUTHOR),
        ("pt", "Quando foi publicado este livro?", BookAspect.DATE),
        ("pt", "Qual é a versão deste documento?", BookAspect.VERSION),
        ("pt", "Como está organizado este livro?", BookAspect.ORGANISATION),
        ("pt", "Quais são os capítulos?", BookAspect.CHAPTERS),
        ("pt", "Quantos capítulos tem o livro?", BookAspect.CHAPTERS),
        ("pt", "A quem se destina este livro?", BookAspect.AUDIENCE),
        ("pt", "Como se chama este livro?", BookAspect.TITLE),
    ],
)
def test_a_question_about_the_book_is_recognised_as_it_is_asked(
    language: str, question: str, aspect: BookAspect
) -> None:
    assert analyse_question(question, language).about_book == AboutBook(aspect)


@pytest.mark.parametrize(
    ("language", "question", "named"),
    [
        ("de", "Worum geht es in Kapitel 3?", ("kapitel", "3", 0, "")),
        ("de", "Was steht im 3. Kapitel?", ("kapitel", "", 3, "")),
        ("de", "Fasse das zweite Kapitel zusammen.", ("kapitel", "", 2, "")),
        ("de", "Wie lautet der Titel des letzten Kapitels?", ("kapitel", "", -1, "")),
        ("de", "Was behandelt das Kapitel über Sensoren?", ("", "", 0, "Sensoren")),
        ("es", "¿De qué trata el capítulo IV?", ("capítulo", "4", 0, "")),
        ("es", "que dice el capitulo 3", ("capítulo", "3", 0, "")),
        ("es", "¿Qué pasa en el tercer capítulo?", ("capítulo", "", 3, "")),
        ("es", "¿Cómo se titula el capítulo séptimo?", ("capítulo", "", 7, "")),
        ("es", "¿De qué trata el último capítulo del libro?", ("capítulo", "", -1, "")),
        ("fr", "De quoi parle le chapitre 5 ?", ("chapitre", "5", 0, "")),
        ("fr", "Qu'apprend-on au deuxième chapitre ?", ("chapitre", "", 2, "")),
        ("fr", "Que dit l'annexe B ?", ("annexe", "B", 0, "")),
        ("fr", "Résume le dernier chapitre.", ("chapitre", "", -1, "")),
        ("pt", "Do que trata o capítulo 2?", ("capítulo", "2", 0, "")),
        ("pt", "O que diz o quarto capítulo?", ("capítulo", "", 4, "")),
        ("pt", "Como se chama o último capítulo?", ("capítulo", "", -1, "")),
        ("en", "What happens in chapter 4?", ("chapter", "4", 0, "")),
    ],
)
def test_a_chapter_is_named_by_its_number_its_place_or_its_title(
    language: str, question: str, named: tuple[str, str, int, str]
) -> None:
    kind, number, place, title = named
    asked = AboutBook(CONTENTS, kind, number, place, title)
    assert analyse_question(question, language).about_book == asked


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wer hat die Brücke geschrieben?"),
        ("de", "Wer hat die Brücke gebaut?"),
        ("de", "Was sagt das Handbuch über die Bremse?"),
        ("de", "Worum geht es beim Streit der Müller?"),
        ("de", "Wann wurde die Kirche erbaut?"),
        ("de", "Wie viele Teile hat der Motor?"),
        ("de", "In welchem Kapitel steht etwas über Sensoren?"),
        ("de", "Was sagt Kapitel 3 über Motoren?"),
        ("de", "Wer hat das Buch der Könige geschrieben?"),
        ("de", "Was ist der Zweck eines Ventils?"),
        ("es", "¿Qué dice la guía de la vía aérea?"),
        ("es", "¿Qué dice el libro sobre los puentes?"),
        ("es", "¿Quién construyó el puente?"),
        ("es", "¿Quién escribió la carta?"),
        ("es", "¿De qué trata la obra de teatro?"),
        ("es", "¿Cuántas partes tiene el motor?"),
        ("es", "¿Qué capítulos tratan de los sensores?"),
        ("es", "¿Para quién es el premio?"),
        ("fr", "Qui a construit le pont ?"),
        ("fr", "Que dit le manuel sur les freins ?"),
        ("fr", "Qui a écrit la lettre ?"),
        ("fr", "De quoi parle la lettre ?"),
        ("fr", "Combien de parties a le moteur ?"),
        ("fr", "Qui est le guide de la visite ?"),
        ("fr", "À qui appartient le moulin ?"),
        ("pt", "Quem construiu a ponte?"),
        ("pt", "Quem escreveu a carta?"),
        ("pt", "O que diz o manual sobre os travões?"),
        ("pt", "O que diz o guia do porto?"),
        ("pt", "Quantas partes tem o motor?"),
        ("pt", "Para que serve o moinho?"),
    ],
)
def test_a_question_for_something_in_the_book_stays_one(language: str, question: str) -> None:
    assert analyse_question(question, language).about_book is None


@pytest.mark.parametrize(
    ("language", "aspect", "text"),
    [
        ("de", BookAspect.SUBJECT, "Dieses Handbuch beschreibt die Pflege der Mühle."),
        ("de", BookAspect.SUBJECT, "In diesem Buch lernen Sie, wie man Brot backt."),
        ("de", BookAspect.SUBJECT, "Ziel dieses Leitfadens ist es, den Einstieg zu erleichtern."),
        ("de", BookAspect.AUTHOR, "Dieses Handbuch wurde 1996 von Anna Beispiel geschrieben."),
        ("de", BookAspect.AUTHOR, "Autorin: Anna Beispiel"),
        ("de", BookAspect.LICENCE, "Dieses Werk steht unter der Lizenz CC BY 4.0."),
        ("es", BookAspect.LICENCE, "Esta obra está bajo una licencia Creative Commons."),
        ("fr", BookAspect.LICENCE, "Ce livre est publié sous licence Creative Commons."),
        ("pt", BookAspect.LICENCE, "Este livro está sob uma licença Creative Commons."),
        ("de", BookAspect.PUBLISHER, "Erschienen im Beispiel-Verlag, 1996."),
        ("es", BookAspect.PUBLISHER, "Publicado por la Editorial Ejemplo."),
        ("fr", BookAspect.PUBLISHER, "Publié par les Éditions Exemple."),
        ("pt", BookAspect.PUBLISHER, "Publicado pela Editora Exemplo."),
        ("de", BookAspect.AUTHOR, "Die Autoren dieses Leitfadens sind Anna Beispiel und andere."),
        ("de", BookAspect.DATE, "Dieses Handbuch wurde am 17.12.2022 zuletzt aktualisiert."),
        ("de", BookAspect.ORGANISATION, "Dieses Buch ist in drei Teile gegliedert."),
        ("de", BookAspect.ORGANISATION, "Kapitel 2 behandelt die Motoren."),
        ("de", CONTENTS, "Dieses Kapitel beschreibt drei Arten von Motoren."),
        ("de", BookAspect.AUDIENCE, "Dieses Buch richtet sich an Einsteiger."),
        ("es", BookAspect.SUBJECT, "Este manual describe el cuidado del molino."),
        ("es", BookAspect.SUBJECT, "El objetivo de esta guía es ayudar a los recién llegados."),
        ("es", BookAspect.AUTHOR, "Este manual fue escrito por Ana Ejemplo en 1996."),
        ("es", BookAspect.AUTHOR, "Autora: Ana Ejemplo"),
        ("es", BookAspect.DATE, "Este manual fue publicado en mayo de 2021."),
        ("es", BookAspect.ORGANISATION, "El libro está dividido en tres partes."),
        ("es", CONTENTS, "Este capítulo presenta tres clases de motores."),
        ("es", BookAspect.AUDIENCE, "Este libro está dirigido a principiantes."),
        ("fr", BookAspect.SUBJECT, "Ce manuel décrit l’entretien du moulin."),
        ("fr", BookAspect.SUBJECT, "Le but de ce guide est d’aider les débutants."),
        ("fr", BookAspect.AUTHOR, "Ce manuel a été écrit par Anne Exemple en 1996."),
        ("fr", BookAspect.AUTHOR, "Auteurs : Anne Exemple et Jean Test"),
        ("fr", BookAspect.DATE, "Ce manuel a été mis à jour et publié en mai 2021."),
        ("fr", BookAspect.ORGANISATION, "Ce livre est divisé en trois parties."),
        ("fr", CONTENTS, "Ce chapitre présente trois sortes de moteurs."),
        ("fr", BookAspect.AUDIENCE, "Ce livre s’adresse aux débutants."),
        ("pt", BookAspect.SUBJECT, "Este manual descreve os cuidados com o moinho."),
        ("pt", BookAspect.SUBJECT, "Este guia (versão 2.1) pretende dar uma visão geral."),
        ("pt", BookAspect.AUTHOR, "Este manual foi escrito por Ana Exemplo em 1996."),
        ("pt", BookAspect.DATE, "Este manual foi publicado em maio de 2021."),
        ("pt", BookAspect.ORGANISATION, "O livro está dividido em três partes."),
        ("pt", CONTENTS, "Este capítulo apresenta três tipos de motores."),
        ("pt", BookAspect.AUDIENCE, "Este livro destina-se a principiantes."),
    ],
)
def test_a_sentence_says_it_wherever_it_stands(
    language: str, aspect: BookAspect, text: str
) -> None:
    rules = load_lexicon(language).about_book
    assert rate_statement(AboutBook(aspect), text, rules, Standing()) == 1.0


@pytest.mark.parametrize(
    ("language", "aspect", "text"),
    [
        ("de", BookAspect.AUTHOR, "Copyright © 2004 – 2023 Das Projekt"),
        ("de", BookAspect.AUTHOR, "Von Anna Beispiel und Hans Muster"),
        ("de", BookAspect.AUTHOR, "Ein Handbuch von Anna Beispiel, 2. Auflage, Köln 2021."),
        ("en", BookAspect.AUTHOR, "A course by Ada Example, with drawings by Ian Other, 2021."),
        ("es", BookAspect.AUTHOR, "Un curso de Ana Ejemplo, con dibujos de Íñigo Otro, 2021."),
        ("fr", BookAspect.AUTHOR, "Un manuel de Jean Exemple et de ses amis."),
        ("pt", BookAspect.AUTHOR, "Um curso de Ana Exemplo, com desenhos."),
        ("de", BookAspect.DATE, "Januar 2021"),
        ("de", BookAspect.VERSION, "Version 11.0"),
        ("de", BookAspect.VERSION, "2. Auflage"),
        ("es", BookAspect.AUTHOR, "Copyright © 2004 – 2023 el equipo del molino"),
        ("es", BookAspect.AUTHOR, "Texto de Ana Ejemplo"),
        ("es", BookAspect.AUTHOR, "Ana Ejemplo de la Peña"),
        ("es", BookAspect.DATE, "5 de mayo de 2021"),
        ("fr", BookAspect.AUTHOR, "(c) 2008 L’équipe du moulin"),
        ("fr", BookAspect.AUTHOR, "par Anne Exemple"),
        ("fr", BookAspect.DATE, "1er mai 2021"),
        ("pt", BookAspect.AUTHOR, "Copyright (c) 2008 Ana Exemplo"),
        ("pt", BookAspect.AUTHOR, "Texto de Ana Exemplo"),
        ("pt", BookAspect.VERSION, "Versão 2.1"),
    ],
)
def test_a_name_or_a_date_alone_says_it_only_where_a_book_begins(
    language: str, aspect: BookAspect, text: str
) -> None:
    rules = load_lexicon(language).about_book
    assert 0 < rate_statement(AboutBook(aspect), text, rules, FIRST) < 1
    assert rate_statement(AboutBook(aspect), text, rules, Standing()) == 0.0


@pytest.mark.parametrize(
    ("language", "aspect", "text"),
    [
        (
            "de",
            BookAspect.SUBJECT,
            "Dieses Handbuch ist freie Software; Sie dürfen es weitergeben.",
        ),
        ("de", BookAspect.SUBJECT, "Der Motor beschreibt einen Kreis."),
        ("de", BookAspect.AUTHOR, "Die Mühle wurde 1784 von Johann Kestner errichtet."),
        ("de", BookAspect.AUTHOR, "Der Brief wurde von Anna Beispiel geschrieben."),
        ("de", BookAspect.ORGANISATION, "Wie Kapitel 4 zeigt, braucht ein Servo Strom."),
        ("de", BookAspect.AUDIENCE, "Die Mühle ist für Besucher geöffnet."),
        ("es", BookAspect.SUBJECT, "Este manual es software libre; puede redistribuirlo."),
        ("es", BookAspect.AUTHOR, "El puente fue construido por Juan Ejemplo."),
        ("es", BookAspect.AUTHOR, "La carta fue escrita por Ana Ejemplo."),
        ("es", BookAspect.AUTHOR, "Un curso de encuadernación dura diez semanas."),
        ("es", BookAspect.AUTHOR, "Un puente de Juan Ejemplo, de 1921."),
        ("de", BookAspect.AUTHOR, "Ein Kurs von zehn Wochen, mit Bildern."),
        ("fr", BookAspect.AUTHOR, "Un cours de dix semaines."),
        ("fr", BookAspect.SUBJECT, "Ce manuel est un logiciel libre ; vous pouvez le distribuer."),
        ("fr", BookAspect.AUTHOR, "Le pont a été construit par Jean Exemple."),
        ("fr", BookAspect.AUTHOR, "La lettre a été écrite par Anne Exemple."),
        (
            "pt",
            BookAspect.SUBJECT,
            "Este livro é livre; pode redistribuí-lo nos termos da licença.",
        ),
        ("pt", BookAspect.AUTHOR, "A ponte foi construída por João Exemplo."),
        ("pt", BookAspect.AUTHOR, "A carta foi escrita por Ana Exemplo."),
    ],
)
def test_sentences_about_other_things_say_nothing_of_the_book(
    language: str, aspect: BookAspect, text: str
) -> None:
    rules = load_lexicon(language).about_book
    assert rate_statement(AboutBook(aspect), text, rules, FIRST) == 0.0


@pytest.mark.parametrize(
    ("language", "title", "number"),
    [
        ("de", "Kapitel 3. Sensoren", TitleNumber("kapitel", "3")),
        ("de", "Anhang B. Grammatik", TitleNumber("anhang", "B")),
        ("es", "Capítulo IV. Los sensores", TitleNumber("capítulo", "4")),
        ("es", "CAPITULO 4: Los sensores", TitleNumber("capítulo", "4")),
        ("fr", "Chapitre 3 : Les capteurs", TitleNumber("chapitre", "3")),
        ("pt", "Apêndice A. Gramática", TitleNumber("apêndice", "A")),
        ("pt", "A ponte", None),
    ],
)
def test_the_number_of_a_title(language: str, title: str, number: TitleNumber | None) -> None:
    assert read_title_number(title, load_lexicon(language).about_book) == number


@pytest.mark.parametrize(
    "question",
    [
        "Tell me the title of this book",
        "What is this book called?",
        "What's the name of the manual?",
    ],
)
def test_the_title_of_the_book_is_asked_for(question: str) -> None:
    assert analyse_question(question, "en").about_book == AboutBook(BookAspect.TITLE)


def test_the_word_that_asks_takes_its_preposition_along_out_of_a_frame() -> None:
    asked = analyse_question("Pouvez-vous me dire de quoi le moulin est fait ?", "fr")
    assert asked.question == "De quoi le moulin est fait ?"


@pytest.mark.parametrize(
    ("language", "question", "kind", "number", "place"),
    [
        ("de", "Welche Kapitel hat Teil zwei?", "teil", "2", 0),
        ("de", "Welche Kapitel enthält der zweite Teil?", "teil", "", 2),
        ("fr", "Quels chapitres contient la partie 2 ?", "partie", "2", 0),
        ("fr", "Quels chapitres y a-t-il dans la deuxième partie ?", "partie", "", 2),
        ("es", "¿Qué capítulos hay en la parte 2?", "parte", "2", 0),
        ("pt", "Quais capítulos tem a segunda parte?", "parte", "", 2),
        ("ru", "Какие главы входят в часть 2?", "част", "2", 0),
        ("zh", "第二部分有哪些章节？", "部分", "2", 0),
        ("ja", "第2部にはどの章がありますか？", "部", "2", 0),
    ],
)
def test_the_chapters_of_a_part_are_asked_for(
    language: str, question: str, kind: str, number: str, place: int
) -> None:
    asked = read_about_book(question, load_lexicon(language))
    assert asked == AboutBook(BookAspect.CHAPTERS, kind, number, place)
