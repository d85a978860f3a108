"""Whether a sentence holds a value of the type that a question asks for."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.expected import (
    AnswerKind,
    Dimension,
    ExpectedAnswer,
    holds_answer,
    may_hold,
    says_required,
)
from libs.question.follow_up import Conversation
from libs.rpc.question import analysis_from_proto, analysis_to_proto

ENGLISH = load_lexicon("en")


@pytest.mark.parametrize(
    ("question", "sentence", "holds"),
    [
        ("How heavy is the arm?", "The arm weighs 4.5 kg.", True),
        ("How heavy is the arm?", "The arm weighs twelve kilograms.", True),
        ("How heavy is the arm?", "The arm is 4.5 m long.", False),
        ("How heavy is the arm?", "The arm is heavy.", False),
        ("How many kilometres does it walk?", "It walks 3 km on a charge.", True),
        ("How many kilometres does it walk?", "It walks 3 hours on a charge.", False),
        ("Which error in degrees do I get?", "The error is 0.5° at most.", True),
        ("Which error in degrees do I get?", "The error is 0.5 % at most.", False),
        ("How many litres an hour does it pump?", "It pumps 12 litres an hour.", True),
        ("How many litres an hour does it pump?", "It pumps 12 MPa.", False),
        ("Why are springs used?", "The spring brings three benefits.", True),
        ("Why are springs used?", "The spring is between gear and load.", False),
        ("What pressure does it hold?", "It holds 21 MPa.", True),
        ("What pressure does it hold?", "It holds 21 m.", False),
        ("How many axes has it?", "It has six independently driven axes.", True),
        ("How many axes has it?", "It has six legs and several axes, all of them slow.", False),
        ("How much does it cost?", "It costs 40 €.", True),
        ("How much does it cost?", "It weighs 40 kg.", False),
        ("How much memory does it need?", "It needs 500 MB.", True),
        ("How much memory does it need?", "It needs a 32-bit processor.", False),
        ("How big is it?", "It has 7 billion parameters.", True),
        ("How big is it?", "It is big.", False),
        ("Until when is it supported?", "It is supported until May 2027.", True),
        ("Until when is it supported?", "It may be supported for long.", False),
        ("When is it planted?", "It is planted in March or May.", True),
        ("When is it planted?", "May be planted again where frost took it.", False),
        ("When was it built?", "It was built in 70 A.D. or so.", True),
        ("When was it built?", "See section 7 advice on building.", False),
        ("In which year was the mill built?", "It was built on 3 May 1987.", True),
        ("In which year was the mill built?", "It was built in late October.", False),
        ("In which year was the mill built?", "It turned for the first time on 3/5/1987.", True),
        ("In which year was the mill built?", "See example.org/news/2012-05-26-mill.html.", False),
        ("When was the mill built?", "See example.org/news/2012-05-26-mill.html.", False),
        ("Which year saw the first one?", "The first one came in 1987–88.", True),
        (
            "Which year saw the first one?",
            "The first one had 1024 cells, and today's has more.",
            False,
        ),
        ("Who invented it?", "It was invented by Ada Lovelace.", True),
        ("Who invented it?", "It was invented long ago.", False),
        ("Where is the log?", "It lies in /var/log.", True),
        ("Where is the log?", "It is long.", False),
        ("Why does it tip?", "It tips because its mass is high.", True),
        ("Why does it tip?", "It tips.", False),
        ("What is a servo?", "A servo is a motor with a sensor.", True),
        ("Which command builds it?", "Run `colcon build`.", True),
        ("Which command builds it?", "Build it first.", False),
        ("Tell me of servos.", "They turn.", True),
    ],
)
def test_a_sentence_answers_only_with_a_value_of_the_kind_asked_for(
    question: str, sentence: str, holds: bool
) -> None:
    expected = analyse_question(question).expected
    assert holds_answer(expected, sentence, ENGLISH) is holds


@pytest.mark.parametrize("kind", [AnswerKind.PERSON, AnswerKind.CAUSE, AnswerKind.QUANTITY])
def test_any_sentence_may_answer_when_a_language_has_no_rule(kind: AnswerKind) -> None:
    assert holds_answer(ExpectedAnswer(kind), "Es kippt.", load_lexicon("xx"))


@pytest.mark.parametrize(
    ("question", "required"),
    [
        ("How many axes has it?", True),
        ("What does it cost?", True),
        ("When was it built?", True),
        ("Who invented it?", True),
        ("Which company makes it?", True),
        ("Which error in degrees do I get?", True),
        ("How fast does a bee fly?", True),
        ("How fast can I type?", False),
        ("What temperature does the nest have?", True),
        ("What is the limit of moisture in percent?", True),
        ("Which version of the compiler does it need?", True),
        ("On which port does the daemon listen?", True),
        ("At what age may one join?", True),
        ("What is the largest size of a volume?", True),
        ("Which version control does it use?", False),
        ("Which port of Debian runs on it?", False),
        ("Which date formats may the file have?", False),
        ("Which date has the file?", True),
        ("How do I see which version it is?", False),
        # A thing may be named that has a measure, and nothing be asked of that.
        ("Why is the range for the mass lopsided?", False),
        ("Who decides?", True),
        ("Who is in charge?", False),
        ("How is it told how far it looks ahead?", False),
        ("When should I use a spring?", False),
        ("How many of them? " + "a" * 300, False),
    ],
)
def test_a_value_is_required_where_nothing_else_can_answer(question: str, required: bool) -> None:
    assert analyse_question(question).expected.required is required


def test_a_follow_up_requires_what_it_asks_for_itself() -> None:
    before = Conversation(("How heavy is the arm?",), "It weighs 4 kg.")
    # Of another thing it asks what was asked, and otherwise it only leans to that.
    assert analyse_question("and the leg?", before=before).expected.required
    assert not analyse_question("and in the rain?", before=before).expected.required
    assert analyse_question("and how long is it?", before=before).expected.required


def test_a_required_value_crosses_the_wire_to_retrieval() -> None:
    asked = analyse_question("How heavy is it?")
    assert analysis_from_proto(analysis_to_proto(asked), asked.question).expected.required


def test_nothing_is_missing_when_a_language_has_no_rule() -> None:
    expected = ExpectedAnswer(AnswerKind.QUANTITY, required=True)
    assert may_hold(expected, "Es kippt.", "", load_lexicon("xx"))


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("Ingrid Falk has been chair since 2015.", True),
        ("Jan van Dyck has been our chair since 2015.", True),
        ("The Works has been chair since 2015.", False),
        ("Since 2015 it has been chair of nobody.", False),
    ],
)
def test_a_name_that_is_what_is_asked_for_says_who(sentence: str, may: bool) -> None:
    expected = analyse_question("Who has been chair since 2015?").expected
    held = may_hold(expected, sentence, "", ENGLISH, question="Who has been chair since 2015?")
    assert held is may


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which file formats can be opened?", AnswerKind.LIST),
        ("Which date formats are allowed?", AnswerKind.LIST),
        ("Which file holds the settings?", AnswerKind.PLACE),
        ("Which arm works best?", AnswerKind.ANY),
    ],
)
def test_kinds_of_a_file_or_a_date_are_no_place_or_date(question: str, kind: AnswerKind) -> None:
    assert analyse_question(question).expected.kind is kind


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("It was written by Ada Lovelace.", True),
        ("The GNU Project wrote it.", True),
        ("The License applies to each part of the Program regardless of who wrote it.", False),
        ("Ask whoever is there who made the Program.", False),
    ],
)
def test_a_sentence_that_asks_who_wrote_it_does_not_say_so(sentence: str, may: bool) -> None:
    expected = analyse_question("Who wrote Emacs?").expected
    assert may_hold(expected, sentence, "", ENGLISH) is may


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("Its author is Ada Lovelace.", True),
        ("The Foundation developed it.", True),
        ("Take a tarball from SourceForge, or the development version.", False),
        ("Look into the directory of the Foundation.", False),
    ],
)
def test_a_word_for_making_tells_who_made_it_only_as_a_verb_or_a_person(
    sentence: str, may: bool
) -> None:
    expected = analyse_question("Who founded the project?").expected
    assert may_hold(expected, sentence, "", ENGLISH) is may


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("You can create that file in any way, but Ledger is only for analyzing it.", False),
        ("The program was written by John Wiegley, who needed Ledger himself.", True),
        ("Ada Ledger wrote it.", True),
        ("It looks as it would be written on paper, as below:\n\n9/29 Pacific Bell", False),
        ("Written by\n\nAda Lovelace", True),
    ],
)
def test_a_name_in_the_question_is_not_who_is_asked_for(sentence: str, may: bool) -> None:
    question = "Who wrote Ledger?"
    expected = analyse_question(question).expected
    assert may_hold(expected, sentence, "", ENGLISH, question=question) is may


@pytest.mark.parametrize(
    ("question", "sentence", "may"),
    [
        ("When is the glass container emptied?", "It is emptied on Mondays.", True),
        ("When is the loaf done?", "It is done if it sounds hollow.", True),
        ("When is the glass container emptied?", "Glass is taken to it by the library.", False),
        ("What is the phone number of the dairy?", "Call the dairy at 555 0137.", True),
        ("What is the dairy's phone number?", "Call the dairy instead.", False),
        ("How old is the pear tree?", "She turned forty under it.", True),
        ("How old is the pear tree?", "The heap is turned every six weeks.", False),
        ("How long must logs dry?", "They dry for two summers.", True),
    ],
)
def test_an_occasion_a_number_or_an_age_is_said_or_not(
    question: str, sentence: str, may: bool
) -> None:
    expected = analyse_question(question).expected
    assert may_hold(expected, sentence, "", ENGLISH, question=question) is may


@pytest.mark.parametrize("cost", ["memory", "power", "time"])
def test_no_price_is_asked_of_what_costs_no_money(cost: str) -> None:
    assert Dimension.MONEY in analyse_question("What does a lookup cost?").expected.dimensions
    asked = analyse_question(f"What does a lookup cost in {cost}?")
    assert Dimension.MONEY not in asked.expected.dimensions


@pytest.mark.parametrize(
    ("language", "question", "sentence", "may"),
    [
        ("en", "When was the mill sold?", "The mill is open on Mondays and Thursdays.", False),
        ("en", "When was the mill sold?", "The mill is open from April to October.", False),
        ("en", "When was the mill sold?", "The mill can be seen each Sunday.", False),
        ("en", "When was the mill sold?", "The mill was let from April to October 1931.", True),
        ("en", "When was the mill sold?", "The mill was sold on a Monday in May.", True),
        ("en", "Until when is the mill open?", "The mill is open from April to October.", True),
        ("de", "Wann wurde die Mühle verkauft?", "Die Mühle ist montags geöffnet.", False),
        ("de", "Wann wurde die Mühle verkauft?", "Die Mühle ist von Mai bis August auf.", False),
        ("de", "Wann wurde die Mühle verkauft?", "Im Mai ging die Mühle an Herrn Vogt.", True),
        ("de", "Wann ist die Mühle geöffnet?", "Die Mühle ist montags geöffnet.", True),
    ],
)
def test_a_time_that_comes_again_is_not_when_a_thing_happened(
    language: str, question: str, sentence: str, may: bool
) -> None:
    expected, lexicon = analyse_question(question, language).expected, load_lexicon(language)
    assert may_hold(expected, sentence, "", lexicon, question=question) is may
    assert says_required(expected, sentence, lexicon, question=question) is may


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the name of the command for managing versions?"),
        ("en", "What is the main configuration file called?"),
        ("de", "Wie heißt der Befehl für Versionen?"),
        ("fr", "Comment s'appelle le fichier des versions ?"),
    ],
)
def test_the_name_of_a_command_may_be_any_word(language: str, question: str) -> None:
    assert not analyse_question(question, language).expected.required


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("How many users use Privoxy every day?", "users"),
        ("How many people work on the project?", "people"),
        ("How many bus lines does it have?", "bus lines"),
        ("How many types of joints exist?", "types of joints"),
        ("How many ready-made reports are on board?", "ready-made reports"),
    ],
)
def test_a_count_is_of_the_noun_and_not_of_what_it_does(question: str, counted: str) -> None:
    assert analyse_question(question).expected.attribute == counted


def test_a_year_counts_nothing_but_what_follows_it() -> None:
    question = "How many users has it?"
    expected = analyse_question(question).expected

    def may(sentence: str) -> bool:
        return may_hold(expected, sentence, "", ENGLISH, question=question)

    assert not may("Copyright of all users, 2001-2023 by the makers.")
    assert not may("Since 2010 it is free for users.")
    assert may("In 2010 it was used, by 400 in all, as users.")
    assert may("It was written for 2000 engineers who are users.")


@pytest.mark.parametrize(
    ("language", "question", "again", "once"),
    [
        ("fr", "Quand le moulin a-t-il été vendu ?", "Le moulin ouvre le lundi.", "Vendu en 1931."),
        (
            "es",
            "¿Cuándo se vendió el molino?",
            "El molino abre de lunes a jueves.",
            "Se vendió en mayo.",
        ),
        ("pt", "Quando foi vendido o moinho?", "O moinho nunca fechou.", "Foi vendido em maio."),
        ("ru", "Когда продали мельницу?", "Мельница открыта по средам.", "Мельницу продали в мае."),
        ("zh", "磨坊是什么时候卖掉的？", "磨坊周二至周日开放。", "磨坊1931年卖掉了。"),
        (
            "ja",
            "水車はいつ売られましたか？",
            "水車は毎週金曜日に回る。",
            "水車は1931年に売られた。",
        ),
        (
            "ko",
            "방앗간은 언제 팔렸습니까?",
            "방앗간은 금요일마다 돈다.",
            "방앗간은 1931년에 팔렸다.",
        ),
    ],
)
def test_a_time_that_comes_again_is_not_when_it_happened_in_any_language(
    language: str, question: str, again: str, once: str
) -> None:
    expected, lexicon = analyse_question(question, language).expected, load_lexicon(language)
    assert not may_hold(expected, again, "", lexicon, question=question)
    assert may_hold(expected, once, "", lexicon, question=question)


@pytest.mark.parametrize(
    ("language", "question", "sentence", "tells"),
    [
        ("es", "¿Cuándo abre el museo en verano?", "En verano el museo abre hasta las ocho.", True),
        ("pt", "Quando abre o museu no verão?", "No verão o museu abre até às oito.", True),
        ("de", "Wann war der Brand?", "Das Dach wurde nach dem Brand gedeckt.", False),
        ("de", "Wann war der Brand?", "Der Brand war nach dem Krieg.", True),
        ("es", "¿Cuándo fue el incendio?", "El techo se cambió después del incendio.", False),
    ],
)
def test_a_clock_tells_when_and_the_very_thing_asked_for_does_not(
    language: str, question: str, sentence: str, *, tells: bool
) -> None:
    expected, lexicon = analyse_question(question, language).expected, load_lexicon(language)
    assert may_hold(expected, sentence, "", lexicon, question=question) is tells


@pytest.mark.parametrize(
    ("language", "question", "sentence", "may"),
    [
        ("zh", "客栈是哪一年开的？", "十月中旬客栈的院子开放三天。", False),
        ("zh", "客栈是哪一年开的？", "客栈开于光绪年间。", True),
        ("zh", "客栈是哪一年重建的？", "客栈1987年重建。", True),
        ("zh", "一堂课收费多少？", "一堂课要五天。", False),
        ("zh", "一堂课收费多少？", "一堂课收八十元。", True),
        ("ja", "灯台は何年に建てられましたか。", "灯台は大正五年に建てられた。", True),
        ("ja", "灯台は何年に建てられましたか。", "灯台は三月から公開される。", False),
        ("de", "Wie hoch ist der Jahresbeitrag?", "Der Jahresbeitrag beträgt 70 Euro.", True),
        ("de", "Wie hoch waren die direkten Kosten?", "Die Kosten waren 2 Mio. €.", True),
        ("de", "Wie hoch ist der Turm?", "Der Turm kostet 70 Euro.", False),
    ],
)
def test_a_year_a_fee_and_a_height_are_told_apart(
    language: str, question: str, sentence: str, may: bool
) -> None:
    lexicon = load_lexicon(language)
    expected = analyse_question(question, language).expected
    assert may_hold(expected, sentence, "", lexicon, question=question) is may


@pytest.mark.parametrize(
    ("language", "question", "sentence", "holds"),
    [
        ("en", "How long must it rest?", "Leave it for an hour.", True),
        ("en", "How many degrees of freedom has the elbow?", "1 DOF at the elbow", True),
        ("en", "How many degrees of freedom has the elbow?", "1 GPU at the elbow", False),
        ("en", "How many axes has the IMU?", "A 9-axis IMU is fitted.", True),
        ("en", "How many axes has the IMU?", "The IMU has 9 axles.", False),
        ("en", "How many classes are detected?", "Detect at least 5 object classes.", True),
        ("en", "How many classes are detected?", "It is right in >80% for all classes.", False),
        ("en", "How many files may be sent?", "Send a 5 MB file at most.", False),
        ("en", "In week 3, how often is it sent?", "It is sent every second.", True),
        ("en", "How long must it soak?", "Soak it overnight.", True),
        ("en", "When was Marrow founded?", "It was founded about 920 by farmers.", True),
        ("en", "When was Marrow founded?", "It was founded with about 920 people.", False),
        ("en", "Who makes the blades?", "Blades are made by Starling of Leeds.", True),
        ("en", "Who makes the blades?", "Blades are made by pressing steel.", False),
        ("en", "How long is Tern supported?", "Tern (May 2024 - May 2029)", True),
        ("en", "How long is Tern supported?", "It is supported until May 2029.", True),
        ("en", "How long is Tern supported?", "It came out in 2024.", False),
        ("de", "Wie lange wird Tern gepflegt?", "Es wird bis Mai 2029 gepflegt.", True),
        ("en", "For how many years is it sold?", "It is usable after a month.", False),
        ("en", "How long may I park?", "Parking costs five euros a day.", False),
        ("de", "Wie lange muss der Teig ruhen?", "Lassen Sie den Teig eine Stunde ruhen.", True),
        ("de", "Wie lange müssen sie einweichen?", "Die Bohnen über Nacht einweichen.", True),
        ("de", "Wie lange muss der Teig ruhen?", "Eine Stunde hat Minuten.", False),
        ("es", "¿Cuánto tiempo debe reposar la masa?", "Deje reposar la masa una hora.", True),
        ("es", "¿Cuánto tiempo deben remojarse?", "Deben remojarse toda la noche.", True),
        ("fr", "Combien de temps doit-elle reposer ?", "Laissez-la reposer une heure.", True),
        ("fr", "Combien de temps doit-il tremper ?", "Il trempe toute la nuit.", True),
        ("pt", "Quanto tempo a massa deve descansar?", "Deixe a massa uma hora.", True),
    ],
)
def test_one_of_a_unit_and_a_whole_night_are_times(
    language: str, question: str, sentence: str, *, holds: bool
) -> None:
    lexicon = load_lexicon(language)
    expected = analyse_question(question, language).expected
    assert holds_answer(expected, sentence, lexicon) is holds
