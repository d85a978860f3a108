"""Names, options and help of `quoth eval` and `quoth calibrate`."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deploy.cli import options
from deploy.cli.options import Profile

if TYPE_CHECKING:
    from deploy.cli.measure import Command

eval_app = typer.Typer(
    name="eval",
    help="Measure quality on labelled files, with exit codes that can fail a build.",
    no_args_is_help=True,
)

Url = Annotated[
    str,
    typer.Option(
        envvar="QUOTH_EVAL_URL",
        help="A running product. Default: one that is started for the purpose, in a temporary home.",
        show_default=False,
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting of the profile, such as top_k=8. Repeatable.",
        show_default=False,
    ),
]
Sweep = Annotated[
    str,
    typer.Option(
        metavar="KEY=A,B,C",
        help="Measure once for each value of a setting.",
        show_default=False,
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="End with status 1 when a figure is lower. Repeatable.",
        show_default=False,
    ),
]
FailOver = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="End with status 1 when a figure is higher. Repeatable.",
        show_default=False,
    ),
]
JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the result here as JSON.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of whatever is drawn by chance.")]
Limit = Annotated[
    int, typer.Option(help="Take this many rows, drawn by the seed; 0 takes all.", min=0)
]
Concurrency = Annotated[int, typer.Option(help="Requests under way at once.", min=1, max=64)]
File = Annotated[Path, typer.Argument(exists=True, dir_okay=False)]
Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False)]


def _options(
    *,
    url: Url = "",
    profile: Profile = "",
    changes: Changes = None,
    sweep: Sweep = "",
    seed: Seed = 0,
    limit: Limit = 0,
    concurrency: Concurrency = 1,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    json_file: JsonFile = None,
) -> "Command":
    # Numbers and plots are loaded for these commands alone: `quoth ask` must start at once.
    from deploy.cli.measure import Command  # noqa: PLC0415

    return Command(
        url=url,
        profile=profile,
        changes=tuple(changes or ()),
        sweep=sweep,
        seed=seed,
        limit=limit,
        concurrency=concurrency,
        fail_under=tuple(fail_under or ()),
        fail_over=tuple(fail_over or ()),
        json_file=json_file,
    )


def _benchmark(function: Callable[..., None]) -> Callable[..., None]:
    """Register a benchmark with the options that all of them share; it gets them as a Command."""
    own = list(inspect.signature(function).parameters.values())[1:]
    shared = list(inspect.signature(_options).parameters.values())

    def command(**given: Any) -> None:
        function(_options(**{item.name: given.pop(item.name) for item in shared}), **given)

    positional = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in own]
    command.__signature__ = inspect.Signature([*positional, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in (*own, *shared)}
    command.__doc__ = function.__doc__
    eval_app.command(function.__name__)(command)
    return function


@_benchmark
def golden(
    command: "Command",
    file: File,
    book: Annotated[
        str, typer.Option(help="Book of the running product to ask.", show_default=False)
    ] = "",
    ingest: Annotated[
        Path | None, typer.Option(help="Book to ingest first.", exists=True, show_default=False)
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(help="Judgements of what was shown.", exists=True, show_default=False),
    ] = None,
) -> None:
    """Ask a book golden questions: right answers, citations, refusals, confidence."""
    command.golden(file, book, ingest, judged)


@_benchmark
def selection(
    command: "Command",
    file: File,
    ingest: Annotated[Path, typer.Option(help="Book to ingest first.", exists=True)],
) -> None:
    """Ask about selected text, boosted (2, 1.5, 1.2) against not (1), ten questions by default."""
    command.selection(file, ingest)


@_benchmark
def pilot(
    command: "Command",
    file: File,
    *,
    ingest: Annotated[Path, typer.Option(help="Module to ingest first.", exists=True)],
    answers: Annotated[
        Path | None,
        typer.Option(help="File to write ten answers to, for a person.", show_default=False),
    ] = None,
    found_good: Annotated[
        int | None,
        typer.Option(
            help="Of ten such answers, those found good.", min=0, max=10, show_default=False
        ),
    ] = None,
) -> None:
    """Try a profile (default: course) on one module, against the six criteria of a pilot."""
    command.pilot(file, ingest, found_good, answers)


@_benchmark
def retrieval(
    command: "Command",
    collection: Annotated[Path, typer.Argument(exists=True)],
    language: Annotated[str, typer.Option(help="ISO 639-1 code of the documents.")] = "",
) -> None:
    """Search a judged collection: a folder of corpus.jsonl, queries.jsonl and qrels.tsv, or a file
    of questions with a paragraph each.
    """
    command.retrieval(collection, language)


@_benchmark
def chunks(
    command: "Command",
    folder: Folder,
    retrieved: Annotated[
        int, typer.Option("-n", "--retrieved", help="Passages a question.", min=1, max=50)
    ] = 5,
) -> None:
    """Hold retrieved passages against exact excerpts: corpora/*.md, questions_df.csv."""
    command.chunks(folder, retrieved)


@_benchmark
def grounding(
    command: "Command",
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False)],
) -> None:
    """Tell supported claims from unsupported ones by the product's own check."""
    command.grounding(files)


@_benchmark
def refusal(command: "Command", file: File) -> None:
    """Ask questions with one paragraph each, some of which it does not answer."""
    command.refusal(file)


@_benchmark
def gate(
    command: "Command",
    file: File,
    ingest: Annotated[Path, typer.Option(help="Book to ingest first.", exists=True)],
) -> None:
    """Ask a book of any language what it answers and what it does not: who is refused wrongly?"""
    command.gate(file, ingest)


@_benchmark
def injection(
    command: "Command",
    attacks: File,
    contexts: Annotated[
        Path, typer.Option(help="Passages to plant in.", exists=True, dir_okay=False)
    ],
    benign: Annotated[
        Path, typer.Option(help="Harmless texts to plant.", exists=True, dir_okay=False)
    ],
) -> None:
    """Plant attacks in passages and answer with a model that obeys them."""
    command.injection(attacks, contexts, benign)


@_benchmark
def model(
    command: "Command",
    file: File,
    *,
    ingest: Annotated[
        Path, typer.Option(help="Book to ingest first.", exists=True, show_default=False)
    ],
    model_url: Annotated[
        str, typer.Option(help="Base URL of an OpenAI-compatible server.")
    ] = "http://127.0.0.1:8090/v1",
    model_name: Annotated[str, typer.Option(help="Name of the model there.")] = "small",
    patience: Annotated[float, typer.Option(help="Seconds the model may take a draft.")] = 300.0,
    prompt_tokens: Annotated[
        int, typer.Option(help="Most tokens of question and passages.", min=100)
    ] = 1000,
    max_tokens: Annotated[int, typer.Option(help="Most tokens of a draft.", min=32)] = 200,
    drafts: Annotated[
        Path | None,
        typer.Option(
            help="Keep the drafts here; when the file is there, check them again without a model.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Let a language model answer golden questions: what it says wrong, and what of it is shown."""
    from deploy.evaluation.benchmarks.model import AskedModel  # noqa: PLC0415 - as above

    asked = AskedModel(model_url, model_name, patience, prompt_tokens, max_tokens)
    command.model(file, ingest, asked, drafts)


@_benchmark
def drafts(
    command: "Command",
    file: File,
    *,
    ingest: Annotated[
        Path, typer.Option(help="Book to ingest first.", exists=True, show_default=False)
    ],
    golden: Annotated[
        Path,
        typer.Option(
            help="Golden questions that the drafts answer.",
            exists=True,
            dir_okay=False,
            show_default=False,
        ),
    ],
    claims: Annotated[
        Path | None,
        typer.Option(
            help="False versions of the sentences, with a judge's verdicts.",
            exists=True,
            dir_okay=False,
            show_default=False,
        ),
    ] = None,
    verifier: Annotated[
        str, typer.Option(help="`words`, `model` (the recorded judge) or `nli`.")
    ] = "words",
) -> None:
    """Replay a model's recorded drafts: what of the true and the false is shown."""
    from deploy.evaluation.benchmarks.drafts import DraftFiles  # noqa: PLC0415 - as above

    command.drafts(DraftFiles(file, golden, claims), ingest, verifier)


@_benchmark
def formats(
    command: "Command",
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH_A PATH_B ... QUESTIONS", help="Formats of one book, then the questions."
        ),
    ],
) -> None:
    """Ask several formats of one book the same questions: do they find the same section?"""
    command.formats(paths)


@eval_app.command()
def compare(
    before: File,
    after: File,
    seed: Seed = 0,
    json_file: JsonFile = None,
    fail_on_worse: Annotated[
        bool, typer.Option(help="End with status 1 when a figure got worse beyond noise.")
    ] = False,
) -> None:
    """Compare two results over the rows that both have, by the paired bootstrap."""
    from deploy.cli.measure import compare_results  # noqa: PLC0415 - as above

    compare_results(before, after, seed, json_file, fail_on_worse=fail_on_worse)


@eval_app.command("all")
def run_all(
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with labelled sets (books/, data/); the sample book is always measured.",
            exists=True,
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        bool, typer.Option(help="Keep the results under tests/quality and redraw RESULTS.md.")
    ] = False,
    guard: Annotated[
        bool, typer.Option(help="End with status 1 when a figure is worse than kept ones.")
    ] = True,
    only: Annotated[
        str, typer.Option(help="Measure only sets whose name holds this.", show_default=False)
    ] = "",
    seed: Seed = 0,
) -> None:
    """Measure every set there is, hold it against the last kept results, and draw the plots."""
    from deploy.cli.measure import measure_all  # noqa: PLC0415 - as above

    measure_all(data, keep=keep, guard=guard, only=only, seed=seed)


GoldenFiles = Annotated[
    list[Path] | None,
    typer.Argument(help="Golden questions.", exists=True, show_default=False),
]
FittedBook = Annotated[
    str, typer.Option(help="Book that the questions are about.", show_default=False)
]
Elsewhere = Annotated[
    list[Path] | None,
    typer.Option(
        help="Questions about other books: this one does not answer them. Repeatable.",
        exists=True,
        show_default=False,
    ),
]
FittedSets = Annotated[
    Path | None,
    typer.Option(
        help="Folder of labelled sets (books/, data/) to fit to instead, the ranking of "
        "sentences too; on a product that is started for the purpose.",
        exists=True,
        file_okay=False,
        show_default=False,
    ),
]
Ship = Annotated[
    bool, typer.Option("--ship", help="With --data: replace what the product comes with.")
]
Out = Annotated[Path, typer.Option(help="Folder to write the fitted models to.")]
Diagram = Annotated[
    Path | None,
    typer.Option(help="Where to draw the reliability diagram: .svg or .png.", show_default=False),
]
Threshold = Annotated[
    float, typer.Option(help="Least probability that passes the gate.", min=0.0, max=1.0)
]
Within = Annotated[
    float,
    typer.Option(
        help="Say how many rows more would tell the rates within ± this.", min=0.001, max=0.5
    ),
]
Cache = Annotated[
    Path,
    typer.Option(
        envvar="QUOTH_CACHE_DIR", help="Folder that keeps the embedder.", show_default=False
    ),
]


def calibrate(
    files: GoldenFiles = None,
    *,
    book: FittedBook = "",
    url: options.Url = "",
    elsewhere: Elsewhere = None,
    data: FittedSets = None,
    ship: Ship = False,
    out: Out = Path("calibration"),
    diagram: Diagram = None,
    threshold: Threshold = 0.7,
    within: Within = 0.05,
    cache: Cache = Path(".quoth/cache"),
    profile: Profile = "",
    seed: Seed = 0,
) -> None:
    """Fit the answerability classifier and the confidence to labelled questions.

    The embedder is the one that the environment names: it has to be the one that the product uses.
    """
    from deploy.cli.calibrate import Calibration  # noqa: PLC0415 - as above

    command = Calibration(out, diagram, threshold, within, profile, seed, cache)
    if data is not None:
        command.of_sets(data, ship=ship)
    else:
        command.of_book(files or [], elsewhere or [], book, url)
