"""One certificate authority in the place of all that browsers trust.

Each client of httpx reads the 140 of certifi when it is made, also one that only speaks to this machine
without TLS: 27 ms of processor time, thirteen times what such a request takes. Tests poll, and make a
client for most requests; none reaches a server that one of the 140 vouches for.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import certifi

_END = "-----END CERTIFICATE-----\n"


@contextmanager
def one_authority() -> Iterator[None]:
    """Within the block httpx reads the first authority of certifi alone, in this process."""
    first = Path(certifi.where()).read_text("ascii").partition(_END)[0] + _END
    descriptor, name = tempfile.mkstemp(suffix=".pem")
    with os.fdopen(descriptor, "w") as file:
        file.write(first)
    try:
        with patch("certifi.where", return_value=name):
            yield
    finally:
        Path(name).unlink()
