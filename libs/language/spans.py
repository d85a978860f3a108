"""Words and patterns of a language for choosing the spans of a book that answer a question."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Spans(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of what a span says, and of what it depends on."""

    names_file: Pattern = OFF
    """Says in which file the listing after it stands, and nothing alone."""

    leans: Pattern = OFF
    """How a sentence begins that speaks of what the one before it says."""

    subject: Pattern = OFF
    """What a sentence is about, or an entry of a list is for: its groups `name`, `short` and `verb`."""

    names_kind: Pattern = Pattern("")
    """How the verb of `subject` goes on where it says what its subject is; in any way by default."""

    occurs: Pattern = OFF
    """Says when there is what its group `name` names, which is how textbooks define events."""

    calls: Pattern = OFF
    """Says what is told of is called: its groups `name` and, in brackets, `short`."""

    named_last: Pattern = OFF
    """How a sentence ends that says what its group `name` is before that: "… is the mode"."""

    indefinite: Words = NO_WORDS
    """Articles with which it begins what a thing is, behind the name and a dash."""

    points_back: Pattern = OFF
    """How a sentence begins that says what the one before it ends in: "This is the practice of"."""

    of_any: Pattern = OFF
    """Of what kind of things the subject of a definition is: "the opportunity cost of any choice"."""

    clause: Pattern = OFF
    """What a thing's name has not: "a robot that knows its place"."""

    kinds: Words = NO_WORDS
    """Nouns that say of what kind a named thing is, and may be missing where it is defined."""

    named_kinds: Words = NO_WORDS
    """Nouns of a kind behind the name of a thing, which is defined with them: "the vi editor"."""

    openings: Words = NO_WORDS
    """Titles under which a section begins to tell of what the title above them names."""

    judges: Pattern = OFF
    """Patterns that indicate a yes or no, or an obligation."""

    instructs: Pattern = OFF
    """Tells the reader to do something: an imperative, perhaps after its purpose or condition."""

    tells_how: Pattern = OFF
    """Says by what something is done, or what one can do."""

    goes_on_how: Pattern = OFF
    """Goes on with how to do what the sentence before speaks of: "To do this, …", "Then …"."""

    locates: Pattern = OFF
    """Says where something is kept or stands."""

    reading: Pattern = OFF
    """A title over literature, links or objectives, or what introduces them; its group names them."""

    reading_asked: Pattern = OFF
    """What a question names that wants to know what to read."""

    teaches: Pattern = OFF
    """What introduces a list of what a reader will be able to do."""

    leads_on: Pattern = OFF
    """How a book says what it will speak of next."""

    led_on: Pattern = OFF
    """What introduces a list of what a part of the book is about."""

    caption_asked: Pattern = OFF
    """What a question names that wants a figure or a listing."""

    shows: Pattern = OFF
    """Only says what a picture or a table shows, and where: "Figure 3 summarizes the modes."."""

    points: Pattern = OFF
    """What only says where to read on."""

    announces: Pattern = OFF
    """Says that what it speaks of stands right behind it: "as follows", "the following command"."""

    default_asked: Pattern = OFF
    """Wants to know what is so where nobody has chosen otherwise."""

    tells_default: Pattern = OFF
    """Says what is so then: "by default", "if it is not set"."""

    tells_change: Pattern = OFF
    """Says only that it can be chosen, or how."""

    states_problem: Pattern = OFF
    """How an entry begins that only says what is wrong: "Symptom: …", before its cause and its cure."""

    problem_asked: Pattern = OFF
    """What a question names that wants just that."""

    names_example: Pattern = OFF
    """A line that is but the title of an example or an exercise: "Example 3: A Frame"."""

    exercise_asked: Pattern = OFF
    """What a question names that wants just that."""

    sets_exercises: Pattern = OFF
    """A title or a line over what readers are to work out for themselves."""

    aims: Pattern = OFF
    """How a line begins that says what a lesson or a picture is to teach, and for whom it is made."""

    aims_asked: Pattern = OFF
    """What a question names that wants just that."""

    part_named: Pattern = OFF
    """Wants to know which chapter or section is about its group `thing`."""

    dates_page: Pattern = OFF
    """How a line begins that says when a page was last changed, and of what version it is."""

    change_asked: Pattern = OFF
    """What a question names that wants just that."""

    place_asked: Pattern = OFF
    """What a question has that may want just that."""

    part_asked: Pattern = OFF
    """What a question has that asks about a part of the book."""
