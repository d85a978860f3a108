"""Who may make a request: headers in, an error out for what another site's page could have sent.

The gateway listens on loopback, where any web page the reader visits can reach it. The host's name
guards against names re-bound to 127.0.0.1, the origin and the content type against cross-site posts.
"""

from collections.abc import Collection, Mapping

from services.gateway.errors import ForeignOrigin, WrongHost, WrongMediaType

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

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


def check_host(headers: Mapping[str, str]) -> None:
    host = headers.get("host", "")
    name, colon, port = host.rpartition(":")
    if not colon or not port.isdigit():
        name = host
    if name.lower() not in LOOPBACK_NAMES:
        raise WrongHost("Quoth answers on this machine's own names only, such as localhost.")


def check_origin(headers: Mapping[str, str]) -> None:
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{headers.get('host', '')}":
        raise ForeignOrigin("Quoth takes no requests from the pages of other sites.")


def check_media_type(headers: Mapping[str, str], accepted: Collection[str]) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in accepted:
        raise WrongMediaType(f"Send the body as {' or '.join(sorted(accepted))}.")
