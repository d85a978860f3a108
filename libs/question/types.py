"""Classify a question by its words."""

import re
from dataclasses import dataclass

from libs.language.lexicon import Lexicon
from libs.text import literals

_LITERAL = re.compile(r"[/_*<>=#$@]|\w\+|\w\.\w|::|--|\(\)|[a-z][A-Z]")
_AROUND = "'`\"“”‘’,;:?!."
"""Punctuation stripped from words."""


@dataclass(frozen=True)
class QuestionType:
    """What a question asks for; several may be true, or none."""

    list_of_things: bool = False
    comparison: bool = False
    amount: bool = False
    code: bool = False
    definition: bool = False
    reason: bool = False
    yes_no: bool = False


def classify_question(question: str, lexicon: Lexicon) -> QuestionType:
    patterns = lexicon.types
    return QuestionType(
        list_of_things=patterns.list_of_things.search(question) is not None,
        comparison=patterns.comparison.search(question) is not None,
        amount=patterns.amount.search(question) is not None,
        code=patterns.code.search(question) is not None,
        definition=patterns.definition.search(question) is not None,
        reason=patterns.reason.search(question) is not None,
        yes_no=patterns.yes_no.search(question.strip()) is not None,
    )


def literal_names(question: str) -> tuple[str, ...]:
    """Return the words whose spelling only code has ("/**", "set_bool", "-e", "$@", "E+")."""
    words = (word.strip(_AROUND) for word in question.split())
    of_code = (word for word in words if len(word) > 1 and _LITERAL.search(word))
    return tuple(dict.fromkeys((*literals(question), *of_code)))
