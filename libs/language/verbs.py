"""Put the particle of a verb before it again that German parts from it: "Wie baue ich ihn ein?"."""

import re

from libs.language.lexicon import Lexicon

_LEAST_VERB = 3
"""Letters of a verb without its ending: "bau" of "einbauen"."""

_CLAUSE = re.compile(r"[^,;:.?!]+")
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:est|et|en|st|te|e|t|n)\Z")
_ASKS_WHICH = "welch"


def join_verbs(question: str, lexicon: Lexicon) -> str:
    """Return a question with each particle that ends a clause before its verb: "Wie einbaue ich"."""
    if not lexicon.particles:
        return question
    return _CLAUSE.sub(lambda clause: _join_verb(clause[0], lexicon), question)


def bare_verb(word: str) -> str:
    """Return a word without the ending of a verb; "" where too little is left."""
    verb = _ENDING.sub("", word)
    return verb if len(verb) >= _LEAST_VERB else ""


def _join_verb(clause: str, lexicon: Lexicon) -> str:
    found = list(_WORD.finditer(clause))
    if len(found) < 2 or found[-1][0] not in lexicon.particles:
        return clause
    for before, word in zip([None, *found], found[:-1], strict=False):
        # "Welche rote Lampe geht aus?": the word behind the question word says of which kind it is.
        if before is not None and before[0].lower().startswith(_ASKS_WHICH):
            continue
        if word[0].islower() and word[0] not in lexicon.stop_words and bare_verb(word[0]):
            at, particle = word.start(), found[-1]
            return f"{clause[:at]}{particle[0]}{clause[at : particle.start()].rstrip()}"
    return clause
