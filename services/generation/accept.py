"""Refuse what can't be answered: nothing asked, or a question beyond its limits."""

from libs.errors import InvalidInput
from libs.profiles import Generation
from libs.tokens import TokenCounter
from services.generation.model import Question


def check_question(question: Question, limits: Generation, counter: TokenCounter) -> None:
    """Raise InvalidInput when the question is too long, or there is nothing to answer."""
    if not question.text and question.selection is None:
        raise InvalidInput("Ask a question, select some text, or both.")
    characters = len(question.text)
    if characters > limits.max_question_characters:
        raise InvalidInput(
            f"Query exceeds {limits.max_question_characters} characters ({characters} characters)"
        )
    # A character has four bytes at most, and a token one at least.
    tokens = counter.count(question.text) if 4 * characters > limits.max_question_tokens else 0
    if tokens > limits.max_question_tokens:
        raise InvalidInput(f"Query exceeds {limits.max_question_tokens} tokens ({tokens} tokens)")
