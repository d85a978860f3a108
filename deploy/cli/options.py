"""Options that several commands share."""

import importlib.metadata
import os
from pathlib import Path
from typing import Annotated

import httpx
import typer

from deploy.rest_client.client import Gateway
from libs.settings import SettingsError, load_settings
from libs.uploads import Uploads

KEY = "QUOTH_KEY"
"""The variable that holds the key to send; never an option, which others would see in `ps`."""


def _check_url(url: str) -> str:
    if url and not url.startswith(("http://", "https://")):
        raise typer.BadParameter("An address begins with http:// or https://.")
    return url


Url = Annotated[
    str,
    typer.Option(
        callback=_check_url,
        envvar="QUOTH_URL",
        help="Where Quoth runs. Default: http://127.0.0.1 at $QUOTH_PORT, or 8080.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the API's objects, and only them.")]
Profile = Annotated[str, typer.Option(help="Profile whose settings apply.", show_default=False)]
Book = Annotated[
    str, typer.Option(help="Slug of the book; not needed when there is one.", show_default=False)
]
SectionPath = Annotated[
    list[str] | None,
    typer.Option(
        "--section",
        help="Title of a section to stay in, or part of it; those above it come before it.",
        show_default=False,
    ),
]
OneDocument = Annotated[
    str,
    typer.Option("--document", help="Path of the one document to search.", show_default=False),
]
OneChapter = Annotated[
    str,
    typer.Option(
        "--chapter",
        help="Title or number of the one chapter to search.",
        show_default=False,
    ),
]
OnePage = Annotated[
    str,
    typer.Option(
        "--page",
        help="The one page to search: its number, or what the source calls it, as iv.",
        show_default=False,
    ),
]
SelectionDocument = Annotated[
    str, typer.Option(help="Document that holds the selected text.", show_default=False)
]
SelectionStart = Annotated[int, typer.Option(help="First character of the selected text.", min=0)]
SelectionEnd = Annotated[int, typer.Option(help="Character after the selected text.", min=0)]
SelectionText = Annotated[
    str, typer.Option(help="The selected text, instead of its range.", show_default=False)
]
Session = Annotated[
    str,
    typer.Option(
        help="Session to ask in, so that questions may lean on the last ones; `new` begins one.",
        show_default=False,
    ),
]
Limit = Annotated[
    int,
    typer.Option(help="Most entries. Default: all.", min=0, max=1000, show_default=False),
]
Cursor = Annotated[
    str, typer.Option(help="Where to go on, as the list before says.", show_default=False)
]
Question = Annotated[str, typer.Argument(help="What to ask.")]
SourcePath = Annotated[Path, typer.Argument(help="A folder, an archive, or one document.")]


def open_gateway(context: typer.Context, url: str) -> Gateway:
    """Return a gateway for a command; `context.obj` is the transport of a test."""
    transport = context.obj if isinstance(context.obj, httpx.AsyncBaseTransport) else None
    try:
        timeout_s = load_settings(Uploads, os.environ).upload_timeout_s
    except SettingsError as error:
        raise typer.BadParameter(str(error)) from error
    return Gateway(url or default_url(), transport, os.environ.get(KEY, ""), timeout_s)


def default_url() -> str:
    """Return where the product runs on this machine."""
    named = os.environ.get("QUOTH_URL")
    return named or f"http://127.0.0.1:{os.environ.get('QUOTH_PORT') or 8080}"


def version() -> str:
    return importlib.metadata.version("quoth")
