"""Make the question that a title or a sentence of a book answers, in the book's language.

A question is made only where its grammar is sure: from the form of the title, and from the articles and
capitals that the book's own text gives its words. Where it isn't, there is none: "".
"""

import re
from collections import Counter
from itertools import chain, pairwise

from libs.language.entries import OFF, alternatives
from libs.language.lexicon import Lexicon
from libs.text import QUESTION_MARKS, words

_NUMBER = re.compile(r"v?\d+")
_VERSION = re.compile(r"v?\d[\d.]*", re.IGNORECASE)
_NUMBERED = re.compile(r"v?\d+(?:\.\d+)+\w*|v?\d+", re.IGNORECASE)
_OWNED = re.compile(r"['’]s$")
_AROUND = '"“”„«»‘()[],;:'
_LABEL = re.compile(
    r"(?:[A-Z]\s?\d{1,3}(?:\.\d{1,3})*\s?[.:)–—-]|[A-Z]\s?[.:)–—-]|\d{1,3}(?:\.\d{1,3})*[:)])\s+(?=\w)"
)
"""What names a question among others: "Q 2.4:", "C-", "8)"."""
_IS_WORD = re.compile(r"\w").match
_LONGEST_BEFORE = 80
"""Characters of a verb of telling and an article, at most."""

_LONGEST_WORDS = 9
_LONGEST_ASKED = 14
_LEAST_ASKED = 4
"""Words of a question behind a colon that says what is asked."""


class QuestionWriter:
    """Asks what the titles and sentences of one text answer.

    `text` is what the book says around them, without titles: it tells names from other words.
    """

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self._text = text
        self._rules = lexicon.phrasing
        self._ask = self._rules.ask
        self._titled = lexicon.about_book.titled
        self._speaks_of_before = lexicon.about_book.leaning
        self._stop_words = lexicon.stop_words
        self._nouns_have_capitals = lexicon.names.capital is OFF
        self._defines = lexicon.values.definition
        self._articles = self._rules.definite | self._rules.indefinite
        self._small_in_titles = self._stop_words | self._rules.conjunctions | self._articles
        self._orders = {gerund: verb for verb, gerund in self._rules.verbs.items()}
        self._orders |= {verb: verb for verb in self._rules.verbs}
        telling, articles = map(alternatives, (self._rules.telling, self._articles))
        self._told_before = re.compile(rf"\b(?:{telling}) (?:(?:{articles}) )?\Z", re.IGNORECASE)
        self._told_behind = re.compile(rf" (?:{telling})\b", re.IGNORECASE)

    def asks_of(self, path: tuple[str, ...]) -> bool:
        """Whether readers ask anything of what stands below these titles: not of a licence."""
        return not any(self._lists_places(self._strip(title).lower()) for title in path)

    def ask_of_sentence(self, sentence: str) -> str:
        """Return what a sentence answers that defines, gives a reason, a way, or a difference."""
        return self._contract(self._ask_of_sentence(sentence))

    def _ask_of_sentence(self, sentence: str) -> str:
        rules = self._rules
        if found := rules.difference.search(sentence):
            return self._ask_difference(found["one"], found["other"])
        if found := rules.caused.match(sentence):
            return self._ask_why(found)
        if (found := rules.purpose.match(sentence)) and self._is_done(found["verb"]):
            alone = self._stands_alone(found["rest"])
            action = f"{found['verb']} {found['rest']}"
            return self._ask.how_to.format(action=action) if alone else ""
        found = rules.defined.match(sentence)
        return self._ask_of_defined(found["what"]) if found and self._is_thing(found) else ""

    def _ask_of_defined(self, named: str) -> str:
        what = self._small(named)
        if not self._is_plural(what) and not self._has_article(what) and not self._is_mass(what):
            # Only a name has neither: "String is a type", but not "Calcium is an element".
            what = what if self._is_bare_word(what) else named
            if what.split()[-1].islower() and " " in what:
                return ""  # no name either: "Similarly important is the …"
        # "The house is an old mill" tells of the one that was spoken of, and of no other house.
        if self._is_known(what) or self._is_person(what):
            return ""
        form = self._ask.what_are if self._is_plural(what) else self._ask.what_is
        return form.format(name=what)

    def ask_of_title(self, path: tuple[str, ...], *, lists: bool) -> str:
        """Return what stands under the last title of `path` that says something.

        `lists` says that a list or a table stands there.
        """
        return self._contract(self._ask_of_title(path, lists=lists))

    def _contract(self, question: str) -> str:
        for apart, together in self._rules.contracted.items():
            question = question.replace(f" {apart} ", f" {together}")
        # A clause that goes on: "To show the codepage and, if it is set, …".
        goes_on = words(question)[-1:] == [self._rules.conjunction]
        return "" if goes_on else question

    def _ask_of_title(self, path: tuple[str, ...], *, lists: bool) -> str:
        for depth, title in reversed(list(enumerate(path))):
            if title.endswith(QUESTION_MARKS):
                return self._take_question(title)
            plain = self._strip(title)
            if not self._says_something(plain) or len(plain.split()) > _LONGEST_WORDS:
                continue
            plain = self._in_small(plain)
            if not plain or self._lists_places(plain):
                return ""
            if of := self._rules.aspects.fullmatch(plain):
                over = self._in_small(self._strip(path[depth - 1])) if depth else ""
                above = self._name(over) if over else ""
                aspects = of["name"].lower()
                return self._ask.aspects.format(aspects=aspects, name=above) if above else ""
            return self._ask_of(plain, lists=lists)
        return ""

    def _take_question(self, title: str) -> str:
        """Return a title that asks already, without its number; "" when it leans on the one before."""
        numbering = self._rules.numbering.match(title)
        asked = self._in_small(title[numbering.end() :] if numbering else title)
        asked = _LABEL.sub("", asked, count=1) if _LABEL.match(asked) else asked
        first, *rest = words(asked) or [""]
        leans = first in self._rules.leading or self._leans([first, *rest])
        several = re.search(r"[.?!] ", asked) is not None
        # "Contents of a file: How do I?" asks how to do nothing.
        named, _, behind = asked.rpartition(":")
        leans = leans or (bool(named) and len(words(behind)) < _LEAST_ASKED)
        # "…report a bug?" goes on from the title above.
        leans = leans or title.startswith(("…", "..."))
        return "" if leans or several or len(asked.split()) > _LONGEST_ASKED else asked

    def _says_something(self, title: str) -> bool:
        """Whether a word is left that is neither plain nor a number or a version alone: "v0.1"."""
        return any(
            _NUMBER.fullmatch(word) is None for word in set(words(title)) - self._rules.plain
        )

    def _leans(self, said: list[str]) -> bool:
        return not self._rules.leaning.isdisjoint(said)

    def _is_done(self, verb: str) -> bool:
        """Whether the reader may want to do it, and not the writer."""
        return verb not in self._rules.reporting | self._stop_words

    def _is_thing(self, defined: "re.Match[str]") -> bool:
        """Whether a sentence defines the thing that it begins with, and not what came before."""
        named = words(defined["thing"])
        begun = named and named[0] in self._stop_words | self._rules.conjunctions
        # "A pump is a simple example of such a machine" says of no machine what that is.
        if begun or self._speaks_of_before.search(defined.string):
            return False
        return self._says_something(defined["thing"]) and self._stands_alone(defined["what"])

    def _lists_places(self, title: str) -> bool:
        return not self._rules.places.isdisjoint(words(self._head(title))[-1:])

    def _strip(self, title: str) -> str:
        """Return `title` without its number and what explains it: "ROS 2: the nervous system"."""
        while numbering := self._rules.numbering.match(title):
            title = title[numbering.end() :]
        head = self._rules.explained.split(title)[0]
        plain = (head if self._says_something(head) else title).strip(" .:!")
        subject = self._rules.introducing.sub("", re.sub(r"\s*\([^)]*\)$", "", plain))
        return subject.replace(" & ", self._and)

    def _in_small(self, title: str) -> str:
        """Return a title of capitals in the letters of the text, "" where that lacks a word of it."""
        if title != title.upper() or title == title.lower():
            return title
        written = [self._as_written(word) for word in re.findall(r"[\w'’]+|[^\w'’]+", title)]
        small = "".join(written) if all(written) else ""
        return small[:1].upper() + small[1:]

    def _as_written(self, word: str) -> str:
        """Return a word of capitals as the text mostly has it; one of no letters as it is."""
        small = word.lower()
        asks = self._rules.question_word.fullmatch(small)
        if small == word or asks or small in self._stop_words or small in self._orders:
            return small
        found = Counter(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", self._text, re.IGNORECASE))
        return max(found, key=lambda form: (found[form], form == small), default="")

    @property
    def _and(self) -> str:
        return f" {self._rules.conjunction} "

    def _ask_of(self, title: str, *, lists: bool) -> str:
        rules = self._rules
        if rules.question_word.match(title):
            return self._complete(title)
        if (found := rules.ordered.fullmatch(title)) and self._stands_alone(title):
            return self._ask.how_to.format(action=self._small(found["action"]))
        order = self._ask_how(title)
        if order or not self._stands_alone(title):
            return order
        if found := rules.difference.match(title) or rules.versus.fullmatch(title):
            return self._ask_difference(self._small(found["one"]), self._small(found["other"]))
        if found := rules.statement.fullmatch(title):
            return self._ask_why(found)
        return self._ask_what(title, lists=lists)

    def _complete(self, title: str) -> str:
        """Return the question that a title has half said: "How to bleed a line", "How lines leak"."""
        if self._leans(words(title)):
            return ""
        if to_do := self._rules.to_do.match(title):
            rest = f"{(to_do['negated'] or '').lower()}{self._small(title[to_do.end() :])}"
            way = to_do["asks"].lower() in self._rules.ways
            if " " not in rest.strip() or self._speaks_to_reader(rest):
                return ""  # "How to apply" asks for what stands around it
            template = self._ask.how_to if way else self._ask.should
            return self._mine(template.format(asks=to_do["asks"].capitalize(), action=rest))
        if self._rules.asked.fullmatch(title):
            return self._ask.asked.format(title=title)
        plural = self._rules.how_plural.fullmatch(title)
        return self._ask.how_do.format(rest=self._small(plural["rest"])) if plural else ""

    def _ask_how(self, title: str) -> str:
        """Return "How do I install it?" for "Install it" and "Installing it"."""
        first, _, rest = title.partition(" ")
        verb = self._orders.get(first.lower(), "")
        if not rest or not verb:
            return ""
        if " " not in rest:
            rest = self._name(rest)  # "debugging workflow" is a workflow
        if verb != first.lower() and any(map(self._rules.gerund.match, rest.split(self._and)[1:])):
            return ""  # "solving problems and finding help" orders two things
        pointers = self._rules.pointers - self._rules.in_orders
        if not rest:
            return ""
        joined = rest.partition(" ")[0] in self._rules.joined
        if joined or not pointers.isdisjoint(words(rest)):
            return ""
        return self._mine(self._ask.how_to.format(action=f"{verb} {self._small(rest)}"))

    def _mine(self, question: str) -> str:
        return self._rules.yours.sub(self._rules.mine, question)

    def _speaks_to_reader(self, action: str) -> bool:
        """Whether a pronoun would stay that the reader does not say of themselves: "with you"."""
        left = set(words(self._rules.yours.sub("", action)))
        return not left.isdisjoint(self._rules.addressed)

    def _ask_difference(self, one: str, other: str) -> str:
        alone = self._stands_alone(one) and self._stands_alone(other)
        return self._ask.difference.format(one=one, other=other) if alone else ""

    def _ask_why(self, found: "re.Match[str]") -> str:
        rules = self._rules
        rest = words(found["rest"])
        leans = not ((rules.pointers - rules.negations) | rules.going_on).isdisjoint(rest)
        if not self._stands_alone(found["what"]) or leans or rest[0] in self._articles:
            return ""
        what = self._small(found["what"])
        return self._ask.why.format(verb=found["verb"], what=what, rest=found["rest"])

    def _ask_what(self, title: str, *, lists: bool) -> str:
        if both := self._rules.both.fullmatch(title):
            one, other = self._name(both["one"]), self._name(both["other"])
            gerunds = self._rules.gerund.match(title)
            return self._ask_both(title, one, other) if one and other and not gerunds else ""
        named = self._name(title)
        leans = words(title)[:1] and words(title)[0] in self._stop_words - self._articles
        if not named or leans or not self._is_thing_titled(title, named):
            return ""
        if not self._is_plural(named):
            return self._ask.what_is.format(name=named) if self._is_explained(named) else ""
        bare = named.partition(" ")[0] not in self._rules.definite
        if lists and bare and " " in named and self._and not in named:
            return self._ask.which_are.format(name=named)
        if not self._is_explained(named):
            return ""
        the = bare and self._rules.qualified.search(named)
        return (self._ask.what_are_the if the else self._ask.what_are).format(name=named)

    def _is_explained(self, named: str) -> bool:
        """Whether a sentence of the text says what it is, if it is a mere word: "invoking".

        That the text speaks of it is no reason to ask what it is.
        """
        is_plural = self._is_plural(named)
        if not self._is_word(named) or (is_plural and self._defines is OFF):
            return True
        lines, wanted = self._text.split("\n"), self._bare(named)
        if is_plural:
            return any(self._tells_of_all(wanted, line) for line in lines)
        defined = filter(None, map(self._rules.defined.match, lines))
        told = (one["what"] for one in defined)
        return any(self._bare(one) == wanted and not self._is_known(one) for one in told)

    def _tells_of_all(self, named: str, line: str) -> bool:
        """Whether a sentence begins with things of this name, and says what they are."""
        articles = alternatives(self._articles)
        begun = re.match(rf"(?:(?:{articles}) )?{re.escape(named)} (?=\w)", line, re.IGNORECASE)
        if begun is None or (self._rules.definite_is_known and self._has_article(begun[0].lower())):
            return False
        return self._defines.match(line[begun.end() :]) is not None

    def _is_known(self, name: str) -> bool:
        """Whether it is one that was spoken of, "the house", and no other of that name."""
        first = name.partition(" ")[0].lower()
        known = self._rules.definite_is_known and first in self._rules.definite
        return known and self._is_word(name)

    def _is_word(self, name: str) -> bool:
        """Whether it is one word in small letters, or with a capital where all nouns have one."""
        bare = self._bare(name)
        is_name = bare not in name and not self._nouns_have_capitals
        return bare.isalpha() and not is_name

    def _bare(self, name: str) -> str:
        """Return a name in small letters without its article."""
        first, _, rest = name.lower().partition(" ")
        return rest if rest and first in self._articles else name.lower()

    def _is_thing_titled(self, title: str, named: str) -> bool:
        """Whether a title names a thing that may be asked for, `named` as in a sentence."""
        if self._and in title and not (self._is_plural(named) and self._says(title)):
            return False  # two headings in one
        gerund = self._rules.gerund.match(title) is not None
        if gerund and (self._is_plural(title) or (" " in title and not self._has_article(named))):
            return False  # "running Massif" is done and no thing, unlike "a sliding window"
        before, _, last = title.rpartition(" ")
        if before.lower() in self._rules.versions and _NUMBERED.fullmatch(last):
            return False
        if self._rules.of_a_time.match(title) and self._is_plural(named):
            return False
        if self._is_text(title):
            return False
        # "Simple example" is one of something that the title does not name.
        is_empty = self._head(title).split()[-1].lower() in self._rules.plain
        is_phrase = self._rules.noun_phrase.fullmatch(title) is not None
        return is_phrase and not (is_empty or self._is_book(title) or self._is_person(named))

    def _is_text(self, title: str) -> bool:
        """Whether a title calls what stands below it a text about something, "Thoughts on oil"."""
        head = self._head(title)
        return head != title and head.split()[-1].lower() in self._rules.texts

    def _says(self, phrase: str) -> bool:
        return (
            re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", self._text, re.IGNORECASE) is not None
        )

    def _ask_both(self, title: str, one: str, other: str) -> str:
        """Return what tells the two apart or, where the text speaks of both together, what they are."""
        if one.rsplit(maxsplit=1)[-1] == other.rsplit(maxsplit=1)[-1]:
            return self._ask_difference(one, other)
        # "A sound and hearing" are no two things of one kind: the title names what it tells of.
        are_alike = self._is_alike(one, other)
        return (
            self._ask.both.format(one=one, other=other) if are_alike and self._says(title) else ""
        )

    def _is_alike(self, one: str, other: str) -> bool:
        """Whether both have an indefinite article, or neither."""
        begins = [name.partition(" ")[0] in self._rules.indefinite for name in (one, other)]
        return begins[0] == begins[1]

    def _name(self, title: str) -> str:
        """Return `title` as it stands inside a sentence, "" where its article is not known."""
        name = self._small(title)
        if self._is_plural(name) or self._has_article(name):
            return name
        before = self._articles_before(name)
        if before:
            article = before.most_common(1)[0][0]
            # "The loop" is one that was spoken of, and a word alone may have lost its "this" or "our".
            sure = " " in name or article in self._rules.indefinite or name != name.lower()
            return f"{article} {name}".strip() if sure or self._is_mass(name) else ""
        last = self._head(name).split()[-1]
        written = last != last.lower() or self._rules.name.match(last)
        return name if written or self._is_mass(last) else ""

    def _articles_before(self, name: str) -> Counter[str]:
        """Return the articles that the text has before a name, with "" where it has none.

        "The CB-180 band saw" tells nothing of them where "the band saw" does: its article stands before
        another word. Nor does "a hydraulic pump" of what is called a hydraulic.
        """
        around = [
            found[1].lower()
            for found in re.finditer(
                rf"([\w'’-]+)[,;:]? {re.escape(name)}\b(?: ([\w'’-]+))?", self._text, re.IGNORECASE
            )
            if " " in name or not found[2] or found[2].lower() in self._stop_words
        ]
        own = Counter(first for first in around if first in self._articles)
        others = [first for first in around if first not in self._articles]
        bare = sum(first in self._stop_words for first in others)
        return own if own and bare <= own.total() else Counter({"": len(others)} if others else {})

    def _is_bare_word(self, word: str) -> bool:
        """Whether it is one word that the text has in small letters, and mostly without an article."""
        if not re.search(rf"(?<![\w-]){re.escape(word.lower())}(?![\w-])", self._text):
            return False
        before = self._articles_before(word.lower()).most_common(1)
        return " " not in word and before[:1] != [] and before[0][0] == ""

    def _is_mass(self, name: str) -> bool:
        return self._rules.uncounted.match(name.rsplit(maxsplit=1)[-1]) is not None

    def _is_person(self, name: str) -> bool:
        """Whether the text tells what somebody of this name said or did: it defines no person."""
        first, _, rest = name.partition(" ")
        bare = rest if rest and first.lower() in self._articles else name
        named = re.finditer(rf"(?={re.escape(bare)})", self._text, re.IGNORECASE)
        return any(self._is_told_of(one.start(), one.start() + len(bare)) for one in named)

    def _is_told_of(self, start: int, end: int) -> bool:
        """Whether a verb of telling stands right before a name in the text, or behind it."""
        text = self._text
        is_begun = start == 0 or not _IS_WORD(text[start - 1])
        if is_begun and self._told_behind.match(text, end):
            return True
        is_ended = _IS_WORD(text[end : end + 1]) is None
        before = self._told_before.search(text, max(0, start - _LONGEST_BEFORE), start)
        return is_ended and before is not None

    def _is_book(self, title: str) -> bool:
        """Whether a title ends with what a book is called, and its version: "Manual V1.0"."""
        named = [word for word in title.split() if not _VERSION.fullmatch(word)]
        return bool(named) and self._titled.fullmatch(named[-1]) is not None

    def _has_article(self, name: str) -> bool:
        first, _, rest = name.partition(" ")
        elided = self._rules.elided.match(name) is not None
        return elided or (bool(rest) and first.lower() in self._articles)

    def _head(self, name: str) -> str:
        """Return "degrees" of "degrees of autonomy"."""
        return self._rules.head_ends.split(name)[0].strip() or name

    def _is_plural(self, name: str) -> bool:
        if name.partition(" ")[0].lower() in self._rules.plural_articles:
            return True
        last = self._head(name).split()[-1]
        return self._rules.plural.fullmatch(last) is not None and not self._is_mass(last)

    def _stands_alone(self, text: str) -> bool:
        return bool(text) and self._rules.pointers.isdisjoint(words(text))

    def _small(self, title: str) -> str:
        """Return `title` in small letters, but for names, which have capitals in sentences.

        In a title that writes plain words small, at least as many as others, what has a capital is
        a name, but for its first word.
        """
        parts = list(re.finditer(r"[^\s-]+", title))
        plain = sum(self._is_plain(part[0]) for part in parts if title[part.start() - 1] != "-")
        others = sum(part[0] != part[0].lower() for part in parts[1:])
        is_sentence = plain >= max(1, others)
        kept = {
            at
            for at, part in enumerate(parts)
            if self._is_name(part[0]) or (is_sentence and at > 0)
        }
        for at, (one, other) in enumerate(pairwise(parts)):
            if self._is_named_together(title[one.start() : other.end()]):
                kept |= {at, at + 1}
        small = (part[0] if at in kept else part[0].lower() for at, part in enumerate(parts))
        between = re.split(r"[^\s-]+", title)
        return "".join(chain.from_iterable(zip(between, (*small, ""), strict=True)))

    def _is_plain(self, word: str) -> bool:
        """Whether a word of a title in small letters says something: no "of" or "with"."""
        return word == word.lower() and word.isalpha() and word not in self._small_in_titles

    def _is_named_together(self, pair: str) -> bool:
        """Whether the text writes two words beside each other with capitals: "Fernhill Pottery"."""
        one, *_, other = pair.split() if " " in pair else ("", "")
        if not (one.istitle() and other.istitle()) or one.lower() in self._small_in_titles:
            return False
        return re.search(rf"(?<!\w){re.escape(pair)}(?!\w)", self._text) is not None

    def _is_name(self, word: str) -> bool:
        word = _OWNED.sub("", word.strip(_AROUND))
        if self._rules.name.match(word) or word == word.lower():
            return True
        plain = re.escape(word)
        small = len(re.findall(rf"\b{plain.lower()}\b", self._text))
        return len(re.findall(rf"[\w,;][ -]{plain}(?!\w)", self._text)) > small
