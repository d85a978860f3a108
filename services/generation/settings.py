"""The settings of the generation service, read from the environment."""

from dataclasses import dataclass
from pathlib import Path

from libs.profiles import SHIPPED
from libs.settings import SettingsError, setting

ANSWERERS = ("extractive", "openai", "anthropic")
VERIFIERS = ("words", "model", "nli")
OPENAI_URL = "https://api.openai.com/v1"
_HERE = Path(__file__).parent
RANKING = _HERE / "extractive" / "ranking.json"
SUPPORT = _HERE / "extractive" / "support.json"
CONFIDENCE = _HERE / "confidence.json"


@dataclass(frozen=True)
class Settings:
    """Everything the service can be told."""

    listen: str = setting(
        "GENERATION_LISTEN", "Address to serve at, host:port.", default="127.0.0.1:8083"
    )
    retrieval: str = setting(
        "GENERATION_RETRIEVAL", "Address of the retrieval service.", default="127.0.0.1:8082"
    )
    max_calls: int = setting(
        "GENERATION_MAX_CALLS",
        "Most questions answered at once; more are refused.",
        default=64,
        least=1,
    )
    answerer: str = setting(
        "GENERATION_ANSWERER",
        "`extractive`, `openai` or `anthropic`; when empty, the profile decides.",
        default="",
        one_of=ANSWERERS,
    )
    prompt_tokens: int = setting(
        "GENERATION_PROMPT_TOKENS",
        "Most tokens of question, history and passages that an answerer is given; less when its "
        "model takes less.",
        default=6000,
        least=1,
    )
    model: str = setting(
        "GENERATION_MODEL",
        "Name of the language model; when empty, the profile decides.",
        default="",
    )
    model_url: str = setting(
        "GENERATION_MODEL_URL",
        "Base URL of an OpenAI-compatible API; goes before OPENAI_BASE_URL.",
        default="",
    )
    model_key: str = setting(
        "GENERATION_MODEL_KEY",
        "Key of that API; goes before OPENAI_API_KEY.",
        default="",
        secret=True,
    )
    verifier: str = setting(
        "GENERATION_VERIFIER",
        "Who judges sentences in a model's own words: `words`, `model` or `nli`, or several with "
        "commas, the strictest of which decides.",
        default="words",
    )
    verifier_model: str = setting(
        "GENERATION_VERIFIER_MODEL",
        "Name of the language model that judges, at the same API; when empty, GENERATION_MODEL.",
        default="",
    )
    nli_dir: Path | None = setting(
        "GENERATION_NLI_DIR",
        "Folder of an entailment network for `nli`: model.onnx, tokenizer.json and config.json.",
        default=None,
        exists=True,
    )
    openai_url: str = setting("OPENAI_BASE_URL", "Base URL of the API.", default=OPENAI_URL)
    openai_key: str = setting("OPENAI_API_KEY", "Key of the API.", default="", secret=True)
    anthropic_key: str = setting(
        "ANTHROPIC_API_KEY", "Key of the Anthropic API.", default="", secret=True
    )
    postgres_dsn: str = setting(
        "QUOTH_POSTGRES_DSN",
        "Address of PostgreSQL, postgresql://user@host/name.",
        default="postgresql://quoth@127.0.0.1:5432/quoth",
        secret=True,
    )
    cache_dir: Path = setting(
        "QUOTH_CACHE_DIR", "Folder that keeps the token vocabulary.", default=Path(".quoth/cache")
    )
    ranking: Path = setting(
        "GENERATION_RANKING",
        "File of the coefficients that rank sentences.",
        default=RANKING,
        exists=True,
    )
    support: Path = setting(
        "GENERATION_SUPPORT",
        "File of the coefficients that tell what helps beside a lead.",
        default=SUPPORT,
        exists=True,
    )
    confidence: Path = setting(
        "GENERATION_CONFIDENCE",
        "File of the confidence's coefficients.",
        default=CONFIDENCE,
        exists=True,
    )
    profiles: Path = setting(
        "QUOTH_PROFILES",
        "Folder of the profiles, one TOML file each.",
        default=SHIPPED,
        exists=True,
    )

    def __post_init__(self) -> None:
        """Raise SettingsError for an answerer or verifiers that lack what they need."""
        self._require_key()
        self._require_verifiers()

    @property
    def verifiers(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.verifier.split(","))

    def _require_key(self) -> None:
        """Refuse a model that is named here and can't answer; one of a profile may not be asked."""
        keys = {
            "openai": ("OPENAI_API_KEY", self.openai_key, self.openai_url == OPENAI_URL),
            "anthropic": ("ANTHROPIC_API_KEY", self.anthropic_key, True),
        }
        name, key, needed = keys.get(self.answerer, ("", "", False))
        if needed and not (key or self.model_key or self.model_url):
            raise SettingsError(
                f"GENERATION_ANSWERER={self.answerer}: set {name} or GENERATION_MODEL_KEY or, for a "
                "server of your own, GENERATION_MODEL_URL"
            )

    def _require_verifiers(self) -> None:
        if not set(self.verifiers) <= set(VERIFIERS):
            known = ", ".join(VERIFIERS)
            raise SettingsError(f"GENERATION_VERIFIER must be of {known}, not {self.verifier!r}")
        if "model" in self.verifiers and not (self.verifier_model or self.model):
            raise SettingsError(
                "GENERATION_VERIFIER=model: set GENERATION_VERIFIER_MODEL or GENERATION_MODEL"
            )
        if "nli" in self.verifiers and self.nli_dir is None:
            raise SettingsError("GENERATION_VERIFIER=nli: set GENERATION_NLI_DIR")


@dataclass(frozen=True)
class Retention:
    """How long the record of answers stays where."""

    hot_days: int = setting(
        "QUOTH_AUDIT_HOT_DAYS",
        "Days after which months of the record are packed.",
        default=90,
        least=1,
    )
    warm_days: int = setting(
        "QUOTH_AUDIT_WARM_DAYS",
        "Days after which packed months leave the database for the archive, if there is one.",
        default=365,
        least=1,
    )
    archive: str = setting(
        "QUOTH_AUDIT_ARCHIVE",
        "Folder, or `s3://bucket/prefix`, that old months are put into; empty: they stay. Needs the "
        "extra `archive`.",
        default="",
    )

    def __post_init__(self) -> None:
        if self.warm_days < self.hot_days:
            raise SettingsError(
                "QUOTH_AUDIT_WARM_DAYS must not be less than QUOTH_AUDIT_HOT_DAYS: months are packed "
                "before they are archived"
            )
