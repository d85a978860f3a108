"""A typo is corrected to the book's word; a word that the language has is left, and code too."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import pytest

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.errors import Unavailable
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import analyse_question
from services.retrieval.adapters.vocabularies import KEPT_BYTES, KEPT_S, VocabularyCache
from services.retrieval.adapters.word_lists import WordLists
from services.retrieval.model import Correction, Query, SearchResult, Selection
from services.retrieval.pipeline import search_passages
from services.retrieval.spelling import (
    SPELLING,
    accent_words,
    correct_asking,
    correct_words,
    list_doubtful,
    list_missing,
    list_plain,
    list_unknown,
    respell,
)
from services.retrieval.state import IsWord
from services.retrieval.typos import TypoModel
from services.retrieval.vocabulary import Vocabulary, count_words
from services.retrieval.wire import result_to_proto
from tests.support.retrieval_fakes import ACTUATORS, FakeIndex, make_chunk, make_tools

TYPOS = TypoModel(load_lexicon("en").spelling)
NEVER = Lexicon().spelling


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("linkr", "linker"),
        ("lidarr", "lidar"),
        ("feilds", "fields"),
        ("sattelites", "satellites"),
        ("tadk", "task"),
        ("camara", "camera"),
        ("recognised", "recognized"),
    ],
)
def test_typos_of_a_hand_or_an_ear_are_told(written: str, meant: str) -> None:
    assert TYPOS.explain(written, meant)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("unix", "unit"), ("roms", "rows"), ("mawk", "mark"), ("compas", "commas")],
)
def test_other_words_are_no_typos(written: str, meant: str) -> None:
    assert not TYPOS.explain(written, meant)


def test_a_language_without_a_keyboard_knows_of_letters_left_out_alone() -> None:
    assert TypoModel(NEVER).explain("linkr", "linker")
    assert not TypoModel(NEVER).explain("tadk", "task")


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("ownershp", "ownership"),
        ("linkr", "linker"),
        ("sattelites", "satellites"),
        ("extention", "extension"),
        ("cheese", ""),
        ("inker", ""),
        ("tosca", ""),
    ],
)
def test_the_nearest_word_of_the_book_is_few_typos_away(word: str, nearest: str) -> None:
    counts = {"ownership": 3, "link": 9, "links": 5, "linker": 1, "satellites": 2, "extension": 1}
    assert Vocabulary(counts).nearest(word, TYPOS) == nearest


def test_the_commoner_of_equally_near_words_is_meant() -> None:
    assert Vocabulary({"valves": 1, "values": 4}).nearest("vaues", TYPOS) == "values"
    assert Vocabulary({"valve": 4, "value": 1}).nearest("vale", TYPOS) == "valve"


def test_words_are_counted_by_the_texts_that_have_them() -> None:
    texts = ["A valve and a Valve.", "The valve of 3mm, r2d2 and it."]
    assert count_words(texts) == {"valve": 2}


def missing(question: str, *found: str) -> list[str]:
    return list_missing(analyse_question(question), found)


def test_a_word_is_missing_that_no_passage_has_and_that_is_no_code() -> None:
    assert missing("Where do the sattelites land?", "land") == ["sattelites"]
    assert missing("Where is the opera sung?", "sung", "opera") == []
    assert missing("Is RTX4090 or `tadk` or set_bool a typo?") == ["typo"]


def test_a_word_that_books_say_otherwise_is_no_name() -> None:
    assert missing("Where are the cheques?") == []


def test_function_words_of_the_book_s_language_are_not_missing_from_it() -> None:
    asked = analyse_question("¿Quién fundó el proyecto?", "es")
    assert list_missing(asked, ["proyecto"]) == ["fundó"]


def test_a_word_is_corrected_unless_the_book_has_another_form_of_it() -> None:
    vocabulary = Vocabulary({"satellites": 1, "control": 1})
    found = correct_words(["sattelites", "controled", "volcano"], vocabulary, TYPOS)
    assert found == (Correction("sattelites", "satellites"),)


def test_a_word_typed_without_its_accents_is_that_of_the_book() -> None:
    vocabulary = Vocabulary({"lámpara": 2, "tenía": 1, "faro": 1, "papa": 1, "papá": 1})
    rules = load_lexicon("es").spelling
    plain = list_plain(["lampara", "tenia", "papa", "torre", "señal"], rules)
    assert accent_words(plain, vocabulary) == (
        Correction("lampara", "lámpara"),
        Correction("tenia", "tenía"),
    )
    assert list_plain(["lampara"], load_lexicon("en").spelling) == []


def test_a_term_of_a_trade_is_no_typo_for_another_word() -> None:
    vocabulary = Vocabulary({"strict": 9, "stride": 4})
    assert correct_words(["struct", "stryde"], vocabulary, TYPOS) == (
        Correction("stryde", "stride"),
    )


@pytest.mark.parametrize(
    ("asked", "unknown"),
    [
        ("What does ufw block by default?", ("ufw",)),
        ("How do I feed bogofilter with spam?", ("bogofilter",)),
        ("What is a struct?", ("struct",)),
        ("Which config does the hostname need?", ()),
        ("Into which soket does it go?", ()),
        ("Wie lange haelt der Akku?", ()),
    ],
)
def test_a_word_that_is_none_and_no_typo_is_a_name_that_the_book_lacks(
    asked: str, unknown: tuple[str, ...]
) -> None:
    vocabulary = Vocabulary({"configuration": 1, "host": 1, "name": 1, "strict": 1})
    real = "what does block by default how do feed with spam socket which need into go"
    is_word = frozenset(real.split()).__contains__
    doubtful = [word for word in list_missing(analyse_question(asked), []) if not is_word(word)]
    assert list_unknown(doubtful, asked, vocabulary, TYPOS, is_word) == unknown


@pytest.mark.parametrize(
    ("language", "word", "held", "has"),
    [
        ("es", "restauraron", "restaurado", True),
        ("de", "renovierten", "renoviert", True),
        ("de", "türme", "turm", True),
        ("ru", "построили", "построил", True),
        ("fr", "restaurèrent", "restauré", True),
        ("es", "compraron", "restaurado", False),
        ("zh", "桥", "桥梁", False),
    ],
)
def test_a_word_that_the_book_has_in_another_form_is_not_missing(
    language: str, word: str, held: str, *, has: bool
) -> None:
    assert Vocabulary({held: 1, "otra": 2}).has_form(word, language) == has


@pytest.mark.usefixtures("budget")
async def test_another_form_of_a_word_is_neither_said_to_be_missing_nor_respelled() -> None:
    index = FakeIndex(make_chunk("El refugio fue restaurado por la asociación."))
    index.spoken = ("es",)
    found = await search("¿Por qué restaurarían el refugio los zopilotes?", index)
    assert found.unknown_words == ("zopilotes",)
    assert found.corrections == ()


def test_a_question_keeps_all_but_the_word_as_it_was_written() -> None:
    corrections = (Correction("sattelites", "satellites"), Correction("ownershp", "ownership"))
    asked = "Sattelites, or ownershp of sattelitess?"
    assert respell(asked, corrections) == "Satellites, or ownership of sattelitess?"


@pytest.fixture
def budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


async def some_words(_: Sequence[str]) -> IsWord:
    return {"what", "pressure", "does", "hold", "opera"}.__contains__


async def search(
    question: str,
    index: FakeIndex | None = None,
    words_of: Callable[[Sequence[str]], Awaitable[IsWord | None]] | None = None,
    **query: Selection,
) -> SearchResult:
    tools = make_tools(index=index or FakeIndex(*ACTUATORS), words_of=words_of or some_words)
    return await search_passages(Query("book", 1, question, **query), tools)  # type: ignore[arg-type]


@pytest.mark.usefixtures("budget")
async def test_a_typo_is_searched_for_as_the_book_spells_it_and_the_result_says_so() -> None:
    right = await search("What pressure does a hydraulic actuator hold?")
    wrong = await search("What presure does a hydrualic actuator hold?")
    assert wrong.searched == "What pressure does a hydraulic actuator hold?"
    assert wrong.corrections == (
        Correction("presure", "pressure"),
        Correction("hydrualic", "hydraulic"),
    )
    assert wrong.passages == right.passages
    assert wrong.gate == right.gate
    assert (right.searched, right.corrections, right.degraded) == ("", (), ())


@pytest.mark.usefixtures("budget")
async def test_a_slip_of_a_word_that_questions_are_made_of_is_none_of_the_book_s() -> None:
    index = FakeIndex(make_chunk("The main pressure is that of the main valve."))
    found = await search("What does pressure maen?", index)
    assert found.corrections == (Correction("maen", "mean"),)


@pytest.mark.usefixtures("budget")
@pytest.mark.parametrize(
    ("asked", "is_corrected"),
    [
        ("Was ist der hydrauliic und wie?", False),
        ("Qu'est-ce que le hydrauliic et comment ?", False),
        ("Что такое hydrauliic?", False),
        ("What is the hydrauliic?", True),
        ("hydrauliic", True),
    ],
)
async def test_a_word_of_another_language_is_no_typo_for_one_of_the_book_s(
    asked: str, *, is_corrected: bool
) -> None:
    assert bool((await search(asked)).corrections) == is_corrected


@pytest.mark.usefixtures("budget")
async def test_a_result_names_the_words_that_the_book_lacks() -> None:
    result = await search("What pressure does bogofilter hold?")
    assert (result.unknown_words, result.corrections) == (("bogofilter",), ())
    assert result_to_proto(result).unknown_words == ["bogofilter"]
    assert (await search("What pressure does opera hold?")).unknown_words == ()


@pytest.mark.usefixtures("budget")
async def test_a_real_word_that_the_book_lacks_and_selected_text_are_searched_as_they_are() -> None:
    near = FakeIndex(*ACTUATORS, make_chunk("It operas.", start=900, position=9))
    assert (await search("What opera does it hold?", near)).corrections == ()
    selection = Selection("a.md", text="electric motor")
    assert (await search("What is hydrualic?", selection=selection)).corrections == ()


@pytest.mark.usefixtures("budget")
@pytest.mark.parametrize("error", [TimeoutError(), Unavailable("down")])
async def test_words_that_are_not_there_in_time_are_left_as_they_are(error: Exception) -> None:
    class Late(FakeIndex):
        async def vocabulary(self, book: str, edition: int, *, timeout_s: float) -> Vocabulary:
            raise error

    result = await search("What pressure does a hydrualic actuator hold?", Late(*ACTUATORS))
    assert (result.corrections, result.degraded) == ((), (SPELLING,))
    assert result.passages


@pytest.mark.usefixtures("budget")
async def test_a_word_list_that_takes_long_holds_up_no_other_question() -> None:
    """Read in the loop, it once cut off calls that had been made 2 s before it was there."""
    reading, may_end = threading.Event(), threading.Event()

    def read(language: str) -> frozenset[str]:
        reading.set()
        assert may_end.wait(30)
        return frozenset()

    asked = "What pressure does a hydrualic actuator hold?"
    lists = WordLists(read)
    first = asyncio.create_task(search(asked, words_of=lists.known_words))
    try:
        await asyncio.to_thread(reading.wait, 30)
        other = await search("What pressure does a hydraulic actuator hold?")
        assert other.passages
        assert not first.done()
        left_out = await first
    finally:
        may_end.set()
    assert (left_out.corrections, left_out.degraded) == ((), (SPELLING,))
    assert left_out.passages
    assert await lists.known_words(["en"])
    assert (await search(asked, words_of=lists.known_words)).corrections


async def test_the_words_of_a_language_are_known_and_those_of_an_unknown_one_are_not() -> None:
    lists = WordLists()
    english = await lists.known_words(["en"])
    assert english is not None
    assert english("satellites")
    assert english("opera")
    assert not english("sattelites")
    both = await lists.known_words(["es", "en"])
    assert both is not None
    assert both("mañana")
    assert await lists.known_words(["en", "xx"]) is None


async def test_a_list_is_read_once_however_many_ask_and_in_how_many_languages() -> None:
    """Of a book of six, three were kept: nearly every question read one anew, half a second long."""
    read: list[str] = []

    def note(language: str) -> frozenset[str]:
        read.append(language)
        return frozenset()

    lists = WordLists(note)
    await asyncio.gather(*(lists.known_words(["en"]) for _ in range(3)))
    assert read == ["en"]
    for language in ("de", "fr", "es", "pt", "en", "de"):
        await lists.known_words([language])
    assert read == ["en", "de", "fr", "es", "pt"]


async def test_a_list_that_failed_to_load_is_loaded_again() -> None:
    answers: list[frozenset[str] | Exception] = [OSError("gone"), frozenset({"word"})]

    def read(_: str) -> frozenset[str]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    lists = WordLists(read)
    with pytest.raises(OSError, match="gone"):
        await lists.known_words(["en"])
    assert await lists.known_words(["en"])


async def test_a_vocabulary_is_read_once_and_kept_for_a_while() -> None:
    now, read = [0.0], list[str]()

    async def read_one(book: str, edition: int) -> Vocabulary:
        read.append(f"{book} {edition}")
        await asyncio.sleep(0)
        return Vocabulary({"word": edition})

    cache = VocabularyCache(read_one, lambda: now[0])
    together = [cache.find("a", 1, timeout_s=1) for _ in range(3)]
    assert {found.counts["word"] for found in await asyncio.gather(*together)} == {1}
    assert (await cache.find("a", 2, timeout_s=1)).counts == {"word": 2}
    now[0] = KEPT_S + 1
    await cache.find("a", 1, timeout_s=1)
    assert read == ["a 1", "a 2", "a 1"]


async def test_a_vocabulary_that_is_late_is_there_for_the_next_question() -> None:
    may_end, read = asyncio.Event(), list[str]()

    async def read_one(book: str, edition: int) -> Vocabulary:
        read.append(book)
        await may_end.wait()
        return Vocabulary({"word": 1})

    cache = VocabularyCache(read_one)
    with pytest.raises(TimeoutError):
        await cache.find("a", 1, timeout_s=0.01)
    may_end.set()
    assert (await cache.find("a", 1, timeout_s=5)).counts == {"word": 1}
    assert read == ["a"]


async def test_a_vocabulary_that_failed_to_load_is_loaded_again() -> None:
    answers: list[Vocabulary | Exception] = [Unavailable("down"), Vocabulary({"word": 1})]

    async def read_one(book: str, edition: int) -> Vocabulary:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    cache = VocabularyCache(read_one)
    with pytest.raises(Unavailable):
        await cache.find("a", 1, timeout_s=1)
    assert (await cache.find("a", 1, timeout_s=1)).counts == {"word": 1}


@pytest.mark.parametrize("letters", [6, 1000])
async def test_the_vocabularies_used_longest_ago_go_when_they_take_too_many_bytes(
    letters: int,
) -> None:
    words = (KEPT_BYTES // 2) // (140 + letters)
    large = {f"{number:0{letters}}": 1 for number in range(words)}
    read = list[str]()

    async def read_one(book: str, edition: int) -> Vocabulary:
        read.append(book)
        return Vocabulary(large)

    cache = VocabularyCache(read_one)
    for book in ("a", "b", "b", "a"):
        await cache.find(book, 1, timeout_s=1)
    assert read == ["a", "b", "a"]


def test_a_word_with_digits_is_never_one_that_is_corrected() -> None:
    asked = analyse_question("What is the voltage of module alpha49, or of beta 7b?")
    assert not any(map(str.isdigit, "".join(list_missing(asked, frozenset()))))


@pytest.mark.parametrize(("word", "is_doubtful"), [("construyó", False), ("alphaó", True)])
def test_a_form_of_a_verb_is_a_word_where_the_list_has_the_verb(
    word: str, *, is_doubtful: bool
) -> None:
    endings = load_lexicon("es").spelling.infinitives
    found = list_doubtful([word], {"construir"}.__contains__, endings)
    assert bool(found) is is_doubtful


@pytest.mark.parametrize(
    ("word", "made"),
    [
        ("hostname", True),
        ("satzungsänderung", True),
        ("blumenvase", True),
        ("satzungstage", False),
        ("satzung", False),
    ],
)
def test_a_compound_of_two_words_of_the_book_is_known(word: str, *, made: bool) -> None:
    held = ("host", "name", "satzung", "änderung", "blume", "vase")
    assert Vocabulary(dict.fromkeys(held, 1)).has_parts(word) is made


@pytest.mark.parametrize(
    ("question", "corrected"),
    [
        ("waht does the lever do", ("what",)),
        ("Whcih valve do I close?", ("which",)),
        ("Who was howe?", ()),
        ("Wand of the lever", ()),
    ],
)
def test_a_slip_in_the_word_that_asks_is_one_for_that_word(
    question: str, corrected: tuple[str, ...]
) -> None:
    doubtful = ["waht", "whcih", "howe"]
    found = correct_asking(doubtful, analyse_question(question))
    assert tuple(one.searched for one in found) == corrected


@pytest.mark.usefixtures("budget")
async def test_two_slips_and_a_name_are_corrected_in_one_question() -> None:
    text = "The genesis block is the first. FullPeriod is its term in days."

    async def words_of(_: Sequence[str]) -> IsWord:
        return {"what", "blok", "first", "term"}.__contains__

    asked = "What is the gensis blok of FullPeroid?"
    result = await search(asked, FakeIndex(make_chunk(text)), words_of)
    assert result.searched == "What is the genesis block of FullPeriod?"


def test_german_is_typed_without_its_umlauts() -> None:
    rules = load_lexicon("de").spelling
    book = Vocabulary({"prüfung": 3})
    assert accent_words(list_plain(["prufung"], rules), book) == (Correction("prufung", "prüfung"),)
