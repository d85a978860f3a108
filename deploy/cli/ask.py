"""`quoth ask` and `quoth answer`: sentences as they pass their checks, then their citations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from deploy.cli.books import choose_book, explaining
from deploy.cli.output import Output
from deploy.rest_client.client import Gateway, Json
from libs.language.asked_in import language_asked_in
from libs.language.lexicon import FALLBACK, load_lexicon

NEW_SESSION = "new"

_SUPPORT = "support"
_SUPPORTS = "\nWhat supports this:"
"""Between an answer and the sentences that it rests on, as on the page."""
_NO_MODEL = "model_not_set_up"
_NO_MODEL_SAID = (
    "The profile {profile} names a language model, but the services have no key of its provider: the "
    "book's own sentences answer."
)


async def show_answer(gateway: Gateway, output: Output, wanted_book: str, request: Json) -> None:
    book = await choose_book(gateway, wanted_book)
    if request.get("session") == NEW_SESSION:
        async with explaining(gateway, book):
            request["session"] = (await gateway.begin_session(book))["session_id"]
        # Beside the answer: what reads its JSON must find it too, and find JSON alone.
        output.errors.print(f"To go on: quoth ask --session {request['session']}", markup=False)
    said = _Said(output)
    async with explaining(gateway, book):
        async for event, data in gateway.stream_answer(book, request):
            if event == "sentence":
                said.citations += data.get("citations", [])
                said.show(data["sentence"])
            elif event == "done":
                output.give(data)
                _show_end(output, data, said.citations)


async def show_kept_answer(gateway: Gateway, output: Output, answer_id: str) -> None:
    """Show an answer or a refusal again, below the question that it was given to."""
    answer = await gateway.get_answer(answer_id)
    output.give(answer)
    output.say(answer["question"], style="dim")
    said = _Said(output, answer["citations"])
    for sentence in answer["sentences"]:
        said.show(sentence)
    _show_end(output, answer, answer["citations"])


@dataclass
class _Said:
    """Shows sentences in turn; what their citations tell beside them, once."""

    output: Output
    citations: list[Json] = field(default_factory=list)
    title: str = ""
    header: str = ""
    role: str = ""

    def show(self, sentence: Json) -> None:
        """Show a sentence below its title; rows of a table in lines of their own, below its header."""
        numbers = sentence.get("citations", [])
        cited = [one for number in numbers for one in self.citations if one["n"] == number]
        text = sentence.get("text", "")
        role = sentence.get("role", "")
        if role == _SUPPORT and self.role not in ("", _SUPPORT):
            self.output.say(_SUPPORTS, style="dim")
        self.role = role
        self._show_title(text, cited[0] if cited else {})
        style = "dim" if role == _SUPPORT else ""
        quoted = "".join(one.get("quote", "") for one in cited)
        if not (any(map(_header, cited)) and "".join(quoted.split()) == "".join(text.split())):
            self.header = ""
            marks = "".join(f"[{number}]" for number in numbers)
            self.output.say(f"{text} {marks}".rstrip(), style=style)
            return
        for one in cited:
            if _header(one) not in ("", self.header):
                self.output.say(_header(one), style="dim")
            self.header = _header(one)
            self.output.say(f"{one['quote']} [{one['n']}]", style=style)

    def _show_title(self, text: str, first: Json) -> None:
        """Say under which title and on which page a sentence stands.

        "Expensive" says nothing without what is expensive; a title that is the sentence is not said
        twice.
        """
        path = first.get("section_path") or [self.title]
        title = str(path[-1]) if len(path[-1]) > 1 else " > ".join(path[-2:])
        if title not in (self.title, text):
            page = f", page {_page(first)}" if _page(first) else ""
            self.output.say(f"{title}{page}", style="bold")
        self.title = title


def _header(citation: Json) -> str:
    """Return the header of the table that it quotes a row of; "" for any other."""
    return citation.get("table_header") or ""


def _show_end(output: Output, answer: Json, citations: list[Json]) -> None:
    show_corrections(output, answer)
    refusal = answer.get("refusal")
    if refusal:
        output.say(refusal.get("message", ""), style="yellow")
        for question in refusal.get("suggested_questions") or []:
            output.say(f"  ask: {question}")
        for title in refusal.get("related_sections") or []:
            output.say(f"  see: {title}")
        nearest = refusal.get("nearest") or []
        if nearest:
            output.say("\nNearest to the question, which may not answer it:", style="dim")
            _show_citations(output, nearest, set())
        return
    output.say()
    said = {sentence["text"] for sentence in answer.get("sentences") or []}
    _show_citations(output, answer.get("citations") or citations, said)
    if _NO_MODEL in answer.get("degraded", []):
        output.say(_NO_MODEL_SAID.format(profile=answer["profile"]), style="yellow")
    for name in answer.get("missing_entities") or []:
        output.say(_say_unsaid(answer["question"], name), style="yellow")
    confidence = answer["confidence"]
    if answer.get("notice"):
        output.say(answer["notice"], style="yellow")
    for question in answer.get("suggested_questions") or []:
        output.say(f"  ask: {question}")
    output.say(
        f"{answer['book']}, edition {answer['edition']}; "
        f"confidence {confidence['level']} ({confidence['score']:.2f})",
        style="dim",
    )
    output.say(f"quoth answer {answer['answer_id']}", style="dim")


def _say_unsaid(question: str, name: str) -> str:
    """Say, in the question's language, that the passages do not say a name or a value of it."""
    own = load_lexicon(language_asked_in(question)).refusals.unsaid
    return (own or load_lexicon(FALLBACK).refusals.unsaid).replace("{name}", name)


def show_corrections(output: Output, answer: Json) -> None:
    """Say which words of the question were searched for in another spelling."""
    words = [correction["searched"] for correction in answer.get("corrections") or []]
    if words:
        output.say(f"searched for: {', '.join(words)}", style="yellow")


def _has_own_marker(citation: Json) -> bool:
    """Whether its profile writes it otherwise than by its number."""
    return citation.get("marker", "") not in ("", f"[Source {citation.get('n')}]")


def _show_citations(output: Output, citations: Sequence[Json], said: set[str]) -> None:
    """Show places and their words; those that the answer has just said by their place alone, once."""
    if any(map(_has_own_marker, citations)):
        for citation in citations:
            output.say(f"[{citation['n']}] {citation['marker']}", style="cyan")
        return

    def told(citation: Json) -> tuple[str, str, str]:
        quote = citation.get("quote", "")
        shown = "" if quote in said else quote
        return _place(citation), _header(citation) if shown else "", shown

    for (place, header, quote), together in groupby(citations, told):
        numbers = [str(citation.get("n", "")) for citation in together]
        marker = "-".join(dict.fromkeys((numbers[0], numbers[-1])))
        output.say(f"[{marker}] {place}" + ("" if quote else ": word for word"), style="cyan")
        if header:
            output.say(f"    {header}", style="dim")
        if quote:
            output.say(f"    “{quote}”")


def _place(citation: Json) -> str:
    section = " > ".join(citation.get("section_path") or [citation.get("document", "")])
    return f"{section}, page {_page(citation)}" if _page(citation) else section


def _page(citation: Json) -> str:
    """Return the page as its source calls it; "" without one."""
    return str(citation.get("page_label") or citation.get("page") or "")
