"""`quoth review`: look at what was asked and answered, grade it, and export the grades."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from deploy.cli.books import note_unknown
from deploy.cli.options import AsJson, Cursor, Url, open_gateway
from deploy.cli.output import WRONG_USE, CommandError, Output, printable, run
from deploy.evaluation.graded import LARGER_MODEL, golden_rows
from deploy.rest_client.client import Gateway, Json

_TOO_LITTLE_FOUND = f"That is more than 15 %: {LARGER_MODEL}"
review_app = typer.Typer(
    help="Look at what was asked and answered, and grade it.", no_args_is_help=True
)
_SHOWN = 70
_PAGE = 200

BookOf = Annotated[str, typer.Option("--book", help="Slug of the book.", show_default=False)]
Since = Annotated[
    str, typer.Option(help="Earliest time, 2026-11-01T00:00:00Z.", show_default=False)
]
Until = Annotated[str, typer.Option(help="Time before which they were asked.", show_default=False)]
Outcome = Annotated[str, typer.Option(help="answered, refused or failed.", show_default=False)]
Confidence = Annotated[str, typer.Option(help="low, medium or high.", show_default=False)]
Rating = Annotated[str, typer.Option(help="What a reader said: up or down.", show_default=False)]
GradedAs = Annotated[
    str,
    typer.Option(
        help="right, wrong, should_have_refused or should_have_answered.", show_default=False
    ),
]
Text = Annotated[str, typer.Option(help="Words of the question or the answer.", show_default=False)]
AnswerId = Annotated[str, typer.Argument(help="Id of the answer, as `quoth review list` shows it.")]


@review_app.command("list")
def list_answers(
    context: typer.Context,
    *,
    book: BookOf = "",
    outcome: Outcome = "",
    confidence: Confidence = "",
    rating: Rating = "",
    grade: GradedAs = "",
    graded: Annotated[
        bool | None, typer.Option(help="Only what is graded, or only what is not.")
    ] = None,
    since: Since = "",
    until: Until = "",
    text: Text = "",
    limit: Annotated[int, typer.Option(help="Most answers.", min=1, max=_PAGE)] = 50,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List what was asked and answered, of all clients, newest first."""
    output, gateway = Output(as_json), open_gateway(context, url)
    wanted = {
        "book": book,
        "outcome": outcome,
        "confidence": confidence,
        "rating": rating,
        "grade": grade,
        "graded": "" if graded is None else str(graded).lower(),
        "since": since,
        "until": until,
        "text": text,
        "limit": str(limit),
        "cursor": cursor,
    }
    run(_show_list(gateway, output, wanted), gateway, output)


@review_app.command("grade")
def grade_answer(
    context: typer.Context,
    answer_id: AnswerId,
    grade: Annotated[
        str, typer.Argument(help="right, wrong, should_have_refused or should_have_answered.")
    ],
    *,
    note: Annotated[str, typer.Option(help="Why.", show_default=False)] = "",
    document: Annotated[
        str, typer.Option(help="Document that answers; with --quote.", show_default=False)
    ] = "",
    quote: Annotated[
        str, typer.Option(help="The book's words there that answer.", show_default=False)
    ] = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Grade an answer or a refusal; graded again, the last word counts."""
    output, gateway = Output(as_json), open_gateway(context, url)
    said = {"grade": grade, "note": note, "document": document, "quote": quote}
    run(_grade(gateway, output, answer_id, said), gateway, output)


@review_app.command("export")
def export(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="File to write, one JSON object a line.")],
    *,
    book: Annotated[str, typer.Option(help="Slug of the book.")],
    since: Since = "",
    until: Until = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Write what is graded as golden questions, for `quoth eval` and `quoth calibrate`."""
    output, gateway = Output(as_json), open_gateway(context, url)
    wanted = {"book": book, "graded": "true", "since": since, "until": until, "limit": str(_PAGE)}
    run(_export(gateway, output, path, wanted), gateway, output)


@review_app.command("coverage")
def coverage(
    context: typer.Context,
    *,
    book: Annotated[str, typer.Option(help="Slug of the book.")],
    since: Since = "",
    until: Until = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Show what was asked of each section, and how often nothing was found."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(_show_coverage(gateway, output, book, {"since": since, "until": until}), gateway, output)


async def _show_list(gateway: Gateway, output: Output, wanted: dict[str, str]) -> None:
    page = await gateway.list_answers(wanted)
    output.give(page)
    if not page["answers"]:
        output.say("Nothing was asked that fits.")
        await note_unknown(gateway, output, wanted["book"])
        return
    for answer in page["answers"]:
        output.say("  ".join(part for part in _standing(answer) if part))
        output.say(f"    {answer['question'][:_SHOWN]}")
    output.say_next(page)


def _standing(answer: Json) -> list[str]:
    outcome = answer["confidence_level"] or answer["reason"] or answer["outcome"]
    feedback, grade = answer["feedback"] or {}, answer["grade"] or {}
    return [
        answer["answer_id"],
        answer["create_time"][:16],
        answer["book"],
        outcome,
        feedback.get("rating", ""),
        grade.get("grade", ""),
    ]


async def _grade(gateway: Gateway, output: Output, answer_id: str, said: Json) -> None:
    grade = await gateway.grade_answer(answer_id, said)
    output.give(grade)
    output.say(f"{answer_id} is graded {grade['grade']}.")


async def _export(gateway: Gateway, output: Output, path: Path, wanted: dict[str, str]) -> None:
    answers: list[Json] = []
    while True:
        page = await gateway.list_answers(wanted)
        answers += page["answers"]
        if not page["next_cursor"]:
            break
        wanted = {**wanted, "cursor": page["next_cursor"]}
    rows, omitted = golden_rows(answers)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        await asyncio.to_thread(path.write_text, lines, "utf-8")
    except OSError as error:
        raise CommandError(f"{path} can't be written: {error.strerror}", WRONG_USE) from error
    output.give({"path": str(path), "rows": len(rows), "omitted": omitted})
    output.say(f"{len(rows)} golden questions are in {path}.")
    if not answers:
        await note_unknown(gateway, output, wanted["book"])
    for reason, count in Counter(omitted.values()).items():
        output.say(f"{count} left out: {reason}.", style="yellow")


async def _show_coverage(
    gateway: Gateway, output: Output, book: str, wanted: dict[str, str]
) -> None:
    found = await gateway.get_coverage(book, wanted)
    output.give(found)
    rate = f"{found['zero_result_rate']:.1%}"
    output.say(
        f"{found['asked']} questions; nothing was found for {found['nothing_found']} ({rate})."
    )
    if not found["asked"]:
        await note_unknown(gateway, output, book)
    if found["alarm"]:
        output.say(_TOO_LITTLE_FOUND, style="yellow")
    names = ("asked", "answered", "refused", "low_confidence", "thumbs_down")
    table = Table("section", *(name.replace("_", " ") for name in names), box=None)
    for section in found["sections"]:
        titles = " > ".join(section["section_path"]) or section["document"] or "(nothing found)"
        table.add_row(printable(titles), *(str(section[name]) for name in names))
    if found["sections"]:
        output.show(table)
