"""How long the vectors of OpenAI's models are; who reads settings alone needs it too."""

OPENAI_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
"""The length of a model's vectors, where it is known."""
