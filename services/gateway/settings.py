"""Environment in, the gateway's settings out."""

from dataclasses import dataclass

from libs.settings import setting


@dataclass(frozen=True)
class Settings:
    """Everything that can be set about the gateway."""

    port: int = setting(
        "QUOTH_PORT", "Port of the page and the REST interface on 127.0.0.1.", default=8080
    )
    ingest: str = setting(
        "GATEWAY_INGEST", "Address of the ingest service.", default="127.0.0.1:8081"
    )
    retrieval: str = setting(
        "GATEWAY_RETRIEVAL", "Address of the retrieval service.", default="127.0.0.1:8082"
    )
    generation: str = setting(
        "GATEWAY_GENERATION", "Address of the generation service.", default="127.0.0.1:8083"
    )
    answers_at_once: int = setting(
        "GATEWAY_ANSWERS_AT_ONCE",
        "Most questions and searches worked on at once; more wait for up to a second, or are refused. "
        "Raise it where a language model far away does the work.",
        default=16,
    )
    max_body_bytes: int = setting(
        "GATEWAY_MAX_BODY_BYTES", "Largest JSON body, in bytes.", default=256 * 1024
    )
    max_upload_mib: int = setting(
        "QUOTH_MAX_UPLOAD_MIB", "Largest source of a book, in MiB; ingest's too.", default=256
    )
    body_timeout_s: float = setting(
        "GATEWAY_BODY_TIMEOUT_S", "Seconds a JSON body may take to arrive.", default=10.0
    )
    upload_timeout_s: float = setting(
        "GATEWAY_UPLOAD_TIMEOUT_S", "Seconds a source may take to arrive.", default=600.0
    )
    upload_pause_s: float = setting(
        "GATEWAY_UPLOAD_PAUSE_S", "Longest pause inside an upload, in seconds.", default=30.0
    )
    log_level: str = setting("QUOTH_LOG_LEVEL", "Least level that is logged.", default="INFO")
