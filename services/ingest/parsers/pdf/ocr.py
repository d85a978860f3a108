"""Read lines off the picture of a page, where the `ocr` extra is installed."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from statistics import median
from typing import Any

import pypdfium2 as pdfium

from services.ingest.parsers.pdf.line import Line

_LIBRARY = "rapidocr"
_DOTS_PER_POINT = 150 / 72
_MAX_SIDE = 4000
"""Pixels; a page that is larger is read at fewer dots."""
_LEAST_SCORE = 0.5
_SAME_SIZE = 0.3
"""Boxes around lines of one size differ by the letters in them."""


def can_read_scans() -> bool:
    """Whether the `ocr` extra is installed."""
    return importlib.util.find_spec(_LIBRARY) is not None


def read_scan(page: pdfium.PdfPage, number: int) -> list[Line]:
    """Read the text of a page that is a picture, from top to bottom; nothing where that fails.

    Takes some seven seconds of one core for a full page, within the memory that ingest allows.
    """
    scale = min(_DOTS_PER_POINT, _MAX_SIDE / max(page.get_size()))
    picture = page.render(scale=scale, rev_byteorder=False).to_numpy()
    try:
        found = _engine()(picture)
    except Exception:  # noqa: BLE001 - whatever the engine fails with, it is one page, and told
        return []
    if found.boxes is None:
        return []
    height = page.get_size()[1]
    read = [
        (text.strip(), [(float(x) / scale, height - float(y) / scale) for x, y in corners])
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if score >= _LEAST_SCORE and text.strip()
    ]
    return _with_even_sizes([_to_line(text, corners, number) for text, corners in read])


def _to_line(text: str, corners: Sequence[tuple[float, float]], number: int) -> Line:
    across, up = [x for x, _ in corners], [y for _, y in corners]
    size = round(max(up) - min(up), 1)
    return Line(" ".join(text.split()), number, min(across), max(across), min(up), size)


def _with_even_sizes(lines: Sequence[Line]) -> list[Line]:
    """Give lines that are about as high as most the same size, so that only headings differ."""
    if not lines:
        return []
    usual = round(median(line.size for line in lines), 1)
    even = [
        replace(line, size=usual) if abs(line.size - usual) <= _SAME_SIZE * usual else line
        for line in lines
    ]
    return sorted(even, key=lambda line: -line.y)


@cache
def _engine() -> Callable[[Any], Any]:
    settings = {
        "Global.log_level": "error",
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        # Letters are found in a smaller picture, then read in the whole one: a third of the memory.
        "Det.limit_type": "max",
        "Det.limit_side_len": 960,
        "Rec.rec_batch_num": 1,
    }
    # The library brings ONNX Runtime in: first by our own way, which keeps it from reporting.
    importlib.import_module("libs.ml.onnx")
    engine: Callable[[Any], Any] = importlib.import_module(_LIBRARY).RapidOCR(params=settings)
    return engine
