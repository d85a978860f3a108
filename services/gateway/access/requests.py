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


def foreign_origin(headers: Mapping[str, str], schemes: Collection[str]) -> str | None:
    """Return the origin of another site's page; our own come by one of `schemes`."""
    origin = headers.get("origin")
    return None if origin is None or origin in _own_origins(headers, schemes) else origin


def check_origin(
    headers: Mapping[str, str],
    schemes: Collection[str],
    allowed: Collection[str],
    *,
    only_those: bool,
) -> None:
    """Raise ForeignOrigin for a page of another site than those `allowed`.

    With `only_those` neither our own pages nor programs may make the request.
    """
    foreign = foreign_origin(headers, schemes)
    if foreign is not None and foreign not in allowed:
        raise ForeignOrigin(
            "Quoth takes requests from the pages of other sites only with a key that is for them."
        )
    if not only_those or foreign is not None:
        return
    # Browsers leave the origin out where a page reads from its own site.
    own = _own_origins(headers, schemes)
    is_page = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
    if not is_page or not any(origin in allowed for origin in own):
        raise ForeignOrigin("This key is for the pages of a site, and for them alone.")


def _own_origins(headers: Mapping[str, str], schemes: Collection[str]) -> list[str]:
    return [f"{scheme}://{headers.get('host', '')}" for scheme in schemes]


def check_media_type(headers: Mapping[str, str], accepted: Collection[str]) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in accepted:
        raise WrongMediaType(f"Send the body as {' or '.join(sorted(accepted))}.")


def check_not_packed(headers: Mapping[str, str]) -> None:
    """Raise WrongMediaType for a body that says it is compressed: it would be read as broken JSON."""
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise WrongMediaType("Send the body as it is, without Content-Encoding.")
