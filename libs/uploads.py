"""How long a source may take to arrive: one number for all who wait for it."""

from dataclasses import dataclass
from typing import Any

from libs.settings import setting

UPLOAD_TIMEOUT_S = 600.0


def upload_timeout() -> Any:
    """Declare the field of those who wait: the client, the gateway and ingest."""
    return setting(
        "QUOTH_UPLOAD_TIMEOUT_S",
        "Seconds a source may take to arrive, for all who wait for it.",
        default=UPLOAD_TIMEOUT_S,
        least=0.1,
    )


@dataclass(frozen=True)
class Uploads:
    """What a client has to know."""

    upload_timeout_s: float = upload_timeout()
