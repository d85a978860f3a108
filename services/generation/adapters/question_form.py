"""A question in, what kind of answer it asks for out; by its words, in English."""

import re
from dataclasses import dataclass

_LIST = re.compile(
    r"(?:^|[.,;:!?]\s*|\b(?:please|and|to|can you|could you)\s+)list\b"
    r"|\b(?:enumerate|all of (?:them|the)|every|everything|steps|types|kinds|fields|feilds|parts"
    r"|phases|examples|what are|which (?:are|\w+(?<!ic)(?<![sui])s)\b|name (?:all|the|every|some))\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:compar(?:e[ds]?|ison)|differ(?:s|ences?)?|different from|versus|vs|both|each of|agree"
    r"|whereas|stack up|prefer)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:many|much|long|often|heavy|fast|far|big|large|high|old|tall|wide)|when|what year"
    r"|number of|rate|percentage|cost|price|size|value|weight|length|maximum|minimum)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:code|commands?|syntax|snippet|script|functions?|call|run|export|variable|install"
    r"|write|compil\w+|configur\w+)\b|\w_\w|--\w|\w/\w|\(\)|`",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^(?:what(?:'s|’s| is| are| does)|define|who (?:is|are)|meaning of)\b", re.IGNORECASE
)

_REASON = re.compile(r"\b(?:why|reasons?|how come|what for|purpose|rationale)\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"(?:^|[.,;!?]\s+(?:and |but |so )?)(?:is|are|was|were|do|does|did|can|could|may|might|must|should"
    r"|will|would|has|have|had|am)(?:n['’]t)?\s",
    re.IGNORECASE,
)

_LITERAL = re.compile(r"[/_*<>=#$@]|\w\.\w|::|--|\(\)|[a-z][A-Z]")
_AROUND = "'`\"“”‘’,;:?!."
"""What stands around a word and is not of it."""


@dataclass(frozen=True)
class QuestionForm:
    """What a question asks for; several may be true, or none."""

    list_of_things: bool
    comparison: bool
    amount: bool
    code: bool
    definition: bool
    reason: bool
    yes_no: bool


def read_form(question: str) -> QuestionForm:
    return QuestionForm(
        list_of_things=_LIST.search(question) is not None,
        comparison=_COMPARISON.search(question) is not None,
        amount=_AMOUNT.search(question) is not None,
        code=_CODE.search(question) is not None,
        definition=_DEFINITION.search(question) is not None,
        reason=_REASON.search(question) is not None,
        yes_no=_YES_NO.search(question.strip()) is not None,
    )


def literal_names(question: str) -> tuple[str, ...]:
    """Return the words whose spelling only code has ("/**", "set_bool", "--symlink-install")."""
    words = (word.strip(_AROUND) for word in question.split())
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and _LITERAL.search(word)))
