"""Split a question that compares, or asks two things, into one question for each.

What two things have in common stands in two places of a book, and one search finds the nearer one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from libs.language.lexicon import Lexicon
from libs.question.definiendum import name_definiendum
from libs.text import content_terms

MOST_SUB_QUESTIONS = 3
_LONGEST_QUESTION = 250
"""Characters beyond which a question holds a text or a listing, whose words join other things."""

_LEAST_TERMS = 2
"""Content terms that a clause needs to be searched for alone."""

_TELLING = 2
"""Characters of a term that stands for something alone."""

_LONGEST_NAME = 4
"""Words of a thing that is compared."""

_WORD = re.compile(r"[^\s,;:?()\"“”]+|[,;:?()\"“”]")


@dataclass(frozen=True)
class SubQuestion:
    """One of the things that a question is about, and what it asks of that alone."""

    question: str
    name: str
    """The thing, or the clause where the sub-question is one of its own."""

    plain: bool = False
    """Whether nothing is asked of it but what it is, as in "Compare A and B"."""

    attribute: str = ""
    """In what the thing is compared; "" when the question does not say."""

    definiendum: str = ""
    """What is to be explained; "" when the sub-question asks otherwise."""


def own_terms(named: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return, of the terms of each sub-question's name, those that are no other's."""
    shared = frozenset.intersection(*named)
    found = [terms - shared for terms in named]
    # The "1" of "ROS 1" tells nothing apart alone.
    return [
        own if any(len(term) >= _TELLING for term in own) else terms
        for own, terms in zip(found, named, strict=True)
    ]


def decompose_question(question: str, lexicon: Lexicon) -> tuple[SubQuestion, ...]:
    """Return up to three sub-questions; () when `question` asks for one thing."""
    if len(question) > _LONGEST_QUESTION:
        return ()
    return _Decomposition(question, lexicon).sub_questions()


class _Decomposition:
    """A question's words, and where the names of things stand among them."""

    def __init__(self, question: str, lexicon: Lexicon) -> None:
        self._question = question
        self._lexicon = lexicon
        self._rules = lexicon.sub_questions
        self._comparison = lexicon.types.comparison
        self._function = lexicon.stop_words | self._rules.function
        self._words = list(_WORD.finditer(question))
        self._texts = [word.group().lower() for word in self._words]

    def sub_questions(self) -> tuple[SubQuestion, ...]:
        clauses = self._clauses()
        if clauses or not (self._compares() or self._offers()):
            return clauses
        for joints in (self._rules.opposed, self._rules.related, self._rules.joined):
            for at, text in enumerate(self._texts):
                related = joints is self._rules.related
                if text in joints and (not related or self._relates(at)):
                    names = self._names_around(at)
                    if len(names) > 1:
                        return self._each(names)
        return ()

    def _compares(self) -> bool:
        patterns = (self._comparison, self._rules.relates)
        return any(pattern.search(self._question) for pattern in patterns)

    def _offers(self) -> bool:
        """Whether the words are but two names: "Springs or dampers?"."""
        joints = [at for at, text in enumerate(self._texts) if text in self._rules.offering]
        at = joints[0] if len(joints) == 1 else 0
        before, after = self._name_before(at), self._name_after(at)
        rest = {*range(len(self._texts))} - {*before, *after, at}
        return bool(before) and bool(after) and all(self._texts[place] in "?.!" for place in rest)

    def _clauses(self) -> tuple[SubQuestion, ...]:
        """Return the clauses when each of them can be searched for alone."""
        first, *others = self._rules.clause.split(self._question)
        thing = name_definiendum(first, self._lexicon) if others else ""
        named = [self._naming(thing, part) if thing else part for part in others]
        alone = all(
            len(set(content_terms(part))) >= _LEAST_TERMS and not self._rules.leans.search(part)
            for part in (*named, *([] if thing else [first]))
        )
        if not alone or not others:
            return ()
        found = [
            SubQuestion(part if part != own or self._says_what(part) else f"{part} {first}", part)
            for part, own in zip(named, others, strict=True)
        ]
        return (SubQuestion(first, first), *found)[:MOST_SUB_QUESTIONS]

    def _naming(self, thing: str, clause: str) -> str:
        """Return a clause with the thing that the first one wants explained for its "it"."""

        def name(found: re.Match[str]) -> str:
            return f"{thing}'s" if found["own"] else thing

        return self._rules.pronoun.sub(name, clause, count=1)

    def _says_what(self, clause: str) -> bool:
        """Whether a clause asks something of its own: "how does B?" asks what was asked of A."""
        shortened = self._rules.shortened.match(clause) is not None
        return not shortened or len(set(content_terms(clause))) > _LEAST_TERMS

    def _is_verb(self, place: int) -> bool:
        return self._rules.verb.fullmatch(self._texts[place]) is not None

    def _relates(self, at: int) -> bool:
        """Whether the word joins what is compared: "A von B", but not "das Gewicht von A und B"."""
        behind = self._name_after(at).stop
        joins = behind < len(self._texts) and self._texts[behind] in self._rules.joined
        return self._is_verbs(at) and not (joins and self._texts[at] in self._rules.of)

    def _is_verbs(self, at: int) -> bool:
        """Whether the word belongs to a verb that compares: "differ from B", "compare A with B"."""
        if at > 0 and self._is_verb(at - 1):
            return True
        before = self._before_name(self._name_before(at).start)
        return before >= 0 and self._rules.comparing_verb.fullmatch(self._texts[before]) is not None

    def _names_around(self, at: int) -> list[range]:
        """Return the places of the names that the word at `at` joins; [] when there are not two."""
        names = [self._name_before(at), self._name_after(at)]
        if not all(names):
            return []
        while len(names) < MOST_SUB_QUESTIONS and (name := self._next_name(at, names)):
            names = sorted([*names, name], key=lambda one: one.start)
        return names

    def _next_name(self, at: int, names: list[range]) -> range:
        """Return the place of one more name: "A, B and C", "A versus B versus C"; empty if none is."""
        texts, rules = self._texts, self._rules
        if texts[at] in rules.opposed:
            end = names[-1].stop
            again = end < len(texts) and texts[end] in rules.opposed
            return self._name_after(end) if again else range(0)
        before = self._before_name(names[0].start)
        if texts[at] not in rules.joined or before < 0 or texts[before] != ",":
            return range(0)
        name = self._name_before(before)
        # "What is better for A, B or C?" names two.
        return range(0) if name and texts[name.start - 1] in rules.towards else name

    def _before_name(self, start: int) -> int:
        at = start - 1
        while at >= 0 and self._texts[at] in self._function:
            at -= 1
        return at

    def _is_of_name(self, place: int) -> bool:
        text = self._texts[place]
        inner = any(map(str.isalnum, text)) and text not in self._function
        return inner and text not in self._rules.opposed and not self._is_verb(place)

    def _name_before(self, at: int) -> range:
        end = at
        while end > 0 and self._is_passed(end - 1, at):
            end -= 1
        start = end
        while start > 0 and end - start < _LONGEST_NAME and self._is_of_name(start - 1):
            start -= 1
            if self._is_inner(start - 1):
                start -= 1
        return range(start, end)

    def _is_passed(self, place: int, at: int) -> bool:
        """Whether the word belongs to the joining one and not to the name before it."""
        text = self._texts[place]
        opposed, beside = self._texts[at] in self._rules.opposed, self._texts[at - 1]
        if opposed and beside in self._rules.particles and place in (at - 2, at - 1):
            return True
        compares = self._texts[at] in self._rules.than and place == at - 1
        if compares and self._rules.comparative.fullmatch(text):
            return True
        return text == "," or self._is_verb(place)

    def _name_after(self, at: int) -> range:
        start = at + 1
        while start < len(self._texts) and self._texts[start] in self._rules.before_names:
            start += 1
        end = start
        while end < len(self._texts) and end - start < _LONGEST_NAME and self._is_of_name(end):
            end += 1
            if self._is_inner(end):
                end += 1
        return range(start, end)

    def _is_inner(self, place: int) -> bool:
        """Whether the word stands inside of a name, between what it calls and what that is of."""
        if not 0 < place < len(self._texts) - 1 or self._texts[place] not in self._rules.inner:
            return False
        beside = (place - 1, place + 1)
        asks = any(self._texts[one] in self._rules.bare for one in beside)
        return not asks and all(map(self._is_of_name, beside))

    def _each(self, names: list[range]) -> tuple[SubQuestion, ...]:
        """Return a sub-question for each of the names, which stands in the place of all of them."""
        start = names[0].start - bool(self._article(names[0]))
        before = self._question[: self._words[start].start()]
        after = self._question[self._words[names[-1].stop - 1].end() :]
        texts = self._name_things(names)
        between = [word.group() for word in self._words[names[0].stop : names[-1].start]]
        more = [word for word in between if self._rules.comparative.fullmatch(word)]
        more = [] if self._rules.than.isdisjoint(between) else more
        bare = frozenset(content_terms(" ".join(self._rules.bare)))
        if not more and {*content_terms(f"{before} {after}")} <= bare:
            articles = [self._article(name) for name in names]
            return tuple(
                SubQuestion(self._what_is(name, article), name, plain=True)
                for name, article in zip(texts, articles, strict=True)
            )
        only_compares = not more and {*content_terms(before)} <= bare
        found = self._rules.attribute.fullmatch(after) if only_compares else None
        if found is not None:
            attribute = found["attribute"].strip()
            asks = self._rules.what_of
            return tuple(
                SubQuestion(asks.format(attribute=attribute, name=name), name, attribute=attribute)
                for name in texts
            )
        offered = not self._rules.offering.isdisjoint(word.lower() for word in between)
        if offered and before.rstrip().endswith(","):
            return self._each_choice(before, texts)
        return tuple(
            SubQuestion(self._ask_of_one(before, place, " ".join((text, *more)), after), text)
            for place, text in zip(names, texts, strict=True)
        )

    def _each_choice(self, before: str, texts: list[str]) -> tuple[SubQuestion, ...]:
        """Return for "What is better for racing, A or B?" whether each is; () for other choices."""
        found = self._rules.choice.fullmatch(before)
        if found is None:
            return ()
        return tuple(
            SubQuestion(
                (self._rules.are if self._is_plural(text) else self._rules.is_).format(
                    name=text, quality=found["quality"]
                ),
                text,
            )
            for text in texts
        )

    def _ask_of_one(self, before: str, name: range, text: str, after: str) -> str:
        """Return the question with one name in the place of several, its verb in their number."""
        rules = self._rules
        *said, last = before.split() or [""]
        if said and last.lower() in rules.distributive:
            *said, last = said
        # Only where no word of the name may be its plural noun: "Do the filmmakers A and B".
        if not any(map(self._is_plural, text.split())):
            single = rules.singular.get(last.lower(), last)
            last = single.capitalize() if last.istitle() else single
        first, _, rest = after.strip().partition(" ")
        # "each ask for?" asks of one thing what was asked of each.
        after = f" {rest}" if first.lower() in rules.distributive else after
        article = self._article(name)
        return " ".join(filter(None, (*said, last, article, text))) + after

    def _is_plural(self, name: str) -> bool:
        return self._rules.plural.search(name.rsplit(maxsplit=1)[-1]) is not None

    def _name_things(self, names: list[range]) -> list[str]:
        """Return the names, the first with the noun that it shares with the last.

        That is so in "hierarchical and decentralised control", but not in "lidar and depth cameras".
        """
        words = self._words
        texts = [
            self._question[words[name.start].start() : words[name.stop - 1].end()] for name in names
        ]
        texts[-1] = texts[-1].rstrip(".!")
        articles = [self._article(name) for name in names]
        apart = names[-1].start - names[-2].stop - bool(articles[-1])
        if len(names[0]) > 1 or len(names[-1]) == 1 or apart != 1:
            return texts
        if self._rules.quality.search(texts[0]):
            texts[0] += f" {texts[-1].split()[-1]}"
            if all(article.lower() in self._rules.definite for article in articles):
                # "the French and the American revolutions": one each
                texts = [self._rules.plural.sub("", text) for text in texts]
        return texts

    def _article(self, name: range) -> str:
        before = self._words[name.start - 1].group() if name.start else ""
        return before if before.lower() in self._rules.articles else ""

    def _what_is(self, name: str, article: str) -> str:
        if self._is_plural(name):
            return self._rules.what_are.format(name=name)
        return self._rules.what_is.format(name=f"{article} {name}".strip())
