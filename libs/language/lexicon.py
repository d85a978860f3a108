"""Load the words and patterns of a language from its resource file."""

from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from libs.language.about_book import BookQuestions
from libs.language.checks import Checks
from libs.language.claims import Claims
from libs.language.endings import Endings
from libs.language.entries import NO_WORDS, OFF, Pattern, Words, decode_entry
from libs.language.framing import Framing, Reworded
from libs.language.layout import Layout
from libs.language.phrasing import Phrasing
from libs.language.prices import Prices
from libs.language.reasons import Reasons
from libs.language.refusals import Refusals
from libs.language.spans import Spans
from libs.language.things import Things
from libs.language.values import Attribute, Extremes, Values

FALLBACK = "en"
"""The language of a book that does not say."""


class Types(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate the type of a question."""

    list_of_things: Pattern = OFF
    comparison: Pattern = OFF
    amount: Pattern = OFF
    code: Pattern = OFF
    definition: Pattern = OFF
    reason: Pattern = OFF
    yes_no: Pattern = OFF
    alternatives: Pattern = OFF
    """Gives at its end what one is to be chosen of: its groups `first`, with commas, and `last`."""

    several_places: Pattern = OFF
    """Indicates an answer in several places of a book."""

    definiendum: Pattern = OFF
    """The first of its groups that is there is what the question wants explained."""


class SubQuestions(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that split a question about several things into sub-questions."""

    contrasting: Pattern = OFF
    """Sets one thing against another in a sentence of a book: "in contrast to". Off, any may do so."""

    clause: Pattern = OFF
    """Separates two questions in one sentence."""

    shortened: Pattern = OFF
    """How a clause begins that may take its verb from the one before."""

    leans: Pattern = OFF
    """Indicates that a clause can't stand alone."""

    pronoun: Pattern = OFF
    """Stands in a later clause for what the first wants explained; its group `own` for its "of it"."""

    relates: Pattern = OFF
    """May relate two things in a question that has no word of comparison."""

    bare: Words = NO_WORDS
    """Where a question says nothing else beside the names, it wants to know what each of them is."""

    opposed: Words = NO_WORDS
    related: Words = NO_WORDS
    of: Words = NO_WORDS
    """Those that join what is asked to a thing as well: "das Gewicht von A und B"."""

    joined: Words = NO_WORDS
    offering: Words = NO_WORDS
    towards: Words = NO_WORDS
    verb: Pattern = OFF
    comparing_verb: Pattern = OFF
    than: Words = NO_WORDS
    particles: Words = NO_WORDS
    """What makes the word before it a verb: "measure up against"."""

    attribute: Pattern = OFF
    """Says after the names in what they are compared, as its group `attribute`."""

    articles: Words = NO_WORDS
    definite: Words = NO_WORDS
    plural: Pattern = OFF
    comparative: Pattern = OFF
    quality: Pattern = OFF
    before_names: Words = NO_WORDS
    inner: Words = NO_WORDS
    """Function words that stand inside of names: "hauteur de chute"."""

    function: Words = NO_WORDS
    what_is: str = ""
    what_are: str = ""
    what_of: str = ""
    """The questions for one thing, by its number and by what is asked of it."""

    choice: Pattern = OFF
    """Asks, before the names, which of them has its group `quality`."""

    is_: str = msgspec.field(default="", name="is")
    are: str = ""
    """The questions whether one thing has it."""

    distributive: Words = NO_WORDS
    """Says of several things that all of them are meant: "both A and B", "A and B each"."""

    singular: dict[str, str] = {}
    """Verbs before names, as they are before one."""


class FollowUps(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate a question which depends on the conversation before it."""

    opening: Pattern = OFF
    pointer: Pattern = OFF
    into_answer: Pattern = OFF
    """Refers to things that the answer named, where the question before may name none."""

    what_is: Pattern = OFF
    other_thing: Pattern = OFF
    """Its group `thing` takes the place of what was asked for: "and a trait object?"."""

    thing: Pattern = OFF
    """Asks what something does or how it works, its group `thing`."""

    pronoun: Pattern = OFF
    """Stands for the thing that was to be explained, its group `own` for "of it": "its"."""

    further: Pattern = OFF
    """Is all of a question that wants what comes next: "And then?"."""

    kinds: Pattern = OFF
    """A word that says of what kind something is, and names no thing: "qualitative"."""

    stands_for: Words = NO_WORDS
    """Words of such a thing that stand for the noun of what was asked for: "and a mobile one?"."""

    of: Words = NO_WORDS
    """Words before the thing of which a question asks for something: "the capital of France"."""

    part: Pattern = OFF
    """A part of the topic before: "Which of the strategies is fastest?"."""

    relation: Pattern = OFF
    fragment: Pattern = OFF
    sentence: Pattern = OFF
    """What a fragment has not: "In simulation?", but not "In simulation, what is a plugin?"."""

    bare: Words = NO_WORDS
    """Nouns that need the topic before: "What are the advantages?"."""


class Selections(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate a question only the selected text itself can answer."""

    opens: Pattern = OFF
    """Surely means the text: goes on from it, has no noun beside "this", or counts the text's parts."""

    points: Pattern = OFF
    """Words that mean the text or what it speaks of: "this", "here"."""

    bare: Words = NO_WORDS
    """Words that ask for the text as a whole: "Explain this in simple words."."""

    unsaid: Words = NO_WORDS
    """Words of a question that the text need not have: what it calls by name, "the company", and what
    only asks, "what happens if"."""


class SmallTalk(Struct, frozen=True, forbid_unknown_fields=True):
    """Greetings, thanks and the like."""

    phrases: Words = NO_WORDS
    fillers: Words = NO_WORDS
    """Words without meaning of their own that may stand between them."""


class Names(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that distinguish names and years from other words and numbers."""

    year: Pattern = OFF
    """Its first group is four digits that count nothing: no noun follows them."""

    exclusive: tuple[Words, ...] = ()
    """Words of which a thing has one at a time: months, metals. Texts have the capitals too."""

    page: Pattern = OFF
    """Names a page, with what joins it to the question; its first group is the number or label."""

    version: Pattern = OFF
    """Its group is a number with a point that says which version of a named thing is meant."""

    numbered: Pattern = OFF
    """Its first group is a number by which one of many is named: "RFC 9110", "section 12.4"."""

    versioned: Pattern = OFF
    """Its groups are a name and the number behind it, which tells one from the next: "Debian 12"."""

    capital: Pattern = OFF
    """A word within a sentence whose capital says that it is a name; off where all nouns have one."""

    page_asked: Pattern = OFF
    """Asks on which page something stands, which is its group `thing`."""


class Expected(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate the type of answer a question expects."""

    in_unit: Pattern = OFF
    """Its first group may be a unit of measure: "which error in degrees"."""

    counted: Pattern = OFF
    """Its group `thing` is what is to be counted, or a unit: "how many axes"."""

    often: Pattern = OFF
    """Asks how often something is so, which has many more words than quantities have."""

    no_unit: Pattern = OFF
    """How a thing begins that is counted though a unit's name is in it: "degrees of freedom"."""

    measured: dict[str, Pattern] = {}
    """What asks for a quantity, by its dimension, or several: "time_or_length"; "any" is any."""

    measures: dict[str, Words] = {}
    """What says which dimension is measured, by the dimension: "pressure", "heavy"."""

    measuring: dict[str, Words] = {}
    """Verbs that say of a thing no more than that it has so much of a dimension: it "draws" current."""

    attribute: Pattern = OFF
    """Its group `noun` is what is asked of a thing: "what is the range of …", "compare … in range"."""

    required: Pattern = OFF
    """Indicates that only a quantity or a date can answer: "how many"."""

    origin: Pattern = OFF
    """Indicates a question for an author or maker, which only a name can answer."""

    agent: Pattern = OFF
    """Indicates a question for who does something, which nothing but a doer can answer."""

    did: Pattern = OFF
    """How a question for a doer begins; its group `did` is the verb in the past: "Who wrote"."""

    participles: dict[str, str] = {}
    """Of verbs whose forms no stem joins, by their past."""

    has_done: str = ""
    """The past as it is told with `{participle}`."""

    doers: dict[str, str] = {}
    """What they are called who did it, by the past tense: "founder" by "founded"."""

    is_doer: str = ""
    """The same as it is told with `{doer}`, before what was done."""

    revoiced: tuple[Reworded, ...] = ()
    """What is said of a thing as if it did it, and as it is done to it: "When did the sale start?"."""

    who: Pattern = OFF
    """What the column of a table is called that says who does what its row tells: "Who"."""

    doer: Pattern = OFF
    """How a question for a doer by that name begins; its group `doer` is the name: "the founder of"."""

    because: Pattern = OFF
    """Indicates a question that only what gives a reason can answer: "why", but not "what for"."""

    indistinct: Pattern = OFF
    """A whole word beside a noun that tells its thing from no other of the kind: "nearest", "main"."""

    of_thing: Pattern = OFF
    """Asks a measure of its group `noun` of its group `thing`: "the guarantee on the fan"."""

    bearer: Pattern = OFF
    """Asks a value of the thing in its group, which ends the question: "the range of a rifle"."""

    bearer_doing: Pattern = OFF
    """The same where a verb may follow the thing: "how many eggs does a hen lay"."""

    lasts: Pattern = OFF
    """Asks how long something takes that is done: "how long does it take to"."""

    light: Words = NO_WORDS
    """Verbs that say of a thing no more than that it has something or takes so long: "hold"."""

    date: Pattern = OFF
    year: Pattern = OFF
    """Says, within what asks for a date, that a year is wanted."""

    lasting: Words = NO_WORDS
    """Verbs and words that say of a thing no more than that it has so much: "last", "weigh"."""

    happened: Pattern = OFF
    """Indicates a question for the time of what happened once: "When was"."""

    occurs: Pattern = OFF
    """Indicates a question for the time or the case in which something is so: "When is"."""

    thing_asked: Pattern = OFF
    """Asks for a `thing`, for what is `done`, or `which`: "the tempo of", "pay tax", "which port"."""

    vague: Words = NO_WORDS
    """Words of such a thing that a book need not have to tell it: "the main reason"."""

    name: Pattern = OFF
    """What asks for a name and says nothing of who or what has it: "what is the name of".

    Its group `of` is that, where it stands between: "what is the bird called"."""

    person: Pattern = OFF
    place: Pattern = OFF
    procedure: Pattern = OFF
    code: Pattern = OFF


class Spelling(Struct, frozen=True, forbid_unknown_fields=True):
    """Which letters are put for which by a typo."""

    keys: tuple[str, ...] = ()
    """The rows of the keyboard's letters, from the top."""

    sounds: tuple[str, ...] = ()
    """Letters that are written for each other's sound, by groups."""

    digraphs: dict[str, str] = {}
    """Letters that are written for another one's sound, which stands for them: "ph" and "f"."""

    infinitives: Words = NO_WORDS
    """Endings of verbs in a word list that lacks many of their other forms."""

    terms: Words = NO_WORDS
    """Terms of a trade that no list of the language has, and that are near other words."""

    s_for_z: Pattern = OFF
    """The end of a word's stem that is written with an s in some countries and with a z in others."""


class Titles(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of the titles of a book's parts."""

    glossary: Pattern = OFF


class Lexicon(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one language; those of an unknown one are empty, so that none applies."""

    stop_words: Words = NO_WORDS
    """Function words and question words: what a question is made of, not what it is about."""

    asking: Words = NO_WORDS
    """What short questions and requests are made of beside those: it tells their language alone."""

    unasked: Words = NO_WORDS
    """What people put around what they ask beside those: "anyone", "yet"."""

    particles: Words = NO_WORDS
    """What parts from a verb, and stands at the end of its clause then: "Setzen Sie ihn ein"."""

    reworded: tuple[Words, ...] = ()
    """Words that readers and books use for about the same, a line each: "fridge refrigerator".

    Looser than synonyms: they tell what a passage may be about, not what it says."""

    inflected: tuple[Words, ...] = ()
    """Forms of a verb or noun that do not begin alike, an entry for each: "wrote written"."""

    own_letters: Pattern = OFF
    """Letters and marks that no other of these languages has."""

    endings: Endings = Endings()
    between_words: Pattern = OFF
    """What of a question says nothing of its subject, in a script without spaces between words."""

    telling: Words = NO_WORDS
    """Function words that prose of this language is full of, and that of no other."""

    sentence_goes_on: Pattern = OFF
    """How a piece of text ends that the segmenter takes for a sentence, before a name."""

    layout: Layout = Layout()
    types: Types = Types()
    sub_questions: SubQuestions = SubQuestions()
    follow_ups: FollowUps = FollowUps()
    selections: Selections = Selections()
    small_talk: SmallTalk = SmallTalk()
    framing: Framing = Framing()
    refusals: Refusals = Refusals()
    names: Names = Names()
    contrasts: tuple[tuple[Pattern, ...], ...] = ()
    """Groups of words that exclude each other ("north", "south"), so that one is told from another.

    The group `of` of a pattern is what it tells apart, where that is written as one word with it.
    """

    prices: Prices = Prices()
    expected: Expected = Expected()
    things: Things = Things()
    units: dict[str, Words] = {}
    """Names of units of measure in the language, by dimension."""

    symbols: dict[str, Words] = {}
    """Their symbols, in which capitals count."""

    extremes: Extremes = Extremes()
    values: Values = Values()
    reasons: Reasons = Reasons()
    short_forms: Attribute = Attribute()
    """Asks what an abbreviation stands for, and leads from its words to it: "shortened to"."""

    claims: Claims = Claims()
    attributes: dict[str, Attribute] = {}
    """By names of ours: "birth", "founding", "age"."""

    closed: dict[str, Attribute] = {}
    """What is answered by one of a few words: colours, programming languages."""

    signs: dict[str, Attribute] = {}
    """What is answered by a spelling of its own: keys, options of commands."""

    spelling: Spelling = Spelling()
    titles: Titles = Titles()
    about_book: BookQuestions = BookQuestions()
    introductions: tuple[str, ...] = ()
    """Questions that any book answers: what it is about."""

    chapters_question: str = ""
    """Asks for the chapters of a book, as the rules of `about_book` know it."""

    spans: Spans = Spans()
    phrasing: Phrasing = Phrasing()
    checks: Checks = Checks()


@cache
def load_lexicon(language: str) -> Lexicon:
    """Return what is known of the language with this ISO 639-1 code; "" is the fallback's."""
    if not language:
        return load_lexicon(FALLBACK)
    source = resources.files("libs.language").joinpath(f"{language}.toml")
    if not language.isalpha() or not source.is_file():
        return Lexicon()
    return msgspec.toml.decode(source.read_bytes(), type=Lexicon, dec_hook=decode_entry)


def name_of_language(code: str) -> str:
    """Return what a language is called in English; its code where it has no name."""
    return load_lexicon(FALLBACK).refusals.languages.get(code, code)
