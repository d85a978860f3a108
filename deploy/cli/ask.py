"""`quoth ask`: a question in; sentences as they pass their checks, then their proofs, out."""

from deploy.cli.books import choose_book, explaining
from deploy.cli.citation_styles import LOW_CONFIDENCE, render_citation, style_of
from deploy.cli.client import Gateway, Json
from deploy.cli.output import Output


async def show_answer(gateway: Gateway, output: Output, wanted_book: str, request: Json) -> None:
    book = await choose_book(gateway, wanted_book)
    citations: list[Json] = []
    async with explaining(gateway, book):
        async for event, data in gateway.stream_answer(book, request):
            if event == "sentence":
                citations.extend(data.get("citations", []))
                _show_sentence(output, data["sentence"])
            elif event == "done":
                output.give(data)
                _show_end(output, data, citations)


def _show_sentence(output: Output, sentence: Json) -> None:
    marks = "".join(f"[{number}]" for number in sentence.get("citations", []))
    output.say(f"{sentence.get('text', '')} {marks}".rstrip())


def _show_end(output: Output, answer: Json, citations: list[Json]) -> None:
    refusal = answer.get("refusal")
    if refusal:
        output.say(refusal.get("message", ""), style="yellow")
        for question in refusal.get("suggested_questions") or []:
            output.say(f"  ask: {question}")
        for title in refusal.get("related_sections") or []:
            output.say(f"  see: {title}")
        for question in refusal.get("suggested_questions") or []:
            output.say(f"  ask: {question}")
        return
    output.say()
    style = style_of(answer.get("profile", ""))
    said = {sentence["text"] for sentence in answer.get("sentences") or []}
    for citation in answer.get("citations") or citations:
        _show_citation(output, citation, style, is_said=citation.get("quote") in said)
    confidence = answer["confidence"]
    if confidence["level"] == "low":
        output.say(LOW_CONFIDENCE, style="yellow")
    output.say(
        f"{answer['book']}, edition {answer['edition']}; "
        f"confidence {confidence['level']} ({confidence['score']:.2f})",
        style="dim",
    )


def _show_citation(output: Output, citation: Json, style: str, *, is_said: bool) -> None:
    """Show a place and its words; not the words when the answer has just said them."""
    if style != "number":
        output.say(f"[{citation.get('n', '')}] {render_citation(citation, style)}", style="cyan")
        return
    place = " > ".join(citation.get("section_path") or [citation.get("document", "")])
    page = f", page {citation['page']}" if citation.get("page") else ""
    if is_said:
        output.say(f"[{citation.get('n', '')}] {place}{page}: word for word", style="cyan")
        _show_header(output, citation)
        return
    output.say(f"[{citation.get('n', '')}] {place}{page}", style="cyan")
    _show_header(output, citation)
    output.say(f"    “{citation.get('quote', '')}”")


def _show_header(output: Output, citation: Json) -> None:
    if citation.get("table_header"):
        output.say(f"    {citation['table_header']}", style="dim")
