"""Write an answer as the text of a chat: its sentences with their marks, then the quotations."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from libs.language.asked_in import language_asked_in
from libs.language.lexicon import FALLBACK, load_lexicon
from services.gateway.model.answers import Answer, Citation, Sentence
from services.gateway.routes.openai_bodies import Annotation, UrlCitation

# A chat client draws Markdown and HTML; a book's text must make neither links nor pictures there.
_MARKUP = re.compile(r"(?<=\])\(|(?<=\])\[|<(?=[A-Za-z/!?])")


@dataclass
class ChatText:
    """Grows by sentences; knows where each mark of a citation stands.

    `site` is where the reader page is, `edition` 0 while it is not known.
    """

    site: str
    book: str
    edition: int
    _length: int = 0
    _listed: list[Citation] = field(default_factory=list)

    def add_sentence(
        self, sentence: Sentence, citations: Iterable[Citation]
    ) -> tuple[str, list[Annotation]]:
        """Return the text of the next sentence and the annotations of its marks."""
        self._listed.extend(citations)
        known = {citation.n: citation for citation in self._listed}
        text = ("\n\n" if self._length else "") + _plain(sentence.text) + " "
        annotations = []
        for number in sentence.citations:
            mark, start = f"[{number}]", self._length + len(text)
            text += mark
            if number in known:
                span = (start, start + len(mark))
                annotations.append(self._annotate(known[number], span))
        self._length += len(text)
        return text, annotations

    def end(self, answer: Answer) -> str:
        """Return what comes last: the quotations by number and what to ask instead, or the refusal."""
        if answer.refusal is not None:
            more = [f"- {title}" for title in answer.refusal.suggested_questions]
            nearest = _quoted(answer.refusal.nearest)
            if nearest:
                own = load_lexicon(language_asked_in(answer.question)).refusals.nearest
                nearest = f"\n\n{own or load_lexicon(FALLBACK).refusals.nearest}{nearest}"
            return "\n".join([answer.refusal.message, *more]) + nearest
        quoted = _quoted(answer.citations)
        instead = "".join(f"\n- {_plain(one)}" for one in answer.suggested_questions)
        return quoted + (f"\n\n{answer.notice}{instead}" if answer.notice else "")

    def _annotate(self, citation: Citation, span: tuple[int, int]) -> Annotation:
        query = {"range": f"{citation.start}-{citation.end}"}
        if self.edition:
            query["edition"] = str(self.edition)
        path = f"{quote(self.book, safe='')}/{quote(citation.document)}?{urlencode(query)}"
        return Annotation(
            UrlCitation(
                *span, citation.url or f"{self.site}#/{path}", _place(citation), citation.quote
            )
        )


def _quoted(citations: Sequence[Citation]) -> str:
    return "".join(
        f"\n\n[{citation.n}] “{_plain(citation.quote)}” — {_plain(_place(citation))}"
        for citation in citations
    )


def _place(citation: Citation) -> str:
    place = " > ".join(citation.section_path) or citation.document
    page = citation.page_label or citation.page
    return f"{place}, page {page}" if page else place


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], text)
