"""Show an ingest report: a table of its documents, and what a person should look at."""

from collections import Counter

from deploy.cli.output import MOST_ROWS, Output
from deploy.rest_client.client import Json
from libs.language.lexicon import name_of_language

_HEADINGS = ("document", "change", "characters", "in passages", "passages", "new", "tokens")
_LOST = ("document", "what", "is", "characters", "where", "why")
_PLACES = 3
_STAGES = ("plan", "split", "embed", "publish")


def show_report(output: Output, report: Json, *, is_dry: bool = False) -> None:
    documents = report.get("documents", [])
    if is_dry and not report.get("reasons"):
        _show_complaints(output, report)
        output.say(f"Nothing would change: edition {report.get('edition', '')} stays.")
        return
    if len(documents) > MOST_ROWS:
        # What is as it was says least.
        documents = sorted(documents, key=lambda document: document["change"] == "unchanged")
    output.show_rows(_HEADINGS, list(map(_cells, documents)))
    _show_dropped_content(output, documents)
    output.say_lines([f"removed: {path}" for path in report.get("removed", [])])
    _show_complaints(output, report)
    verb = "would be made" if is_dry else "was made"
    output.say(f"Edition {report.get('edition', '')} {verb}: {'; '.join(report['reasons'])}.")
    if spoken := _languages(report):
        output.say(spoken)
    output.say(_counts(report))


def _languages(report: Json) -> str:
    """Name the book's language, and how many documents are in another one."""
    language = report.get("language")
    if not language:
        return ""
    others = Counter(
        found
        for document in report["documents"]
        if (found := document.get("language")) not in (None, language)
    )
    named = ", ".join(
        f"{count} in {name_of_language(other)}" for other, count in others.most_common()
    )
    return f"Language: {name_of_language(language)}{f' (documents: {named})' if named else ''}."


def _cells(document: Json) -> tuple[str, ...]:
    return (
        str(document["path"]),
        str(document["change"]),
        str(document["visible_characters"]),
        _share(document["covered_characters"], document["visible_characters"]),
        str(document["chunks"]),
        str(document["chunks_new"]),
        str(document["tokens"]),
    )


def _show_dropped_content(output: Output, documents: list[Json]) -> None:
    """Show what is not in the texts, or changed there; what is alike in one document is one row."""
    alike: dict[tuple[str, str, str, bool], list[Json]] = {}
    for document in documents:
        for item in document.get("dropped_content", []):
            key = (document["path"], item["kind"], item["reason"], item["dropped"])
            alike.setdefault(key, []).append(item)
    rows = []
    for (path, kind, reason, dropped), items in alike.items():
        characters = sum(item["characters"] for item in items)
        cells = (path, kind, "left out" if dropped else "changed", str(characters or ""))
        rows.append((*cells, _places(items), reason))
    if rows:
        output.show_rows(_LOST, rows)


def _places(items: list[Json]) -> str:
    named = list(dict.fromkeys(item["place"] for item in items))
    more = f" and {len(named) - _PLACES} more" if len(named) > _PLACES else ""
    return ", ".join(named[:_PLACES]) + more


def _share(part: int, whole: int) -> str:
    """Return a percentage that says 100.0 only when nothing is missing."""
    if part >= whole:
        return "100.0 %"
    return f"{min(99.9, 100 * part / whole):.1f} %"


def _show_complaints(output: Output, report: Json) -> None:
    output.say_lines([f"! {line}" for line in _complaints(report)], style="yellow")


def _complaints(report: Json) -> list[str]:
    lines = list(report.get("warnings", []))
    for document in report.get("documents", []):
        lines += [document["failure"]] if document.get("failure") else []
        lines += document["warnings"]
        lines += [
            f"{document['path']} {gap['start']}-{gap['end']}: {gap['reason']}: {gap['text']!r}"
            for gap in document["missing"]
        ]
    return lines


def _counts(report: Json) -> str:
    spent = report["seconds"]
    seconds = ", ".join(f"{stage} {spent[stage]:.1f} s" for stage in _STAGES if stage in spent)
    blocks: Counter[str] = Counter()
    for document in report["documents"]:
        blocks.update(document["blocks"])
    kinds = ", ".join(f"{count} {kind}" for kind, count in blocks.most_common())
    return (
        f"Blocks: {kinds or 'none'}.\n"
        f"Passages: {report['chunks_new']} new, {report['chunks_kept']} kept, "
        f"{report['chunks_removed']} gone. Vectors: {report['vectors_new']} new, "
        f"{report['vectors_reused']} reused. Time: {seconds}."
    )
