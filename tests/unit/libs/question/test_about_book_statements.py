"""In other languages too a line that says something of the book is told from any other."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.about_book import (
    AboutBook,
    BookAspect,
    Standing,
    TitleNumber,
    rate_statement,
    read_title_number,
)

S, A, D = BookAspect.SUBJECT, BookAspect.AUTHOR, BookAspect.DATE
V, P, C, R = BookAspect.VERSION, BookAspect.ORGANISATION, BookAspect.CHAPTERS, BookAspect.AUDIENCE

STATED = {
    "ru": [
        (S, "Эта книга рассказывает о роботах и датчиках."),
        (S, "В этом документе содержатся ответы на часто задаваемые вопросы."),
        (A, "Первая редакция этого руководства была написана Иваном Петровым."),
        (A, "Автор: Анна Котова"),
        (D, "Это руководство было опубликовано в 2019 году."),
        (D, "Январь 2021"),
        (V, "Версия 11.0"),
        (P, "Эта книга состоит из трёх частей."),
        (P, "Глава 2 описывает датчики."),
        (C, "Книга состоит из пяти глав."),
        (R, "Эта книга предназначена для начинающих."),
    ],
    "zh": [
        (S, "本书介绍机器人和传感器。"),
        (S, "本文档解答一些关于系统的常见问题。"),
        (A, "本文档的第一版由王小明撰写。"),
        (A, "作者：李华"),
        (D, "本书于2019年出版。"),
        (D, "2021 年 1 月"),
        (V, "版本 11.0"),
        (P, "本书分为三个部分。"),
        (P, "第二章介绍传感器。"),
        (C, "本书共有五章。"),
        (R, "本书的目标读者是初学者。"),
    ],
    "ja": [
        (S, "この文書は機械についてよく聞かれる疑問に答えます。"),
        (S, "本書はロボットの作り方を説明します。"),
        (A, "この FAQ の初版は山田太郎さんにより書かれました。"),
        (A, "著者：山田太郎"),
        (D, "本書は2019年に出版されました。"),
        (D, "2021年1月"),
        (V, "バージョン 11.0"),
        (P, "本書は三つの部から構成されています。"),
        (P, "第2章ではセンサーを説明します。"),
        (C, "本書は五つの章から成ります。"),
        (R, "本書が対象とする読者は初心者です。"),
    ],
    "ko": [
        (S, "이 책은 로봇과 센서를 설명합니다."),
        (S, "이 문서는 설치 설명서입니다."),
        (A, "저자: 김영희"),
        (A, "이 책은 김영희가 처음 썼습니다."),
        (D, "이 책은 2019년에 출판되었습니다."),
        (D, "2021년 1월"),
        (V, "버전 11.0"),
        (P, "이 책은 세 부분으로 구성되어 있습니다."),
        (P, "2장에서는 센서를 설명합니다."),
        (C, "이 책은 다섯 장으로 되어 있습니다."),
        (R, "이 책은 초보자를 위한 책입니다."),
    ],
    "ar": [
        (S, "يشرح هذا الكتاب كيف تُصنع الروبوتات."),
        (S, "هذا الدليل مقدمة في الزراعة."),
        (A, "تأليف: سلمى الحداد"),
        (D, "صدر هذا الكتاب سنة 2019."),
        (D, "مارس 2021"),
        (V, "الإصدار 11.0"),
        (P, "ينقسم هذا الكتاب إلى ثلاثة أقسام."),
        (C, "ينقسم هذا الكتاب إلى خمسة فصول."),
        (R, "هذا الكتاب موجّه إلى المبتدئين."),
    ],
    "hi": [
        (S, "यह पुस्तक रोबोट बनाने की विधि समझाती है।"),
        (A, "लेखक: रमेश वर्मा"),
        (D, "यह पुस्तक 2019 में प्रकाशित हुई।"),
        (D, "मार्च 2021"),
        (V, "संस्करण 11.0"),
        (P, "यह पुस्तक तीन भागों में विभाजित है।"),
        (C, "इस पुस्तक में पाँच अध्याय हैं।"),
        (R, "यह पुस्तक शुरुआती पाठकों के लिए लिखी गई है।"),
    ],
}

NOT_STATED = {
    "ru": [
        (S, "Роботы рассказывают о книгах."),
        (S, "Этот документ доступен в пакете."),
        (A, "Мост построил Иван Петров."),
        (D, "Мост был построен в 1950 году."),
        (V, "В настоящее время существует три версии Linux."),
        (P, "Робот состоит из трёх частей."),
        (R, "Этот мотор нельзя чинить."),
    ],
    "zh": [
        (S, "机器人介绍自己。"),
        (S, "本机需要电池。"),
        (A, "这座桥由王小明建造。"),
        (D, "这座桥建于1950年。"),
        (V, "代号有很多：版本 1.1 buzz、版本 1.2 rex。"),
        (P, "机器人由三个部分组成。"),
        (R, "这台电机不能修。"),
    ],
    "ja": [
        (S, "ロボットは自分を説明します。"),
        (A, "橋は山田さんが建てました。"),
        (D, "橋は1950年に建てられました。"),
        (P, "ロボットは三つの部分から構成されています。"),
        (R, "これは本文書を簡潔にするための工夫です。"),
    ],
    "ko": [
        (S, "로봇은 자신을 설명합니다."),
        (A, "다리는 김영희가 지었습니다."),
        (D, "다리는 1950년에 지어졌습니다."),
        (P, "로봇은 세 부분으로 구성되어 있습니다."),
        (R, "이 모터는 고칠 수 없습니다."),
    ],
    "ar": [
        (S, "الروبوت آلة صغيرة."),
        (A, "بنى المهندس يوسف أول خزان للماء."),
        (D, "بني الجسر سنة 1950."),
        (P, "ينقسم الروبوت إلى ثلاثة أقسام."),
        (R, "المحرك قديم."),
    ],
    "hi": [
        (S, "रोबोट एक मशीन है।"),
        (A, "मोहनलाल ने पहला बक्सा बनाया।"),
        (D, "पुल 1950 में बना।"),
        (P, "रोबोट तीन भागों में विभाजित है।"),
        (R, "यह मोटर पुरानी है।"),
    ],
}


def flat(cases: dict[str, list]) -> list[tuple]:
    return [
        (language, *(case if isinstance(case, tuple) else (case,)))
        for language, all_cases in cases.items()
        for case in all_cases
    ]


def rate(language: str, aspect: BookAspect, line: str) -> float:
    rules = load_lexicon(language).about_book
    return rate_statement(AboutBook(aspect), line, rules, Standing(at_front=True))


@pytest.mark.parametrize(("language", "aspect", "line"), flat(STATED))
def test_a_line_says_it_of_the_book(language: str, aspect: BookAspect, line: str) -> None:
    assert rate(language, aspect, line) >= 0.5


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "This handbook tells members how the house is run."),
        ("de", "Dieses Handbuch sagt Mitgliedern, wie das Haus geführt wird."),
        ("de", "Dieser Leitfaden informiert über die Pflege der Beete."),
        ("fr", "Ce guide dit aux membres comment la maison fonctionne."),
        ("es", "Este manual dice a los socios cómo funciona la casa."),
        ("pt", "Este manual diz aos sócios como a casa funciona."),
    ],
)
def test_a_book_that_tells_somebody_something_says_what_it_is_about(
    language: str, line: str
) -> None:
    assert rate(language, BookAspect.SUBJECT, line) >= 0.5


@pytest.mark.parametrize(("language", "aspect", "line"), flat(NOT_STATED))
def test_a_line_about_something_else_does_not_say_it(
    language: str, aspect: BookAspect, line: str
) -> None:
    assert rate(language, aspect, line) < 0.5


@pytest.mark.parametrize(
    ("language", "title", "kind", "number"),
    [
        ("ru", "Глава 3. Датчики", "глав", "3"),
        ("ru", "Глава третья. Датчики", "глав", "3"),
        ("ru", "Приложение A. Лицензия", "приложени", "A"),
        ("zh", "第 3 章 传感器", "章", "3"),
        ("zh", "第十二章传感器", "章", "12"),
        ("zh", "附录 A. 许可", "附录", "A"),
        ("ja", "第3章 センサー", "章", "3"),
        ("ja", "付録A. 許諾", "付録", "A"),
        ("ko", "3장. 센서", "장", "3"),
        ("ko", "부록 A. 허가", "부록", "A"),
        ("ar", "الفصل 3: الحشرات", "فصل", "3"),
        ("ar", "الفصل الثالث: الحشرات", "فصل", "3"),
        ("ar", "الفصل ٣: الحشرات", "فصل", "3"),
        ("hi", "अध्याय 3: शहद", "अध्याय", "3"),
        ("hi", "अध्याय ३: शहद", "अध्याय", "3"),
    ],
)
def test_the_number_of_a_title_is_read(language: str, title: str, kind: str, number: str) -> None:
    rules = load_lexicon(language).about_book
    assert read_title_number(title, rules) == TitleNumber(kind, number)


def test_a_title_that_only_begins_with_a_count_has_no_number() -> None:
    assert read_title_number("一本书的历史", load_lexicon("zh").about_book) is None
    assert read_title_number("三つの部屋", load_lexicon("ja").about_book) is None


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("Jane Doe", True),
        ("Jane A. Doe and Ben O'Hara", True),
        ("Jane Doe ⋅ Ben near Oke – Version 1.2, 2024-03-01", False),
        ("Jane Doe ⋅ Ben Oke – Version 1.2, 2024-03-01", True),
        ("Second Edition", False),
        ("The Reference Manual", False),
        ("Robots move.", False),
        ("Robots", False),
    ],
)
def test_a_line_of_names_right_below_the_title_says_whose_the_book_is(
    line: str, tells: bool
) -> None:
    asked = AboutBook(BookAspect.AUTHOR)
    rules = load_lexicon("en").about_book
    below = Standing(at_front=True, below_title=True)
    assert (rate_statement(asked, line, rules, below) > 0) is tells
    assert rate_statement(asked, line, rules, Standing(at_front=True)) == 0.0


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("Martin Muster", True),
        ("Anna von der Mühle und Hans Ötker", True),
        ("Benutzerhandbuch Mühle", False),
        ("Grundlagen der Buchführung", False),
        ("Zweite Auflage", False),
    ],
)
def test_a_line_of_german_names_right_below_the_title_says_whose_the_book_is(
    line: str, tells: bool
) -> None:
    asked = AboutBook(BookAspect.AUTHOR)
    rules = load_lexicon("de").about_book
    below = Standing(at_front=True, below_title=True)
    assert (rate_statement(asked, line, rules, below) > 0) is tells


@pytest.mark.parametrize(
    ("language", "counted", "has_chapters"),
    [
        ("en", "The title bar consists of three sections.", False),
        ("en", "This manual is parted into three sections.", True),
        ("en", "It consists of three chapters.", True),
        ("de", "Das Fenster besteht aus drei Teilen.", False),
        ("de", "Es besteht aus drei Kapiteln.", True),
        ("fr", "La fenêtre se compose de trois parties.", False),
        ("es", "La ventana se divide en tres secciones.", False),
    ],
)
def test_parts_that_are_counted_are_a_book_s_where_it_is_named(
    language: str, counted: str, has_chapters: bool
) -> None:
    rules, asked = load_lexicon(language).about_book, AboutBook(C)
    assert bool(rate_statement(asked, counted, rules, Standing())) is has_chapters
    front = Standing(at_front=True)
    assert rate_statement(asked, counted, rules, front)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "pt", "ru", "zh", "ja", "ar"])
def test_a_name_with_its_address_below_the_title_is_an_author_s(language: str) -> None:
    rules, below = load_lexicon(language).about_book, Standing(at_front=True, below_title=True)
    for line in ("Sébastien Delorme seb@mail.example version 3.8", "Ada Wong <ada@mail.example>"):
        assert rate_statement(AboutBook(A), line, rules, below)
    assert not rate_statement(AboutBook(A), "Write to ada@mail.example", rules, below)


def test_names_of_authors_have_particles() -> None:
    rules, below = load_lexicon("en").about_book, Standing(below_title=True)
    assert rate_statement(AboutBook(A), "Ada Wong, Ben Oke and Jan de la Cour", rules, below)
    assert not rate_statement(AboutBook(A), "Tools of the Trade", rules, below)
