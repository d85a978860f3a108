"""Refuse what another site's page could have sent.

On loopback, any web page the reader visits can reach the gateway. The host's name guards against
names re-bound to 127.0.0.1, the origin and the content type against cross-site posts.
"""

from collections.abc import Collection, Mapping

from services.gateway.errors import ForeignOrigin, WrongHost, WrongMediaType
from services.gateway.settings import LOOPBACK_NAMES

JSON_TYPES = frozenset({"application/json"})
# Browsers ask first before they send one of these to another site.
SOURCE_TYPES = frozenset(
    {
        "application/octet-stream",
        "application/zip",
        "application/x-tar",
        "application/gzip",
        "application/x-gzip",
        "application/x-bzip2",
        "application/x-xz",
        "text/markdown",
    }
)


def check_host(headers: Mapping[str, str], allowed: Collection[str] = LOOPBACK_NAMES) -> None:
    """Raise WrongHost for a name that is not `allowed`; "*" there allows every name."""
    host = headers.get("host", "")
    name, colon, port = host.rpartition(":")
    if not colon or not port.isdigit():
        name = host
    if name.lower() not in allowed and "*" not in allowed:
        raise WrongHost(
            "Quoth does not answer under this name. It does as localhost, and under the names that "
            "QUOTH_HOSTS lists."
        )


def check_origin(headers: Mapping[str, str], schemes: Collection[str] = ("http",)) -> None:
    """Raise ForeignOrigin for a page that is not our own, which comes by one of `schemes`."""
    origin = headers.get("origin")
    own = [f"{scheme}://{headers.get('host', '')}" for scheme in schemes]
    if origin is not None and origin not in own:
        raise ForeignOrigin("Quoth takes no requests from the pages of other sites.")


def check_media_type(headers: Mapping[str, str], accepted: Collection[str]) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in accepted:
        raise WrongMediaType(f"Send the body as {' or '.join(sorted(accepted))}.")
