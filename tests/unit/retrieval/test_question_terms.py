"""A question is taken apart by the words of its language, not by those of English."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.said import mask_asked
from libs.text import content_terms
from libs.vectors.stored import StoredTerms
from services.retrieval.question_terms import QuestionTerms, read_terms


def _stored(text: str) -> StoredTerms:
    quoted = ",".join(f'"{term}"' for term in sorted(set(content_terms(text))))
    return StoredTerms(f"[{quoted}]".encode())


def _terms(question: str, language: str) -> list[str]:
    return [term for run in read_terms(question, language).runs for term in run]


def test_terms_of_english_are_those_that_passages_have() -> None:
    question = "How does a hydraulic actuator hold its position?"
    assert _terms(question, "en") == content_terms(question)
    assert not read_terms(question, "en").stems


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("de", "Wie richte ich verschlüsselte Partitionen ein?", "Eine verschlüsselte Partition."),
        ("de", "Was kostet die Installation?", "Während der Installationen hilft das Handbuch."),
        ("de", "Wie schärft man Messer?", "Sie werden geschärft."),
        ("de", "Wo ist es gelagert?", "Dort liegt das Lager."),
        ("de", "Wann werden die Steine gedreht?", "Im Mai dreht man Mühlsteine."),
        ("de", "Wie lange muss sie trocknen?", "Am Abend ist sie trocken."),
        ("de", "Wie baue ich Fühler ein?", "Der Einbau der Fühler."),
        ("de", "Wie wird der Filter eingesetzt?", "Setzen Sie ihn ein."),
        ("de", "Womit wird er festgezogen?", "Drehen Sie ihn fest."),
        ("de", "Welche Rauchgastemperatur?", "Rauchgas hat eine Temperatur."),
        ("de", "Wer tauscht etwas?", "Dichtung tauschen"),
        ("de", "Wie lange lädt der Akku?", "Ladezeit | 4 Stunden"),
        ("fr", "Où va eau ?", "De l’eau sale."),
        ("es", "¿Se puede uno bañar?", "No se permite bañarse."),
        ("fr", "Quand va-t-elle sécher ?", "Elle sèche le soir."),
        ("fr", "Quand sèche-t-elle ?", "Elle va sécher le soir."),
        ("ru", "Как создать шифрованные тома?", "Для шифрованных томов нужен пароль."),
        ("ru", "Сколько воды перцу?", "Перец | 25"),
        ("ru", "Список зеркал", "Зеркала этого списка."),
        ("fr", "Comment chiffrer des partitions ?", "Une partition est chiffrée."),
        ("fr", "Qu'installe tasksel ?", "Il sert à l’installation de tâches."),
        ("fr", "Quelle image choisir ?", "Copiez l'image sur la clé."),
        ("ar", "هل هو صالح للشرب؟", "ماء يُشرب بعد غليه."),
        ("ar", "ماذا يفعل بنفاياته؟", "يحمل النفايات معه."),
        ("ko", "암자는 어디에 있나요?", "작은 암자에서 시작되었다."),
        ("ko", "누가 세웠습니까?", "스님이 세운 집이다."),
        ("ko", "어떻게 말립니까?", "그늘에서 말린다."),
        ("ko", "재가 왜 더 좋은가요?", "다른 재보다 좋다."),
        ("hi", "कचरे का क्या करे?", "अपना कचरा वापस ले जाना।"),
    ],
)
def test_a_word_is_found_in_its_other_forms(language: str, question: str, text: str) -> None:
    held = _stored(text)
    assert QuestionTerms.weigh(question, [held], language).held
    found = QuestionTerms.weigh(question, [held], language).covered_by(held)
    assert found > QuestionTerms.weigh(question, [held]).covered_by(held)
    terms = QuestionTerms.weigh(question, [held], language)
    assert terms.covered_by(frozenset(held)) == terms.covered_by(held)


@pytest.mark.parametrize(
    ("language", "question", "left"),
    [
        ("de", "Wie kann ich das machen?", {"machen"}),
        ("de", "Wozu dient der Kernel?", {"kernel"}),
        ("ru", "Как это можно сделать?", {"сдела"}),
        ("zh", "什么是固件?", {"固件"}),
        ("zh", "桥有多长？", {"桥"}),
        ("ru", "Какая температура нужна?", {"температур"}),
        ("ja", "壁紙を変えるにはどうしますか", {"壁紙", "変"}),
        ("ja", "玉露は何度の湯ですか", {"玉露", "湯"}),
        ("ja", "なぜ土をねかせるのですか", {"土"}),
        ("ar", "على الجهاز", {"جهاز"}),
        ("hi", "कुत्ते कहाँ रहते हैं?", {"कुत्त"}),
        ("ko", "이 책에서 암자는 무엇입니까?", {"책", "암자"}),
    ],
)
def test_function_words_of_a_question_are_no_terms(
    language: str, question: str, left: set[str]
) -> None:
    asked = read_terms(question, language)
    assert all(
        any(term.startswith(item[:4]) for item in left) for run in asked.runs for term in run
    )


def test_a_noun_of_one_syllable_is_found_only_as_it_is_written_with_its_particles() -> None:
    asked = "재를 왜 섞나요?"
    found = [
        QuestionTerms.weigh(asked, [_stored(text)], "ko").covered_by(_stored(text))
        for text in ("재를 섞는다.", "재와 물을 섞는다.", "재료를 섞는다.")
    ]
    assert found[0] == found[1] == 1.0
    assert found[2] < 1.0


def test_a_short_word_is_not_looked_for_inside_of_others() -> None:
    held = _stored("Die Fahrräder stehen im Keller.")
    assert QuestionTerms.weigh("Wie groß ist das Rad?", [held], "de").covered_by(held) == 0.0


def test_a_question_of_nothing_but_function_words_keeps_them() -> None:
    assert _terms("怎样?", "zh") == ["怎样"]


def test_a_pair_of_characters_where_two_words_meet_is_no_term() -> None:
    held = _stored("正确地关闭。系统")
    terms = QuestionTerms.weigh("怎样正确关闭系统?", [held], "zh")
    assert list(terms.weights) == ["正确", "关闭", "系统"]
    assert terms.covered_by(held) == 1.0


def test_a_word_that_no_passage_has_stays_a_term() -> None:
    terms = QuestionTerms.weigh("怎样启动 Docker 容器?", [_stored("启动系统")], "zh")
    assert {"docker", "容器"} <= terms.weights.keys()
    assert terms.covered_by(_stored("启动系统")) < 0.5


def test_a_loan_word_of_japanese_counts_as_one_word() -> None:
    question = "プロセッサをオーバークロックするにはどうしますか。"
    assert _terms(question, "ja") == ["プロセッサ", "オーバークロック"]
    scattered = _stored("プロセッサのブロック、オーバー、セクション")
    terms = QuestionTerms.weigh(question, [scattered], "ja")
    assert terms.held == ["プロセッサ"]
    assert terms.covered_by(scattered) < 0.75
    assert terms.covered_by(_stored("オーバークロックするプロセッサ")) == 1.0


@pytest.mark.parametrize(
    ("language", "question", "left"),
    [
        ("en", "What is the name of the museum's director?", {"museum", "director"}),
        ("en", "What is the head teacher called?", {"head", "teacher"}),
        ("de", "Wie heißt die Leiterin?", {"leit"}),
        ("de", "Wie ist der Name der Leiterin?", {"leit"}),
        ("fr", "Comment s'appelle la directrice ?", {"direct"}),
        ("fr", "Quel est le nom de la directrice ?", {"direct"}),
        ("es", "¿Cómo se llama la directora?", {"director"}),
        ("es", "¿Cuál es el nombre de la directora?", {"director"}),
        ("pt", "Como se chama a diretora?", {"diretor"}),
        ("pt", "Qual é o nome da diretora?", {"diretor"}),
        ("ru", "Как зовут директора?", {"директор"}),
        ("ru", "Каково имя директора?", {"директор"}),
        ("zh", "馆长叫什么名字？", {"馆长"}),
        ("zh", "校长的名字是什么？", {"校长"}),
        ("ja", "館長は誰ですか？", {"館長"}),
        ("ja", "館長の名前は？", {"館長"}),
        ("ja", "館長の名前は何ですか？", {"館長"}),
        ("ko", "관장의 이름은 무엇입니까?", {"관장"}),
        ("ar", "ما اسم المدير؟", {"مدير"}),
        ("hi", "निदेशक का नाम क्या है?", {"निदेशक"}),
    ],
)
def test_words_that_ask_for_a_name_are_no_terms(
    language: str, question: str, left: set[str]
) -> None:
    asked = [term for run in read_terms(question, language).runs for term in run]
    assert asked
    assert all(any(term.startswith(item[:4]) for item in left) for term in asked)


@pytest.mark.parametrize(
    ("language", "question", "kept"),
    [
        ("en", "How do I change the name of a branch?", "name"),
        ("de", "Wie ändere ich den Namen des Rechners?", "nam"),
        ("ja", "ファイルの名前はどう変えますか？", "名前"),
    ],
)
def test_a_name_of_which_more_is_asked_is_a_term(language: str, question: str, kept: str) -> None:
    runs = read_terms(question, language).runs
    assert any(term.startswith(kept) for run in runs for term in run)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [("夏季开放到八点", True), ("夏天开放", True), ("冬季关闭", False), ("夏布", False)],
)
def test_a_word_without_spaces_is_found_by_what_means_the_same(
    text: str, *, is_found: bool
) -> None:
    held = _stored(text)
    terms = QuestionTerms.weigh("夏天呢？", [held], "zh")
    assert (terms.covered_by(held) == 1.0) is is_found
    assert ("▯" in mask_asked("夏天呢？", text, load_lexicon("zh"))) is is_found


def test_a_pair_beside_a_known_word_without_spaces_is_no_term() -> None:
    runs = read_terms("博物馆夏天开放", "zh").runs
    assert [term for run in runs for term in run] == ["博物", "物馆", "夏天", "开放"]


@pytest.mark.parametrize(
    ("language", "question", "left"),
    [
        ("de", "Wie lange müssen Linsen kochen?", ["lang", "lins", "koch"]),
        ("es", "¿Cuánto tiempo deben hervir los huevos?", ["tiemp", "herv", "huev"]),
        ("fr", "Combien de temps doivent-ils tremper ?", ["temp", "tremp"]),
        ("pt", "Quanto tempo devem ferver os ovos?", ["temp", "ferv", "ovo"]),
        ("zh", "停车一天多少钱？", ["停车", "一天"]),
        ("ja", "駐車料金はいくらですか", ["駐車"]),
        ("ja", "料金はいくらですか", ["料金"]),
    ],
)
def test_words_that_ask_for_a_duration_or_a_price_are_no_terms(
    language: str, question: str, left: list[str]
) -> None:
    assert _terms(question, language) == left


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("I'm not sure, can't anyone fix it yet?", ["sure", "fix"]),
        ("Isn’t there something for the boat?", ["boat"]),
        ("Who wants anything?", ["want", "anyth"]),
    ],
)
def test_words_put_around_a_question_are_no_terms(question: str, left: list[str]) -> None:
    assert _terms(question, "en") == left


def test_a_word_that_no_passage_has_stands_for_what_a_book_calls_the_same() -> None:
    texts = [_stored("The refrigerator hums."), _stored("The cellar is damp.")]
    terms = QuestionTerms.weigh("Does the fridge hum in the garden?", texts, "en")
    assert terms.covered_by(_stored("The refrigerator hums.")) > 0.6
    assert terms.covered_by(_stored("The refrigerator of a garden hums.")) == 1.0
    assert not QuestionTerms.weigh("Where is the fridge?", texts, "de").covered_by(texts[0])


def test_a_word_that_a_passage_has_stands_for_itself_alone() -> None:
    texts = [_stored("The fridge is new."), _stored("The refrigerator hums.")]
    terms = QuestionTerms.weigh("Where is the fridge?", texts, "en")
    assert [terms.covered_by(text) for text in texts] == [1.0, 0.0]
