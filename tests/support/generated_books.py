"""Made-up documents, and how each of them is written in every form that ingest reads."""

import html
import io
import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import docx
from hypothesis import strategies as st

from tests.support.ingest_fakes import zipped
from tests.support.pdf_files import pdf_of, text_at

CONTAINER = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book</dc:title></metadata><manifest>
<item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>"""


@dataclass(frozen=True)
class Piece:
    """A heading, paragraph, list, quote, table or code, by the words a reader sees of each line."""

    kind: str
    lines: tuple[str, ...]
    level: int = 1


ANY_WORDS = (
    "robot",
    "e.g.",
    "v1.2",
    "Motors.",
    "Why?",
    "naïve",
    "机器人。",
    "مرحبا",
    "3.14",
    "Dr.",
)
PLAIN_WORDS = ("robot", "arm", "Motors.", "torque", "Why?", "servo", "3.14", "of", "it.")


def pieces(words: Sequence[str]) -> st.SearchStrategy[list[Piece]]:
    line = st.lists(st.sampled_from(words), min_size=3, max_size=30).map(" ".join)
    some = st.lists(line, min_size=1, max_size=5).map(tuple)
    rows = st.lists(st.tuples(line, line).map(" | ".join), min_size=2, max_size=5).map(tuple)
    return st.lists(
        st.one_of(
            st.builds(Piece, st.just("heading"), st.tuples(line), st.integers(2, 4)),
            st.builds(Piece, st.sampled_from(["paragraph", "quote"]), st.tuples(line)),
            st.builds(Piece, st.sampled_from(["list", "code"]), some),
            st.builds(Piece, st.just("table"), rows),
        ),
        max_size=10,
    )


def markdown(book: Sequence[Piece]) -> bytes:
    parts = ["# A Book"]
    for piece in book:
        lines = piece.lines
        if piece.kind == "table":
            first, *rest = (f"| {line} |" for line in lines)
            parts.append("\n".join((first, "|---|---|", *rest)))
        elif piece.kind == "code":
            parts.append("\n".join(("```", *lines, "```")))
        else:
            mark = {"heading": "#" * piece.level, "list": "-", "quote": ">"}.get(piece.kind, "")
            parts.append("\n".join(f"{mark} {line}".lstrip() for line in lines))
    return "\n\n".join(parts).encode()


def mdx(book: Sequence[Piece]) -> bytes:
    first, _, rest = markdown(book).decode().partition("\n\n")
    around = f'<Box kind="a" at={{{{x: 1}}}}>\n\n{rest}\n\n</Box>\n\n<Chart data={{[1, 2]}}/>\n'
    return f"import Box from './box'\n\n{first}\n\n{around}".encode()


def notebook(book: Sequence[Piece]) -> bytes:
    """Cells of Markdown, and of code where a piece is code."""
    cells = [{"cell_type": "markdown", "source": "# A Book"}]
    for piece in book:
        if piece.kind == "code":
            cells.append({"cell_type": "code", "source": "\n".join(piece.lines)})
        else:
            text = markdown([piece]).decode().partition("\n\n")[2]
            cells.append({"cell_type": "markdown", "source": text})
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


def page(book: Sequence[Piece]) -> bytes:
    return f"<html><head><title>A Book</title></head>{_body(book)}</html>".encode()


def _body(book: Sequence[Piece]) -> str:
    parts = ["<h1>A Book</h1>"]
    for piece in book:
        lines = [html.escape(line) for line in piece.lines]
        if piece.kind == "heading":
            parts.append(f"<h{piece.level}>{lines[0]}</h{piece.level}>")
        elif piece.kind == "list":
            parts.append("<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>")
        elif piece.kind == "table":
            rows = ("<tr><td>" + line.replace(" | ", "</td><td>") + "</td></tr>" for line in lines)
            parts.append(f"<table>{''.join(rows)}</table>")
        else:
            tag = {"quote": "blockquote", "code": "pre"}.get(piece.kind, "p")
            shown = "\n".join(lines)
            parts.append(f"<{tag}>{shown}</{tag}>")
    return f"<body>{''.join(parts)}</body>"


def epub(book: Sequence[Piece]) -> bytes:
    xhtml = f'<html xmlns="http://www.w3.org/1999/xhtml">{_body(book)}</html>'
    return zipped({"META-INF/container.xml": CONTAINER, "b.opf": PACKAGE, "a.xhtml": xhtml})


def rst(book: Sequence[Piece]) -> bytes:
    parts = ["A Book\n======"]
    for piece in book:
        lines = piece.lines
        if piece.kind == "heading":
            parts.append(f"{lines[0]}\n{'-' * (2 * len(lines[0]))}")
        elif piece.kind == "list":
            parts.append("\n".join(f"- {line}" for line in lines))
        elif piece.kind == "table":
            cells = (line.split(" | ") for line in lines)
            rows = (f"   * - {one}\n     - {two}" for one, two in cells)
            parts.append(".. list-table::\n\n" + "\n".join(rows))
        elif piece.kind == "code":
            parts.append(".. code-block:: text\n\n" + textwrap.indent("\n".join(lines), "   "))
        else:
            indent = "   " if piece.kind == "quote" else ""
            parts.append(".. \n\n" * bool(indent) + indent + lines[0])
    return "\n\n".join(parts).encode()


def asciidoc(book: Sequence[Piece]) -> bytes:
    parts = ["= A Book"]
    for piece in book:
        lines = piece.lines
        if piece.kind == "heading":
            parts.append(f"== {lines[0]}")
        elif piece.kind == "list":
            parts.append("\n".join(f"* {line}" for line in lines))
        elif piece.kind == "table":
            cells = (line.split(" | ") for line in lines)
            parts.append("|===\n" + "\n".join(f"|{one} |{two}" for one, two in cells) + "\n|===")
        elif piece.kind == "code":
            parts.append("----\n" + "\n".join(lines) + "\n----")
        elif piece.kind == "quote":
            parts.append(f"____\n{lines[0]}\n____")
        else:
            parts.append(lines[0])
    return "\n\n".join(parts).encode()


def docbook(book: Sequence[Piece]) -> bytes:
    parts, is_open = ["<title>A Book</title>"], False
    for piece in book:
        lines = [html.escape(line) for line in piece.lines]
        if piece.kind == "heading":
            parts.append(f"{'</section>' * is_open}<section><title>{lines[0]}</title>")
            is_open = True
        elif piece.kind == "list":
            items = (f"<listitem><para>{line}</para></listitem>" for line in lines)
            parts.append(f"<itemizedlist>{''.join(items)}</itemizedlist>")
        elif piece.kind == "table":
            cells = (line.split(" | ") for line in lines)
            rows = (f"<row><entry>{one}</entry><entry>{two}</entry></row>" for one, two in cells)
            inside = f"<tgroup cols='2'><tbody>{''.join(rows)}</tbody></tgroup>"
            parts.append(f"<informaltable>{inside}</informaltable>")
        elif piece.kind == "code":
            parts.append("<programlisting>" + "\n".join(lines) + "</programlisting>")
        elif piece.kind == "quote":
            parts.append(f"<blockquote><para>{lines[0]}</para></blockquote>")
        else:
            parts.append(f"<para>{lines[0]}</para>")
    return f"<article>{''.join(parts)}{'</section>' * is_open}</article>".encode()


def mallard(book: Sequence[Piece]) -> bytes:
    parts, is_open = ["<title>A Book</title>"], False
    for piece in book:
        lines = [html.escape(line) for line in piece.lines]
        if piece.kind == "heading":
            parts.append(f"{'</section>' * is_open}<section><title>{lines[0]}</title>")
            is_open = True
        elif piece.kind == "list":
            items = (f"<item><p>{line}</p></item>" for line in lines)
            parts.append(f"<list>{''.join(items)}</list>")
        elif piece.kind == "table":
            cells = (line.split(" | ") for line in lines)
            rows = (f"<tr><td><p>{one}</p></td><td><p>{two}</p></td></tr>" for one, two in cells)
            parts.append(f"<table>{''.join(rows)}</table>")
        elif piece.kind == "code":
            parts.append("<screen>" + "\n".join(lines) + "</screen>")
        elif piece.kind == "quote":
            parts.append(f"<quote><p>{lines[0]}</p></quote>")
        else:
            parts.append(f"<p>{lines[0]}</p>")
    space = "http://projectmallard.org/1.0/"
    return f"<page xmlns='{space}' id='a'>{''.join(parts)}{'</section>' * is_open}</page>".encode()


def plain(book: Sequence[Piece]) -> bytes:
    parts = ["A Book\n======"]
    for piece in book:
        lines = piece.lines
        if piece.kind == "heading":
            parts.append(f"{lines[0]}\n{'-' * len(lines[0])}")
        elif piece.kind == "list":
            parts.append("\n".join(textwrap.fill(f"- {x}", subsequent_indent="  ") for x in lines))
        elif piece.kind == "code":
            parts.append("Run this:\n\n" + textwrap.indent("\n".join(lines), "    "))
        else:
            parts.append("\n".join(textwrap.fill(line) for line in lines))
    return "\n\n".join(parts).encode()


def word(book: Sequence[Piece]) -> bytes:
    document = docx.Document()
    document.add_heading("A Book", 0)
    for piece in book:
        if piece.kind == "heading":
            document.add_heading(piece.lines[0], piece.level)
        elif piece.kind == "table":
            table = document.add_table(rows=len(piece.lines), cols=2)
            for row, line in zip(table.rows, piece.lines, strict=True):
                for cell, text in zip(row.cells, line.split(" | "), strict=True):
                    cell.text = text
        else:
            style = {"list": "List Bullet", "quote": "Quote"}.get(piece.kind, "Normal")
            for line in piece.lines:
                document.add_paragraph(line, style=style)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pdf(book: Sequence[Piece]) -> bytes:
    pages: list[list[str]] = [[]]
    y = 760.0
    for piece in book:
        size, font = (16, "F1") if piece.kind == "heading" else (10, "F1")
        font = "F2" if piece.kind == "code" else font
        lines = piece.lines if piece.kind == "code" else [w for x in piece.lines for w in _wrap(x)]
        y -= 14
        for line in lines:
            if y < 80:
                pages.append([])
                y = 760.0
            pages[-1].append(text_at(72, y, line, size, font))
            y -= size * 1.2
    return pdf_of(pages)


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, 80)


FORMATS: dict[str, tuple[Callable[[Sequence[Piece]], bytes], Sequence[str]]] = {
    ".md": (markdown, ANY_WORDS),
    ".mdx": (mdx, ANY_WORDS),
    ".ipynb": (notebook, ANY_WORDS),
    ".html": (page, ANY_WORDS),
    ".epub": (epub, ANY_WORDS),
    ".rst": (rst, ANY_WORDS),
    ".adoc": (asciidoc, ANY_WORDS),
    ".docbook": (docbook, ANY_WORDS),
    ".page": (mallard, ANY_WORDS),
    ".txt": (plain, ANY_WORDS),
    ".docx": (word, ANY_WORDS),
    ".pdf": (pdf, PLAIN_WORDS),
}
