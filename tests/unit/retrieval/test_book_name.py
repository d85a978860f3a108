"""The name of what a book is of, as its title calls it, tells no passage from another."""

import pytest

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from services.retrieval.book_name import leave_out, list_names
from services.retrieval.model import Query
from services.retrieval.pipeline import search_passages
from services.retrieval.vocabulary import Vocabulary
from tests.support.retrieval_fakes import make_chunk, make_tools

ENGLISH = load_lexicon("en")
WORDS = frozenset(
    ["claws", "mail", "text", "editor", "nano", "reference", "user", "network", "servers"]
)


@pytest.mark.parametrize(
    ("title", "counts", "names"),
    [
        ("HomeBank User Manual", {}, ["HomeBank User", "HomeBank"]),
        ("Claws Mail: User Manual", {"mail": 20}, ["Claws Mail"]),
        ("Privoxy 3.0", {"privoxy": 3}, ["Privoxy"]),
        ("The nano editor", {"nano": 50, "editor": 10}, ["nano editor", "nano"]),
        ("Network Servers", {"network": 20, "servers": 9}, ["Network Servers"]),
        ("A Manual", {}, []),
    ],
    ids=["a name", "of two words", "a number", "all over the book", "words", "of nothing"],
)
def test_names_are_words_of_the_title_that_are_no_words_or_stand_all_over_the_book(
    title: str, counts: dict[str, int], names: list[str]
) -> None:
    vocabulary = Vocabulary({"the": 100, **counts})
    assert list(list_names(title, vocabulary, WORDS.__contains__, ENGLISH)) == names


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How do I sync my calendar in Mutt?", "How do I sync my calendar?"),
        ("Does mutt run on phones?", "Does it run on phones?"),
        ("How do I compile Mutt?", "How do I compile it?"),
        ("Where does Mutt keep its log?", "Where does it keep its log?"),
        ("On which network do Mutt users meet?", "On which network do Mutt users meet?"),
        ("What is Mutt?", "What is Mutt?"),
        ("How does Mutt differ from Pine in speed?", "How does Mutt differ from Pine in speed?"),
        ("How do threads and lists differ in Mutt?", "How do threads and lists differ?"),
        ("Is Pine faster than Mutt?", "Is Pine faster than Mutt?"),
        ("What is Mutt's default editor?", "What is its default editor?"),
        ("How much does Mutt-X weigh?", "How much does Mutt-X weigh?"),
        ("Who wrote Mutt?", "Who wrote Mutt?"),
        ("Who drew the logo of Mutt?", "Who drew the logo?"),
    ],
    ids=[
        "in",
        "does",
        "at the end",
        "subject",
        "beside a noun",
        "itself",
        "compared",
        "within",
        "than",
        "of its own",
        "another",
        "who",
        "of",
    ],
)
def test_a_name_is_left_out_where_the_rest_asks_something(question: str, rest: str) -> None:
    assert leave_out(analyse_question(question), ["Mutt"]).question == rest


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("tuxpaint", "How do I add a stamp in Tux Paint?"),
        ("Tux Paint", "How do I add a stamp in TuxPaint?"),
        ("Tux Paint", "How do I add a stamp in tux-paint?"),
    ],
)
def test_a_name_may_be_written_in_one_word_or_two(name: str, question: str) -> None:
    assert leave_out(analyse_question(question), [name]).question == "How do I add a stamp?"


@pytest.mark.parametrize(
    ("language", "question", "rest"),
    [
        ("de", "Wie richte ich in Mutt ein Konto ein?", "Wie richte ich ein Konto ein?"),
        ("de", "Kann Mutt Kalender abgleichen?", "Kann es Kalender abgleichen?"),
        ("fr", "Comment trier les messages dans Mutt ?", "Comment trier les messages ?"),
        ("es", "¿Cómo ordeno los mensajes en Mutt?", "¿Cómo ordeno los mensajes?"),
        ("pt", "Como ordeno as mensagens no Mutt?", "Como ordeno as mensagens?"),
        ("zh", "怎样在Mutt中排序邮件？", "怎样在Mutt中排序邮件？"),
    ],
)
def test_a_name_is_left_out_in_the_language_of_the_question(
    language: str, question: str, rest: str
) -> None:
    assert leave_out(analyse_question(question, language), ["Mutt"]).question == rest


BOOK = (
    make_chunk("Mutt sorts mail by threads. Mutt shows a pager.", document="sort.md"),
    make_chunk("Mutt reads a folder in Mutt's own way.", document="read.md"),
)


@pytest.mark.parametrize(
    ("title", "searched"), [("Mutt Manual", "How do I sort mail?"), ("", "")], ids=["titled", "not"]
)
async def test_a_book_with_a_title_is_searched_without_it(title: str, searched: str) -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))
    query = Query("book", 1, "How do I sort mail in Mutt?", title=title)
    assert (await search_passages(query, make_tools(*BOOK))).without_book == searched


async def test_a_name_makes_no_question_more_answerable() -> None:
    def judged(question: str) -> Query:
        set_current_budget(Budget(5.0, RETRIEVAL))
        return Query("book", 1, question, title="Mutt Manual")

    tools = make_tools(*BOOK)
    named = await search_passages(judged("How do I dye wool in Mutt?"), tools)
    plain = await search_passages(judged("How do I dye wool?"), tools)
    assert named.gate == plain.gate
    assert [one.passage.chunk.chunk_id for one in named.passages] == [
        one.passage.chunk.chunk_id for one in plain.passages
    ]


async def test_an_answer_of_one_word_has_to_say_of_what_it_is() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))
    query = Query("book", 1, "How much does Mutt cost?", title="Mutt Manual")
    assert (await search_passages(query, make_tools(*BOOK))).without_book == ""


def test_a_question_of_one_word_beside_the_name_keeps_it_in_other_languages() -> None:
    question = "Quand Ledger a-t-il été créé ?"
    assert leave_out(analyse_question(question, "fr"), ["Ledger"]).question == question
