"""`quoth search`: a question in, a table of passages with their scores out."""

from rich.table import Table

from deploy.cli.books import choose_book, explain
from deploy.cli.client import Gateway, Json, ProblemError
from deploy.cli.output import Output, printable

_SHOWN_CHARACTERS = 160


async def show_passages(gateway: Gateway, output: Output, wanted_book: str, request: Json) -> None:
    book = await choose_book(gateway, wanted_book)
    try:
        answer = await gateway.search(book, request)
    except ProblemError as error:
        raise await explain(gateway, book, error) from error
    output.give(answer)
    passages = answer.get("passages", [])
    if not passages:
        output.say("Nothing found.", style="yellow")
        return
    table = Table("", "score", "dense", "bm25", "section", "text", box=None, show_lines=False)
    for number, passage in enumerate(passages, start=1):
        table.add_row(str(number), *_scores(passage), _section(passage), _beginning(passage))
    output.show(table)


def _scores(passage: Json) -> list[str]:
    scores = passage.get("scores") or {}
    return [_number(scores.get(name)) for name in ("blended", "dense", "bm25")]


def _number(score: object) -> str:
    return f"{score:.3f}" if isinstance(score, int | float) else ""


def _section(passage: Json) -> str:
    return printable(" > ".join(passage.get("section_path") or [passage.get("document", "")]))


def _beginning(passage: Json) -> str:
    text = " ".join(printable(str(passage.get("text", ""))).split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
