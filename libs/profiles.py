"""A profile's name in, its settings out. A profile is one TOML file; no code asks for its name."""

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from libs.errors import NotFound
from libs.settings import SettingsError

DEFAULT = "default"
SHIPPED = Path(__file__).parent.parent / "deploy" / "profiles"

T = TypeVar("T")


@dataclass(frozen=True)
class Chunking:
    """How documents become chunks. Sizes are cl100k_base tokens."""

    strategy: Literal["heading"]
    min_tokens: int
    max_tokens: int
    overlap_tokens: int


@dataclass(frozen=True)
class Retrieval:
    """How passages are found.

    `candidates` are taken from each list; `alpha` in [0, 1] is the dense share of the blend;
    `gate_threshold` in [0, 1] is the least probability that the passages answer the question.
    """

    candidates: int
    top_k: int
    alpha: float
    selection_policy: Literal["restrict"]
    gate_threshold: float


@dataclass(frozen=True)
class Generation:
    """How answers are written and checked.

    `model`, `temperature` in [0, 2] and `max_tokens` are for language models, `max_sentences` for
    the extractive answerer.
    """

    answerer: Literal["extractive", "openai"]
    model: str
    temperature: float
    max_tokens: int
    max_sentences: int
    max_question_characters: int
    max_question_tokens: int


@dataclass(frozen=True)
class Profile:
    """All settings of a profile."""

    name: str
    chunking: Chunking
    retrieval: Retrieval
    generation: Generation


@cache
def load_profile(name: str, folder: Path = SHIPPED) -> Profile:
    """Load a profile by name; "" means the default one.

    Raises NotFound for an unknown name, SettingsError for a file that breaks the form.
    """
    name = name or DEFAULT
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if not re.fullmatch(r"[a-z0-9_-]{1,40}", name) or name not in known:
        raise NotFound(f"There is no profile of that name. Known: {', '.join(known)}.")
    with (folder / f"{name}.toml").open("rb") as file:
        tables = tomllib.load(file)
    unknown = tables.keys() - {"chunking", "retrieval", "generation"}
    if unknown:
        raise SettingsError(f"profile {name}: unknown table {sorted(unknown)[0]}")
    return Profile(
        name,
        _read(Chunking, tables.get("chunking", {}), f"{name}: chunking"),
        _read(Retrieval, tables.get("retrieval", {}), f"{name}: retrieval"),
        _read(Generation, tables.get("generation", {}), f"{name}: generation"),
    )


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
        elif not isinstance(value, (int, float) if hint is float else hint):
            raise SettingsError(f"profile {where}.{key}: must be a {hint.__name__}")
    return cls(**table)
