"""The command line of `quoth`: names, options and help; the work is in one module a command."""

import asyncio
import os
from typing import Annotated

import typer

from deploy.cli.ask import show_answer, show_kept_answer
from deploy.cli.backup import backup, restore
from deploy.cli.books import show_books
from deploy.cli.editions import EDITION_COMMANDS
from deploy.cli.evaluate import calibrate, eval_app
from deploy.cli.ingest import run_ingest
from deploy.cli.keys import keys_app
from deploy.cli.lazily import loaded_late
from deploy.cli.mcp import serve_mcp
from deploy.cli.migrate import migrate
from deploy.cli.model import choose_model, choose_profile, with_model
from deploy.cli.options import (
    AsJson,
    Book,
    Cursor,
    Limit,
    OneChapter,
    OneDocument,
    OnePage,
    Profile,
    Question,
    SectionPath,
    SelectionDocument,
    SelectionEnd,
    SelectionStart,
    SelectionText,
    Session,
    SourcePath,
    Url,
    open_gateway,
    version,
)
from deploy.cli.output import FAILED, WRONG_USE, Output, run
from deploy.cli.review import review_app
from deploy.cli.search import show_passages
from deploy.cli.suggest import suggest
from deploy.cli.up import SampleBook, offer_for_books
from deploy.cli.watch import watch
from deploy.embedded import StartError
from deploy.local.check import check_settings
from deploy.local.child import GaveUpError
from deploy.local.report import JsonReport, LastingConsole, PlainReport, Report
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import run_local
from deploy.rest_client.client import Json
from libs.errors import NotFound
from libs.profiles import load_profile
from libs.settings import SettingsError, load_settings
from services.generation.settings import Settings as GenerationSettings

RUNNING, READING, HISTORY, MEASURING = "Run and fill it", "Read", "A book's history", "Measure"

app = typer.Typer(
    name="quoth",
    help="Ask a book; get answers that carry their own checked quotations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _load_audit() -> typer.Typer:
    # Rebuilding answers takes what generation does: half a second of each command.
    from deploy.cli.audit import audit_app  # noqa: PLC0415 - as above

    return audit_app


model_app = typer.Typer(help="Look at the language model that answers.", no_args_is_help=True)
app.add_typer(model_app, name="model", rich_help_panel=MEASURING)
app.add_typer(keys_app, name="keys", rich_help_panel=RUNNING)
app.add_typer(
    loaded_late(_load_audit, "Look after the record of answers."),
    name="audit",
    rich_help_panel=RUNNING,
)

ModelName = Annotated[
    str,
    typer.Option("--model", help="Language model that answers, as its API names it."),
]
ModelUrl = Annotated[
    str,
    typer.Option(
        "--model-url", help="Base URL of an OpenAI-compatible server, such as one of your own."
    ),
]


@app.callback(invoke_without_command=True)
def start(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True)
    ] = False,
) -> None:
    if show_version:
        typer.echo(f"quoth {version()}")
        raise typer.Exit


@app.command(rich_help_panel=RUNNING)
def up(
    sample: Annotated[
        bool, typer.Option(help="Add the sample book when there is no book yet.")
    ] = True,
    model: ModelName = "",
    model_url: ModelUrl = "",
    profile: Annotated[
        str,
        typer.Option(
            "--profile", help="Use the models that this profile names, where their keys are set."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Run everything on this machine until Ctrl-C.

    With --model, a language model answers; without, the book's own sentences do.

    Data goes to QUOTH_HOME (default .quoth), the page to QUOTH_PORT (default 8080); the four ports
    after it are used inside. QUOTH_QDRANT_URL and QUOTH_POSTGRES_DSN name servers to use instead of
    the embedded PostgreSQL and Qdrant.
    """
    output, console = Output(as_json), LastingConsole()
    report = JsonReport(console) if as_json else PlainReport(console)
    on_ready = SampleBook(output.errors if as_json else console) if sample else offer_for_books
    if model_url and not model:
        output.fail("--model-url needs --model, the model's name there", WRONG_USE)
    if model:
        os.environ.update(choose_model(model, model_url))
        report.note(f"Answers are written by {model}.")
    try:
        _use_models_of(profile, report)
        check_settings(os.environ)
        settings = load_settings(LocalSettings, os.environ)
        asyncio.run(run_local(settings, report, on_ready))
    except (SettingsError, StartError, NotFound) as error:
        output.fail(str(error), WRONG_USE)
    except GaveUpError as error:
        output.fail(str(error), WRONG_USE if error.is_final else FAILED)


def _use_models_of(profile: str, report: Report) -> None:
    """Name the models of a profile to the services. Raises NotFound for an unknown one."""
    if profile:
        chosen, notes = choose_profile(load_profile(profile), os.environ)
        os.environ.update(chosen)
        for note in notes:
            report.note(note)


@model_app.command("check")
def check(model: ModelName = "", model_url: ModelUrl = "", as_json: AsJson = False) -> None:
    """Ask a language model one built-in question, and say what works: key, URL, speed, price."""
    # The providers' clients take longer to load than every other command takes.
    from deploy.cli.model_check import check_model  # noqa: PLC0415 - as above

    output = Output(as_json)
    try:
        settings = load_settings(GenerationSettings, with_model(os.environ, model, model_url))
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    if not settings.model:
        output.fail("name the model: --model NAME or GENERATION_MODEL", WRONG_USE)
    result = check_model(settings)
    output.give(result.to_json())
    if not result.error:
        output.say_lines(result.describe())
    else:
        output.fail(f"{result.model}: {result.error}", FAILED)


@app.command(rich_help_panel=RUNNING)
def ingest(
    context: typer.Context,
    path: SourcePath,
    *,
    book: Annotated[
        str | None,
        typer.Option(
            help="Slug of the book: lower-case letters, digits and hyphens. "
            "Default: made of the path's name, for a book that is not there yet.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str,
        typer.Option(
            help="Title of the book. Default: the one it has, else what it calls itself.",
            show_default=False,
        ),
    ] = "",
    language: Annotated[
        str, typer.Option(help="Code of ISO 639: en, zh-Hans. Default: found.", show_default=False)
    ] = "",
    profile: Profile = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change.")
    ] = False,
    allow_partial: Annotated[
        bool,
        typer.Option("--allow-partial", help="Leave out documents that can't be read, and say so."),
    ] = False,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Put a book in, or its new edition; readers see it once it is whole."""
    output, gateway = Output(as_json), open_gateway(context, url)
    parameters = {"title": title, "language": language, "profile": profile}
    parameters["dry_run"] = "true" if dry_run else ""
    parameters["allow_partial"] = "true" if allow_partial else ""
    run(run_ingest(gateway, output, path, book, parameters), gateway, output)


@app.command(rich_help_panel=READING)
def books(
    context: typer.Context,
    *,
    limit: Limit = 0,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List the books."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(show_books(gateway, output, {"limit": limit, "cursor": cursor}), gateway, output)


@app.command(rich_help_panel=READING)
def ask(
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(help="What to ask; may be left out when text is selected.")
    ] = "",
    *,
    book: Book = "",
    section: SectionPath = None,
    document: OneDocument = "",
    chapter: OneChapter = "",
    page: OnePage = "",
    selection_document: SelectionDocument = "",
    selection_start: SelectionStart = 0,
    selection_end: SelectionEnd = 0,
    selection_text: SelectionText = "",
    session: Session = "",
    profile: Profile = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Ask a book. Sentences appear as they pass their checks, their proofs at the end."""
    output, gateway = Output(as_json), open_gateway(context, url)
    if not question.strip() and not selection_document:
        output.fail('Say what to ask: quoth ask "What is it about?"', WRONG_USE)
    if selection_text and not selection_document:
        output.fail("Say by --selection-document where the selected text stands.", WRONG_USE)
    where = _where(section, document, chapter, page)
    request: Json = {"question": question} | _named(profile) | where
    if session:
        request["session"] = session
    if selection_document:
        request["selection"] = {"document": selection_document, "text": selection_text}
        if selection_end:
            request["selection"] |= {"start": selection_start, "end": selection_end}
    run(show_answer(gateway, output, book, request), gateway, output)


@app.command(rich_help_panel=READING)
def answer(
    context: typer.Context,
    answer_id: Annotated[str, typer.Argument(help="Id of an answer, as `quoth ask` names it.")],
    *,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Read an answer again, as it was given."""
    output, gateway = Output(as_json), open_gateway(context, url)
    run(show_kept_answer(gateway, output, answer_id), gateway, output)


@app.command(rich_help_panel=READING)
def search(
    context: typer.Context,
    question: Question,
    *,
    book: Book = "",
    section: SectionPath = None,
    document: OneDocument = "",
    chapter: OneChapter = "",
    page: OnePage = "",
    profile: Profile = "",
    url: Url = "",
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Add ranks, what the gate looked at, and stage times."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the passages that an answer would be made from, with their scores."""
    output, gateway = Output(as_json), open_gateway(context, url)
    where = _where(section, document, chapter, page)
    request: Json = {"question": question} | _named(profile) | where
    shown = show_passages(gateway, output, book, request, explain_it=explain)
    run(shown, gateway, output)


def _named(profile: str) -> Json:
    return {"profile": profile} if profile else {}


def _where(section: list[str] | None, document: str, chapter: str, page: str) -> Json:
    """Return the part of the book that is searched, as a request says it."""
    one: str | int = int(page) if page.isdecimal() else page
    part: Json = {"section_path": section, "document": document, "chapter": chapter, "page": one}
    return {name: value for name, value in part.items() if value}


app.command(rich_help_panel=READING)(suggest)
app.command(rich_help_panel=RUNNING)(migrate)
app.command(rich_help_panel=RUNNING)(backup)
app.command(rich_help_panel=RUNNING)(restore)
app.command(rich_help_panel=RUNNING)(watch)
for command in EDITION_COMMANDS:
    app.command(rich_help_panel=HISTORY)(command)
app.add_typer(review_app, name="review", rich_help_panel=MEASURING)
app.add_typer(eval_app, rich_help_panel=MEASURING)
app.command(rich_help_panel=MEASURING)(calibrate)
app.command("mcp", rich_help_panel=RUNNING)(serve_mcp)
