"""The settings of the retrieval service."""

from dataclasses import dataclass
from pathlib import Path

from libs import profiles
from libs.settings import setting

SHIPPED_MODEL = Path(__file__).with_name("answerability.json")
"""The answerability classifier that the product comes with."""

SHIPPED_SELECTION_MODEL = Path(__file__).with_name("answerability_selection.json")
"""The same for questions about selected text."""

SHIPPED_OVERLAP_MODEL = Path(__file__).with_name("answerability_overlap.json")
"""The same for books in languages that the embedding model does not know: by words alone."""


@dataclass(frozen=True)
class Settings:
    """Everything the service can be told."""

    listen: str = setting(
        "RETRIEVAL_LISTEN", "Address to serve at, host:port.", default="127.0.0.1:8082"
    )
    max_calls: int = setting(
        "RETRIEVAL_MAX_CALLS",
        "Most searches that run at once; more are refused.",
        default=64,
        least=1,
    )
    answerability: Path = setting(
        "RETRIEVAL_ANSWERABILITY",
        "File of the answerability classifier's coefficients, or a folder of such files, "
        "one for each model.",
        default=SHIPPED_MODEL,
        exists=True,
    )
    reranker_key: str = setting(
        "RETRIEVAL_RERANKER_KEY",
        "Key of Cohere's API, for profiles that rerank by a model.",
        default="",
        secret=True,
    )
    reranker_model: str = setting(
        "RETRIEVAL_RERANKER_MODEL", "Name of the reranking model.", default="rerank-v3.5"
    )
    reranker_url: str = setting(
        "RETRIEVAL_RERANKER_URL", "Base URL of that API; empty: the provider's.", default=""
    )
    cached_vectors: int = setting(
        "RETRIEVAL_CACHED_VECTORS",
        "Vectors of questions kept in memory, 1.7 kB each with the question; longer ones are fewer.",
        default=8192,
    )
    qdrant_url: str = setting(
        "QUOTH_QDRANT_URL",
        "URL of the vector store; its gRPC port.",
        default="http://127.0.0.1:6334",
    )
    qdrant_api_key: str = setting(
        "QUOTH_QDRANT_API_KEY", "Key of the vector store.", default="", secret=True
    )
    cache_dir: Path = setting(
        "QUOTH_CACHE_DIR", "Folder that keeps the model's graph.", default=Path(".quoth/cache")
    )
    profiles: Path = setting(
        "QUOTH_PROFILES",
        "Folder of the profiles, one TOML file each.",
        default=profiles.SHIPPED,
        exists=True,
    )
