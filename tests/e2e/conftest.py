"""What the tests of the page in a browser share."""

from tests.support.page_site import backend, site

__all__ = ["backend", "site"]
