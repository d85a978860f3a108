"""What is suggested, as its reader sees it."""

from typing import Any

from services.generation.suggestions import generate


def generate_questions(*made_of: Any, **told: Any) -> list[str]:
    """Return the texts of the questions that are made of passages."""
    return [made.text for made in generate.generate_questions(*made_of, **told)]
