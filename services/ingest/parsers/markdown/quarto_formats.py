"""Leave out of a file of Quarto what it shows in other formats alone: in a PDF, on slides."""

import re
from collections.abc import Sequence

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible_in

DIV = re.compile(r"[ \t]*:{3,}[ \t]*(\{[^{}]*\}|[\w-]*)[ \t]*:*[ \t]*$")
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`\n]*$")
_RAW = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\{=([\w+-]+)\}[ \t]*$")
_CONDITION = re.compile(r"\.content-(visible|hidden)\b([^{}]*)\}")
_WHEN = re.compile(r"\b(when|unless)-format=[\"']?([\w:+-]+)")
_SPAN = re.compile(r"\[([^\[\]]{1,500})\](\{\.content-(?:visible|hidden)\b[^{}\n]{0,200}\})")
_SHOWN = re.compile(r"html5?(?::js)?|epub3?|markdown")
"""Formats of a page, which is what is read."""
_REASON = "it is shown in other formats alone"


def leave_out_other_formats(lines: Sequence[str]) -> tuple[list[str], list[DroppedContent]]:
    """Return as many lines, with empty ones for what no page shows, and what was left out."""
    kept, dropped, at, fence = list(lines), list[DroppedContent](), 0, ""
    while at < len(kept):
        line, start = kept[at], at
        at += 1
        raw = None if fence else _RAW.match(line)
        if raw:
            at = next(
                (end for end in range(at, len(kept)) if kept[end].strip() == raw[1]), len(kept)
            )
            code = kept[start + 1 : at]
            is_page = _SHOWN.fullmatch(raw[2]) is not None
            # What is written for a page is HTML in the text.
            kept[start : at + 1] = ["", *(code if is_page else [""] * len(code)), ""]
            if not is_page:
                dropped.append(
                    DroppedContent("raw text", f"line {start + 1}", _REASON, visible_in(code))
                )
            at += 1
        elif mark := FENCE.match(line):
            ends = fence and mark[1].startswith(fence) and line.strip() == mark[1]
            fence = "" if ends else fence or mark[1]
        elif not fence and (div := DIV.match(line)) and is_of_other_format(div[1]):
            at = _end_of(kept, at)
            dropped.append(
                DroppedContent(
                    "text", f"line {start + 1}", _REASON, visible_in(kept[start + 1 : at])
                )
            )
            kept[start:at] = [""] * (at - start)
        elif not fence and ".content-" in line:
            kept[start], lost = _without_spans(line)
            if lost:
                dropped.append(
                    DroppedContent("text", f"line {start + 1}", _REASON, visible_in(lost))
                )
    return kept[: len(lines)], dropped


def is_of_other_format(attributes: str) -> bool:
    """Whether attributes say that no page shows what has them."""
    condition = _CONDITION.search(attributes)
    if condition is None:
        return False
    is_hidden, when = condition[1] == "hidden", _WHEN.search(condition[0])
    if when is None:
        # What depends on a profile or on metadata may be shown.
        return is_hidden and not condition[2].strip()
    holds = (_SHOWN.fullmatch(when[2]) is not None) == (when[1] == "when")
    return holds == is_hidden


def _end_of(lines: Sequence[str], start: int) -> int:
    """Return where a div ends whose text begins at `start`: behind the line that closes it."""
    depth, fence = 1, ""
    for at in range(start, len(lines)):
        if mark := FENCE.match(lines[at]):
            ends = fence and mark[1].startswith(fence) and lines[at].strip() == mark[1]
            fence = "" if ends else fence or mark[1]
        elif not fence and (div := DIV.match(lines[at])):
            depth += 1 if div[1] else -1
            if not depth:
                return at + 1
    return len(lines)


def _without_spans(line: str) -> tuple[str, list[str]]:
    """Return a line without its spans for other formats, the text of the rest in their place."""
    lost = [text for text, attributes in _SPAN.findall(line) if is_of_other_format(attributes)]

    def shown(span: re.Match[str]) -> str:
        return "" if is_of_other_format(span[2]) else span[1]

    return _SPAN.sub(shown, line), lost
