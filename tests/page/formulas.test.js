import assert from "node:assert/strict";
import { test } from "node:test";
import { findFormulas } from "../../services/gateway/web/common/formulas.js";

const found = (text) => findFormulas(text).map(({ tex, display }) => [tex, display]);

test("a formula is found with its dollars, where it stands", () => {
  const text = "The torque $\\tau = r F$ is large.";
  const [{ start, end, tex, display }] = findFormulas(text);
  assert.equal(text.slice(start, end), "$\\tau = r F$");
  assert.equal(tex, "\\tau = r F");
  assert.equal(display, false);
});

test("two dollars on either side are a formula of its own line", () => {
  assert.deepEqual(found("$$E = m c^2$$"), [["E = m c^2", true]]);
});

test("several formulas of one line are told apart", () => {
  assert.deepEqual(found("from $x$ to $f(x)$ in $3.5$ steps"), [
    ["x", false],
    ["f(x)", false],
    ["3.5", false],
  ]);
});

for (const text of [
  "It costs $5 or $10.",
  "between $5 and $10 a month",
  "echo $HOME and $PATH",
  "from US$x$ on",
  "$ x = 1 $",
  "\\$x = 1$",
  "$x =\n1$",
  "$plain words$",
  "no dollars",
]) {
  test(`no formula: ${JSON.stringify(text)}`, () => assert.deepEqual(found(text), []));
}
