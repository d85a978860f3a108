"""A title or a sentence of a book in; the question that what stands there answers out, in English.

A question is made only where its grammar is sure: from the form of the title, and from the articles and
capitals that the book's own text gives its words. Where it isn't, there is none: "".
"""

import re
from collections import Counter

from libs.text import STOP_WORDS, words

_LONGEST_WORDS = 9
_LONGEST_ASKED = 14
_NUMBERING = re.compile(
    r"(?:(?:(?i:chapter|part|section|module|weeks?|lesson|lab|exercise|step|test|task"
    r"|example|option|phase|mistake|appendix)\s+)?"
    r"(?:\d[\d.-]*[A-Z]?|[A-Z](?=:)|[IVX]+)|(?i:hands-on exercise)|Q\d+)"
    r"(?=[\s.:)–—-]|$)[.:)]?\s*[-–—:]?\s*"
)
_PLAIN = frozenset(
    """introduction overview summary conclusion conclusions references exercise exercises contents
    table preface index notes glossary appendix resources about prerequisites next steps further
    reading lesson course learning objectives outcomes instructions setup structure validation
    deliverables assessment rubric grading example examples commands quiz questions check your
    understanding hands key takeaways related additional what you will learn project module faq
    troubleshooting help more general background other the this of and in on first last day week
    step option task phase choosing getting started tips success tutorials tutorial blogs books
    standards specifications citations chapter section sources demos documentation presentation
    submission contributing company industry official community data youtube channels links useful
    online free recommended forums websites papers podcasts videos educational authors author
    for to with assessments grade breakdown quizzes students advanced features verification
    usage results discussion experiment developers""".split()  # noqa: SIM905
)
"""Words of which titles are made that say nothing of what stands below them."""

_PLACES = frozenset(
    """resource resources tutorials forums websites podcasts newsletters deliverables outcomes
    objectives criteria exercises issues acknowledgements publications credits""".split()  # noqa: SIM905
)
"""What titles end with below which stand places to go to, or tasks, and no answer to anything."""

_INTRODUCING = re.compile(
    r"^(?:an? )?(?:introduction to|introducing|overview of|understanding|about) (?:the )?(?=\w)"
    r"|(?<=\w) (?:overview|introduction|basics|fundamentals)$",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|should|must|may|will|would|has|have)"
_QUESTION_WORD = re.compile(r"(?:what|why|how|when|where|which|who|whose)\b", re.IGNORECASE)
_ASKED = re.compile(rf"(?:\w+|(?:how|what|which) [\w-]+) {_AUXILIARY} (?!to\b).+", re.IGNORECASE)
_TO_DO = re.compile(r"(how|when|where|what) (not )?to (?=\w)", re.IGNORECASE)
_HOW_PLURAL = re.compile(r"how ((?:the )?[\w-]+[^s\W]s [a-z]+[^sd\W](?: .*)?)", re.IGNORECASE)
_STATEMENT = re.compile(r"(?P<what>.{3,40}?) (?P<verb>is|are|must|should|can) (?P<rest>\w.*)")
_POINTERS = frozenset(
    """it its they them their theirs this that these those he she his her him we us our you your i my
    here there such one ones to another other others both each what which who whose following above
    below rest no not nobody nothing none every all any most many some few from""".split()  # noqa: SIM905
)
"""What only the text around it gives a meaning, or what no question can be asked of."""

_LEADING = frozenset("and but or so then ok okay well now yes no also".split())  # noqa: SIM905
_LEANING = frozenset(
    """it its they them their theirs this that these those he she his her him here such ones another
    following above below rest""".split()  # noqa: SIM905
)
"""Words by which a question of the book's own leans on what came before."""

_GOING_ON = frozenset("also still too then therefore instead again however thus but".split())  # noqa: SIM905
_CONJUNCTIONS = frozenset("although though unless unlike since whether perhaps today yet".split())  # noqa: SIM905
_VERBS = frozenset(
    """add adjust assemble attach avoid calculate calibrate choose clone compare compile compute
    configure connect convert create debug define deploy detect disable download enable evaluate flash
    generate implement import improve increase inspect install prepare prevent reduce remove replace
    select solve subscribe tune uninstall update verify write""".split()  # noqa: SIM905
)
"""Verbs that begin a title as orders, and no names."""

_GERUNDS = {verb.removesuffix("e") + "ing": verb for verb in _VERBS}
_OF_SOMETHING = re.compile(
    r"(?:common |main |key )?(advantages|disadvantages|applications|benefits|challenges|components"
    r"|costs|drawbacks|limitations|limits|properties|pros and cons|requirements|risks|types|uses)",
    re.IGNORECASE,
)
_AND = re.compile(r"(?P<one>[\w-]+(?: [\w-]+)?) and (?P<other>[\w-]+(?: [\w-]+)?)")
_VERSUS = re.compile(r"(?P<one>.{2,40}?) (?:vs\.?|versus) (?P<other>.{2,40})", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bdifferences? between (?P<one>(?:an? |the )?[\w-]+(?: [\w-]+)?)"
    r" and (?P<other>(?:an? |the )?[\w-]+(?: [\w-]+)?)(?=[,.;:]|$)",
    re.IGNORECASE,
)
_GERUND = re.compile(r"\w+ing\b")
_NOUN_PHRASE = re.compile(r"[\w'’.+#/ -]+")
_HEAD_ENDS = re.compile(
    r"\b(?:of|for|in|with|on|to|under|at|by|from|as|against|between|without|behind|inside|worth)\b"
)
_PLURAL = re.compile(r".*[^\Wsui]s$|.*[^\Wc]ies$")
_UNCOUNTED = re.compile(
    r".*(?:tion|sion|ing|(?<!top)(?<!metr)(?<!bas)ics|ity|nce|ment|ism|ness|ware)$"
)
_NAME = re.compile(r"[A-Z]*[A-Z0-9]{2}\w*$|\w*[a-z][A-Z]|.*[\d_]")
"""What is written so wherever it stands: acronyms, numbers, identifiers."""

_DEFINED = re.compile(
    r"(?P<what>(?:An? )?[\w'’-]+(?: [\w'’-]+){0,3}?) (?:is|are) (?:an?|the) (?!same\b|only\b|one\b)"
)
_PURPOSE = re.compile(r"To (?P<verb>[a-z]+) (?P<rest>[\w -]{6,60}), ")
_TOLD = frozenset(
    """be date sum put see answer clarify demonstrate explain explore illustrate recap show simplify
    summarise summarize understand""".split()  # noqa: SIM905
)
"""Verbs of writers about what they write."""
_CAUSED = re.compile(
    r"(?P<what>[\w'’ -]{3,40}?) (?P<verb>is|are|must|should|can) (?P<rest>[\w'’ -]{3,60}?),?"
    r" (?:only )?because "
)


def ask_of_sentence(sentence: str, text: str) -> str:
    """Return what a sentence answers that defines, gives a reason, a way, or a difference.

    `text` is what the book says around it, without titles: it tells names from other words.
    """
    if found := _DIFFERENCE.search(sentence):
        return _ask_difference(found["one"], found["other"])
    if found := _CAUSED.match(sentence):
        return _ask_why(found, text)
    if (found := _PURPOSE.match(sentence)) and found["verb"] not in _TOLD | STOP_WORDS:
        alone = _stands_alone(found["rest"])
        return f"How do I {found['verb']} {found['rest']}?" if alone else ""
    found = _DEFINED.match(sentence)
    if found is None or not _is_thing(found["what"]):
        return ""
    what = _small(found["what"], text)
    if not _is_plural(what) and not _has_article(what) and not _is_mass(what.split()[-1]):
        what = found["what"]  # only a name has neither: "String is a type"
    return f"What {'are' if _is_plural(what) else 'is'} {what}?"


def ask_of_title(path: tuple[str, ...], text: str, *, lists: bool) -> str:
    """Return what stands under the last title of `path` that says something.

    `text` is as above; `lists` says that a list or a table stands there.
    """
    for depth, title in reversed(list(enumerate(path))):
        if title.endswith("?"):
            return _take_question(title)
        plain = _strip(title)
        if not set(words(plain)) - _PLAIN or len(plain.split()) > _LONGEST_WORDS:
            continue
        if _lists_places(plain):
            return ""
        if of := _OF_SOMETHING.fullmatch(plain):
            above = _name(_strip(path[depth - 1]), text) if depth else ""
            return f"What are the {of[1].lower()} of {above}?" if above else ""
        return _ask(plain, text, lists=lists)
    return ""


def _take_question(title: str) -> str:
    """Return a title that asks already, without its number; "" when it leans on the one before."""
    asked = _NUMBERING.sub("", title, count=1)
    first, *rest = words(asked) or [""]
    leans = first in _LEADING or not {first, *rest}.isdisjoint(_LEANING)
    several = re.search(r"[.?!] ", asked) is not None
    return "" if leans or several or len(asked.split()) > _LONGEST_ASKED else asked


def _is_thing(what: str) -> bool:
    """Whether a sentence that begins with `what` defines it, and not what came before."""
    named = words(re.sub(r"^An? ", "", what))
    begun = named and named[0] in STOP_WORDS | _CONJUNCTIONS
    return not begun and bool(set(named) - _PLAIN) and _stands_alone(what)


def _lists_places(title: str) -> bool:
    return not _PLACES.isdisjoint(words(_head(title))[-1:])


def _strip(title: str) -> str:
    """Return `title` without its number and what explains it: "ROS 2: the nervous system"."""
    while numbering := _NUMBERING.match(title):
        title = title[numbering.end() :]
    head = re.split(r": |, (?:an?|the) ", title)[0]
    plain = (head if set(words(head)) - _PLAIN else title).strip(" .:!")
    return _INTRODUCING.sub("", re.sub(r"\s*\([^)]*\)$", "", plain)).replace(" & ", " and ")


def _ask(title: str, text: str, *, lists: bool) -> str:
    if title.endswith("?"):
        return title
    if _QUESTION_WORD.match(title):
        return _complete(title, text)
    order = _ask_how(title, text)
    if order or not _stands_alone(title):
        return order
    if found := _DIFFERENCE.match(title) or _VERSUS.fullmatch(title):
        return _ask_difference(_small(found["one"], text), _small(found["other"], text))
    if found := _STATEMENT.fullmatch(title):
        return _ask_why(found, text)
    return _ask_what(title, text, lists=lists)


def _complete(title: str, text: str) -> str:
    """Return the question that a title leaves half said: "How to bleed a line", "How lines leak"."""
    if not set(words(title)).isdisjoint(_LEANING):
        return ""
    if to_do := _TO_DO.match(title):
        auxiliary = "do" if to_do[1].lower() == "how" else "should"
        rest = f"{(to_do[2] or '').lower()}{_small(title[to_do.end() :], text)}"
        return _mine(f"{to_do[1].capitalize()} {auxiliary} I {rest}?")
    if _ASKED.fullmatch(title):
        return f"{title}?"
    plural = _HOW_PLURAL.fullmatch(title)
    return f"How do {_small(plural[1], text)}?" if plural else ""


def _ask_how(title: str, text: str) -> str:
    """Return "How do I install it?" for "Install it" and "Installing it"."""
    first, _, rest = title.partition(" ")
    verb = first.lower() if first.lower() in _VERBS else _GERUNDS.get(first.lower(), "")
    joined = rest.startswith(("and ", "or "))
    if not rest or not verb or joined or set(words(rest)) & _POINTERS - {"your", "from", "to"}:
        return ""
    return _mine(f"How do I {verb} {_small(rest, text)}?")


def _mine(question: str) -> str:
    return re.sub(r"\byour\b", "my", question, flags=re.IGNORECASE)


def _ask_difference(one: str, other: str) -> str:
    alone = _stands_alone(one) and _stands_alone(other)
    return f"What is the difference between {one} and {other}?" if alone else ""


def _ask_why(found: "re.Match[str]", text: str) -> str:
    rest = words(found["rest"])
    leans = not set(rest).isdisjoint((_POINTERS - {"not"}) | _GOING_ON)
    if not _stands_alone(found["what"]) or leans or rest[0] in {"a", "an", "the"}:
        return ""
    return f"Why {found['verb']} {_small(found['what'], text)} {found['rest']}?"


def _ask_what(title: str, text: str, *, lists: bool) -> str:
    if _GERUND.match(title) and (_is_plural(title) or " and " in title):
        return ""
    if both := _AND.fullmatch(title):
        one, other = (_name(part, text) for part in both.groups())
        return _ask_both(one, other) if one and other else ""
    named = _name(title, text)
    if not named or not _NOUN_PHRASE.fullmatch(title):
        return ""
    if not _is_plural(named):
        return f"What is {named}?"
    bare = not named.startswith("the ")
    if lists and bare and " " in named and " and " not in named:
        return f"Which {named} are there?"
    return f"What are {'the ' if bare and ' of ' in named else ''}{named}?"


def _ask_both(one: str, other: str) -> str:
    alike = one.rsplit(maxsplit=1)[-1] == other.rsplit(maxsplit=1)[-1]
    return _ask_difference(one, other) if alike else f"What are {one} and {other}?"


def _name(title: str, text: str) -> str:
    """Return `title` as it stands inside a sentence, "" where its article is not known."""
    name = _small(title, text)
    if _is_plural(name) or _has_article(name):
        return name
    before = Counter(
        found[1].lower() if found[1].lower() in {"a", "an", "the"} else ""
        for found in re.finditer(
            rf"([\w'’-]+)[,;:]? {re.escape(name)}\b(?: ([\w'’-]+))?", text, re.IGNORECASE
        )
        # "A hydraulic pump" says nothing of what is called a hydraulic.
        if " " in name or (found[2] or "is").lower() in STOP_WORDS
    )
    if before:
        article = before.most_common(1)[0][0]
        # "The loop" is one that was spoken of, and a word alone may have lost its "this" or "our".
        known = " " in name or article in {"a", "an"} or name != name.lower() or _is_mass(name)
        return f"{article} {name}".strip() if known else ""
    last = _head(name).split()[-1]
    return name if _is_mass(last) or last != last.lower() or _NAME.match(last) else ""


def _is_mass(word: str) -> bool:
    return _UNCOUNTED.match(word) is not None


def _has_article(name: str) -> bool:
    return name.lower().startswith(("a ", "an ", "the "))


def _head(name: str) -> str:
    """Return "degrees" of "degrees of autonomy"."""
    return _HEAD_ENDS.split(name)[0].strip() or name


def _is_plural(name: str) -> bool:
    last = _head(name).split()[-1]
    return _PLURAL.fullmatch(last) is not None and not _UNCOUNTED.match(last)


def _stands_alone(text: str) -> bool:
    return bool(text) and not set(words(text)) & _POINTERS


def _small(title: str, text: str) -> str:
    """Return `title` in small letters, but for names: `text` has those with capitals in sentences."""
    return re.sub(
        r"[^\s-]+",
        lambda word: word[0] if _is_name(word[0], text) else word[0].lower(),
        title,
    )


def _is_name(word: str, text: str) -> bool:
    if _NAME.match(word) or word == word.lower():
        return True
    plain = re.escape(word)
    small = len(re.findall(rf"\b{plain.lower()}\b", text))
    return len(re.findall(rf"[\w,;][ -]{plain}(?!\w)", text)) > small
