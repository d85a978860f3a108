"""Analyse a question once, for all stages that need to know what it asks."""

from dataclasses import dataclass, field, replace

from libs.language.lexicon import FollowUps, Lexicon, load_lexicon
from libs.question.about_book import AboutBook, BookAspect, may_be_thing, read_about_book
from libs.question.decompose import SubQuestion, decompose_question
from libs.question.definiendum import name_definiendum
from libs.question.deictic import is_deictic
from libs.question.entities import list_names, list_years
from libs.question.expected import AnswerKind, ExpectedAnswer, expect_answer
from libs.question.follow_up import (
    Conversation,
    Whole,
    leans_on_history,
    list_asked,
    make_whole,
    name_other,
)
from libs.question.framing import unframe_question
from libs.question.pages import asks_of_page, read_page
from libs.question.small_talk import is_small_talk
from libs.question.stated import question_behind
from libs.question.types import QuestionType, classify_question, literal_names


@dataclass(frozen=True)
class QuestionAnalysis:
    """What a question asks for, of what, and how it leans on what was said before."""

    question: str
    """Whole, so that it can be searched for alone."""

    language: str = ""
    types: QuestionType = field(default_factory=QuestionType)
    expected: ExpectedAnswer = field(default_factory=ExpectedAnswer)
    names: tuple[str, ...] = ()
    """What is surely a name, as the reader put it: an answer has to know each of them."""

    years: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()
    """Words whose spelling only code has."""

    sub_questions: tuple[SubQuestion, ...] = ()
    """One for each thing that is compared or asked together; none when one thing is asked."""

    definiendum: str = ""
    """What is to be explained; "" when the question asks otherwise."""

    several_places: bool = False
    """Whether it compares or enumerates, so that its answer lies in several places of a book."""

    asked_terms: frozenset[str] = frozenset()
    """Of a follow-up, the terms that it asks for itself; none where it points at what was said."""

    follow_up: bool = False
    deictic: bool = False
    """Whether it asks of selected text what only that text can tell: "explain this"."""

    small_talk: bool = False

    about_book: AboutBook | None = None
    """What is asked of the book itself; None when something in it is asked for."""

    page: str = ""
    """The page that the question names, by its number or a label, "iv"; "" for any.

    It alone may answer: a number in any book with pages, a label in one that has a page called so."""

    whole_page: bool = False
    """Whether the question wants what stands on that page, whatever it is."""

    def about(self, part: SubQuestion) -> "QuestionAnalysis":
        """Return what one sub-question asks for; it is of the same types as the whole."""
        return replace(
            self,
            question=part.question,
            definiendum=part.definiendum,
            literals=tuple(word for word in self.literals if word in part.question),
            sub_questions=(),
        )


def analyse_question(
    text: str,
    language: str = "",
    *,
    before: Conversation | None = None,
    of_selection: bool = False,
    title: str = "",
) -> QuestionAnalysis:
    """Analyse what a reader asks; `language` and `title` are the book's, and "" is English.

    A question about selected text is searched for there alone: it leans on nothing that was said, and
    is not split.
    """
    lexicon = load_lexicon(language)
    said, unframed = text, unframe_question(text, language)
    # First as it was said: of "Tell me about this book" no more than "this book" is left.
    wordings = () if of_selection else (said, unframed)
    found = ((one, _asks_of_book(one, before, lexicon, title)) for one in wordings)
    text, about_book = next((one for one in found if one[1]), (unframed, None))
    follows = before is not None and not of_selection and about_book is None
    leans = follows and _leans(text, lexicon)
    whole = make_whole(text, before, lexicon) if before is not None and leans else Whole(text)
    analysis = QuestionAnalysis(
        whole.text,
        language,
        names=list_names(text, lexicon),
        years=list_years(text, lexicon),
        asked_terms=list_asked(text, lexicon) if leans else frozenset(),
        follow_up=leans,
        deictic=of_selection and is_deictic(text, lexicon),
        small_talk=not of_selection and is_small_talk(said),
        about_book=about_book,
        page=read_page(text, language),
        whole_page=asks_of_page(text, language),
    )
    asked = whole.text if whole.alone else text
    return _analyse_whole(analysis, asked, lexicon, split=not of_selection)


def reword_question(analysis: QuestionAnalysis, asked: str, whole: str) -> QuestionAnalysis:
    """Return the analysis of a follow-up that has been made whole in other words than by rule."""
    lexicon = load_lexicon(analysis.language)
    return _analyse_whole(replace(analysis, question=whole), asked, lexicon, split=True)


def leave_claim(analysis: QuestionAnalysis) -> QuestionAnalysis:
    """Return what is asked behind a clause that only states something, where it can stand alone.

    "Since King John gave the charter, on which day was the market held?" wants the day.
    """
    main = question_behind(analysis.question, load_lexicon(analysis.language))
    return reword_question(analysis, main, main) if main else analysis


def analyse_as_thing(analysis: QuestionAnalysis) -> QuestionAnalysis | None:
    """Return a question about the book as one about a thing in it; None where it can't be meant so."""
    rules, asked = load_lexicon(analysis.language).about_book, analysis.about_book
    names_part = asked is not None and asked.aspect is BookAspect.CHAPTERS and bool(asked.title)
    if asked is None or not (names_part or may_be_thing(analysis.question, rules)):
        return None
    return reword_question(replace(analysis, about_book=None), analysis.question, analysis.question)


def _analyse_whole(
    analysis: QuestionAnalysis, asked: str, lexicon: Lexicon, *, split: bool
) -> QuestionAnalysis:
    whole = analysis.question
    said = _said_of(whole, asked, lexicon)
    types = classify_question(said, lexicon)
    parts = tuple(
        # "What is the range of lidar?" wants no definition.
        part
        if part.attribute
        else replace(part, definiendum=name_definiendum(part.question, lexicon))
        for part in (_split(whole, asked, lexicon) if split else ())
    )
    # What a follow-up itself asks for comes before what was asked of the thing earlier.
    expected = expect_answer(asked, classify_question(asked, lexicon), parts, lexicon)
    if expected.kind is AnswerKind.ANY and asked != whole:
        # What was asked earlier and isn't said again only leans to an answer of its kind; but "and
        # Jazzy?" asks just that of another thing.
        expected = expect_answer(whole, classify_question(whole, lexicon), parts, lexicon)
        if not name_other(asked, lexicon):
            expected = replace(expected, required=False)
    return replace(
        analysis,
        types=replace(types, comparison=types.comparison or any(part.plain for part in parts)),
        # What is asked of the book itself has rules of its own.
        expected=ExpectedAnswer() if analysis.about_book else expected,
        sub_questions=parts,
        literals=literal_names(whole),
        definiendum=name_definiendum(said, lexicon),
        several_places=types.comparison or lexicon.types.several_places.search(whole) is not None,
    )


def _said_of(whole: str, asked: str, lexicon: Lexicon) -> str:
    """Return what tells what is asked: a follow-up that stands behind another question, if it says so.

    "What is a fund? And how large was it in 2014?" wants no definition; "In winter?" asks the same.
    """
    own = asked if whole.endswith(asked) else whole
    return own if lexicon.follow_ups.sentence.search(own) else whole


def _split(whole: str, asked: str, lexicon: Lexicon) -> tuple[SubQuestion, ...]:
    """Return the parts of a question; two that were asked one after the other are none of one."""
    earlier = whole.removesuffix(asked).strip()
    if earlier and not any(decompose_question(one, lexicon) for one in (earlier, asked)):
        return ()
    return decompose_question(whole, lexicon)


def _asks_of_book(
    text: str, before: Conversation | None, lexicon: Lexicon, title: str
) -> AboutBook | None:
    """Return what is asked of the book; "it" is the book where nothing else was spoken of."""
    spoken = before.questions[-1:] if before else ()
    asked_before = (read_about_book(one, lexicon, title=title) for one in spoken)
    alone = all(asked is not None for asked in asked_before)
    return read_about_book(text, lexicon, title=title, alone=alone)


def _leans(text: str, lexicon: Lexicon) -> bool:
    has_rules = lexicon.follow_ups != FollowUps()
    return bool(text) and has_rules and leans_on_history(text, lexicon)
