"""Every rule of the languages beside English: what it tells, and that it tells nothing else."""

import pytest

from libs.language.entries import OFF
from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.deictic import is_deictic, terms_to_say
from services.generation.checks.clauses import render
from services.generation.checks.normal_forms import is_negation

TOLD = {
    "de": {
        "list_of_things": "Welche Ventilarten gibt es?",
        "comparison": "Wie unterscheiden sich Feder und Dämpfer?",
        "amount": "Wie schwer ist die Pumpe?",
        "definition": "Was ist ein Servo?",
        "reason": "Warum läuft die Pumpe heiß?",
        "alternatives": "Welches Ventil klemmt: das alte oder das neue?",
        "several_places": "Was sind die Vor- und Nachteile von Federn?",
        "person": "Wer hat das Ventil erfunden?",
        "place": "Wo sitzt das Ventil?",
        "date": "In welchem Jahr kam die Pumpe?",
        "procedure": "Wie kann ich die Pumpe entlüften?",
        "points": "Wie funktioniert das hier im Winter?",
        "opens": "Was heißt das genau?",
    },
    "fr": {
        "list_of_things": "Quels sont les modes de la pompe ?",
        "comparison": "Quelles différences y a-t-il entre ressort et amortisseur ?",
        "amount": "Combien pèse la pompe ?",
        "definition": "Qu’est-ce que c’est qu’un servo ?",
        "reason": "Pourquoi la pompe chauffe-t-elle ?",
        "alternatives": "Quelle vanne coince : A ou B ?",
        "several_places": "Donne les avantages des ressorts.",
        "person": "Par qui la vanne fut-elle inventée ?",
        "place": "Où se trouve la vanne ?",
        "date": "En quelle année parut la pompe ?",
        "procedure": "Comment puis-je purger la pompe ?",
        "points": "Comment cela marche en hiver ?",
        "opens": "Pouvez-vous l'expliquer ?",
    },
    "es": {
        "list_of_things": "¿Cuáles son los modos de la bomba?",
        "comparison": "¿En qué difieren muelle y amortiguador?",
        "amount": "¿Cuánto pesa la bomba?",
        "definition": "¿Qué es un servo?",
        "reason": "¿Por qué se calienta la bomba?",
        "alternatives": "¿Cuál se atasca: la A o la B?",
        "several_places": "Di las ventajas de los muelles.",
        "person": "¿Quién inventó la válvula?",
        "place": "¿Dónde está la válvula?",
        "date": "¿En qué año salió la bomba?",
        "procedure": "¿Cómo puedo purgar la bomba?",
        "points": "¿Cómo funciona esto en invierno?",
        "opens": "¿Qué quiere decir?",
    },
    "pt": {
        "list_of_things": "Quais são os modos da bomba?",
        "comparison": "Em que diferem mola e amortecedor?",
        "amount": "Quanto pesa a bomba?",
        "definition": "O que é um servo?",
        "reason": "Por que a bomba aquece?",
        "alternatives": "Qual emperra: a A ou a B?",
        "several_places": "Diga as vantagens das molas.",
        "person": "Quem inventou a válvula?",
        "place": "Onde fica a válvula?",
        "date": "Em que ano saiu a bomba?",
        "procedure": "Como posso purgar a bomba?",
        "points": "Como funciona isto no inverno?",
        "opens": "O que significa?",
    },
    "ru": {
        "list_of_things": "Какие бывают клапаны?",
        "comparison": "Чем отличается пружина от демпфера?",
        "amount": "Сколько весит насос?",
        "definition": "Что такое сервопривод?",
        "reason": "Почему насос греется?",
        "alternatives": "Какой клапан заедает: А или Б?",
        "several_places": "Назови преимущества пружин.",
        "person": "Кем изобретён клапан?",
        "place": "Где находится клапан?",
        "date": "В каком году вышел насос?",
        "procedure": "Как можно прокачать насос?",
        "points": "Как это работает зимой?",
    },
    "ar": {
        "list_of_things": "اذكر أوضاع المضخة",
        "comparison": "ما الفرق بين الزنبرك والمخمد؟",
        "amount": "كم وزن المضخة؟",
        "definition": "ما هو المحرك؟",
        "reason": "لماذا تسخن المضخة؟",
        "several_places": "ما مزايا المضخة؟",
        "person": "من الذي اخترع الصمام؟",
        "place": "أين الصمام؟",
        "date": "متى صدرت المضخة؟",
        "procedure": "كيف يمكن تفريغ المضخة؟",
        "points": "كيف يعمل هذا شتاء؟",
    },
    "hi": {
        "list_of_things": "पंप के भागों की सूची दीजिए",
        "comparison": "स्प्रिंग और डैम्पर में अंतर बताइए",
        "amount": "पंप कितना भारी है?",
        "definition": "सर्वो क्या है?",
        "reason": "पंप गरम क्यों होता है?",
        "several_places": "स्प्रिंग के लाभ बताइए",
        "person": "वाल्व किसने बनाया?",
        "place": "वाल्व कहाँ है?",
        "date": "पंप किस वर्ष आया?",
        "procedure": "पंप को कैसे स्थापित किया जाता है?",
        "points": "यहाँ पंप सर्दी में चलता है?",
    },
    "ja": {
        "list_of_things": "ポンプにはどんな種類がありますか？",
        "comparison": "ばねとダンパーの違いは？",
        "amount": "ポンプは何台ありますか？",
        "definition": "サーボとは何ですか？",
        "reason": "ポンプはなぜ熱くなりますか？",
        "several_places": "ばねの利点は？",
        "person": "誰が弁を発明しましたか？",
        "place": "弁はどこですか？",
        "date": "ポンプは何年に出ましたか？",
        "procedure": "どうすればポンプを止められますか？",
        "points": "これは冬でも動きますか？",
    },
    "zh": {
        "list_of_things": "泵有哪些模式？",
        "comparison": "弹簧和阻尼器有什么区别？",
        "amount": "泵有多少个？",
        "definition": "什么是伺服电机？",
        "reason": "泵为什么发热？",
        "several_places": "弹簧的优点？",
        "person": "谁发明了阀门？",
        "place": "阀门在哪里？",
        "date": "泵是哪一年推出的？",
        "procedure": "怎么给泵排气？",
        "points": "这在冬天能用吗？",
    },
    "ko": {
        "list_of_things": "펌프에는 어떤 종류가 있나요?",
        "comparison": "용수철과 완충기의 차이는?",
        "amount": "펌프는 몇 대입니까?",
        "definition": "서보란 무엇입니까?",
        "reason": "펌프는 왜 뜨거워집니까?",
        "several_places": "용수철의 장점은?",
        "person": "밸브는 누가 발명했습니까?",
        "place": "밸브는 어디에 있습니까?",
        "date": "펌프는 몇 년에 나왔습니까?",
        "procedure": "펌프는 어떻게 멈춥니까?",
        "points": "이것은 겨울에도 움직입니까?",
    },
}
"""A question for each rule; what it is for is the same in all languages, so that their lists show what
a language has not."""

PLAIN = {
    "de": "Die Pumpe steht neben dem Tank.",
    "fr": "La pompe est près du réservoir.",
    "es": "La bomba queda cerca del depósito.",
    "pt": "A bomba fica perto do tanque.",
    "ru": "Насос стоит рядом с баком.",
    "ar": "المضخة قرب الخزان.",
    "hi": "पंप टंकी के पास रखा गया।",
    "ja": "ポンプはタンクの横にある。",
    "zh": "泵在水箱旁边。",
    "ko": "펌프는 물통 옆에 있다.",
}
NEGATED = {
    "de": "keiner",
    "fr": "jamais",
    "es": "ninguna",
    "pt": "jamais",
    "ru": "никогда",
    "ar": "ليست",
    "hi": "नहीं",
}
OF_TYPES = {"list_of_things", "comparison", "amount", "definition", "reason"}
KINDS = {"person", "place", "date", "procedure"}
ASKED = {"yes_no", "code"}
"""Rules that `test_question_kinds.py` has the examples of."""
VALUES = {"because", "agent", "counted", "happened", "measured", "name", "required", "year"}
VALUES |= {"often", "step", "light", "lasts", "indistinct", "maker", "measures", "measuring"}
VALUES |= {"attribute", "of_thing", "who", "bearer", "thing_asked", "vague"}
"""Rules for a doer, a name, a date, a quantity or a step: `test_said.py`, `test_expected.py`,
`test_question_terms.py`, `test_lookup.py`, `test_columns.py`, `test_measures.py`, `test_steps.py`,
`test_other_things.py`, `test_sought.py`, `test_told.py`, `test_thing_named.py`, `test_kinds.py` and
`test_asked_things.py` have examples."""
RULES = [(language, rule) for language, rules in TOLD.items() for rule in rules]


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "pt", "ru"])
def test_marked_text_need_not_say_what_its_thing_is_called_or_what_only_asks(language: str) -> None:
    lexicon = load_lexicon(language)
    assert lexicon.selections.unsaid
    for word in sorted(lexicon.selections.unsaid):
        assert terms_to_say(f"{word} xylophone", lexicon) == ["xylophon"]


@pytest.mark.parametrize("language", TOLD)
def test_each_pattern_for_questions_has_an_example(language: str) -> None:
    lexicon = load_lexicon(language)
    tables = (lexicon.types, lexicon.expected, lexicon.selections)
    has = {
        name
        for table in tables
        for name in table.__struct_fields__
        if getattr(table, name) not in (OFF, frozenset(), {}, "", ())
    }
    assert has - {"definiendum", "bare", "unsaid"} - VALUES - ASKED == set(TOLD[language])


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_a_rule_tells_its_question_and_not_a_plain_sentence(language: str, rule: str) -> None:
    asked, plain = (
        analyse_question(text, language, of_selection=True)
        for text in (TOLD[language][rule], PLAIN[language])
    )
    if rule in OF_TYPES:
        assert getattr(asked.types, rule)
        assert not getattr(plain.types, rule)
    elif rule in KINDS:
        assert asked.expected.kind.value == rule
        assert plain.expected.kind.value != rule
    elif rule == "alternatives":
        pattern = load_lexicon(language).types.alternatives
        assert pattern.search(asked.question)
        assert not pattern.search(plain.question)
    elif rule == "several_places":
        assert asked.several_places
        assert not plain.several_places
    else:
        assert asked.deictic
        assert not plain.deictic


@pytest.mark.parametrize("language", TOLD)
def test_words_that_ask_for_a_text_as_a_whole_need_no_other(language: str) -> None:
    lexicon = load_lexicon(language)
    assert is_deictic(" ".join(sorted(lexicon.selections.bare)), lexicon)
    assert not is_deictic(PLAIN[language], lexicon)


@pytest.mark.parametrize(("language", "word"), NEGATED.items())
def test_a_word_denies_in_its_language_alone(language: str, word: str) -> None:
    assert is_negation(word, language)
    assert not is_negation(word, "en")


JOINED = {
    "de": ("Die Pumpe füllt den Tank", "und", "Das Ventil bleibt offen"),
    "fr": ("La pompe remplit le réservoir", "et", "La vanne reste ouverte"),
    "es": ("La bomba llena el depósito", "y", "La válvula queda abierta"),
    "pt": ("A bomba enche o tanque", "e", "A válvula fica aberta"),
    "ru": ("Насос наполняет большой бак", "и", "Клапан остаётся всегда открытым"),
}
POINTING = {
    "de": ("Sie läuft dann weiter", "Nachts läuft sie weiter", "Eine"),
    "fr": ("Elle tourne alors encore", "La nuit, celle-ci tourne encore", "Une"),
    "es": ("Ella sigue así siempre", "De noche, esta sigue siempre", "Una"),
    "pt": ("Ela segue assim sempre", "De noite, ela segue sempre", "Uma"),
    "ru": ("Он работает и дальше", "Ночью последний тоже работает", ""),
}


@pytest.mark.parametrize("language", JOINED)
def test_sentences_of_the_book_are_joined_by_the_words_of_its_language(language: str) -> None:
    first, joiner, second = JOINED[language]
    book = f"{first}. {second}."
    joined = f"{first} {joiner} {second}."
    assert render(joined, [book], language) == f"{first}. {second}."
    assert render(joined.replace(f" {joiner} ", " ähem "), [book], language) is None


@pytest.mark.parametrize("language", JOINED)
def test_a_piece_is_not_cut_from_its_sentence(language: str) -> None:
    said, joiner, other = JOINED[language]
    for book in (f"{said}; {other}.", f"{said}, {joiner} {other}."):
        assert render(book, [book], language) == book
        assert render(f"{said}.", [book], language) is None
        assert render(f"{other}.", [book], language) is None


@pytest.mark.parametrize("language", POINTING)
def test_a_sentence_that_points_back_stays_behind_its_own(language: str) -> None:
    first, _, second = JOINED[language]
    for pointing in POINTING[language][:2]:
        whole = f"{first}. {second}. {pointing}."
        assert render(f"{second}. {pointing}.", [whole], language)
        assert render(f"{first}. {pointing}.", [whole], language) is None
        assert render(f"{first}. {pointing}.", [f"{first}.", f"{pointing}."], language) is None
        assert render(f"{first}. {second}.", [f"{first}.", f"{second}."], language)


def test_sentences_are_joined_to_their_neighbours_where_no_pointing_words_are_known() -> None:
    spans = ["La pompa riempie il serbatoio.", "Poi si alza.", "La valvola resta aperta."]
    assert render(" ".join(spans[:2]), [" ".join(spans)], "it")
    assert render(f"{spans[0]} {spans[2]}", spans, "it") is None


@pytest.mark.parametrize("language", [code for code, words in POINTING.items() if words[2]])
def test_another_article_says_the_same(language: str) -> None:
    first, article = JOINED[language][0], POINTING[language][2]
    said = f"{article} {first.partition(' ')[2]}."
    assert render(said, [f"{first}."], language)
    assert render(said, [f"{first}."], "ja") is None
