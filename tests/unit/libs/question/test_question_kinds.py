"""Questions that a yes or no, steps or a command answer, in each language beside English."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.expected import AnswerKind

YES_NO = {
    "de": (
        (
            "Kann ich die Pumpe im Winter laufen lassen?",
            "Muss man das Ventil ölen?",
            "Darf der Tank leer sein?",
            "Ist es möglich, die Feder zu tauschen?",
            "Unterstützt die Pumpe Salzwasser?",
            "Braucht das Ventil Öl?",
            "Wenn es friert, muss ich den Tank leeren?",
            "Gibt es eine zweite Pumpe?",
        ),
        (
            "Was ist ein Servo?",
            "Wie kann ich die Pumpe entlüften?",
            "Können Sie mir sagen, was ein Servo ist?",
            "Wann muss man das Ventil ölen?",
            "Mit welcher Feder läuft die Pumpe?",
            "Welche Pumpe ist laut?",
            "Nennen Sie die Modi der Pumpe?",
        ),
    ),
    "fr": (
        (
            "Est-ce que la pompe gèle ?",
            "Peut-on purger la vanne ?",
            "Faut-il huiler le ressort ?",
            "Y a-t-il une seconde pompe ?",
            "La pompe supporte-t-elle le sel ?",
            "Les vannes de la pompe sont-elles réglables ?",
            "On peut la faire geler ?",
            "Si la pompe gèle, faut-il la vider ?",
        ),
        (
            "Qu'est-ce que c'est qu'un servo ?",
            "Que faut-il huiler ?",
            "Comment la pompe peut-elle geler ?",
            "Où peut-on purger la vanne ?",
            "Pouvez-vous me dire ce qu'est un servo ?",
            "Quelle pompe faut-il choisir ?",
            "Dites-nous les modes de la pompe.",
        ),
    ),
    "es": (
        (
            "¿Se puede purgar la válvula?",
            "¿Hay que engrasar el muelle?",
            "¿Es posible cambiar el muelle?",
            "¿La bomba admite agua salada?",
            "¿Debo vaciar el depósito?",
            "¿Necesita la bomba aceite?",
        ),
        (
            "¿Qué es un servo?",
            "¿Cómo se puede purgar la válvula?",
            "que es un servo?",
            "¿Puede decirme qué es un servo?",
            "¿Cuál es la bomba que hay que elegir?",
            "¿Ventajas de los muelles?",
        ),
    ),
    "pt": (
        (
            "Pode-se purgar a válvula?",
            "É preciso olear a mola?",
            "Posso trocar a mola?",
            "A bomba suporta água salgada?",
            "Devo esvaziar o tanque?",
        ),
        (
            "O que é um servo?",
            "Como se pode purgar a válvula?",
            "É o que?",
            "Pode me dizer o que é um servo?",
            "Quando é preciso olear a mola?",
        ),
    ),
    "ru": (
        (
            "Можно ли продуть клапан?",
            "Нужно ли смазывать пружину?",
            "Поддерживает ли насос солёную воду?",
            "Должен ли бак быть пустым?",
            "Если насос замёрз, нужно ли его греть?",
            "Можно продуть клапан?",
            "Разве насос не замерзает?",
        ),
        (
            "Что такое сервопривод?",
            "Как узнать, работает ли насос?",
            "Как можно продуть клапан?",
            "Когда нужно проверить, работает ли насос?",
            "Почему нужно смазывать пружину?",
            "Если насос шумит, что нужно проверить?",
        ),
    ),
    "zh": (
        (
            "泵能用盐水吗？",
            "阀门是否需要上油？",
            "能不能换弹簧？",
            "泵支不支持盐水？",
            "有没有第二个泵",
        ),
        (
            "什么是伺服电机？",
            "怎么检查泵是否漏水？",
            "泵为什么不响？",
            "能告诉我什么是阀门吗？",
            "泵的优点",
        ),
    ),
    "ja": (
        (
            "弁を洗えますか。",
            "ポンプは塩水でも動きますか？",
            "油を差す必要がありますか。",
            "何か問題はありますか。",
            "水槽は空でもよいですか",
        ),
        (
            "サーボとは何ですか。",
            "サーボとは何か",
            "弁はどうやって洗えますか。",
            "どの弁が必要ですか。",
            "サーボについて教えてくれますか。",
            "なぜ油が必要ですか。",
        ),
    ),
    "ko": (
        (
            "밸브를 씻을 수 있나요?",
            "기름이 필요합니까?",
            "펌프는 소금물을 지원하나요?",
            "물통이 비어도 됩니까?",
        ),
        (
            "서보란 무엇입니까?",
            "밸브는 어떻게 씻나요?",
            "어떤 밸브가 필요합니까?",
            "왜 기름이 필요합니까?",
        ),
    ),
    "ar": (
        ("هل يمكن غسل الصمام؟", "هل تحتاج المضخة إلى زيت؟", "إذا تجمدت المضخة، هل يجب تفريغها؟"),
        ("ما هو الصمام؟", "كيف يمكن غسل الصمام؟", "متى يجب تفريغ الخزان؟", "هل تعرف ما هو الصمام؟"),
    ),
    "hi": (
        ("क्या वाल्व धोया जा सकता है?", "क्या पंप को तेल चाहिए?", "पंप चलेगा या नहीं?"),
        ("सर्वो क्या है?", "क्या है सर्वो?", "क्या आप बता सकते हैं कि सर्वो क्या है?", "वाल्व कैसे धोएँ?"),
    ),
}
"""Questions that a yes or no answers, and others that are near."""

PROCEDURE = {
    "de": (
        (
            "Wie entlüfte ich die Pumpe?",
            "Wie richte ich einen zweiten Tank ein?",
            "Wie kann ein Anfänger die Pumpe entlüften?",
            "Wie lässt sich die Feder tauschen?",
            "Wie wird die Feder getauscht?",
            "Was muss ich tun, damit die Pumpe läuft?",
        ),
        ("Wie heißt die Pumpe?", "Wie schwer ist die Pumpe?", "Wie wird das Ventil genannt?"),
    ),
    "fr": (
        (
            "Comment purger la pompe ?",
            "Comment peut-on purger la pompe ?",
            "Comment un débutant peut-il purger la pompe ?",
            "Comment s'y prendre avec la pompe ?",
            "Que faut-il faire quand elle gèle ?",
            "Comment est-ce que je purge la pompe ?",
        ),
        (
            "Comment s'appelle la pompe ?",
            "Comment notre pompe marche-t-elle ?",
            "Qu'est-ce qu'un servo ?",
        ),
    ),
    "es": (
        (
            "¿Cómo purgar la bomba?",
            "¿Cómo se purga la bomba?",
            "¿Cómo purgo la bomba?",
            "¿Cómo se debe purgar la bomba?",
            "¿Qué debo hacer si se hiela?",
        ),
        ("¿Cómo se llama la bomba?", "¿Cómo es la bomba?", "¿Qué es un servo?"),
    ),
    "pt": (
        (
            "Como purgar a bomba?",
            "Como se purga a bomba?",
            "Como purgo a bomba?",
            "O que devo fazer?",
        ),
        ("Como se chama a bomba?", "O que serve como motor?", "Como é a bomba?"),
    ),
    "ru": (
        (
            "Как продуть клапан?",
            "Как правильно продуть клапан?",
            "Как новичок может продуть клапан?",
            "Каким образом продувают клапан?",
            "Что нужно делать, если он течёт?",
        ),
        ("Как называется насос?", "Насос работает так, как часть машины?", "Что такое клапан?"),
    ),
    "zh": (
        ("怎么给泵排气？", "如何换弹簧？", "泵漏水时该做什么？", "有什么办法换弹簧？"),
        ("泵怎么样？", "什么是泵？", "泵怎么了？"),
    ),
    "ja": (
        (
            "弁を洗うにはどうしますか。",
            "ポンプはどう使いますか。",
            "どうやって弁を洗いますか。",
            "ポンプの使い方を知りたい。",
            "空気を抜くには何をすればよいですか。",
        ),
        (
            "弁とはどういうものですか。",
            "洗うべきかどうか知りたい。",
            "弁を洗った方がいいですか。",
            "弁はどうなりますか。",
        ),
    ),
    "ko": (
        ("밸브는 어떻게 씻습니까?", "씻는 방법은?", "물이 새면 무엇을 해야 합니까?"),
        ("서보란 무엇입니까?", "밸브는 크다."),
    ),
    "ar": (
        (
            "كيف أغسل الصمام؟",
            "كيف يمكنني غسل الصمام؟",
            "ما هي خطوات غسل الصمام؟",
            "ماذا أفعل إذا تجمدت؟",
        ),
        ("ما هو الصمام؟", "كيف تعمل المضخة؟"),
    ),
    "hi": (
        ("वाल्व कैसे धोएँ?", "वाल्व धोने का तरीका क्या है?", "पंप जमने पर क्या करना चाहिए?"),
        ("सर्वो क्या है?", "पंप कैसे काम करता है?"),
    ),
}
"""Questions that steps answer, and others that are near."""

CODE = {
    "de": ("Welcher Befehl entlüftet die Pumpe?", "Welche Pumpe ist laut?"),
    "fr": ("Quelle commande purge la pompe ?", "Quelle pompe est bruyante ?"),
    "es": ("¿Qué orden purga la bomba?", "¿Qué bomba es ruidosa?"),
    "pt": ("Que comando purga a bomba?", "Que bomba é barulhenta?"),
    "ru": ("Какой командой продувают клапан?", "Какой насос шумит?"),
    "zh": ("用什么命令给泵排气？", "哪个泵很响？"),
    "ja": ("どのコマンドで空気を抜きますか。", "どの弁が開きますか。"),
    "ko": ("어떤 명령이 필요합니까?", "어떤 밸브가 필요합니까?"),
    "ar": ("ما هو الأمر المطلوب؟", "ما هو الصمام المطلوب؟"),
    "hi": ("कौन सी कमांड पंप चलाती है?", "कौन सा पंप शोर करता है?"),
}
"""A question for a command, and one for something else."""


@pytest.mark.parametrize("language", YES_NO)
def test_a_yes_or_no_is_asked_for_in_the_words_of_the_language(language: str) -> None:
    told, others = YES_NO[language]
    assert [text for text in told if not analyse_question(text, language).types.yes_no] == []
    assert [text for text in others if analyse_question(text, language).types.yes_no] == []


def _expects(kind: str, text: str, language: str) -> bool:
    return analyse_question(text, language).expected.kind.value == kind


@pytest.mark.parametrize("language", PROCEDURE)
def test_steps_are_asked_for_in_the_words_of_the_language(language: str) -> None:
    told, others = PROCEDURE[language]
    assert [text for text in told if not _expects("procedure", text, language)] == []
    assert [text for text in others if _expects("procedure", text, language)] == []


@pytest.mark.parametrize("language", CODE)
def test_a_command_is_asked_for_in_the_words_of_the_language(language: str) -> None:
    told, other = CODE[language]
    assert _expects("code", told, language)
    assert not _expects("code", other, language)


@pytest.mark.parametrize(
    ("language", "kind", "question"),
    [
        ("fr", "person", "Quel est le fichier qui décrit la pompe ?"),
        ("fr", "place", "Comment choisir le dossier où ranger la pompe ?"),
        ("fr", "date", "Que faut-il faire quand elle gèle ?"),
        ("pt", "date", "O que devo fazer quando ela gela?"),
        ("pt", "place", "Como mudar o lugar onde fica a bomba?"),
        ("de", "place", "Was ist der Ort, wo sie steht?"),
        ("ru", "date", "Что делать, когда насос замёрз?"),
        ("hi", "person", "कौन सी कमांड पंप चलाती है?"),
        ("ja", "date", "ポンプはいつもどうやって洗いますか。"),
        ("ko", "date", "펌프는 언제나 어떻게 씻습니까?"),
    ],
)
def test_a_word_that_joins_a_clause_asks_for_nothing(
    language: str, kind: str, question: str
) -> None:
    assert not _expects(kind, question, language)


@pytest.mark.parametrize("language", YES_NO)
def test_rules_of_kinds_read_any_run_in_time(language: str) -> None:
    """What is tried again at each place of a run takes minutes, and ends by the timeout of a test."""
    lexicon = load_lexicon(language)
    rules = [lexicon.types.yes_no]
    rules += [
        getattr(lexicon.expected, name) for name in ("procedure", "code", "person", "date", "place")
    ]
    asked = [*YES_NO[language][0], *PROCEDURE[language][0], *CODE[language]]
    runs = [
        "(",
        " ",
        "a",
        "a ",
        "a, ",
        "- ",
        "? ",
        *(f"{text.rstrip('?？。 ؟')} " for text in asked),
    ]
    for run in runs:
        line = run * (8_000 // len(run))
        read = [rule.search(line) is not None for rule in rules]
        assert len(read) == len(rules)


@pytest.mark.parametrize(
    ("language", "procedure", "other"),
    [
        ("en", "What do I do when I discover a fire?", "What do you do for a living?"),
        ("de", "Was mache ich, wenn es brennt?", "Was macht ein Bäcker?"),
        ("de", "Was tun bei Feuer?", "Was tut die Pumpe?"),
        ("es", "¿Qué hago si hay fuego?", "¿Qué hace un panadero?"),
        ("fr", "Que faire en cas d'incendie ?", "Que fait un boulanger ?"),
        ("pt", "O que faço se houver fogo?", "O que faz um padeiro?"),
        ("ru", "Что делать, если начался пожар?", "Что делает пекарь?"),
        ("zh", "着火了怎么办？", "面包师做什么？"),
        ("ja", "火事のときはどうする？", "パン屋は何をしますか？"),
        ("hi", "आग लगने पर क्या करें?", "बेकर क्या करता है?"),
    ],
)
def test_a_question_for_what_to_do_in_a_case_asks_for_steps(
    language: str, procedure: str, other: str
) -> None:
    assert analyse_question(procedure, language).expected.kind is AnswerKind.PROCEDURE
    assert analyse_question(other, language).expected.kind is not AnswerKind.PROCEDURE
