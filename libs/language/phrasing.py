"""Words and patterns of a language for making questions of a book's titles and sentences."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Templates(Struct, frozen=True, forbid_unknown_fields=True):
    """The questions, with what is filled in."""

    what_is: str = ""
    what_are: str = ""
    what_are_the: str = ""
    which_are: str = ""
    """For things that are listed."""

    aspects: str = ""
    difference: str = ""
    both: str = ""
    how_to: str = ""
    should: str = ""
    """For "when to …", "where to …", "what to …"."""

    how_do: str = ""
    why: str = ""
    asked: str = "{title}?"
    """For a title that is a question but for its marks."""


class Phrasing(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of the grammar of titles and sentences, and the questions that they answer."""

    ask: Templates = Templates()
    numbering: Pattern = OFF
    """What counts a title, before what it says."""

    plain: Words = NO_WORDS
    """Words of which titles are made that say nothing of what stands below them."""

    versions: Words = NO_WORDS
    """What stands before a number in a title of changes: "Version 1.2"."""

    places: Words = NO_WORDS
    """What titles end with below which stand places to go to, or tasks, and no answer to anything."""

    texts: Words = NO_WORDS
    """What a text is called, before what it tells of: "a note about keys" is nothing to ask for."""

    introducing: Pattern = OFF
    """What a title says around its subject: "Introduction to"."""

    explained: Pattern = OFF
    """What parts a title from its explanation: "ROS 2: the nervous system"."""

    question_word: Pattern = OFF
    asked: Pattern = OFF
    """A title that is a question but for its mark."""

    to_do: Pattern = OFF
    """Begins "how to …"; its groups `asks`, and `negated`."""

    ways: Words = NO_WORDS
    """Of what `to_do` asks, what asks for a way."""

    how_plural: Pattern = OFF
    """Its group `rest` is what several things do: "How lines leak"."""

    statement: Pattern = OFF
    """Groups `what`, `verb` and `rest`, as in `caused`."""

    pointers: Words = NO_WORDS
    """What only the text around it gives a meaning, or what no question can be asked of."""

    addressed: Words = NO_WORDS
    """What a book calls its reader, who says something else of themselves."""

    leading: Words = NO_WORDS
    """What begins a question of the book's own that goes on from the one before."""

    leaning: Words = NO_WORDS
    """Words by which a question of the book's own leans on what came before."""

    going_on: Words = NO_WORDS
    conjunctions: Words = NO_WORDS
    negations: Words = NO_WORDS
    """The pointers that a reason may have."""

    in_orders: Words = NO_WORDS
    """The pointers that an order may have."""

    verbs: dict[str, str] = {}
    """Verbs that begin a title as orders, and no names; each with its gerund."""

    ordered: Pattern = OFF
    """A title that names what to do, in its group `action`, by the form of its verb."""

    yours: Pattern = OFF
    mine: str = ""
    """What the book calls the reader's, and what the reader does."""

    aspects: Pattern = OFF
    """Titles that name something of the thing above; its group `name` is what it is called."""

    joined: Words = NO_WORDS
    """What joins words: an order of two things is none."""

    conjunction: str = ""
    both: Pattern = OFF
    versus: Pattern = OFF
    difference: Pattern = OFF
    """Groups `one` and `other`."""

    gerund: Pattern = OFF
    noun_phrase: Pattern = OFF
    head_ends: Pattern = OFF
    """What ends the head of a name: "degrees" of "degrees of autonomy"."""

    qualified: Pattern = OFF
    """A name that says of what it is."""

    of_a_time: Pattern = OFF
    """How a title begins of several at some time, whom no text defines: "The first settlers"."""

    plural: Pattern = OFF
    uncounted: Pattern = OFF
    """Nouns that have no plural and need no article."""

    name: Pattern = OFF
    """What is written so wherever it stands: acronyms, numbers, identifiers."""

    definite: Words = NO_WORDS
    indefinite: Words = NO_WORDS
    """The articles."""

    definite_is_known: bool = False
    """Whether a definite article is for what was spoken of, and not for all of the kind."""

    plural_articles: Words = NO_WORDS
    """Those before several things, in a language that tells by them."""

    elided: Pattern = OFF
    """How a name begins that is written in one word with its article: "l'écluse"."""

    contracted: dict[str, str] = {}
    """What the words of a question and its name become where they meet: "que un" is "qu'un"."""

    defined: Pattern = OFF
    """A sentence that defines its group `what`, which is `thing` with or without an article."""

    purpose: Pattern = OFF
    """A sentence that says how to do what its groups `verb` and `rest` name."""

    reporting: Words = NO_WORDS
    """Verbs of writers about what they write."""

    telling: Words = NO_WORDS
    """Verbs, as stories have them, of what only a person does."""

    caused: Pattern = OFF
    """A sentence that gives the reason why `what` `verb` `rest`: "the line" "is" "hot"."""
