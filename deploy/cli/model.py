"""Choose the language model that answers, by its name and the URL it is asked at."""

from collections.abc import Mapping


def choose_model(name: str, url: str) -> dict[str, str]:
    """Return the variables by which the services answer with this model.

    Claude is asked over its own API, and everything else, or anything at a URL, over OpenAI's.
    """
    answerer = "anthropic" if name.startswith("claude") and not url else "openai"
    chosen = {"GENERATION_ANSWERER": answerer, "GENERATION_MODEL": name}
    return {**chosen, "GENERATION_MODEL_URL": url} if url else chosen


def with_model(environment: Mapping[str, str], name: str, url: str) -> dict[str, str]:
    """Return the environment with the model that was named, if one was."""
    return {**environment, **(choose_model(name, url) if name else {})}
