"""`quoth suggest`: questions to begin with or to go on with, which the book answers."""

from typing import Annotated

import typer

from deploy.cli.books import choose_book, explaining
from deploy.cli.options import AsJson, Book, Profile, Url, open_gateway
from deploy.cli.output import Output, printable, run
from deploy.rest_client.client import Gateway

AfterAnswer = Annotated[
    str,
    typer.Option("--answer", help="Id of an answer of yours to go on from.", show_default=False),
]


def suggest(
    context: typer.Context,
    *,
    book: Book = "",
    profile: Profile = "",
    answer: AfterAnswer = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Suggest questions to begin with, or to go on with from an answer, which the book answers."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(_show(gateway, output, book, (profile, answer)), gateway, output)


async def _show(
    gateway: Gateway, output: Output, wanted_book: str, wanted: tuple[str, str]
) -> None:
    book = await choose_book(gateway, wanted_book)
    async with explaining(gateway, book):
        answer = await gateway.suggest(book, *wanted)
    output.give(answer)
    output.say_lines([printable(question) for question in answer["questions"]])
    if not answer["questions"]:
        output.say("Nothing in this book is sure enough to be asked.")
