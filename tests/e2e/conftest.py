"""What the tests of the page in a browser share."""

from tests.support.page_site import backend, site
from tests.support.widget_site import widget_site

__all__ = ["backend", "site", "widget_site"]
