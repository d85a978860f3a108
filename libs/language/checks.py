"""Words and patterns of a language for checking a sentence against what it cites."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Numbers(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers in words, and what is said around numbers."""

    values: dict[str, float] = {}
    """Words that name a number."""

    scales: dict[str, float] = {}
    """Words that multiply the number before them."""

    glued_scales: dict[str, float] = {}
    """The same as letters behind an amount of money: "$20k"."""

    fractions: Words = NO_WORDS
    """Words that do the same as parts: "two thirds"."""

    unsure: Words = NO_WORDS
    """Words that name a number seldom enough not to be held against a sentence."""

    pointing: Pattern = OFF
    """Stands before a number of things that were named, and need not have been counted: "these two"."""

    rounded: Pattern = OFF
    """Says that a number is not exact."""

    bound: Pattern = OFF
    """Says of the number behind it that it is the least or the most."""

    hedged: Pattern = OFF
    """Ends before a number or a year that is not said to be the value itself: "nearly", "before"."""

    since: Pattern = OFF
    """Ends before the year from which on something is so."""

    compared: Pattern = OFF
    """Begins behind a number that is only a difference: "£14 more than", "ten years after"."""

    bounded: Pattern = OFF
    """Says in words what the signs before a number say: `<`, `>`, `±`."""


class Units(Struct, frozen=True, forbid_unknown_fields=True):
    """Units of measure behind numbers."""

    prefixes: Words = NO_WORDS
    bases: Words = NO_WORDS
    """Symbols; each base stands alone or behind a prefix, and capitals count."""

    symbols: Words = NO_WORDS
    """Symbols that take no prefix."""

    aliases: dict[str, str] = {}
    """Other symbols, capitals included, by the symbol that stands for both."""

    names: dict[str, Words] = {}
    """Names in words, by the symbol that says the same."""

    currencies: dict[str, str] = {}
    """The unit of each sign of money."""


class Names(Struct, frozen=True, forbid_unknown_fields=True):
    """How names are told from other words."""

    capitals: bool = False
    """Whether a capital inside a sentence tells a name, as it does not in German."""

    plain: Pattern = OFF
    """A word that is none though it opens a sentence with a capital."""

    measure: Pattern = OFF
    """Letters and digits that measure, and name nothing: "16-bit"."""

    opening: Pattern = OFF
    """A sentence whose first word does what names do, more often than other words: its group `name`."""


class Polarity(Struct, frozen=True, forbid_unknown_fields=True):
    """What denies, and what compares."""

    negations: Words = NO_WORDS
    endings: tuple[str, ...] = ()
    """What negations end with: "n't"."""

    asked: Pattern = OFF
    """Asks for what is not so: "What is it not known for?" does."""

    denying: Pattern = OFF
    """What a word begins with that denies the rest of it: "unrelated"."""

    parted: Pattern = OFF
    """The same before a hyphen or a space, which is the last character: "non-elected"."""

    weak: Words = NO_WORDS
    """The negations that deny no clause: "without a gearbox"."""

    soft: Words = NO_WORDS
    """Words that may say by themselves what a negation says: where one side alone has one, negations
    are not compared."""

    soft_phrases: Pattern = OFF
    """Phrases that say so as well: "keeps it from starting"."""

    deters: Words = NO_WORDS
    """Verbs that tell not to do what follows them: "avoid"."""

    lacks: Words = NO_WORDS
    """The weak negations that say of what follows them that it is not there: "without"."""

    not_only: Pattern = OFF
    """What looks like a negation and denies nothing."""

    clause_end: Pattern = OFF
    """How far a negation reaches."""

    opposites: tuple[tuple[Words, Words], ...] = ()
    contraries: tuple[tuple[Words, Words], ...] = ()
    """Pairs that compare nothing: a text may say one of them here and the other there."""

    converse: Pattern = OFF
    """Stands between things that are compared."""

    than: str = ""


class Scope(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate quantity, certainty, condition and cause."""

    universal: Words = NO_WORDS
    absolute: Words = NO_WORDS
    """The universal words that a sentence may not add."""

    restricted: Words = NO_WORDS
    restricts: Words = NO_WORDS
    """The restricting words that a sentence may not add."""

    only: Pattern = OFF
    only_known: Words = NO_WORDS
    """What excuses `only` in a sentence, beside the restricting words."""

    denying: Words = NO_WORDS
    """What excuses other restricting words."""

    hedges: Words = NO_WORDS
    sure: Words = NO_WORDS
    """What a sentence keeps of doubt."""

    must: Words = NO_WORDS
    obliges: Pattern = OFF
    obliged: Pattern = OFF
    """How a sentence says that something must be, and what of its quotes excuses it."""

    forbids: Pattern = OFF
    unneeded: Pattern = OFF
    """How a sentence forbids, and how a quote says that something may be left."""

    advises: Pattern = OFF
    """How a quote advises against something: "should not"."""

    scales: tuple[tuple[Words, ...], ...] = ()
    """Scales of degree: of each the steps, and the words that name a step."""

    exception: Pattern = OFF
    excepted: Pattern = OFF
    """What takes something out of what is said, and what of its evidence excuses it."""

    announced: Pattern = OFF
    done: Pattern = OFF
    """How a sentence says that something is still to come, and how a quote says that it has been."""

    formerly: Pattern = OFF
    was: Pattern = OFF
    """How a sentence says that something was so once, and what of its quotes excuses it."""

    past: Pattern = OFF
    present: Pattern = OFF
    """How a sentence tells of what is over, and how a quote tells of what holds."""

    turn: Pattern = OFF
    """Groups `before` and `after`, of a word that turns what was said."""

    limiting: Words = NO_WORDS
    """Words that say of what follows them that it is not all, or not whole: "some", "limited"."""

    setting: Pattern = OFF
    """What opens a sentence and says of what it holds: its group `rest`."""

    clause: Pattern = OFF
    """Parts clauses, each with its own doubt."""

    condition: Pattern = OFF
    """Groups `word` and `rest`."""

    even: Pattern = OFF
    even_known: Pattern = OFF
    """How a condition begins that says it does not matter, and what excuses it."""

    limits: Words = NO_WORDS
    limits_known: Pattern = OFF
    """Words of conditions that exclude the rest, and what excuses them."""

    cause: Pattern = OFF
    """Its group `rest` is what is said to be the cause."""

    effect: Pattern = OFF
    """Its group `rest` is what is said to follow from what stands before it in the sentence."""


class Clauses(Struct, frozen=True, forbid_unknown_fields=True):
    """How sentences of the book are put together to one."""

    contractions: tuple[tuple[Pattern, str], ...] = ()
    articles: Words = NO_WORDS
    joiners: Words = NO_WORDS
    equals: Words = NO_WORDS
    """Words between two things that may change places: "or"."""

    lead_in: Pattern = OFF
    """What only introduces a statement and adds nothing to it."""

    pronouns: Words = NO_WORDS
    """What points to the sentence before."""

    pointing: Words = NO_WORDS
    """What else may point to it: "the latter"."""

    inner: Words = NO_WORDS
    """Of these and the pronouns those that seldom point out of the sentence, but at its beginning."""

    resumes: Pattern = OFF
    """How a sentence begins that speaks of what the one before it says, not of a thing in that."""

    qualifying: Words = NO_WORDS
    """What says, beside negations, that what was said holds in a case alone, or does not."""


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """How a book says, apart from a sentence, that what the sentence says does not simply hold."""

    withdrawn_title: Pattern = OFF
    """A title that says of all below it that it is wrong, is over, is yet to come, or an exercise."""

    limits_below: Pattern = OFF
    """A sentence that says of what follows it where alone it holds: "The following applies to X." """

    supposes: Pattern = OFF
    """How a sentence begins from which on something is only assumed: "Suppose that …" """

    takes_back: Pattern = OFF
    """Stands in a sentence that limits or withdraws what the one before it says: "There is one
    exception", "This is obsolete"."""

    speaks_of: Pattern = OFF
    """How a short sentence speaks, not at its beginning, of all that the one before it says."""

    refers_to: Pattern = OFF
    """Takes up what the sentence before says: "do that", "such colonies", "the second time"."""

    judges: Pattern = OFF
    """Says, beside a negation, of what it takes up that it is limited or does harm: "only", "kills"."""


class Support(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns for aligning a sentence's words with those of its evidence."""

    light: Words = NO_WORDS
    """Words that carry little meaning, beside the stop words."""

    clause: Pattern = OFF
    synonyms: tuple[Words, ...] = ()
    """Words of one meaning, a line each."""

    of_self: Words = NO_WORDS
    to_reader: Words = NO_WORDS
    """Words by which a writer speaks of themselves or to the reader instead of from the text."""

    says_nothing: Words = NO_WORDS
    """Words of which, with the stop words, a sentence is made that only answers or greets."""


class Checks(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the checks know of a language."""

    numbers: Numbers = Numbers()
    units: Units = Units()
    names: Names = Names()
    polarity: Polarity = Polarity()
    scope: Scope = Scope()
    clauses: Clauses = Clauses()
    context: Context = Context()
    support: Support = Support()
