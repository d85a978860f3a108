"""Order documents by where they say they stand, else by the numbers in their names, else by names."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

import yaml

from services.ingest.model.book import SourceFile
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.markdown import FrontMatter, Position

NUMBER = re.compile(r"(\d+)[\s._-]+(?=\S)")
_INDEX_NAMES = ("_index", "index", "intro", "introduction", "readme")
_PAGES_OF_FOLDERS = ("_index", "index", "readme")
_DIGITS = re.compile(r"(\d+)")
_FIRST, _LAST = (-math.inf,), (math.inf,)

SortKey = tuple[tuple[Position, list[tuple[int, str]]], ...]


def sort_keys(
    files: Mapping[str, SourceFile], fronts: Mapping[str, FrontMatter]
) -> dict[str, SortKey]:
    """Return what documents are sorted by, each with its front matter."""
    positions = _folder_positions(files, fronts)
    return {path: tuple(_level_keys(path, front, positions)) for path, front in fronts.items()}


def _folder_positions(
    files: Mapping[str, SourceFile], fronts: Mapping[str, FrontMatter]
) -> dict[str, Position]:
    """Return the positions of folders: of their own pages, else of Docusaurus' _category_ files."""
    positions: dict[str, Position] = {}
    for path, values in _categories(files):
        position = values.get("position") if isinstance(values, dict) else None
        if isinstance(position, (int, float)) and not math.isnan(position):
            positions[str(PurePosixPath(path).parent)] = (float(position),)
    for path, front in fronts.items():
        pure = PurePosixPath(path)
        if front.order and pure.stem.lower() in _PAGES_OF_FOLDERS:
            positions.setdefault(str(pure.parent), front.order)
    return positions


def warn_of_categories(files: Mapping[str, SourceFile]) -> list[str]:
    """Return warnings of _category_ files that can't be read."""
    unread = (path for path, values in _categories(files) if values is None)
    return [f'"{path}": it can\'t be read and was passed over.' for path in unread]


def _categories(files: Mapping[str, SourceFile]) -> Iterator[tuple[str, object]]:
    """Yield the _category_ files of Docusaurus and what they say; None of what can't be read."""
    for path, file in files.items():
        if not PurePosixPath(path).name.startswith("_category_."):
            continue
        try:
            values = (json.loads if path.endswith(".json") else yaml.safe_load)(decode_text(file))
        except (yaml.YAMLError, ValueError, RecursionError):
            values = None
        else:
            values = "" if values is None else values
        yield path, values


def _level_keys(
    path: str, front: FrontMatter, positions: Mapping[str, Position]
) -> Iterator[tuple[Position, list[tuple[int, str]]]]:
    parts = path.split("/")
    for depth, part in enumerate(parts):
        is_file = depth == len(parts) - 1
        stem = PurePosixPath(part).stem if is_file else part
        stated = positions.get("/".join(parts[: depth + 1]))
        if is_file:
            stated = (front.position,) if front.position is not None else front.order
            # The order that a folder's own page states is the folder's, in which it comes first.
            stated = None if stated == front.order and stem.lower() in _PAGES_OF_FOLDERS else stated
        yield stated or _position(stem), _natural(part)


def _position(stem: str) -> Position:
    if stem.lower().split(".")[0] in _INDEX_NAMES:
        return _FIRST
    number = NUMBER.match(stem)
    return (float(number[1][:15]),) if number else _LAST


def _natural(name: str) -> list[tuple[int, str]]:
    pieces = _DIGITS.split(name.casefold())
    return [
        (int(piece[:18]), "") if piece.isdigit() and piece.isascii() else (-1, piece)
        for piece in pieces
        if piece
    ]
