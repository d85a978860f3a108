"""Highlight code in a process: `python -m services.gateway.adapters.code_child`.

A line of JSON for each piece of code on standard input, one with its parts on standard output. The
system ends the process at the piece that takes too long, as expressions of a grammar may.
"""

import json
import resource
import signal
import sys
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

CPU_S = 1.0
"""Seconds of processor time that one piece may take, the first of its language included."""
_MEMORY = 512 * 2**20
_KINDS = (
    (Token.Comment, "comment"),
    (Token.Generic.Prompt, "comment"),
    (Token.Keyword, "keyword"),
    (Token.Operator.Word, "keyword"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Name.Function, "name"),
    (Token.Name.Class, "name"),
    (Token.Name.Decorator, "name"),
    (Token.Name.Builtin, "name"),
    (Token.Name.Tag, "name"),
    (Token.Name.Attribute, "name"),
)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        language, code = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        parts = tell_parts(language, code)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(parts), flush=True)


def tell_parts(language: str, code: str) -> list[tuple[int, int, str]]:
    """Return start, end and kind of the parts that stand out; none of a language that is not known."""
    lexer = _lexer_of(language.lower())
    if lexer is None:
        return []
    parts: list[tuple[int, int, str]] = []
    for start, token, text in lexer.get_tokens_unprocessed(f"{code}\n"):
        kind = _kind_of(token)
        if not kind or not text.strip():
            continue
        end = min(start + len(text), len(code))
        if parts and parts[-1][1:] == (start, kind):
            parts[-1] = (parts[-1][0], end, kind)
        else:
            parts.append((start, end, kind))
    return parts


@cache
def _lexer_of(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


@cache
def _kind_of(token: _TokenType) -> str:
    above = token.split()
    return next((kind for type_, kind in _KINDS if type_ in above), "")


if __name__ == "__main__":
    main()
