"""The operator's command `quoth`: arguments in, calls to the gateway, text or JSON out."""

import sys


def main() -> None:
    """Run the command line."""
    from deploy.cli.app import app  # noqa: PLC0415 - importing a part must not load the whole

    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character of a book gets a question mark, not a crash.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    app()
