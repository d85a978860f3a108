"""A question for a place, a date or an age of something that happened wants that told, and no other."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.expected import attribute_of, may_hold, says_required

WHERE_BORN = {
    "en": (
        "Where was Anna Berg born?",
        ["She worked in Bergen for thirty years.", "She was born in 1851.", "She died in Oslo."],
        ["She was born in Bergen.", "Anna Berg, a native of Bergen, died in Oslo."],
    ),
    "de": (
        "Wo wurde Anna Berg geboren?",
        ["Sie arbeitete in Bergen.", "Sie wurde im Jahr 1851 geboren.", "Sie starb in Oslo."],
        ["Sie wurde in Bergen geboren.", "Die in Bergen geborene Anna Berg war Ärztin."],
    ),
    "fr": (
        "Où est née Anna Berg ?",
        ["Elle travailla à Bergen.", "Elle est née en 1851.", "Elle mourut à Oslo."],
        ["Elle naquit à Bergen.", "Née à Bergen en 1851, elle fut botaniste."],
    ),
    "es": (
        "¿Dónde nació Ana Berg?",
        ["Trabajó en Bergen.", "Nació en 1851.", "Murió en Oslo."],
        ["Nació en Bergen.", "Ana Berg, nacida en Bergen, fue botánica."],
    ),
    "pt": (
        "Onde nasceu Ana Berg?",
        ["Trabalhou em Bergen.", "Nasceu em 1851.", "Morreu em Oslo."],
        ["Nasceu em Bergen.", "Ana Berg, nascida no Porto, era botânica."],
    ),
    "ru": (
        "Где родилась Анна Берг?",
        ["Она работала в Бергене.", "Она родилась в 1851 году.", "Её родители жили в Бергене."],
        ["Она родилась в Бергене.", "Родившись в Бергене, она всю жизнь провела там."],
    ),
    "zh": (
        "李安娜在哪里出生？",
        ["她在杭州工作了三十年。", "她生于1851年。", "她在上海去世。"],
        ["她在杭州出生。", "李安娜1851年生于杭州。"],
    ),
    "ja": (
        "アンナはどこで生まれましたか？",
        ["彼女はベルゲンで働きました。", "1851年に生まれました。", "オスロで亡くなりました。"],
        ["彼女はベルゲンで生まれました。", "アンナは1851年にベルゲンに生まれた。"],
    ),
    "ko": (
        "이안나는 어디에서 태어났습니까?",
        ["그녀는 부산에서 일했다.", "그녀는 1851년에 태어났다.", "그녀는 서울에서 죽었다."],
        ["그녀는 부산에서 태어났다.", "부산에서 태어난 이안나는 식물학자였다."],
    ),
    "ar": (
        "أين ولد سالم؟",
        ["عمل سالم في دمشق.", "ولد سالم عام 1851.", "مات سالم في حلب."],
        ["ولد سالم في دمشق.", "كان مولده في دمشق."],
    ),
    "hi": (
        "सुमित्रा का जन्म कहाँ हुआ?",
        ["सुमित्रा ने पुणे में काम किया।", "सुमित्रा का जन्म 1851 में हुआ।", "उनकी मृत्यु दिल्ली में हुई।"],
        ["सुमित्रा का जन्म पुणे में हुआ।", "वे पुणे में पैदा हुईं।"],
    ),
}

WHEN = [
    ("en", "When did Anna Berg marry?", "She died in 1931.", "Her wedding was in May 1899."),
    ("en", "When was the museum founded?", "It keeps 1200 objects of 1890.", "It opened in 1890."),
    ("de", "Wann heiratete Anna Berg?", "Sie starb 1931.", "Ihre Hochzeit war im Mai 1899."),
    (
        "de",
        "Wann wurde die Brücke gebaut?",
        "1890 brannte sie ab.",
        "Sie stammt aus dem Jahr 1890.",
    ),
    (
        "fr",
        "Quand Anna Berg s'est-elle mariée ?",
        "Elle mourut en 1931.",
        "Elle épousa Erik en 1899.",
    ),
    (
        "fr",
        "Quand le musée a-t-il été fondé ?",
        "Le musée brûla en 1890.",
        "Sa fondation date de 1890.",
    ),
    ("es", "¿Cuándo se casó Ana Berg?", "Murió en 1931.", "Su boda fue en mayo de 1899."),
    ("es", "¿Cuándo se fundó el museo?", "El museo ardió en 1890.", "Fue fundado en 1890."),
    ("pt", "Quando casou Ana Berg?", "Morreu em 1931.", "O casamento foi em maio de 1899."),
    ("pt", "Quando foi construída a ponte?", "A ponte ardeu em 1890.", "Construiu-se em 1890."),
    (
        "ru",
        "Когда умерла Анна Берг?",
        "Она вышла замуж в 1899 году.",
        "Она скончалась в 1931 году.",
    ),
    (
        "ru",
        "Когда был построен мост?",
        "Хор поёт каждую пятницу.",
        "Построенный в 1890 году мост цел.",
    ),
    ("ru", "Когда был основан музей?", "Музей открыт по средам.", "Музей основали в 1890 году."),
    ("zh", "李安娜什么时候结婚？", "她于1931年去世。", "她1899年嫁给陈立。"),
    ("zh", "博物馆是什么时候成立的？", "博物馆周二至周日开放。", "博物馆创建于1890年。"),
    ("ja", "アンナはいつ結婚しましたか？", "1931年に亡くなりました。", "1899年に医師に嫁いだ。"),
    (
        "ja",
        "橋はいつ建てられましたか？",
        "合唱団は毎週金曜日に歌います。",
        "橋は1890年の建造です。",
    ),
    (
        "ko",
        "박물관은 언제 설립되었습니까?",
        "박물관은 화요일에 연다.",
        "박물관은 1890년에 세워졌다.",
    ),
    ("ar", "متى توفي سالم؟", "أسس سالم المزرعة عام 1932.", "مات سالم عام 1960."),
    ("hi", "केंद्र की स्थापना कब हुई?", "केंद्र में 1948 करघे हैं।", "केंद्र 1948 में शुरू हुआ।"),
]

HOW_OLD = [
    (
        "en",
        "How old is the director?",
        "It is open from ten to five.",
        "The director is 45 years old.",
    ),
    (
        "en",
        "How old was Davin?",
        "Davin was one of six boys, and walked for 14 days.",
        "Davin was fourteen, and had a brother.",
    ),
    (
        "de",
        "Wie alt ist die Direktorin?",
        "Sie arbeitet dort 30 Jahre.",
        "Die 45-jährige Frau leitet es.",
    ),
    (
        "fr",
        "Quel âge a la directrice ?",
        "Elle y travailla trente ans.",
        "Elle a quarante-cinq ans.",
    ),
    ("es", "¿Cuántos años tiene la directora?", "Trabajó treinta años.", "Tiene cuarenta años."),
    ("pt", "Que idade tem a diretora?", "Trabalhou trinta anos.", "A diretora tem quarenta anos."),
    ("ru", "Сколько лет директору?", "Он тридцать лет работал в музее.", "Директору 45 лет."),
    ("ru", "Сколько лет директору?", "Он работает до восьми часов.", "Он родился в 1975 году."),
    ("zh", "馆长多大年纪？", "馆长工作了三十年。", "馆长今年四十五岁。"),
    ("ja", "館長は何歳ですか？", "館長は三十年間働きました。", "館長は四十五歳です。"),
    ("ko", "관장은 몇 살입니까?", "관장은 삼십 년 동안 일했다.", "관장은 45살이다."),
    ("ar", "كم عمر المدير؟", "عمل المدير ثلاثين عاما.", "عمر المدير خمسون عاما."),
    ("hi", "निदेशक की उम्र कितनी है?", "निदेशक ने तीस साल काम किया।", "निदेशक की उम्र 45 साल है।"),
]

HOW_LARGE = [
    ("zh", "桥有多高？", "河上的桥长82米。", "河上的桥高12米。"),
    ("zh", "桥有多长？", "河上的桥高12米。", "河上的桥长82米。"),
    (
        "fr",
        "Quelle est la hauteur du pont ?",
        "Le pont a 82 mètres de long.",
        "Il est haut de 9 mètres.",
    ),
    (
        "fr",
        "Quelle est la longueur du pont ?",
        "Il est haut de 9 mètres.",
        "Il a 82 mètres de long.",
    ),
]

ROWS = [
    *((code, asked, text, False) for code, (asked, no, _) in WHERE_BORN.items() for text in no),
    *((code, asked, text, True) for code, (asked, _, yes) in WHERE_BORN.items() for text in yes),
    *((code, asked, text, False) for code, asked, text, _ in (*WHEN, *HOW_OLD, *HOW_LARGE)),
    *((code, asked, text, True) for code, asked, _, text in (*WHEN, *HOW_OLD, *HOW_LARGE)),
]


@pytest.mark.parametrize(("language", "question", "sentence", "tells"), ROWS)
def test_a_place_a_date_or_an_age_answers_only_as_that_of_what_is_asked(
    language: str, question: str, sentence: str, *, tells: bool
) -> None:
    lexicon, expected = load_lexicon(language), analyse_question(question, language).expected
    assert expected.required
    assert may_hold(expected, sentence, "", lexicon, question=question) is tells
    assert says_required(expected, sentence, lexicon, question=question) is tells


def test_a_heading_over_a_row_names_what_its_date_is_of() -> None:
    question = "When was Anna Berg born?"
    expected, lexicon = analyse_question(question, "en").expected, load_lexicon("en")
    assert may_hold(expected, "Anna Berg | 1851", "Name | Born", lexicon, question=question)
    assert not may_hold(expected, "Anna Berg | 1931", "Name | Died", lexicon, question=question)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("ru", "Сколько лет она работала в музее?"),
        ("en", "Where is the history file created?"),
        ("en", "How many people died in the fire?"),
        ("es", "¿Cuántos años trabajó Ana?"),
    ],
)
def test_a_question_for_no_attribute_of_one_thing_has_no_such_rule(
    language: str, question: str
) -> None:
    kind = analyse_question(question, language).expected.kind
    assert attribute_of(kind, question, load_lexicon(language)) is None


@pytest.mark.parametrize(
    ("language", "question", "of_thing", "of_maker"),
    [
        ("en", "How old is the mill?", "The mill was built in 1926.", "Built by Al Roy in 1926."),
        ("fr", "Quel âge a le four ?", "Le four fut construit en 1926.", "Fondée par Al en 1926."),
        ("de", "Wie alt ist das Haus?", "Es wurde 1926 erbaut.", "Es wurde 1926 von Al erbaut."),
    ],
)
def test_a_year_in_which_somebody_made_a_thing_is_not_his_age(
    language: str, question: str, of_thing: str, of_maker: str
) -> None:
    lexicon, expected = load_lexicon(language), analyse_question(question, language).expected
    assert may_hold(expected, of_thing, "", lexicon, question=question)
    assert not may_hold(expected, of_maker, "", lexicon, question=question)


@pytest.mark.parametrize(
    ("language", "question", "other", "names"),
    [
        ("en", "What is the keeper's name?", "The keeper lives there.", "The keeper is Eva Holm."),
        (
            "de",
            "Wie heißen die Katzen?",
            "Vier Katzen fangen Mäuse.",
            "Die Katzen sind Mia und Max.",
        ),
        (
            "fr",
            "Comment s'appelle l'éclusier ?",
            "L'éclusier habite là.",
            "L'éclusier est Jean Roy.",
        ),
        ("es", "¿Cómo se llama el guarda?", "El guarda vive allí.", "El guarda es Luis Roy."),
        ("pt", "Como se chama a guarda?", "A guarda vive ali.", "A guarda é Eva Holm."),
        ("ru", "Как зовут сторожа?", "Сторож живёт там.", "Сторож — Иван Роев."),
        ("zh", "馆长叫什么名字？", "馆长住在那里。", "馆长是王丽华。"),
        ("ja", "館長の名前は？", "館長はそこに住んでいる。", "館長は田中花子です。"),
        ("ja", "館長は誰ですか？", "館長はそこに住んでいる。", "館長はマリア・オルセンです。"),
        ("ko", "관장의 이름은 무엇입니까?", "관장은 그곳에 산다.", "관장은 김미정이다."),
    ],
)
def test_a_question_for_a_name_is_told_one(
    language: str, question: str, other: str, names: str
) -> None:
    lexicon, expected = load_lexicon(language), analyse_question(question, language).expected
    assert expected.required
    assert not may_hold(expected, other, "", lexicon, question=question)
    assert may_hold(expected, names, "", lexicon, question=question)
    assert says_required(expected, names, lexicon, question=question)
