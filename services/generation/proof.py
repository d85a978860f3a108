"""Decide what proves a sentence of a draft, at each level of proof, and what stands in for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from libs.text import content_terms, words
from services.generation.checks.cite import Citations
from services.generation.checks.clauses import find_own, render
from services.generation.checks.excerpts import Excerpt, join_texts
from services.generation.checks.facts import check_books_words, check_own_words
from services.generation.checks.markup import carries_only
from services.generation.checks.normal_forms import rules_of
from services.generation.model import (
    Check,
    CheckKind,
    Citation,
    DraftSentence,
    Grounding,
    Passage,
    SentenceKind,
    Statement,
    Verdict,
)

_UNPROVEN = (CheckKind.SOURCE, CheckKind.QUOTE)
_WORD_FOR_WORD = (Verdict.EXACT, Verdict.NORMALISED)
_COPIED = 0.75
"""Share of common words, in the same order, from which a sentence counts as a copy."""

_LEAST_FRAMED = 5
"""Words of a sentence that is a copy inside of another; fewer are a name or a phrase."""

_MOST_STANDING_IN = 4
"""Pieces of the book that stand in for one sentence; more are no answer in few words."""


@dataclass(frozen=True)
class PassageSimilarity:
    """Cosine of a sentence without citations to the nearest passage, and the threshold."""

    cosine: float = 1.0
    threshold: float = 0.0

    @property
    def suffices(self) -> bool:
        return self.cosine >= self.threshold


@dataclass(frozen=True)
class Examined:
    """A sentence after the checks that need no verifier; with a `statement`, a verifier decides."""

    draft: DraftSentence
    checks: tuple[Check, ...]
    proofs: tuple[Citation, ...] = ()
    kind: SentenceKind = SentenceKind.QUOTED
    probability: float = 1.0
    statement: Statement | None = None
    similarity: PassageSimilarity = PassageSimilarity()
    excerpts: tuple[Excerpt, ...] = ()
    """The book's own sentences that it is made of, with the context they must be shown with."""

    @property
    def passed(self) -> bool:
        return self.checks[-1].passed


def examine_sentence(
    draft: DraftSentence,
    citations: Citations,
    level: Grounding,
    *,
    question: str = "",
    language: str = "",
    similarity: PassageSimilarity = PassageSimilarity(),
) -> Examined:
    """Make every check of one sentence that its level of proof asks for, the cheapest first."""
    if level is Grounding.CITED:
        examined = _examine_cited(draft, citations, similarity)
    else:
        examined = _examine_quoted(draft, citations, level, question=question, language=language)
    return replace(examined, similarity=similarity)


def _examine_quoted(
    draft: DraftSentence, citations: Citations, level: Grounding, *, question: str, language: str
) -> Examined:
    """Ask for proof in the book's own words, all of the sentence or what it rests on."""
    proofs, checks = citations.examine(draft)
    if not proofs:
        return Examined(draft, tuple(checks))
    verbatim = _examine_verbatim(draft, citations, proofs, checks, language)
    if verbatim.passed or level is Grounding.VERBATIM:
        return verbatim
    around = citations.surround(proofs)
    if _is_altered_copy(draft.text, [*proofs, *around]) or _is_framed_copy(
        draft.text, around, _tell_known(citations, proofs, question), language
    ):
        return verbatim
    return _examine_supported(
        draft, citations, proofs, checks, question=question, language=language
    )


def list_stand_ins(
    examined: Examined, citations: Citations, question: str, language: str = ""
) -> list[Excerpt]:
    """Return the book's own sentences around the exact quotes of what fails by its wording.

    Each is with the context that it must not be shown without.

    Empty when the quotes themselves fail, or are not about `question`; "" is none to be about.
    """
    if examined.checks[-1].kind in _UNPROVEN:
        return []
    exact = [proof for proof in examined.proofs if proof.verdict in _WORD_FOR_WORD]
    if not _is_about(question, citations.surround(exact)):
        return []
    return citations.excerpt(exact, language)[:_MOST_STANDING_IN]


def _examine_verbatim(
    draft: DraftSentence,
    citations: Citations,
    proofs: list[Citation],
    checks: list[Check],
    language: str,
) -> Examined:
    """Ask for the book's own sentences, which are then shown in the book's own characters."""
    whole = citations.widen(proofs)
    quotes, spans = ([proof.quote for proof in cited] for cited in (proofs, whole))
    made, shown = check_books_words(draft.text, spans, language)
    if not made[-1].passed:
        return Examined(draft, (*checks, *made), tuple(proofs))
    excerpts = tuple(citations.excerpt(whole, language, said=shown))
    if any(text not in shown for one in excerpts for text in one.texts):
        proofs = [proof for one in excerpts for proof in citations.cite_excerpt(one)]
        draft = replace(draft, text=join_texts(excerpts))
        return Examined(draft, (*checks, *made), tuple(proofs), excerpts=excerpts)
    if render(shown, quotes, language) is None:
        proofs = whole  # the quotes alone are not all that the sentence says
    draft = replace(draft, text=shown)
    return Examined(draft, (*checks, *made), tuple(proofs), excerpts=excerpts)


def _examine_supported(
    draft: DraftSentence,
    citations: Citations,
    proofs: list[Citation],
    checks: list[Check],
    *,
    question: str,
    language: str,
) -> Examined:
    """Ask for an exact quote, and that no fact of the sentence is at odds with quote and passage."""
    if not any(proof.verdict in _WORD_FOR_WORD for proof in proofs):
        unquoted = Check(CheckKind.QUOTE, False, "names a source and quotes nothing of it")
        return Examined(draft, (*checks, unquoted), tuple(proofs))
    quotes = [proof.quote for proof in proofs]
    if find_own(draft.text, quotes):
        # A piece cut from a sentence is the book's wording, and may not be what the book says.
        quotes = [proof.quote for proof in citations.widen(proofs)]
    passages = citations.passages_of(proofs)
    statement = Statement(
        draft.text,
        tuple(quotes),
        tuple(passage.text for passage in passages),
        _titles_of(passages),
        question,
        language,
    )
    made = check_own_words(statement)
    return Examined(
        draft,
        (*checks, *made),
        tuple(proofs),
        SentenceKind.PARAPHRASED,
        0.0,
        statement if made[-1].passed else None,
    )


def _tell_known(citations: Citations, proofs: list[Citation], question: str) -> str:
    """Return what a sentence may take its words from: passages, their titles, and the question."""
    passages = citations.passages_of(proofs)
    texts = (passage.text for passage in passages)
    return "\n".join((*texts, *_titles_of(passages), question))


def _titles_of(passages: Iterable[Passage]) -> tuple[str, ...]:
    paths = (path for passage in passages for path in passage.section_paths)
    return tuple(title for path in paths for title in path)


def _is_altered_copy(text: str, cited: Sequence[Citation]) -> bool:
    """Whether `text` is a sentence of the book in which one run of words is another or gone.

    What is copied must be copied: the word that differs is the one that matters, and a reader loses
    nothing by the book's own sentence. Of 162 true sentences that a capable model wrote freely, three
    are such copies.
    """
    spoken = words(text)
    for citation in cited:
        pieces = SequenceMatcher(None, spoken, words(citation.quote), autojunk=False)
        changed = sum(kind != "equal" for kind, *_ in pieces.get_opcodes())
        if changed <= 1 and pieces.ratio() >= _COPIED:
            return True
    return False


def _is_framed_copy(text: str, around: Sequence[Citation], known: str, language: str) -> bool:
    """Whether `text` is a verbatim sentence of the book embedded in text that `known` does not support.

    Nothing proves the frame: "The reader has to do this:", before an order that somebody planted in the
    book, is not what the book says.
    """
    spoken, runs = words(text), [words(citation.quote) for citation in around]
    framed = any(
        _LEAST_FRAMED <= len(run) < len(spoken)
        and any(spoken[at : at + len(run)] == run for at in range(len(spoken) - len(run) + 1))
        for run in runs
    )
    # Numbers are checked apart, for they may follow from what the book lists.
    uncounted = (word for word in spoken if word not in rules_of(language).numbers.values)
    return framed and not set(content_terms(" ".join(uncounted))) <= set(content_terms(known))


def _examine_cited(
    draft: DraftSentence, citations: Citations, similarity: PassageSimilarity
) -> Examined:
    """Ask that the sources named are there and, where none is, that a passage is near enough."""
    if not citations.know_sources(draft):
        return Examined(draft, (Check(CheckKind.SOURCE, False, "there is no such source"),))
    if not draft.claims and not similarity.suffices:
        far = f"{similarity.cosine:.2f} of 1, {similarity.threshold:.2f} wanted"
        reason = f"no source is named, and none is near: {far}"
        return Examined(draft, (Check(CheckKind.SOURCE, False, reason),))
    proofs = citations.cite_named(draft) if draft.claims else citations.cite_unnamed(draft.text)
    if not proofs:
        return Examined(draft, (Check(CheckKind.SOURCE, False, "no source is named"),))
    texts = [passage.text for passage in citations.passages_of(proofs)]
    clean = carries_only(draft.text, texts)
    found = Check(CheckKind.SOURCE, True, "a passage that was found")
    markup = Check(CheckKind.MARKUP, clean, "nothing but words" if clean else "carries markup")
    own = find_own(draft.text, [proof.quote for proof in citations.surround(proofs)])
    kind = SentenceKind.QUOTED if own else SentenceKind.PARAPHRASED
    draft = replace(draft, text=own) if own else draft
    likely = 1.0 if own else citations.find_support(draft.text)
    return Examined(draft, (found, markup), tuple(proofs), kind, likely)


def _is_about(question: str, around: Sequence[Citation]) -> bool:
    """Whether what stands around the quotes, or its titles, has a word of the question."""
    asked = set(content_terms(question))
    said = {
        term
        for citation in around
        for term in content_terms("\n".join((citation.quote, *citation.locator.section_path)))
    }
    return not asked or bool(asked & said)
