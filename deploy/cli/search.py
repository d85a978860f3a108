"""`quoth search`: show passages with their scores."""

from rich.table import Table

from deploy.cli.ask import show_corrections
from deploy.cli.books import choose_book, explaining
from deploy.cli.output import Output, printable
from deploy.rest_client.client import Gateway, Json

_SHOWN_CHARACTERS = 160


async def show_passages(
    gateway: Gateway, output: Output, wanted_book: str, request: Json, *, explain_it: bool = False
) -> None:
    book = await choose_book(gateway, wanted_book)
    async with explaining(gateway, book):
        answer = await gateway.search(book, request)
    output.give(answer)
    show_corrections(output, answer)
    passages = answer.get("passages", [])
    if not passages:
        output.say("Nothing found.", style="yellow")
    else:
        output.show(_table(passages, ranks=explain_it))
    if explain_it:
        _explain(output, answer)


def _table(passages: list[Json], *, ranks: bool) -> Table:
    boost = ("boost",) if ranks else ()
    table = Table("", "score", "dense", "bm25", *boost, "passage", box=None, show_lines=False)
    for number, passage in enumerate(passages, start=1):
        words = f"{_section(passage)}\n{_gist(passage)}\n"
        table.add_row(str(number), *_scores(passage, ranks=ranks), words)
    return table


def _explain(output: Output, answer: Json) -> None:
    """Say what the gate looked at, how long each stage took, and what had to be left out."""
    gate = answer.get("gate") or {}
    verdict = "passes" if gate.get("passed") else "refuses"
    probability, threshold = _number(gate.get("probability")), _number(gate.get("threshold"))
    output.say(f"\nThe gate {verdict}: {probability}, threshold {threshold}.")
    features = Table("feature", "value", box=None)
    for name, value in sorted((gate.get("features") or {}).items()):
        features.add_row(printable(str(name)), _number(value))
    output.show(features)
    stages = Table("stage", "ms", "allowed", "outcome", box=None)
    for timing in answer.get("timings") or []:
        times = [f"{timing.get(name, 0.0):.1f}" for name in ("used_ms", "allowed_ms")]
        stages.add_row(str(timing.get("stage")), *times, str(timing.get("outcome")))
    output.show(stages)
    if answer.get("degraded"):
        output.say(f"Left out: {', '.join(answer['degraded'])}.", style="yellow")


def _scores(passage: Json, *, ranks: bool) -> list[str]:
    """Return the fused score and those of the two lists, explained with ranks in these and boost."""
    scores = passage.get("scores") or {}
    fused, dense, bm25, boost = (
        _number(scores.get(name)) for name in ("fused", "dense", "bm25", "boost")
    )
    if not ranks:
        return [fused, dense, bm25]
    dense_rank, bm25_rank = (scores.get(name) or "-" for name in ("dense_rank", "bm25_rank"))
    return [fused, f"{dense} #{dense_rank}", f"{bm25} #{bm25_rank}", boost]


def _number(score: object) -> str:
    return f"{score:.3f}" if isinstance(score, int | float) else ""


def _section(passage: Json) -> str:
    return printable(" > ".join(passage.get("section_path") or [passage.get("document", "")]))


def _gist(passage: Json) -> str:
    """Return the sentences that carry the match, or how the passage begins below its title."""
    whole, start = str(passage.get("text", "")), int(passage.get("start") or 0)
    spans = passage.get("spans") or []
    highlighted = [span for span in spans if span.get("highlighted")]
    pieces = [whole[span["start"] - start : span["end"] - start] for span in highlighted]
    below = next((span["start"] for span in spans if span.get("kind") != "heading"), start)
    text = " ".join(printable(" … ".join(pieces) or whole[below - start :]).split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
