"""Choose the language model that answers, by its name and the URL it is asked at."""

from collections.abc import Mapping

from libs.profiles import Profile


def choose_model(name: str, url: str) -> dict[str, str]:
    """Return the variables by which the services answer with this model.

    Claude is asked over its own API, and everything else, or anything at a URL, over OpenAI's.
    """
    answerer = "anthropic" if name.startswith("claude") and not url else "openai"
    chosen = {"GENERATION_ANSWERER": answerer, "GENERATION_MODEL": name}
    return {**chosen, "GENERATION_MODEL_URL": url} if url else chosen


_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "cohere": "CO_API_KEY"}


def choose_profile(
    profile: Profile, environment: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the variables by which the models that a profile names are used, and what to say of them.

    A model whose provider has no key is not used; what the environment says itself goes before.
    """
    embedding, generation = profile.embedding, profile.generation
    chosen: dict[str, str] = {}
    notes = []
    if embedding.provider != "local" and not environment.get("QUOTH_EMBEDDER"):
        named = f"{embedding.model} of {embedding.provider}"
        if environment.get("QUOTH_EMBEDDER_KEY") or environment.get(_KEYS[embedding.provider]):
            chosen = {"QUOTH_EMBEDDER": embedding.provider, "QUOTH_EMBEDDER_MODEL": embedding.model}
            notes.append(f"Vectors are made by {named}.")
        else:
            notes.append(
                f"! {profile.name} names {named}, but {_KEYS[embedding.provider]} is not set: the "
                "packaged model makes the vectors."
            )
    if generation.answerer in _KEYS and not environment.get("GENERATION_ANSWERER"):
        key = _KEYS[generation.answerer]
        notes.append(
            f"Questions under {profile.name} are answered by {generation.model}."
            if environment.get(key)
            else f"! {profile.name} names {generation.model}, but {key} is not set: the book's own "
            "sentences answer."
        )
    return chosen, notes


def with_model(environment: Mapping[str, str], name: str, url: str) -> dict[str, str]:
    """Return the environment with the model that was named, if one was."""
    return {**environment, **(choose_model(name, url) if name else {})}
