"""Find the page of a book that a question names."""

from libs.language.lexicon import Lexicon
from libs.question.about_book import asks_of_part
from libs.text import collapse_space


def read_page(question: str, lexicon: Lexicon) -> int:
    """Return the number of the one page that is named; 0 for none, or several."""
    found = {int(number) for number in lexicon.names.page.findall(question)}
    return found.pop() if len(found) == 1 else 0


def omit_page(question: str, lexicon: Lexicon) -> str:
    """Return what is asked for beside the page: no text says on which page it stands."""
    return collapse_space(lexicon.names.page.sub(" ", question))


def asks_of_page(question: str, lexicon: Lexicon) -> bool:
    """Whether a question wants what stands on the page that it names, as one may of a chapter."""
    found = lexicon.names.page.search(question)
    return found is not None and asks_of_part(question, found.span(), lexicon.about_book)
