"""Load a profile by its name: one TOML file each; no code asks for the name."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from libs.errors import NotFound
from libs.settings import SettingsError

DEFAULT = "default"
SHIPPED = Path(__file__).parent.parent / "deploy" / "profiles"
PROMPTS = SHIPPED / "prompts"

T = TypeVar("T")


Strategy = Literal["heading", "paragraph", "sentence", "fixed", "window"]


@dataclass(frozen=True)
class Chunking:
    """How documents become chunks. Sizes are cl100k_base tokens.

    heading: one chunk a section; a section over `target_tokens` is divided, one under `min_tokens`
        joins those after it under the same parent. For these two sizes, what only some formats
        of a book show is not counted: addresses of links, quotation marks, numbers of titles.
    paragraph: paragraphs up to `target_tokens`, sentences of those that are over `max_tokens`.
    sentence: sentences up to `target_tokens`, never cut inside one.
    fixed: words up to `target_tokens`, whatever they belong to.
    window: paragraphs up to `target_tokens`, moved on by paragraphs.

    A chunk begins with at most `overlap_tokens` of the one before; the last one of a part that is
    under `min_tokens` is filled from the one before. With `target_tokens` 0 it is `max_tokens`.
    Headings of `split_levels`, 1 to 6, begin a new chunk; the others don't.
    """

    strategy: Strategy
    min_tokens: int
    max_tokens: int
    overlap_tokens: int
    target_tokens: int = 0
    split_levels: tuple[int, ...] = (1, 2, 3, 4, 5, 6)

    @property
    def fill_tokens(self) -> int:
        """Size that chunks are filled to."""
        return self.target_tokens or self.max_tokens

    def find_fault(self) -> str:
        """Say which setting can't be as it is; "" when all can."""
        if not 0 <= self.min_tokens <= self.fill_tokens <= self.max_tokens:
            return ": 0 <= min <= target <= max tokens must hold"
        if self.max_tokens < 1:
            return ".max_tokens: must be at least 1"
        if not 0 <= self.overlap_tokens < self.fill_tokens:
            return ".overlap_tokens: must be less than the target"
        if not all(1 <= level <= 6 for level in self.split_levels):
            return ".split_levels: must be levels from 1 to 6"
        return ""


@dataclass(frozen=True)
class Embedding:
    """Which model the profile's author makes vectors with; `model` is "" for the provider's own.

    All books of an installation have vectors of one model, which its settings name: `quoth up
    --profile` takes it from here where the provider's key is set.
    """

    provider: Literal["local", "openai", "cohere"] = "local"
    model: str = ""


@dataclass(frozen=True)
class Retrieval:
    """How passages are found, ordered and judged.

    `candidates` are taken from each list and `top_k` of them returned, for a question that compares or
    lists `list_top_k`, from more sections. `fusion` makes the score that orders: the cosine alone,
    weighted with BM25 (`alpha` in [0, 1] is the dense share), or by ranks. `normalisation` brings both
    to [0, 1]: over the candidates, or on scales that are the same for every question.

    With `join_neighbours`, passages of one section that overlap or follow one another are one, and
    so is what continues one of them among four times as many.

    `selection_policy`: search what overlaps the selected text, take it as it is, or search everything.
    With `rerank` "boost", passages that overlap selected text are ordered by `boost` times their score;
    with "model", the model that retrieval is told of says the order, and where it does not answer in
    time the fused one stays. Where a question wants something explained, the part of a glossary
    that has it is ordered by `glossary_boost` times its score; 1 leaves it where it is.

    `gate` makes the number in [0, 1] that `gate_threshold` is held against: the calibrated
    probability, the greatest or the mean cosine of the first five, or the best fused score. What is
    below is refused or answered with a disclaimer, as `low_score` says. Where a language model reads
    the passages, which may itself say that they do not answer, `gate_threshold_model` holds.
    `gate_thresholds` names, by embedding model, the threshold of cosines and fused scores that were
    measured with it, for both cases: one model's cosines say nothing about another's.
    """

    candidates: int
    top_k: int
    list_top_k: int
    fusion: Literal["dense", "weighted", "rrf"]
    alpha: float
    normalisation: Literal["min_max", "fixed"]
    join_neighbours: bool
    rerank: Literal["none", "boost", "model"]
    boost: float
    glossary_boost: float
    selection_policy: Literal["restrict", "direct", "boost"]
    gate: Literal["calibrated", "none", "max_dense", "mean_dense", "fused"]
    gate_threshold: float
    gate_threshold_model: float
    gate_thresholds: Mapping[str, float]
    low_score: Literal["refuse", "disclaim"]


@dataclass(frozen=True)
class Generation:
    """How answers are written and checked.

    `answerer` writes them; a provider of models only where its key is set, else `extractive` does.
    `model`, `temperature` in [0, 2] and `max_tokens` are for language models, `max_sentences` for
    the extractive answerer. `prompt` names a file in prompts/; `context` is how it is shown passages:
    numbered, under their headings, or with section and relevance. `citation_style` is how citations are
    written: by number, by section, page and excerpt, or by section and address.

    `history_messages` of the conversation are given to a model. `grounding` is the proof that each of
    its sentences must have: verbatim, made of whole clauses of the book; supported, in words of its own
    that its quotes and their passages prove; cited, naming sources that there are. With
    `uncited_similarity` above 0, a sentence without a citation whose embedding has a lower cosine with
    every passage rejects the whole answer.

    `confidence` names its formula; `release` says whether sentences are shown as they pass their
    checks, or none before all have passed.
    """

    answerer: Literal["extractive", "openai", "anthropic"]
    model: str
    temperature: float
    max_tokens: int
    max_sentences: int
    max_question_characters: int
    max_question_tokens: int
    prompt: str
    context: Literal["numbered", "headings", "relevance"]
    citation_style: Literal["number", "excerpt", "section"]
    history_messages: int
    grounding: Literal["verbatim", "supported", "cited"]
    uncited_similarity: float
    confidence: Literal["calibrated", "two_part", "mean_similarity"]
    release: Literal["as_verified", "strict"]


@dataclass(frozen=True)
class Refusals:
    """What a reader is told instead of an answer.

    `nothing_found`: no passage; `not_covered`: none that the gate lets pass; `declined`: the draft says
    that they do not answer; `not_verified`: what was written did not pass its checks. `{related}` are
    the nearest sections, and its sentence is left out where there are none; `{title}` is the book's.
    """

    nothing_found: str
    not_covered: str
    declined: str
    not_verified: str


@dataclass(frozen=True)
class Profile:
    """All settings of a profile."""

    name: str
    chunking: Chunking
    retrieval: Retrieval
    generation: Generation
    refusals: Refusals
    embedding: Embedding = Embedding()


@cache
def load_profile(name: str, folder: Path = SHIPPED) -> Profile:
    """Load a profile by name; "" means the default one.

    Raises NotFound for an unknown name, SettingsError for a file that breaks the schema.
    """
    name = name or DEFAULT
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if not re.fullmatch(r"[a-z0-9_-]{1,40}", name) or name not in known:
        raise NotFound(f"There is no profile of that name. Known: {', '.join(known)}.")
    with (folder / f"{name}.toml").open("rb") as file:
        tables = tomllib.load(file)
    unknown = tables.keys() - {"chunking", "retrieval", "generation", "refusals", "embedding"}
    if unknown:
        raise SettingsError(f"profile {name}: unknown table {sorted(unknown)[0]}")
    chunking = _read(Chunking, tables.get("chunking", {}), f"{name}: chunking")
    _check_sizes(chunking, f"{name}: chunking")
    retrieval = _read(Retrieval, tables.get("retrieval", {}), f"{name}: retrieval")
    _check_retrieval(retrieval, f"{name}: retrieval")
    generation = _read(Generation, tables.get("generation", {}), f"{name}: generation")
    _check_generation(generation, f"{name}: generation")
    refusals = _read(Refusals, tables.get("refusals", {}), f"{name}: refusals")
    if not all(vars(refusals).values()):
        raise SettingsError(f"profile {name}: refusals: a text must not be empty")
    embedding = tables.get("embedding", vars(Embedding()))
    return Profile(
        name=name,
        chunking=chunking,
        retrieval=retrieval,
        generation=generation,
        refusals=refusals,
        embedding=_read(Embedding, embedding, f"{name}: embedding"),
    )


def _check_generation(generation: Generation, where: str) -> None:
    if not 0 <= generation.uncited_similarity <= 1 or not 0 <= generation.history_messages <= 10:
        raise SettingsError(f"profile {where}: uncited_similarity is in [0, 1], history in [0, 10]")
    if not (PROMPTS / f"{generation.prompt}.md").is_file():
        raise SettingsError(f"profile {where}.prompt: there is no prompts/{generation.prompt}.md")


def _check_sizes(chunking: Chunking, where: str) -> None:
    wrong = chunking.find_fault()
    if wrong:
        raise SettingsError(f"profile {where}{wrong}")


def _check_retrieval(retrieval: Retrieval, where: str) -> None:
    if not 1 <= retrieval.top_k <= retrieval.list_top_k <= 50 or retrieval.candidates < 1:
        raise SettingsError(f"profile {where}: 1 <= top_k <= list_top_k <= 50 must hold")
    if not 0 <= retrieval.alpha <= 1 or not 0 <= retrieval.gate_threshold <= 1:
        raise SettingsError(f"profile {where}: alpha and gate_threshold must be in [0, 1]")
    if not 0 <= retrieval.gate_threshold_model <= retrieval.gate_threshold:
        raise SettingsError(f"profile {where}.gate_threshold_model: 0 to gate_threshold")
    if not all(0 <= value <= 1 for value in retrieval.gate_thresholds.values()):
        raise SettingsError(f"profile {where}.gate_thresholds: must be in [0, 1]")
    if retrieval.gate_thresholds and retrieval.gate in ("calibrated", "none"):
        raise SettingsError(f"profile {where}.gate_thresholds: a {retrieval.gate} gate has one")
    if retrieval.boost < 1:
        raise SettingsError(f"profile {where}.boost: must be 1 or more")
    rescaled = retrieval.fusion == "rrf" or retrieval.normalisation == "min_max"
    if retrieval.gate == "fused" and rescaled:
        raise SettingsError(f"profile {where}.gate: a fused score is judged on fixed scales only")


def _read(cls: type[T], table: dict[str, Any], where: str) -> T:
    hints = get_type_hints(cls)
    names = {item.name for item in fields(cls)}  # type: ignore[arg-type]
    if table.keys() != names:
        wrong = sorted(table.keys() ^ names)
        raise SettingsError(f"profile {where}: missing or unknown setting {wrong[0]}")
    for key, value in table.items():
        hint = hints[key]
        if get_origin(hint) is Literal:
            if value not in get_args(hint):
                raise SettingsError(f"profile {where}.{key}: must be one of {get_args(hint)}")
        elif get_origin(hint) is tuple:
            if not isinstance(value, list) or not all(type(item) is int for item in value):
                raise SettingsError(f"profile {where}.{key}: must be a list of whole numbers")
            table = {**table, key: tuple(value)}
        elif get_origin(hint) is Mapping:
            if not isinstance(value, dict) or not all(type(one) is float for one in value.values()):
                raise SettingsError(f"profile {where}.{key}: must be a table of numbers")
        elif not isinstance(value, (int, float) if hint is float else hint):
            raise SettingsError(f"profile {where}.{key}: must be a {hint.__name__}")
    return cls(**table)
