"""`quoth keys`: make, list, rotate and revoke the keys of clients."""

import asyncio
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
import typer

from deploy.cli.options import AsJson, Cursor, Limit, Url, open_gateway
from deploy.cli.output import FAILED, WRONG_USE, Output, run
from deploy.rest_client.client import Gateway, Json, Page, ProblemError
from libs.errors import InvalidInput, QuothError
from libs.settings import SettingsError
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.keys import Grant, make_key
from services.gateway.schemas import KeyMade, KeyRequest, read_grant

_DAY_S = 86400
_STORE_S = 10.0

keys_app = typer.Typer(
    help="Make, list, rotate and revoke the keys of clients.", no_args_is_help=True
)
KeyId = Annotated[str, typer.Argument(help="Id of the key, as `quoth keys list` shows it.")]
Client = Annotated[
    str, typer.Argument(help="Name of the client: lower-case letters, digits, . _ and -.")
]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        help="ask, read, ingest or admin; once for each. Default: ask and read, for a site ask.",
        show_default=False,
    ),
]
Books = Annotated[
    list[str] | None,
    typer.Option(help="Slug of a book it is for; once for each. Default: all books."),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        help="Site whose pages alone may use it, https://docs.example.org; once for each. Such a key "
        "may only ask. Default: a key for programs.",
        show_default=False,
    ),
]
Dsn = Annotated[
    str,
    typer.Option(
        help="Write to this PostgreSQL instead of asking the gateway: for the first key of one "
        "that takes no requests without.",
        show_default=False,
    ),
]


@keys_app.command("create")
def create(
    context: typer.Context,
    client: Client,
    *,
    scope: Scopes = None,
    book: Books = None,
    origin: Origins = None,
    rate: Annotated[
        int,
        typer.Option(help="Requests a minute; 0: 100, for a site 60.", min=0),
    ] = 0,
    tokens: Annotated[
        int, typer.Option(help="Most tokens of language models a day; 0: no limit.", min=0)
    ] = 0,
    days: Annotated[
        int, typer.Option(help="Days until it expires; 0: it does not.", min=0, max=3650)
    ] = 0,
    dsn: Dsn = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Make a key for a client. It is shown once, and kept only as a hash."""
    output = Output(as_json)
    request: Json = {"client": client, "books": book or [], "origins": origin or []}
    if rate:
        request["rate_per_minute"] = rate
    if scope:
        request["scopes"] = scope
    if tokens:
        request["tokens_per_day"] = tokens
    if days:
        request["lifetime_s"] = days * _DAY_S
    if dsn:
        _show_made(output, _make_in_database(output, dsn, request))
        return
    gateway = open_gateway(context, url)
    run(_make(gateway, output, request), gateway, output)


@keys_app.command("list")
def list_all(
    context: typer.Context,
    *,
    limit: Limit = 0,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List the keys, newest first; none with its secret."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(_show_list(gateway, output, {"limit": limit, "cursor": cursor}), gateway, output)


@keys_app.command("rotate")
def rotate(
    context: typer.Context,
    key_id: KeyId,
    *,
    overlap_hours: Annotated[
        int, typer.Option(help="Hours in which the old key is still valid.", min=0, max=2160)
    ] = 24,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Make a new key with the same rights; the old one expires after a while."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(_show(output, gateway.rotate_key(key_id, overlap_hours * 3600)), gateway, output)


@keys_app.command("revoke")
def revoke(context: typer.Context, key_id: KeyId, url: Url = "", as_json: AsJson = False) -> None:
    """End a key: at once, or within 5 seconds where several gateways run."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(_revoke(gateway, output, key_id), gateway, output)


async def _make(gateway: Gateway, output: Output, request: Json) -> None:
    """Make a key, and say of which of its books there is none: a key may come before its book."""
    absent = [book for book in request["books"] if await _is_absent(gateway, book)]
    _show_made(output, await gateway.make_key(request))
    for book in absent:
        output.say(f'There is no book "{book}" yet: the key opens it once it is put in.')


async def _is_absent(gateway: Gateway, book: str) -> bool:
    try:
        await gateway.get_book(book)
    except ProblemError as error:
        return error.status == HTTPStatus.NOT_FOUND
    return False


async def _show(output: Output, making: Coroutine[Any, Any, Json]) -> None:
    _show_made(output, await making)


def _show_made(output: Output, made: Json) -> None:
    output.give(made)
    key = made["key"]
    output.say(made["text"])
    books = ", ".join(key["books"]) or "all books"
    sites = f"; pages of {', '.join(key['origins'])}" if key["origins"] else ""
    output.say(
        f"{key['client']}: {', '.join(key['scopes'])}; {books}{sites}. "
        "Keep it: it is not shown again."
    )


async def _show_list(gateway: Gateway, output: Output, page: Page) -> None:
    answer = await gateway.list_keys(page)
    output.give(answer)
    if not answer["keys"]:
        output.say("There are no keys. Make one: quoth keys create NAME")
        return
    headings = ("key", "client", "state", "scopes", "books", "limits")
    output.show_rows(headings, [_row(key) for key in answer["keys"]])
    output.say_next(answer)


def _row(key: Json) -> list[str]:
    state, expires = key["state"], (key["expire_time"] or "")[:10]
    if state == "active" and expires:
        state = f"until {expires}"
    limits = f"{key['rate_per_minute']}/min"
    if key["tokens_per_day"]:
        limits += f", {key['tokens_per_day']} tokens a day"
    if key["origins"]:
        limits += f", from {' '.join(key['origins'])}"
    books = " ".join(key["books"]) or "all"
    return [key["key_id"], key["client"], state, " ".join(key["scopes"]), books, limits]


async def _revoke(gateway: Gateway, output: Output, key_id: str) -> None:
    key = await gateway.revoke_key(key_id)
    output.give(key)
    output.say(f"The key {key['key_id']} of {key['client']} is revoked.")


def _make_in_database(output: Output, dsn: str, request: Json) -> Json:
    try:
        grant = read_grant(msgspec.convert(request, KeyRequest))
    except (msgspec.ValidationError, InvalidInput) as error:
        output.fail(str(error), WRONG_USE)
    try:
        return dict(msgspec.to_builtins(asyncio.run(_store(dsn, grant))))
    except SettingsError as error:
        output.fail(str(error).replace("QUOTH_POSTGRES_DSN", "--dsn"), WRONG_USE)
    except QuothError as error:
        output.fail(error.message, FAILED)


async def _store(dsn: str, grant: Grant) -> KeyMade:
    keys, new = PostgresKeys(dsn), make_key()
    await keys.open()
    try:
        return KeyMade(await keys.add_key(grant, new, _STORE_S), new.text)
    finally:
        await keys.close()
