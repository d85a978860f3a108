"""The operator's command `quoth`: a thin layer over `rest_client`, `local` and `evaluation`."""

import gc
import sys

WRONG_USE = 2

_ASKING = ("ask", "search")
_TOO_MANY = "Got unexpected extra argument"
_ADVICE = "A question stands in quotation marks, its book behind --book"


def main() -> None:
    """Run the command line. A wrong call is told in one line, as every other failure is."""
    # What is loaded stays: looking through it meanwhile is time of each command.
    gc.disable()
    # Importing a part of this package must not load the whole.
    from typer import Abort, TyperException  # noqa: PLC0415 - as above

    from deploy.cli.app import app  # noqa: PLC0415 - as above

    gc.freeze()
    gc.enable()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character of a book gets a question mark, not a crash.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        status = app(standalone_mode=False)
    except TyperException as error:
        # Without any argument the help itself is the message, and was printed already.
        if message := error.format_message().strip():
            is_asked = getattr(getattr(error, "ctx", None), "info_name", "") in _ASKING
            advice = f" {_ADVICE}." if is_asked and message.startswith(_TOO_MANY) else ""
            print(f"{message.rstrip('.')}.{advice} Try --help.", file=sys.stderr)
        status = WRONG_USE
    except Abort:
        print("Nothing was done.", file=sys.stderr)
        status = 1
    sys.exit(status if isinstance(status, int) else 0)
