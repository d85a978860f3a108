"""Formulas without TeX: what stands above, below or over something else keeps its meaning."""

import pytest

from services.ingest.model.book import BlockKind
from services.ingest.parsers.html import parse_html


def text_of(formula: str) -> str:
    return parse_html(f"<p>Is <math>{formula}</math>.</p>", "F").text[3:-1]


TEN = "<mn>10</mn>"
HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
SUM = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"

FROM = "<mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow>"
ROW = "<mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (f"<msup>{TEN}<mn>6</mn></msup>", "10^6"),
        ("<mrow><msup><mn>2</mn><mn>8</mn></msup><mo>−</mo><mn>1</mn></mrow>", "2^8−1"),
        (f"\n <msup>\n {TEN}\n <mrow><mo>-</mo><mn>6</mn></mrow>\n</msup>\n", "10^-6"),
        ("<msup><mn>2</mn><mi>n</mi></msup><mi>x</mi>", "2^(n)x"),
        ("<msup><mi>e</mi><mrow><mn>2</mn><mi>x</mi></mrow></msup>", "e^(2x)"),
        (f"<msup>{SUM}<mn>2</mn></msup>", "(a+b)^2"),
        (f"<msup><mrow><mo>(</mo>{SUM}<mo>)</mo></mrow><mn>2</mn></msup>", "(a+b)^2"),
        ("<msup><msup><mn>2</mn><mn>3</mn></msup><mn>4</mn></msup>", "(2^3)^4"),
        ("<msup><mi>f</mi><mo>′</mo></msup><mi>x</mi>", "f′x"),
        ("<msup><mi>x</mi><mo>+</mo></msup><mi>y</mi>", "x^(+)y"),
        ("<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H2O"),
        ("<msub><mi>log</mi><mn>2</mn></msub><mn>8</mn>", "log_(2)8"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        (HALF, "1/2"),
        (f"<mn>2</mn>{HALF}", "2 1/2"),
        (f"<mn>2</mn><mo>\u2062</mo>{HALF}", "2(1/2)"),
        (f"{HALF}<mi>x</mi>", "(1/2)x"),
        (f"<msup><mi>x</mi><mn>2</mn></msup>{HALF}", "x^2(1/2)"),
        (f"{HALF}{HALF}", "(1/2)(1/2)"),
        (f"<msup><mi>x</mi>{HALF}</msup>", "x^(1/2)"),
        (f"<mfrac>{SUM}<mn>2</mn></mfrac>", "(a+b)/2"),
        (f"<mfrac>{HALF}<mn>3</mn></mfrac>", "(1/2)/3"),
        ("<mfrac><mn>1</mn><mrow><mn>2</mn><mi>x</mi></mrow></mfrac>", "1/(2x)"),
        ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", "n¦k"),
        ("<mn>2</mn><mo>\u2062</mo><mn>3</mn>", "2·3"),
        ("<msqrt><mn>2</mn></msqrt>", "√2"),
        ("<msqrt><mn>2</mn></msqrt><mi>x</mi>", "√(2)x"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x+1)"),
        ("<mroot><mn>27</mn><mn>3</mn></mroot>", "∛27"),
        ("<mroot><mn>32</mn><mn>5</mn></mroot>", "√[5](32)"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mn>2</mn>", "x\u03042"),
        ("<mover><mi>AB</mi><mo>^</mo></mover><mn>2</mn>", "AB^(^)2"),
        (f"<munderover><mo>∑</mo>{FROM}<mi>n</mi></munderover><mi>i</mi>", "∑_(i=1)^(n)i"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>14</mn></mmultiscripts>", "^(14)C"),
        ("<mmultiscripts><mi>R</mi><mi>i</mi><mi>j</mi></mmultiscripts>", "R_i^j"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mfenced open='|' close='|'><mi>x</mi></mfenced>", "|x|"),
        (f"<mo>(</mo><mtable>{ROW}{ROW}</mtable><mo>)</mo>", "(1, 2; 1, 2)"),
        ("<semantics><mi>x</mi><annotation-xml><ci>x</ci></annotation-xml></semantics>", "x"),
        ("<msqrt></msqrt><mfrac><mn>1</mn></mfrac>", "√()1"),
    ],
)
def test_mathml_without_tex_keeps_its_meaning_in_one_line(formula: str, expected: str) -> None:
    assert text_of(formula) == expected


def test_a_table_s_cell_keeps_the_meaning_of_its_formula() -> None:
    power = f"<math><msup>{TEN}<mn>6</mn></msup></math>"
    tex = f"<math alttext='10^6'><msup>{TEN}<mn>6</mn></msup></math>"
    table = f"<table><tr><td>{power} ohms<td>{tex}<tr><td>a<td>b</table>"
    parsed = parse_html(table, "F")
    assert parsed.text == "10^6 ohms | $10^6$\na | b"
    assert [one.kind for one in parsed.dropped_content] == ["formula"]


@pytest.mark.parametrize(
    ("encoding", "tex", "expected"),
    [
        ("application/x-tex", "x = 5", "$x = 5$"),
        (
            "LaTeX",
            r"\mathrm{x}\hspace{9mm} = 5 \tag{12}",
            r"$\mathrm{x}\hspace{9mm} = 5 \tag{12}$",
        ),
        ("application/x-tex", "x = 500", "x=5"),
        ("application/x-tex", r"x = 5 \text{ grams a day}", "x=5"),
        ("text", "x = 5", "x=5"),
    ],
)
def test_tex_that_says_what_nobody_sees_is_none(encoding: str, tex: str, expected: str) -> None:
    signs = "<mrow><mi>x</mi><mo>=</mo><mn>5</mn></mrow>"
    note = f"<annotation encoding='{encoding}'>{tex}</annotation>"
    assert text_of(f"<semantics>{signs}{note}</semantics>").replace(' = 5"', "=5") == expected


def test_a_formula_without_signs_says_nothing() -> None:
    note = "<annotation encoding='application/x-tex'>The code is 1076.</annotation>"
    page = f"<p>Turn it <math><semantics><mrow></mrow>{note}</semantics></math> on.</p>"
    assert "1076" not in parse_html(page, "F").text


def test_a_formula_s_own_line_is_no_tex_where_it_has_none() -> None:
    power = (
        f"<math display=block><msup>{TEN}<mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup></math>"
    )
    parsed = parse_html(f"<p>Is</p>{power}", "F")
    assert parsed.text == "Is\n\n10^(n+1)"
    assert parsed.blocks[1].kind is BlockKind.PARAGRAPH
