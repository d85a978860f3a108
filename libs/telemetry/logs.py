"""One line a log record on standard error; never a question, a passage or a key."""

import json
import logging
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace

from libs.settings import LOG_LEVELS, setting

_TEXT, _JSON = "text", "json"


@dataclass(frozen=True)
class LogSettings:
    """What every service reads about its log."""

    level: str = setting(
        "QUOTH_LOG_LEVEL", "Least level that is logged.", default="INFO", one_of=LOG_LEVELS
    )
    log_format: str = setting(
        "QUOTH_LOG_FORMAT",
        "`text`, or `json`: an object a line, with the ids of the trace.",
        default=_TEXT,
        one_of=(_TEXT, _JSON),
    )


def set_up_logs(service: str, settings: LogSettings) -> None:
    """Log as `time level service message`, or as an object of JSON, as `settings` say."""
    handler = logging.StreamHandler(sys.stderr)
    text = logging.Formatter(f"%(asctime)s %(levelname)s {service} %(message)s")
    handler.setFormatter(JsonLines(service) if settings.log_format == _JSON else text)
    logging.basicConfig(level=settings.level, handlers=[handler])
    for chatty in ("httpx", "httpx2", "openai", "grpc", "asyncio"):
        logging.getLogger(chatty).setLevel("WARNING")
    logging.getLogger("grpc._cython.cygrpc").addFilter(calm)
    # Its pools warn of a server that is away with a stack trace, each time that they look for it.
    logging.getLogger("asyncpg").setLevel("ERROR")


def calm(record: logging.LogRecord) -> bool:
    """Make one line for information of what gRPC takes for an error: an answer that it could not send.

    Its caller went away or, which cannot be told from that here, heard that it is too large.
    """
    kind = record.exc_info[0] if record.exc_info else None
    if kind is not None and kind.__name__ == "ExecuteBatchError":
        record.levelno, record.levelname = logging.INFO, "INFO"
        record.exc_info = None
        return logging.getLogger().isEnabledFor(logging.INFO)
    return True


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON, with the ids of the trace that it belongs to."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
        }
        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            told["trace_id"] = trace.format_trace_id(span.trace_id)
            told["span_id"] = trace.format_span_id(span.span_id)
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
