"""Formulas of Word files in one line, in which they say the same."""

import io

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.ingest.parsers.docx.parser import parse_docx


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, text: str) -> str:
    return f"<m:{name}>{run(text) if text[:1] != '<' else text}</m:{name}>"


def setting(of: str, name: str, value: str) -> str:
    return f'<m:{of}Pr><m:{name} m:val="{value}"/></m:{of}Pr>'


def read(formula: str) -> tuple[str, list[str]]:
    document = docx.Document()
    math = f"<m:oMath {nsdecls('m', 'w')}>{formula}</m:oMath>"
    document.add_paragraph("It is ")._p.append(parse_xml(math))
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_docx(buffer.getvalue(), "F")
    return parsed.text.removeprefix("It is").strip(), [one.kind for one in parsed.dropped_content]


HALF = f"<m:f>{part('num', '1')}{part('den', '2')}</m:f>"
SUM = (
    f"<m:nary>{setting('nary', 'chr', '∑')}{part('sub', 'i=1')}{part('sup', 'n')}{part('e', 'i')}"
    "</m:nary>"
)
POWER = f"<m:sSup>{part('e', '10')}{part('sup', '6')}</m:sSup>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (POWER, "10^6"),
        (HALF, "1/2"),
        (run("2") + HALF, "2 1/2"),
        (f"<m:rad>{setting('rad', 'degHide', '1')}<m:deg/>{part('e', '27')}</m:rad>", "√27"),
        (f"<m:rad>{part('deg', '3')}{part('e', '27')}</m:rad>", "∛27"),
        (f"<m:rad>{part('deg', '')}{part('e', 'x+1')}</m:rad>", "√(x+1)"),
        (f"<m:rad>{part('deg', '5')}{part('e', POWER)}</m:rad>", "√[5](10^6)"),
        (SUM, "∑_(i=1)^n i"),
        (f"<m:nary>{part('sub', '0')}{part('sup', '1')}{part('e', 'xdx')}</m:nary>", "∫_0^1 xdx"),
        (f"<m:d>{part('e', 'a')}{part('e', 'b')}</m:d>", "(a| b)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr>{part('e', 'a')}</m:d>",
         "[a]"),
        (f"<m:sSubSup>{part('e', 'x')}{part('sub', '1')}{part('sup', '2')}</m:sSubSup>", "x1^2"),
        (f"<m:func>{part('fName', 'sin')}{part('e', 'x')}</m:func>", "sin x"),
        (f"<m:limLow>{part('e', 'lim')}{part('lim', 'n')}</m:limLow>", "lim_n"),
        (f"<m:f>{setting('f', 'type', 'noBar')}{part('num', 'n')}{part('den', 'k')}</m:f>", "n¦k"),
        (f"<m:m>{part('mr', part('e', '1') + part('e', '2'))}{part('mr', part('e', '3'))}</m:m>",
         "1, 2; 3"),
        (f"<m:sSup>{part('e', '2')}{part('sup', 'n+1')}</m:sSup>", "2^(n+1)"),
        (f"<m:phant>{setting('phant', 'show', '0')}{part('e', '9')}</m:phant>" + run("8"), "8"),
        (f"{run('1')}<w:del><m:r><m:t>7</m:t></m:r></w:del>{run('2')}", "12"),
    ],
)  # fmt: skip
def test_a_formula_says_in_one_line_what_it_says(formula: str, text: str) -> None:
    assert read(formula)[0] == text


def test_only_a_formula_that_is_written_another_way_is_named() -> None:
    assert read(POWER)[1] == ["formula"]
    assert read(run("a=b"))[1] == []


def test_a_formula_of_any_depth_is_read() -> None:
    deep = "<m:box><m:e>" * 100 + POWER + "</m:e></m:box>" * 100
    assert read(deep)[0] == "10^6"
