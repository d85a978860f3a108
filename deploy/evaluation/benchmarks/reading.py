"""How useful an answer is: how soon the gold comes, what else is shown, and how long it is.

Gold is one place of several that may answer; where judges have graded what was shown, their grades
are counted apart, and gold for what they have not seen. No figure here is good alone. Showing more
lowers `precision` and raises the characters; showing less, or refusing, lowers `gold_first`, of
which every answerable question counts; one long quotation in the place of a sentence counts by its
first characters only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from deploy.evaluation.judgements import ANSWERS, HELPS, NEITHER, sentence_key
from deploy.evaluation.metrics import percentile
from deploy.evaluation.product import BookText, Json, Reply
from deploy.evaluation.quotations import Range, overlaps
from deploy.evaluation.report.result import Row
from libs.text import content_terms

FIRST = 3
_MOST_CHARACTERS = 500
"""Of what one sentence quotes that count as read: gold beyond them has to be searched for."""

_SAYS_IT = 0.6
"""Share of the gold's terms from which a sentence of elsewhere says the same."""

LEAD = "lead"

JUDGED = ("answers_first", "answers_in_three", "useful", "judged_share")
"""Of judged answers: the first sentence answers, one of three does; the share of sentences that answer
or help, and of those that were judged at all."""


@dataclass(frozen=True)
class GoldPlaces:
    """Where one gold quote stands, by document, and what it says."""

    places: tuple[tuple[str, Range], ...]
    quote: str = ""

    def is_met_by(self, spans: Iterable[Json]) -> bool:
        return any(
            span["document"] == document and overlaps((span["start"], span["end"]), place)
            for span in spans
            for document, place in self.places
        )


def read_answer(
    gold: Sequence[GoldPlaces], reply: Reply, text: BookText, *, need_all: bool, counts: bool
) -> Row:
    """Return the figures of one answer. `counts` says whether the book answers the question.

    None stands where the row does not count for a figure: an answer to what the book does not say has
    no sentence that belongs to the gold.
    """
    quoted = _quoted(reply)
    wanted = count_wanted(gold, need_all=need_all)
    first = sum(item.is_met_by(quoted[0]) for item in gold) if quoted else 0
    soon = [span for spans in quoted[:FIRST] for span in spans]
    belonging = [_belongs(spans, gold, text) for spans in quoted]
    sentences = _sentences(reply)
    lead = [item for item in sentences if item.get("role", LEAD) == LEAD]
    return {
        "gold_first": float(first > 0) if counts else None,
        "gold_in_three": (
            float(sum(item.is_met_by(soon) for item in gold) >= wanted) if counts else None
        ),
        "precision": fmean(belonging) if quoted else None,
        "characters": _characters(sentences) if quoted else None,
        "lead_characters": _characters(lead) if quoted else None,
    }


def count_wanted(gold: Sequence[GoldPlaces], *, need_all: bool) -> int:
    """Return how many pieces of gold three sentences have to bring."""
    return min(len(gold), FIRST) if need_all else 1


def read_judged(
    grades: Mapping[str, int] | None,
    gold: Sequence[GoldPlaces],
    reply: Reply,
    text: BookText,
    wanted: int,
) -> Row:
    """Return what judges say of one answer to what the book answers, of which `wanted` parts are asked.

    None stands in all of them where nobody judged answers (`grades` is None).
    """
    if grades is None:
        return dict.fromkeys(JUDGED)
    quoted, sentences = _quoted(reply), _sentences(reply)
    seen = [grades.get(sentence_key(sentence["text"])) for sentence in sentences]
    counted = [
        grade if grade is not None else _grade_by_gold(spans, gold, text)
        for grade, spans in zip(seen, quoted, strict=True)
    ]
    return {
        "answers_first": float(counted[:1] == [ANSWERS]),
        "answers_in_three": float(counted[:FIRST].count(ANSWERS) >= wanted),
        "useful": fmean(grade > NEITHER for grade in counted) if counted else None,
        "judged_share": fmean(grade is not None for grade in seen) if seen else None,
    }


def _grade_by_gold(spans: Sequence[Json], gold: Sequence[GoldPlaces], text: BookText) -> int:
    if any(item.is_met_by(spans) for item in gold):
        return ANSWERS
    return HELPS if _belongs(spans, gold, text) else NEITHER


def _sentences(reply: Reply) -> list[Json]:
    return list(reply.answer["sentences"]) if reply.answer and reply.has_answer else []


def _quoted(reply: Reply) -> list[list[Json]]:
    """Return what each sentence quotes, as much of it as counts."""
    held = {item["n"]: item for item in reply.citations}
    return [
        _cut([held[number] for number in sentence["citations"] if number in held])
        for sentence in _sentences(reply)
    ]


def _cut(spans: Sequence[Json]) -> list[Json]:
    left, kept = _MOST_CHARACTERS, []
    for span in spans:
        end = min(span["end"], span["start"] + left)
        if end > span["start"]:
            kept.append({**span, "end": end})
            left -= end - span["start"]
    return kept


def _belongs(spans: Sequence[Json], gold: Sequence[GoldPlaces], text: BookText) -> bool:
    """Whether a sentence stands in a gold quote's own section, or says what the gold says."""
    sections = {
        _section_of(document, place, text) for item in gold for document, place in item.places
    }
    quoted = [(span["document"], (span["start"], span["end"])) for span in spans]
    if any(_section_of(document, place, text) in sections for document, place in quoted):
        return True
    if any(item.is_met_by(spans) for item in gold):
        return True
    said = frozenset(content_terms(" ".join(span.get("quote", "") for span in spans)))
    wanted = [frozenset(content_terms(item.quote)) for item in gold]
    return any(terms and len(terms & said) >= _SAYS_IT * len(terms) for terms in wanted)


def _section_of(document: str, place: Range, text: BookText) -> tuple[str, Range]:
    """Return the innermost section that holds the whole range; the range itself when none does."""
    around = [
        section
        for section in text.sections.get(document, ())
        if section[0] <= place[0] and place[1] <= section[1]
    ]
    return document, min(around, key=lambda section: section[1] - section[0], default=place)


def _characters(sentences: Sequence[Json]) -> int:
    return sum(len(sentence["text"]) for sentence in sentences)


def length_figures(rows: Sequence[Row]) -> dict[str, float | None]:
    """Return median and upper-percentile length of answers, and of answers to facts apart."""
    facts = [row for row in rows if row["kind"] == "fact"]
    return {
        "characters_p50": _quantile(rows, "characters", 0.50),
        "characters_p90": _quantile(rows, "characters", 0.90),
        "lead_characters_p50": _quantile(rows, "lead_characters", 0.50),
        "fact_characters_p50": _quantile(facts, "characters", 0.50),
        "fact_lead_characters_p50": _quantile(facts, "lead_characters", 0.50),
        "citations_p50": _quantile(
            rows, "citations", 0.50, lambda row: row["characters"] is not None
        ),
    }


def _quantile(
    rows: Sequence[Row],
    name: str,
    share: float,
    counts: Callable[[Row], bool] = lambda row: True,  # noqa: ARG005 - every row
) -> float | None:
    return percentile([row[name] for row in rows if row[name] is not None and counts(row)], share)
