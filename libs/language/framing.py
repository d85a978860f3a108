"""What surrounds a question and asks nothing: politeness, what is told before it, another order."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Reworded(Struct, frozen=True, forbid_unknown_fields=True):
    """A form of a question, and how the same is asked plainly, with the groups of the pattern."""

    pattern: Pattern
    into: str


class Framing(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands around a question and is no part of it."""

    said: Words = NO_WORDS
    """What is said around questions, beside stop words: "I have a quick question"."""

    addressed: Words = NO_WORDS
    """Of these, and of the stop words, who or what is asked to answer: "you", "please"."""

    asks: Words = NO_WORDS
    """Words that a question begins with when it is asked in another: "could you tell me how"."""

    bids: Words = NO_WORDS
    """Verbs that a request begins with: "could you explain"."""

    tells: Words = NO_WORDS
    """Of these, without which nothing opens a question: "tell", "know", "hello"."""

    asking: Pattern = OFF
    """How a sentence ends that asks, where no word at its beginning and no mark need tell."""

    told: Pattern = OFF
    """What is told before a question in one sentence with it, to where the question begins."""

    remark: Pattern = OFF
    """A whole sentence that asks nothing, in a script without spaces between words."""

    opening: Pattern = OFF
    """What a question is opened with, where words do not tell."""

    closing: Pattern = OFF
    """What a question is closed with, to its end: ", please?", "in one sentence"."""

    inserted: Pattern = OFF
    """What stands in a question for emphasis alone: the "exactly" of "What exactly is"."""

    indirect: tuple[Reworded, ...] = ()
    """How a question is ordered behind "tell me": "what a servo is"."""

    pointed_at: tuple[Reworded, ...] = ()
    """What names a thing first, and then asks for it: "UPG, what's that?"."""

    accented: dict[str, str] = {}
    """Words that ask, by how they are typed without accents: "quien" for "quién"."""

    before_asking: Words = NO_WORDS
    """Words that may stand before one that asks: "desde cuándo"."""
