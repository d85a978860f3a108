"""In each language a question for a doer, a date or a quantity knows a sentence that says none."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.expected import may_hold, says_required
from libs.question.said import share_of_words, tells_who

# fmt: off
WHO = [
    ("en", "Who mended the pump?",
     "The pump was mended by a smith.", "The pump was mended in May."),
    ("en", "Who broke the mast?", "Captain Reed broke the mast.", "The mast broke last winter."),
    ("en", "Who has the copyright of Pump?", "Pump is Copyright © 1996-2023 Ada R. Reed.",
     "Pump is Copyright © 1996-2023 and free."),
    ("de", "Wer hat den Verein gegründet?", "Er wurde 1911 von zwölf Fischern gegründet.",
     "Er wurde von zwölf Metern aus gegründet."),
    ("de", "Wer hat die Pumpe repariert?", "Die Pumpe wurde von einem Schmied repariert.",
     "Die Pumpe wurde neulich repariert."),
    ("fr", "Qui a réparé la pompe ?", "La pompe a été réparée par un forgeron.",
     "La pompe a été réparée hier."),
    ("fr", "Qui nourrit le chat ?", "Le forgeron nourrit le chat.", "On nourrit le chat le soir."),
    ("es", "¿Quién reparó la bomba?", "La bomba fue reparada por un herrero.",
     "La bomba fue reparada hace poco."),
    ("es", "¿Quién rompió la escalera?",
     "Un herrero rompió la escalera.", "Ayer se rompió la escalera."),
    ("pt", "Quem reparou a bomba?", "A bomba foi reparada por um ferreiro.",
     "A bomba foi reparada há pouco."),
    ("ru", "Кто починил насос?", "Насос починил Иван Белов.", "Насос был починен недавно."),
    ("ru", "Кто украл штурвал?", "Матрос украл штурвал.", "Штурвал украли во время ремонта."),
    ("ar", "من أصلح المضخة؟", "أصلح المضخة المهندس سامي.", "تم إصلاح المضخة قبل أيام."),
    ("hi", "पंप किसने ठीक किया?", "मिस्त्री ने पंप ठीक किया।", "पंप पिछले साल ठीक किया गया।"),
    ("ja", "ポンプは誰が直しましたか？", "ポンプは鍛冶屋が直した。", "ポンプは去年の春に直された。"),
    ("ja", "舟を作るのは誰ですか？", "舟を作るのは青年団で、三日かかる。", "舟はわらで作られている。"),
    ("ja", "壺を割ったのは誰ですか？", "弟子が壺を割った。", "壺は祭りの日に割れ、金でつがれた。"),
    ("zh", "谁修理了水泵？", "水泵由铁匠修理。", "水泵去年修理过。"),
    ("ko", "펌프는 누가 고쳤습니까?", "대장장이가 펌프를 고쳤다.", "펌프는 지난봄에 고쳤다."),
    ("ko", "항아리를 누가 깼나요?", "머슴이 항아리를 깼다.", "항아리는 떨어졌다가 다시 붙었다."),
    ("zh", "谁引进了水泵？", "顾远的儿子管着厂，他引进了水泵。", "水泵是十年前引进的。"),
    ("de", "Wer mahlt das Korn?", "Der Müller mahlt das Korn.", "Das Korn muss gemahlen werden."),
    ("es", "¿Quién anotaba los barcos?", "La mayor, Inés, anotaba los barcos.",
     "Se anotaban los barcos cada noche."),
    ("ar", "من نسخ المخطوطة؟", "المخطوطة نسخها حسن البصراوي.", "تم نسخ المخطوطة سنة 1912."),
    ("zh", "谁改建了旧厂房？", "顾明远改建了旧厂房。", "旧厂房在十年前被改建成了陈列馆。"),
]
WHEN = [
    ("de", "Wann wurde die Pumpe repariert?",
     "Die Pumpe wurde 1931 repariert.", "Die Pumpe wurde neu repariert."),
    ("de", "Wann sind Führungen?", "Führungen gibt es sonntags.", "Führungen sind beliebt."),
    ("fr", "Quand la pompe a-t-elle été réparée ?",
     "La pompe a été réparée en mars.", "La pompe a été réparée dans un atelier."),
    ("es", "¿Cuándo llegan las grullas?",
     "Las grullas llegan en primavera.", "Las grullas llegan del norte."),
    ("pt", "Quando abre a oficina?",
     "A oficina abre às segundas-feiras.", "A oficina abre com uma chave."),
    ("ru", "Когда проводятся экскурсии?",
     "Экскурсии проводятся по субботам.", "Экскурсии проводятся в башне."),
    ("ar", "متى يبدأ الحصاد؟", "يبدأ الحصاد في شهر مايو.", "يبدأ الحصاد من الشمال."),
    ("hi", "मेला कब लगता है?", "मेला मार्च में लगता है।", "मेला नदी के किनारे लगता है।"),
    ("ja", "祭りはいつ開かれますか？", "祭りは毎月開かれる。", "祭りは川辺で開かれる。"),
    ("ja", "地震はいつ起きましたか？", "地震は1931年に起きた。", "煙突は地震のあとに建て直された。"),
    ("ko", "잔치는 언제 열립니까?", "잔치는 해마다 삼월에 열린다.", "잔치는 냇가에서 열린다."),
    ("zh", "庙会在哪天举行？", "庙会在周三举行。", "庙会在河边举行。"),
    ("zh", "庙会什么时候举行？", "庙会在每年三月举行。", "庙会在河边举行。"),
]
WHY = [
    ("de", "Warum läuft die Pumpe heiß?", "Wozu dient die Pumpe?"),
    ("es", "¿Por qué se calienta la bomba?", "¿Para qué sirve la bomba?"),
    ("fr", "Pourquoi la pompe chauffe-t-elle ?", "À quoi sert la pompe ?"),
    ("pt", "Por que a bomba aquece?", "Para que serve a bomba?"),
    ("ru", "Почему насос греется?", "Для чего служит насос?"),
    ("zh", "水泵为什么发热？", "水泵有什么用？"),
    ("ja", "ポンプはなぜ熱くなりますか？", "ポンプは何に使いますか？"),
    ("ar", "لماذا تسخن المضخة؟", "ما فائدة المضخة؟"),
    ("hi", "पंप गरम क्यों होता है?", "पंप किस काम आता है?"),
    ("ko", "펌프는 왜 뜨거워집니까?", "펌프는 어디에 씁니까?"),
]
HOW_MANY = [
    ("ko", "고양이는 몇 마리입니까?", "고양이 세 마리가 산다.", "고양이가 여기저기 산다."),
    ("ko", "종은 무게가 얼마입니까?", "종은 이백 킬로그램이다.", "종은 두 번 울린다."),
    ("ko", "구경하는 값은 얼마예요?", "구경하는 값은 오천 원이다.", "구경은 세 시간 걸린다."),
    ("ko", "물은 며칠 동안 끓입니까?", "물은 사흘 동안 끓인다.", "물은 오래 끓인다."),
    ("ar", "كم من الوقت تستغرق الرحلة؟", "تستغرق الرحلة ساعتين.", "تستغرق الرحلة وقتا قصيرا."),
    ("ar", "كم مترا طول الجسر؟", "طول الجسر خمسة أمتار.", "طول الجسر معروف."),
    ("ar", "كم يزن الجرس؟", "يزن الجرس عشرين كيلوغراما.", "يزن الجرس كثيرا."),
    ("fr", "Combien d'octets occupe le fichier ?", "Le fichier occupe 780 Mo.",
     "Le fichier occupe peu de place."),
    ("ru", "Сколько мегабайт занимает файл?", "Файл занимает 20 мегабайт.", "Файл занимает мало."),
    ("de", "Wie viele Katzen gibt es?", "Dort wohnen vier Katzen.", "Dort wohnen Katzen."),
    ("de", "Wie schwer ist die Glocke?",
     "Die Glocke wiegt zwei Tonnen.", "Die Glocke schlägt zweimal."),
    ("de", "Was kostet eine Führung?",
     "Eine Führung kostet vier Euro.", "Eine Führung hat vier Teile."),
    ("fr", "Combien de chats y a-t-il ?", "Trois chats dorment là.", "Les chats dorment là."),
    ("fr", "Combien coûte la visite ?", "La visite est gratuite.", "La visite a trois parties."),
    ("es", "¿Cuántas cabras hay?", "Hay treinta cabras.", "Hay cabras."),
    ("es", "¿Qué altura tiene la torre?",
     "La torre mide veinte metros.", "La torre tiene veinte ventanas."),
    ("pt", "Quantas cabras há?", "Há trinta cabras.", "Há cabras."),
    ("pt", "Quanto custa o bilhete?", "O bilhete custa dois euros.", "O bilhete tem dois lados."),
    ("ru", "Сколько астрономов работает в смене?",
     "В смене работают пять астрономов.", "В смене работают астрономы."),
    ("ru", "Сколько весит купол?",
     "Купол весит одиннадцать тонн.", "Купол имеет одиннадцать окон."),
    ("ar", "كم عدد الغرف؟", "في البيت تسع غرف.", "في البيت غرف."),
    ("ar", "كم يبلغ عمق البئر؟", "يبلغ عمقه خمسة وعشرين مترًا.", "حول البئر خمسة أحجار."),
    ("hi", "कितनी सीढ़ियाँ हैं?", "वहाँ दो सौ चालीस सीढ़ियाँ हैं।", "वहाँ सीढ़ियाँ हैं।"),
    ("hi", "टिकट की कीमत कितनी है?", "टिकट दस रुपये का है।", "टिकट दस दिन चलता है।"),
    ("ja", "案内係は何人いますか？", "案内係は五人いる。", "案内係は親切である。"),
    ("ja", "入館料はいくらですか？", "入館料は三百円である。", "入館料は三か所で払える。"),
    ("zh", "馆里有多少座钟？", "馆里有一百三十座钟。", "馆里有许多钟。"),
    ("zh", "铜钟有多重？", "铜钟重三吨。", "铜钟挂在亭子里。"),
]
# fmt: on


@pytest.mark.parametrize(("language", "question", "says", "says_not"), [*WHO, *WHEN, *HOW_MANY])
def test_a_sentence_without_what_is_asked_for_is_known(
    language: str, question: str, says: str, says_not: str
) -> None:
    lexicon = load_lexicon(language)
    expected = analyse_question(question, language).expected
    assert expected.required
    assert may_hold(expected, says, "", lexicon, question=question)
    assert not may_hold(expected, says_not, "", lexicon, question=question)
    assert not says_required(expected, says_not, lexicon, question=question)


def test_a_value_of_something_else_is_none() -> None:
    question, lexicon = "Wann wurde die Pumpe repariert?", load_lexicon("de")
    expected = analyse_question(question, "de").expected
    assert not may_hold(expected, "Der Turm wurde 1931 gebaut.", "", lexicon, question=question)
    assert may_hold(expected, "Sie ist von 1931.", "", lexicon, question=question)


@pytest.mark.parametrize(
    ("language", "question", "text", "share"),
    [
        ("de", "Wo werden Katzen gefüttert?", "Die Katze wird gefüttert.", 1.0),
        ("de", "Wo werden Katzen gefüttert?", "Die Katze schläft.", 0.5),
        ("de", "Wer schärft die Messer?", "Die Messer werden geschärft.", 1.0),
        ("ar", "من أسس المدرسة؟", "تأسست المدرسة", 1.0),
        ("zh", "陈列馆在哪里？", "陈列馆星期一不开放。", 1.0),
        ("ar", "أين البئر؟", "بئر قديم", 1.0),
        ("en", "Where are pumps repaired?", "The pump is repaired.", 1.0),
        ("en", "Where?", "The pump is repaired.", 0.0),
    ],
)
def test_words_of_a_question_are_found_in_their_other_forms(
    language: str, question: str, text: str, share: float
) -> None:
    assert share_of_words(question, text, load_lexicon(language)) == share


@pytest.mark.parametrize(("language", "why", "what_for"), WHY)
def test_a_question_for_a_reason_is_told_from_one_for_a_use(
    language: str, why: str, what_for: str
) -> None:
    rule = load_lexicon(language).expected.because
    assert (bool(rule.search(why)), bool(rule.search(what_for))) == (True, False)


@pytest.mark.parametrize(
    ("question", "says", "surely"),
    [
        ("谁重建了屋顶？", "王丽华重建了屋顶。", True),
        ("谁重建了屋顶？", "1931年，欧阳明重建了屋顶。", True),
        ("谁重建了屋顶？", "玛丽·居里重建了屋顶。", True),
        ("谁负责采摘？", "负责采摘的是李明华。", True),
        ("谁负责采摘？", "负责采摘是王国的大事。", False),
        ("谁重建了屋顶？", "后来重建了屋顶。", False),
        ("谁重建了屋顶？", "屋顶在1931年重建。", False),
    ],
)
def test_a_chinese_name_beside_what_is_asked_about_says_who(
    question: str, says: str, surely: bool
) -> None:
    lexicon, expected = load_lexicon("zh"), analyse_question(question, "zh").expected
    assert says_required(expected, says, lexicon, question=question) is surely


@pytest.mark.parametrize(
    ("language", "header", "row", "told"),
    [
        ("en", "Task | Interval | Who", "Oil it | weekly | keeper", True),
        ("en", "Task | Interval | Who", "Oil it | weekly | ", False),
        ("en", "Task | Interval | Where", "Oil it | weekly | mill", False),
        ("de", "Arbeit | Wer", "Ölen | Müller", True),
        ("fr", "Travail | Qui", "Huiler | meunier", True),
        ("es", "Trabajo | Responsable", "Engrasar | molinero", True),
        ("pt", "Trabalho | Quem", "Lubrificar | moleiro", True),
    ],
)
def test_a_column_that_is_called_so_says_who(
    language: str, header: str, row: str, *, told: bool
) -> None:
    assert tells_who(row, header, load_lexicon(language)) is told
