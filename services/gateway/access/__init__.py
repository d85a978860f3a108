"""Who may make a request: its host and origin, its key, and the limits of who holds that."""

from services.gateway.access.cors import (
    Cors,
    RawHeaders,
    is_preflight,
    preflight_headers,
    readable_headers,
)
from services.gateway.access.guard import Guard, caller_of_request
from services.gateway.access.requests import (
    JSON_TYPES,
    SOURCE_TYPES,
    check_host,
    check_media_type,
    check_not_packed,
)

__all__ = [
    "JSON_TYPES",
    "SOURCE_TYPES",
    "Cors",
    "Guard",
    "RawHeaders",
    "caller_of_request",
    "check_host",
    "check_media_type",
    "check_not_packed",
    "is_preflight",
    "preflight_headers",
    "readable_headers",
]
