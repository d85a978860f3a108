"""`quoth mcp`: let an assistant that speaks the Model Context Protocol read and ask books."""

import os
from typing import Annotated

import typer

from deploy.cli.options import KEY, Url, default_url
from deploy.cli.output import WRONG_USE, Output


def serve_mcp(
    port: Annotated[
        int,
        typer.Option(
            help="Serve over HTTP at this port of 127.0.0.1, /mcp; each request brings its own key. "
            "Default: standard input and output, with the key in QUOTH_KEY.",
            min=0,
            max=65535,
            show_default=False,
        ),
    ] = 0,
    url: Url = "",
) -> None:
    """Serve books to an assistant over the Model Context Protocol.

    Its tools list books, search one, ask one and read a section; all that they return has its place.
    """
    try:
        # An extra: whoever serves no assistant need not have it.
        from deploy.cli.mcp_server import make_server, serve_http  # noqa: PLC0415
    except ImportError:
        Output(as_json=False).fail("pip install 'quoth[mcp]'", WRONG_USE)
    gateway = url or default_url()
    if port:
        serve_http(make_server(gateway), port)
    else:
        make_server(gateway, key=os.environ.get(KEY, "")).run("stdio")
