"""Take off a question what only frames it: greetings, thanks, "could you tell me", "in one sentence".

Readers ask as they talk. What they say around a question is not in the book: searched with it, it draws
to other passages, and counts as asked for and missing.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from libs.language.framing import Framing
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.definiendum import name_definiendum
from libs.question.small_talk import is_small_talk
from libs.text import content_terms, words

_LONGEST = 600
"""Characters of a question; what is longer holds a text or a listing, of which nothing is taken."""

_ASKS_AMONG = 3
"""Words among which one asks: "y desde cuándo"."""

_MOST_FRAMES = 4
"""How many frames a question stands in, one in the other, at most."""

_OPENING_WORDS = 14
"""Words that a question is opened with, at most."""

_ENOUGH_TERMS = 3
"""Content terms from which on a question says what it asks about."""

_SHORT_ENDS = ("d", "ll", "m", "re", "s", "t", "ve")
"""What English writes behind an apostrophe."""

_LISTING = re.compile(r"```|\n\s*\n|\n {2}|[{};]\s*\n")
_MARKUP = re.compile(r"[<>{}|]")
_SENTENCE = re.compile(r"[^.!?。！？؟।]+[.!?。！？؟।]*\s*|[.!?。！？؟।]+\s*")
_UNSPACED_ENDS = "。！？"
_QUESTION_MARKS = "?？؟"
_AROUND = " \t\n.!?,;:。！？、，؟।…–—-"
_PART = re.compile(
    r"(?:[^.!?。！？؟।:：\n…\U0001f300-\U0001faff–—]|\.(?=\w)|:(?=[^\s])|(?<=\S)[–—](?=\S))+"
    r"[.!?。！？؟।:：\n…\U0001f300-\U0001faff–—\s)]*"
)
"""A sentence, or what stands before a colon, a dash or an emoji."""

_COMMA = re.compile(r"[,，、،]\s*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PARTED = re.compile(r"[,:;!.…，：、،]\s*|\s[–—-]+\s")


def unframe_question(text: str, language: str = "") -> str:
    """Return what `text` asks, without what frames it; `text` where that would leave nothing.

    `language` is the ISO 639-1 code of what the question is in; "" is English.
    """
    lexicon = load_lexicon(language)
    if len(text) > _LONGEST or _LISTING.search(text):
        return text
    bare = _with_accents(_without_remarks(text, lexicon), lexicon.framing)
    for _ in range(_MOST_FRAMES):
        less = _without_frame(bare, lexicon)
        if less == bare or not content_terms(less):
            break
        bare = less
    return _reword(bare, lexicon.framing, opened=bare.strip() != text.strip())


def _with_accents(text: str, rules: Framing) -> str:
    """Write the word that a question begins with, or has behind a preposition, as one that asks."""
    for found in islice(_WORD.finditer(text), _ASKS_AMONG):
        written = rules.accented.get(found[0].lower())
        if written is not None:
            shown = written.capitalize() if found[0][0].isupper() else written
            return text[: found.start()] + shown + text[found.end() :]
        if found[0].lower() not in rules.before_asking:
            break
    return text


def _without_remarks(text: str, lexicon: Lexicon) -> str:
    """Leave out the sentences that ask nothing, beside one that may."""
    parts = list(_split(text))
    kept = [part for part in parts if not _is_remark(part, lexicon)]
    if len(kept) == len(parts) or not any(map(content_terms, kept)):
        return text
    return "".join(kept).strip()


def _split(text: str) -> Iterator[str]:
    """Cut `text` into its sentences. A dot within a word ends none: "ros2.yaml", "2.5"."""
    held = ""
    for part in _SENTENCE.findall(text):
        held += part
        if held[-1].isspace() or held[-1] in _UNSPACED_ENDS:
            yield held
            held = ""
    if held:
        yield held


def _is_remark(part: str, lexicon: Lexicon) -> bool:
    """Whether a sentence is made of what is said around questions, and asks for nothing itself."""
    bare, rules = part.strip(_AROUND), lexicon.framing
    said = words(bare.replace("’", "'"))
    if is_small_talk(part) or rules.remark.fullmatch(bare):
        return True
    if not said:
        return False
    if part.rstrip()[-1] in _QUESTION_MARKS and rules.addressed.isdisjoint(said):
        return False
    return said[0] not in rules.asks and _only_frames(said, lexicon)


def _only_frames(said: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether all of `said` are words around questions, at least one of them of no other use."""
    return not lexicon.framing.said.isdisjoint(said) and _may_frame(said, lexicon)


def _opens(said: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether `said` is how a question is opened: "could you tell me", not "does an author"."""
    return not lexicon.framing.tells.isdisjoint(said) and _may_frame(said, lexicon)


def question_alone(text: str, language: str = "") -> str:
    """Return the question in `text` without what is told around it; "" where that is nothing or needed.

    "My sister asked me this at dinner: why do lithium cells hate the cold?" stands alone. "I mistyped
    the phrase at startup. How many attempts have I?" asks too little for that, and markup is no talk.
    """
    lexicon = load_lexicon(language)
    if len(text) > _LONGEST or _LISTING.search(text) or _MARKUP.search(text):
        return ""
    parts = _PART.findall(text)
    asking = [part for part in parts if _asks(part, lexicon) or _bids(part, lexicon)]
    alone = "".join(asking).strip()
    is_told = 0 < len(asking) < len(parts)
    if not is_told or not _stands_alone(alone, lexicon):
        others = (_behind_told, _behind_comma, _sentence_pointing)
        alone = next(filter(None, (find(text, lexicon) for find in others)), "")
    return _capitalise(unframe_question(alone, language)) if alone else ""


def _behind_told(text: str, lexicon: Lexicon) -> str:
    """Return the question that follows on what is told: "Please don't laugh, but what is a node?"."""
    told = lexicon.framing.told.match(text)
    rest = text[told.end() :] if told else ""
    return rest if rest and _stands_alone(rest, lexicon) else ""


def _behind_comma(text: str, lexicon: Lexicon) -> str:
    """Return the question that begins behind a comma and names enough; "" when none does.

    "Before I go to bed, which shells are there?" But a condition may stand there as well, so that what
    a thing is, asked behind one, is not asked alone.
    """
    for found in _COMMA.finditer(text):
        rest = text[found.end() :]
        if _asks(text[: found.start()], lexicon):
            break
        if _asks(rest.partition(",")[0].rstrip(_AROUND), lexicon):
            enough = len(set(content_terms(rest))) >= _ENOUGH_TERMS
            return rest if enough and _stands_alone(rest, lexicon) else ""
    return ""


def _sentence_pointing(text: str, lexicon: Lexicon) -> str:
    """Return what is asked in one of several sentences of the thing that it names first.

    "A friend told me of it. ISO 13482 - what is it about?"
    """
    sentences = [one.strip() for one in _split(text)]
    asked = ((one, _reword(one, lexicon.framing, opened=False)) for one in sentences)
    found = (said for one, said in asked if said != one and _stands_alone(said, lexicon))
    return next(found, "") if len(sentences) > 1 else ""


def _asks(part: str, lexicon: Lexicon) -> bool:
    rules, said = lexicon.framing, _spoken(part)
    # "Until when", "von wem": what asks takes its preposition along.
    first = said[1:2] if not rules.before_asking.isdisjoint(said[:1]) else said[:1]
    return (
        part.rstrip()[-1:] in _QUESTION_MARKS
        or not rules.asks.isdisjoint(first)
        or lexicon.types.yes_no.match(part.strip(_AROUND)) is not None
        or lexicon.framing.asking.search(part) is not None
    )


def _bids(part: str, lexicon: Lexicon) -> bool:
    """Whether a sentence bids one do something: "List the masts", not "the list price"."""
    return part[:1].isupper() and not lexicon.framing.bids.isdisjoint(_spoken(part)[:1])


def _stands_alone(question: str, lexicon: Lexicon) -> bool:
    """Whether `question` names what it asks about, and points at nothing that was told before."""
    if lexicon.follow_ups.pointer.search(question) or lexicon.follow_ups.opening.match(question):
        return False
    thing = name_definiendum(question.strip(), lexicon)
    return bool(content_terms(thing)) or len(set(content_terms(question))) >= _ENOUGH_TERMS


def _spoken(part: str) -> list[str]:
    return words(part.replace("’", "'"))


def _may_frame(said: Sequence[str], lexicon: Lexicon) -> bool:
    return all(_is_frame(word, lexicon) for word in said)


def _is_frame(word: str, lexicon: Lexicon) -> bool:
    """Whether `word` may stand around a question; of "don't" and "j'aimerais" each part may."""
    if word in lexicon.framing.said or word in lexicon.stop_words:
        return True
    before, _, behind = word.partition("'")
    if behind in _SHORT_ENDS:
        return any(_is_frame(one, lexicon) for one in {before, before.removesuffix("n")} - {""})
    return bool(before and behind) and all(_is_frame(one, lexicon) for one in (before, behind))


def _without_frame(text: str, lexicon: Lexicon) -> str:
    rules = lexicon.framing
    text = rules.inserted.sub(" ", text[_opening_of(text, lexicon) :], count=1)
    opened = rules.opening.match(text)
    text = text[opened.end() :] if opened else text
    closed = rules.closing.search(text)
    if closed:
        mark = next((mark for mark in closed[0] if mark in _QUESTION_MARKS), "")
        text = text[: closed.start()] + mark
    return text.strip()


def _opening_of(text: str, lexicon: Lexicon) -> int:
    """Return where the question begins behind the words that open it; 0 where none do.

    They end before a word that asks ("how", "whether") or bids ("explain"), or at a comma, a colon or
    a dash.
    """
    rules, said, before = lexicon.framing, list[str](), 0
    # What is told before a question asks nothing: "Now I know what Debian is. What is Linux?"
    sentence = next(_split(text), "").rstrip()
    may_ask = sentence == text.rstrip() or sentence[-1:] in _QUESTION_MARKS
    for found in _WORD.finditer(text):
        word = found[0].lower().replace("’", "'")
        asks, bids = word in rules.asks, word in rules.bids
        if bids and not rules.addressed.isdisjoint(said) and _may_frame(said, lexicon):
            return found.start()
        if asks and may_ask and _opens(said, lexicon):
            # "De quoi", "von wem": what asks takes its preposition along.
            return before if said[-1] in rules.before_asking else found.start()
        if asks or bids or len(said) == _OPENING_WORDS:
            break
        said.append(word)
        before = found.start()
        parted = _PARTED.match(text, found.end())
        if parted and parted.end() < len(text) and _opens(said, lexicon):
            return parted.end()
    return 0


def _reword(text: str, rules: Framing, *, opened: bool) -> str:
    """Ask plainly what is asked in the order of a subordinate clause, or of a thing named before."""
    forms = (*rules.indirect, *rules.pointed_at) if opened else rules.pointed_at
    for form in forms:
        found = form.pattern.match(text)
        if found and rules.asks.isdisjoint(words(found.groupdict().get("thing", ""))):
            return _capitalise(form.into.format_map(found.groupdict()))
    if not opened:
        return text
    asks = not rules.asks.isdisjoint(_spoken(text)[:1])
    marked = text if not asks or text[-1:] in _QUESTION_MARKS else f"{text.rstrip(_AROUND)}?"
    return _capitalise(marked)


def _capitalise(text: str) -> str:
    """Write the first word large, if it is no word of code."""
    first = text.split(maxsplit=1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
