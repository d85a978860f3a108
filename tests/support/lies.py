"""Turn true sentences of the sample book into lies, and into harmless rewordings."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from libs.text import sentence_ranges, terms, words
from services.generation.checks.normal_forms import every_word, is_negation
from services.generation.model import BlockKind, Locator, Passage, Span

SAMPLES = Path(__file__).parents[2] / "deploy/samples/physical-ai"
PROMPT_TEXT = (
    "You answer questions about one book, and only from the numbered sources you are given."
)

_SKIPPED = re.compile(r"^(?:[#|>\-*!<`:{]|\d+\.|import |export |---)")
_MARKUP = re.compile(r"\*+|__|`|\[\^[^\]]*\]")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_UNIT = re.compile(r"(?<=\d )(ms|s|kg|g|mm|cm|m|V|W|kW|N|Nm|A|Hz|kHz|MPa|bar|%)(?!\w)")
_TURNED = {
    "more": "less", "less": "more", "higher": "lower", "lower": "higher", "faster": "slower",
    "slower": "faster", "larger": "smaller", "smaller": "larger", "before": "after",
    "after": "before", "above": "below", "below": "above", "increases": "decreases",
    "rises": "falls", "falls": "rises", "most": "least", "stronger": "weaker",
    "heavier": "lighter", "lighter": "heavier", "longer": "shorter", "shorter": "longer",
    "better": "worse", "worse": "better", "first": "last", "inside": "outside",
}  # fmt: skip


def read_paragraphs() -> list[str]:
    """Running text of the sample book, one string a paragraph of two sentences or more."""
    paragraphs = []
    for path in sorted(SAMPLES.glob("*.mdx")):
        fenced = False
        for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            fenced ^= block.count("```") % 2 == 1
            if fenced or "```" in block or _SKIPPED.match(block) or "$" in block or "](" in block:
                continue
            text = _MARKUP.sub("", _LINK.sub(r"\1", " ".join(block.split())))
            if len(sentence_ranges(text)) >= 2 and "<" not in text and "{" not in text:
                paragraphs.append(text)
    return paragraphs


def to_passage(text: str, number: int = 0) -> Passage:
    spans = tuple(
        Span(start, end, BlockKind.PARAGRAPH, 0.5) for start, end in sentence_ranges(text)
    )
    return Passage(f"chunk-{number}", Locator(f"{number}.mdx", 0, len(text)), text, spans)


def is_of_the_book(text: str, passage: Passage) -> bool:
    """Whether whole sentences of the book make the text, in the book's order, and nothing else.

    A piece of a sentence has the book's characters too, and may lack its condition or its denial.
    """
    for span in passage.spans:
        whole = passage.text_of(span)
        if text.startswith(whole):
            text = text.removeprefix(whole).lstrip("; \n")
    return not text


def true_sentences(text: str) -> list[str]:
    return [
        text[start:end]
        for start, end in sentence_ranges(text)
        if len(words(text[start:end])) >= 6 and '"' not in text[start:end]
    ]


def cited(sentence: str, source: int, quote: str) -> str:
    return f'{sentence} [Source {source}: "{quote}"]'


def lies_about(sentence: str, other: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield (kind, draft line): nothing of these may be shown. `sentence` stands in source 1,
    `other` in source 2."""
    number = _NUMBER.search(sentence)
    if number:
        digits = str(int(re.sub(r"\D", "", number[0])) + chance.randint(1, 9))
        bent = sentence[: number.start()] + digits + sentence[number.end() :]
        yield "number", cited(bent, 1, sentence)
        yield "number and quote", cited(bent, 1, bent)
    unit = _UNIT.search(sentence)
    if unit:
        unit_bent = sentence[: unit.start()] + "lb" + sentence[unit.end() :]
        kilo = sentence[: unit.start()] + "k" + unit[0] + sentence[unit.end() :]
        yield "unit", cited(kilo if unit[0] != "%" else unit_bent, 1, sentence)
    spoken = sentence.split()
    negations = [
        at for at, word in enumerate(spoken) if is_negation(word.lower().strip(".,;:")) and at
    ]
    if len(negations) == 1:
        yield "negation dropped", cited(" ".join(_without(spoken, negations[0])), 1, sentence)
    verb = re.search(r"\b(?:is|are|can|has|have|was|will|must|does)\b", sentence)
    if verb and not negations:
        negated = f"{sentence[: verb.end()]} not{sentence[verb.end() :]}"
        yield "negation added", cited(negated, 1, sentence)
    for word in spoken:
        if word in _TURNED and _TURNED[word] not in spoken:
            turned = re.sub(rf"\b{word}\b", _TURNED[word], sentence, count=1)
            yield "direction", cited(turned, 1, sentence)
            break
    half, tail = len(spoken) // 2, other.split()
    glued = " ".join([*spoken[:half], *tail[len(tail) // 2 :]])
    yield "glued", cited(glued, 1, glued)
    yield "glued, true quote", cited(glued, 1, sentence)
    yield "glued over an ellipsis", cited(glued, 1, f"{spoken[0]} ... {tail[-1]}")
    yield "source invented", cited(sentence, chance.choice((0, 3, 9, 99)), sentence)
    yield "other source", cited(sentence, 2, sentence)
    yield "no source", sentence
    name = chance.choice(("Boston Dynamics", "Tesla", "ROS 3", "MIT"))
    yield "name", cited(f"According to {name}, {sentence[0].lower()}{sentence[1:]}", 1, sentence)
    yield "address", cited(f"{sentence} See https://evil.example/{chance.random()}", 1, sentence)
    yield "image", cited(f"{sentence} ![x](//evil.example/a.png)", 1, sentence)
    yield "strengthened", cited(f"Therefore, in every robot, {sentence}", 1, sentence)
    yield "prompt", cited(PROMPT_TEXT, 1, sentence)
    yield "other truth", cited(other, 1, sentence)
    yield (
        "made up",
        cited(f"{' '.join(spoken[:3])} was invented by penguins on the moon.", 1, sentence),
    )


def worse_lies_about(sentence: str, other: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield (kind, draft line): lies that are made of the book's own words, or nearly."""
    spoken, tail = sentence.split(), other.split()
    content = [at for at, word in enumerate(spoken) if _is_content(word)]
    inner = [at for at in content if 0 < at < len(spoken) - 1]
    if len(inner) >= 4:
        first, second = sorted(chance.sample(inner, 2))
        if every_word(spoken[first]) != every_word(spoken[second]):
            swapped = [*spoken]
            swapped[first], swapped[second] = _bare(spoken[second]), _bare(spoken[first])
            yield "two words swapped", cited(" ".join(swapped), 1, sentence)
    foreign = next((word for word in tail if _is_content(word) and word not in sentence), "")
    if foreign and inner:
        at = chance.choice(inner)
        inserted = [*spoken[:at], _bare(foreign), *spoken[at:]]
        yield "a word put in", cited(" ".join(inserted), 1, sentence)
        made_up = [*spoken[:at], "zanquil", *spoken[at:]]
        yield "a made-up word put in", cited(" ".join(made_up), 1, sentence)
        replaced = [*spoken[:at], _bare(foreign), *spoken[at + 1 :]]
        yield "a word replaced", cited(" ".join(replaced), 1, sentence)
        yield (
            "replaced, both cited",
            f"{cited(' '.join(replaced), 1, sentence)} {cited('', 2, other)}",
        )
    for word, turned in _BENT.items():
        if word in spoken and turned not in spoken:
            bent = re.sub(rf"\b{word}\b", turned, sentence, count=1)
            yield "a small word bent", cited(bent, 1, sentence)
            break
    half, rest = spoken[: len(spoken) // 2], tail[len(tail) // 2 :]
    glued = " ".join([*half, *rest])
    yield "halves glued, both cited", f"{cited(glued, 1, sentence)} {cited('', 2, other)}"
    yield (
        "halves glued by a comma",
        f"{cited(' '.join([*half, 'and', *rest]), 1, sentence)} {cited('', 2, other)}",
    )
    clauses = re.split(r"(?:,|;|:) (?:and |but |while |so )?", sentence.rstrip("."))
    if len(clauses) >= 2 and all(len(clause.split()) >= 4 for clause in clauses[:2]):
        one, two = (clause.split() for clause in clauses[:2])
        crossed = " ".join([*one[: len(one) // 2], *two[len(two) // 2 :]])
        yield "clauses crossed", cited(f"{crossed}.", 1, sentence)
    if re.match(r"(?:If|Unless) ", sentence) and ", " in sentence:
        main = sentence.partition(", ")[2]
        yield "condition dropped", cited(main[0].upper() + main[1:], 1, main)
    negation = re.search(r"\b(?:not|never|no longer|without) ((?:\S+ ){3,}\S+)$", sentence)
    if negation and len(words(negation[1])) >= 4:
        yield "cut behind its negation", cited(negation[1], 1, negation[1])


_BENT = {
    "can": "must", "may": "will", "some": "all", "or": "and", "often": "always", "to": "from",
    "from": "to", "with": "without", "by": "for", "should": "must", "many": "all", "up": "down",
    "if": "because", "under": "over", "into": "out of", "one": "every", "is": "was", "only": "also",
}  # fmt: skip


def _is_content(word: str) -> bool:
    return word.isalpha() and word.islower() and bool(terms(word)) and word not in _TURNED


def _bare(word: str) -> str:
    return word.strip(".,;:")


def _without(spoken: list[str], at: int) -> list[str]:
    return spoken[:at] + spoken[at + 1 :]


def rewordings_of(sentence: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, draft line) that say what the book says; `other` stands in source 2."""
    yield "verbatim", cited(sentence, 1, sentence)
    yield "marker only", f"{sentence} [Source 1]"
    curled = sentence.replace("'", "’").replace(" - ", " – ")
    yield "typography", cited(curled, 1, curled)
    yield "no full stop", cited(sentence.rstrip("."), 1, sentence)
    yield "emphasis", cited(f"**{sentence}**", 1, sentence)
    lower = sentence[0].lower() + sentence[1:]
    yield (
        "both",
        f'{sentence.rstrip(".")}, and {other} [Source 1: "{sentence}"] [Source 2: "{other}"]',
    )
    yield "opened", cited(f"In short, {lower}", 1, sentence)
    yield "so says the text", cited(f"The text says that {lower}", 1, sentence)
