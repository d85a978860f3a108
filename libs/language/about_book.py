"""Patterns of a language for questions about a book itself, and for the sentences that answer them."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words
from libs.language.framing import Reworded


class Aspect(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that may be asked of a book: how it is asked, and where and how a book says it."""

    asked: Pattern = OFF
    """Asks for it, where the book stands as "<book>" and one chapter as "<chapter>"."""

    within: Pattern = OFF
    """Asks for it of one chapter or part alone, which stands as "<chapter>"."""

    stated: Pattern = OFF
    """A sentence that says it of the book."""

    hinted: Pattern = OFF
    """A line that says it only where a book begins: a name or a date by itself."""

    below_title: Pattern = OFF
    """What says it where it directly follows the title of the whole."""

    continued: Pattern = OFF
    """What says it where the sentence before, of the same paragraph, speaks of the book: "It was …"."""

    implied: Pattern = OFF
    """A line that says it there if no other does."""

    titles: Pattern = OFF
    """Titles under which a book says it."""

    under: Pattern = OFF
    """Titles under which all that stands says it."""


class BookQuestions(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of questions about a book itself, in which it stands as "<book>"."""

    book: Pattern = OFF
    """What a question calls the book that it is put to."""

    thing: Pattern = OFF
    """Of what `book` finds, what a book may as well speak of: "the document"."""

    manner: Pattern = OFF
    """What a question says of how it is to be answered, and nothing of what it asks."""

    it: Pattern = OFF
    """What may stand for the book, where nothing else was spoken of."""

    titled: Pattern = OFF
    """Says that a title is a book's: "manual", "handbook"."""

    articles: Words = NO_WORDS
    """What a question may say before a book's title."""

    chapter: Pattern = OFF
    """One chapter by its group `number`, after its `kind`."""

    chapter_placed: Pattern = OFF
    """One chapter by its group `place`: "the last chapter"."""

    chapter_titled: Pattern = OFF
    """One chapter by its group `before` or `title`: "the safety chapter", "the chapter on safety"."""

    pointed: Pattern = OFF
    """A part that something is asked of, by its group `before` with its `kind`, or `of` with `title`:
    "in the Gazebo project", "in the chapter on safety"."""

    called: tuple[str, ...] = ()
    """What titles and file names call such parts; of several words with spaces one is as good as the
    others: who says "assignment" may mean the project."""

    placed: Pattern = OFF
    """Such a part by its group `place` or `number`, with its `kind`: "the first project"."""

    each_of: Pattern = OFF
    """All parts of a kind, by its group `kind` in the plural, perhaps with how many, its group `count`:
    "each of the four projects"."""

    listed: tuple[Reworded, ...] = ()
    """Several parts under one word for them, "chapters 2 and 4", and each with its own."""

    pronoun: str = ""
    """What stands for a part that a question has named: "it"."""

    possessive: str = ""
    """The same before what it has, where the name of a book's subject would end so: "its"."""

    around_name: Words = NO_WORDS
    """Words that say with the name of the book's subject where something is so: "in" of "in Mutt"."""

    before_name: Words = NO_WORDS
    """Verbs that a question begins with, behind which that name stands: "does" of "does Mutt sort"."""

    part_titled: Pattern = OFF
    """Asks for what is in a part that it names by its title, the one group that is set."""

    places: tuple[str, ...] = ()
    """"first", "second" and so on, without their endings; several words for a place with spaces."""

    last: Words = NO_WORDS
    numbering: Pattern = OFF
    """How a title begins that has a number: its group `number`, after its `kind` if it has one."""

    chapter_is: str = ""
    """What a question calls a chapter, whatever the book calls its own."""

    section_is: str = ""
    """What a question calls a section; where none has the number, a chapter may be called so."""

    chapters_are: Words = NO_WORDS
    """Kinds by which a book calls its chapters; other kinds are parts of one, or several."""

    appended: Words = NO_WORDS
    """Kinds of what is no chapter, though it has a number."""

    front: Pattern = OFF
    """Titles of what speaks of the book before it begins."""

    legal: Pattern = OFF
    """What speaks of a book's licence, and tells nothing else of it."""

    notice: Pattern = OFF
    """In a line that says whose the book is, and nothing of what it is about."""

    unnamed: Pattern = OFF
    """A line that says whose the book is and names nobody: "Copyright 2020 AUTHORS"."""

    written_by: str = ""
    dated: str = ""
    """How a line says who wrote the book, `{names}`, and when, `{date}`."""

    leaning: Pattern = OFF
    """What a sentence points at other sentences with."""

    subject: Aspect = Aspect()
    author: Aspect = Aspect()
    licence: Aspect = Aspect()
    publisher: Aspect = Aspect()
    date: Aspect = Aspect()
    version: Aspect = Aspect()
    organisation: Aspect = Aspect()
    chapters: Aspect = Aspect()
    contents: Aspect = Aspect()
    """Of one chapter."""

    audience: Aspect = Aspect()
    title: Aspect = Aspect()
