"""What a reader says around a question is no part of it."""

import pytest

from libs.question.analyse import analyse_question
from libs.question.expected import AnswerKind
from libs.question.framing import question_alone, unframe_question


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Hi! Which shells are there? Thanks!", "Which shells are there?"),
        ("I have a quick question: how do I reset it?", "How do I reset it?"),
        ("Hello, quick question - does a tall robot topple?", "Does a tall robot topple?"),
        ("Could you tell me what an inode is?", "What is an inode?"),
        ("I'd like to know if the arm can lift 5 kg", "Is it so that the arm can lift 5 kg?"),
        ("Can you please explain how a valve works?", "Explain how a valve works?"),
        ("Does the manual say how to reset the clock?", "How to reset the clock?"),
        ("I am new to this. How many axes has it?", "How many axes has it?"),
        ("How many axes has it? In one sentence, please.", "How many axes has it?"),
        ("How many axes has it? I couldn't find it in the book.", "How many axes has it?"),
        ("I'd like to know which shells there are. Kind regards, Ada", "Which shells there are?"),
        ("How deep is the well, exactly?", "How deep is the well?"),
        ("What exactly is an inode?", "What is an inode?"),
        ("UPG - what's that?", "What is UPG?"),
        ("I don't understand inodes. What are they?", "What is inodes?"),
    ],
)
def test_a_frame_is_taken_off(said: str, asked: str) -> None:
    assert unframe_question(said) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Hi there",
        "and Jazzy?",
        "why?",
        "What does please do?",
        "How do I say hello in the program?",
        "Should I tell the robot what to do?",
        "My compile keeps dying on the board. What does the guide tell me to do?",
        "I mistyped the phrase at startup. How many further attempts have I?",
        "New year, new file: how do I take over the accounts?",
        "Is it possible to find text in the manual?",
        "If my listener comes up late, does it get the old values?",
        "Which words may a sentence begin with?",
        "Now I know what a kernel is... what is a shell?",
        "Explain in simple words what this code guarantees.",
    ],
)
def test_a_plain_question_stays_as_it_is(question: str) -> None:
    assert unframe_question(question) == question


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("de", "Hallo! Könntest du mir bitte sagen, wie hoch er ist?", "Wie hoch er ist?"),
        ("de", "Weißt du, was ein Lader ist?", "Was ist ein Lader?"),
        ("fr", "Bonjour, pourriez-vous me dire comment installer ?", "Comment installer ?"),
        ("fr", "Qui a écrit le guide, s'il vous plaît ?", "Qui a écrit le guide?"),
        ("es", "Hola, ¿podrías decirme cuál es el puerto?", "Cuál es el puerto?"),
        ("pt", "Tenho uma dúvida: como se instala?", "Como se instala?"),
        ("ru", "Я новичок. Что такое ядро? Заранее спасибо!", "Что такое ядро?"),
        ("ar", "لو سمحت، ما هو المنفذ الافتراضي؟", "ما هو المنفذ الافتراضي؟"),
        ("hi", "नमस्ते! कृपया बताइए कि मीनार कितनी ऊँची है?", "मीनार कितनी ऊँची है?"),
        ("zh", "你好，你能告诉我怎么安装吗？", "怎么安装吗？"),
        ("ja", "すみません、塔の高さは何メートルですか？", "塔の高さは何メートルですか？"),
        ("ko", "혹시 기본 포트는 무엇인가요? 감사합니다.", "기본 포트는 무엇인가요?"),
    ],
)
def test_every_language_of_the_page_has_frames(language: str, said: str, asked: str) -> None:
    assert unframe_question(said, language) == asked


def test_a_listing_is_left_as_it_is() -> None:
    listing = "Please tell me what is printed.\n```\nprint('hello')\n```"
    assert unframe_question(listing) == listing


def test_the_analysis_is_of_what_is_asked() -> None:
    analysis = analyse_question("Hi! Can you tell me what a servo is? Thanks.")
    assert analysis.question == "What is a servo?"
    assert analysis.expected.kind is AnswerKind.DEFINITION
    assert analysis.definiendum == "servo"


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Tell me something about inodes.", "inodes"),
        ("What do they mean by inode?", "inode"),
        ("What is meant by inode?", "inode"),
        ("Give me a short definition of inode.", "inode"),
        ("What does the term inode mean?", "inode"),
        ("What is the mean?", "mean"),
    ],
)
def test_a_thing_is_asked_for_in_many_ways(question: str, thing: str) -> None:
    assert analyse_question(question).definiendum == thing


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "What does the book say about the pump?", "Tell me about the pump."),
        ("en", "What is said on page 2 about the pump?", "Tell me about the pump on page 2."),
        ("en", "What does chapter 3 say about pumps?", "Tell me about pumps in chapter 3."),
        ("de", "Was steht im Handbuch über die Arbeit?", "Die Arbeit"),
        ("de", "Was wird über Ada gesagt?", "Ada"),
        ("de", "Erzähle mir etwas über den Steg.", "Den Steg"),
        ("fr", "Qu'est-ce que le livre dit des abeilles ?", "Abeilles"),
        ("fr", "Parlez-moi de la ruche.", "La ruche"),
        ("es", "¿Qué dice el libro sobre la lente?", "La lente"),
        ("es", "Háblame de la torre.", "La torre"),
        ("pt", "O que o livro diz sobre o caju?", "Caju"),
        ("ru", "Что говорится в книге о пчёлах?", "Пчёлах"),
        ("zh", "书里怎么说茶叶包装?", "茶叶包装"),
        ("zh", "介绍一下茶园", "茶园"),
        ("ja", "灯台について本には何と書いてありますか。", "灯台"),
        ("en", "Does the manual cover pumps?", "Tell me about pumps."),
        ("de", "Gib mir einen Überblick über die Mühle", "Die Mühle"),
        ("de", "Was muss ich über den Steg wissen?", "Den Steg"),
        ("de", "Erwähnt das Buch die Mühle?", "Die Mühle"),
        ("fr", "Je voudrais en savoir plus sur la ruche", "La ruche"),
        ("fr", "Le livre mentionne-t-il la ruche ?", "La ruche"),
        ("es", "¿Hay algo sobre la lente?", "La lente"),
        ("es", "Tengo una pregunta sobre la torre", "La torre"),
        ("pt", "O que devo saber sobre o caju?", "Caju"),
        ("ru", "Что нужно знать о пчёлах?", "Пчёлах"),
        ("zh", "我想了解茶园", "茶园"),
        ("ja", "灯台についての記述はありますか。", "灯台"),
        ("ja", "どの章に灯台が書いてありますか。", "灯台"),
        ("ar", "لدي سؤال عن المكتبة", "المكتبة"),
        ("ar", "ماذا يقول الكتاب عن المخطوطات؟", "المخطوطات"),
    ],
)
def test_a_thing_that_the_book_is_to_speak_of_is_asked_for_alone(
    language: str, said: str, asked: str
) -> None:
    assert unframe_question(said, language) == asked


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What did she say about Tom?"),
        ("en", "What does the sign say about dogs?"),
        ("en", "What is this book about?"),
        ("de", "Was sagt Tom zu Anna?"),
        ("de", "Was steht im Keller?"),
        ("fr", "Que dit Marie de Paul ?"),
        ("es", "¿Qué dice Ana de Juan?"),
        ("de", "Erkläre mir, warum die Mühle steht"),
        ("de", "Gibt es Wasser im Keller?"),
        ("pt", "Tem de usar capacete?"),
        ("zh", "书里有多少内容？"),
    ],
)
def test_words_of_somebody_in_the_book_are_asked_for_as_they_are(
    language: str, question: str
) -> None:
    assert unframe_question(question, language) == question


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("quien diseñó el faro", "Quién diseñó el faro?"),
        ("¿Quien diseñó el faro?", "¿Quién diseñó el faro?"),
        ("por que se limpia", "Por qué se limpia"),
        ("y desde cuando funciona", "Y desde cuándo funciona"),
        ("lo que dice el farero", "lo que dice el farero"),
        ("El faro como funciona", "El faro como funciona"),
    ],
)
def test_a_word_that_asks_is_one_without_its_accent_too(typed: str, asked: str) -> None:
    assert unframe_question(typed, "es").lower().strip("?¿") == asked.lower().strip("?¿")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "I draw a line for the wall: until when is Humble supported by Debian?",
            "Until when is Humble supported by Debian?",
        ),
        (
            "I lost count on my sticky note. List everything you can set in a valve. Bye!",
            "List everything you can set in a valve.",
        ),
        (
            "A friend dropped this on me and walked off. ISO 13482 - what is it about? Two will do.",
            "What is ISO 13482?",
        ),
        ("By the way, list price is 20 dollars here.", ""),
    ],
)
def test_a_question_is_found_amid_what_is_told(said: str, asked: str) -> None:
    assert question_alone(said, "en") == asked
