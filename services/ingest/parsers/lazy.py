"""Load the parsers whose libraries are heavy when a book first needs them."""

from types import ModuleType


def load_rst() -> ModuleType:
    # A library is loaded when a book needs it: loading all of them takes longer than to read a
    # chapter, and more memory than the rest of the service that only plans.
    from services.ingest.parsers import rst  # noqa: PLC0415

    return rst


def load_html() -> ModuleType:
    from services.ingest.parsers import html  # noqa: PLC0415 - see load_rst

    return html


def load_books() -> ModuleType:
    from services.ingest.parsers import docbook  # noqa: PLC0415 - see load_rst

    return docbook


def load_docbook() -> ModuleType:
    from services.ingest.parsers.docbook import parser  # noqa: PLC0415 - see load_rst

    return parser


def load_guides() -> ModuleType:
    from services.ingest.parsers import mallard  # noqa: PLC0415 - see load_rst

    return mallard


def load_mallard() -> ModuleType:
    from services.ingest.parsers.mallard import parser  # noqa: PLC0415 - see load_rst

    return parser
