// @ts-check
// The page of those who look after the record: what was asked, how it was answered, what to make of it.

import { listBooks, Problem } from "../common/api.js";
import { all, byId, element } from "../common/dom.js";
import { speakToReader, t } from "../common/language.js";
import { liveAt } from "../common/places.js";
import { connectViewing } from "../common/viewing.js";
import { drawReviewed } from "./answer.js";
import { getCoverage, getReviewedAnswer, listAnswers } from "./calls.js";
import { drawCoverage, drawQuestions } from "./lists.js";
import { queryOf, readReviewPlace, reviewHref } from "./words.js";

/** @import { ReviewPlace } from "./words.js" */

const filter = byId("filter", HTMLFormElement);
const found = byId("found");
let turn = 0;

async function route() {
  turn += 1;
  const mine = turn;
  const place = readReviewPlace(location.hash);
  found.setAttribute("aria-busy", "true");
  /** @type {Node} */
  let shown;
  try {
    await fillBooks();
    shown = await draw(place);
  } catch (error) {
    shown = explain(error);
  }
  if (mine !== turn) return;
  showFilter(place);
  found.removeAttribute("aria-busy");
  found.replaceChildren(shown);
  if (place.view === "answer") found.querySelector("h2")?.focus();
}

/**
 * @param {ReviewPlace} place
 * @returns {Promise<Node>}
 */
async function draw({ view, id, chosen }) {
  if (view === "answer") {
    return drawReviewed(await getReviewedAnswer(id), reviewHref("answers", chosen), explain);
  }
  if (view === "answers") return drawQuestions(await listAnswers(queryOf(chosen)), chosen, explain);
  const book = chosen.get("book");
  if (!book) return element("p", {}, t("review.choose-book"));
  const { since, until } = queryOf(chosen);
  return drawCoverage(await getCoverage(book, { ...(since && { since }), ...(until && { until }) }));
}

/**
 * The form says what the address says.
 *
 * @param {ReviewPlace} place
 */
function showFilter({ view, chosen }) {
  filter.hidden = view === "answer";
  for (const part of all(filter, "[data-of]")) part.hidden = view === "coverage";
  for (const control of filter.elements) {
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
      control.value = chosen.get(control.name) ?? "";
    }
  }
  const shared = new URLSearchParams([...chosen].filter(([name]) => ["book", "since", "until"].includes(name)));
  for (const [id, path] of [["to-answers", "answers"], ["to-coverage", "coverage"]]) {
    const link = byId(id, HTMLAnchorElement);
    link.href = reviewHref(path, path === "answers" ? chosen : shared);
    if ((view === "coverage") === (path === "coverage")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Asked for once: who must show a key for the rest is asked for it here already. */
async function fillBooks() {
  const select = /** @type {HTMLSelectElement} */ (filter.elements.namedItem("book"));
  if (select.options.length > 1) return;
  const { books } = await listBooks();
  select.append(...books.map(({ slug, title }) => element("option", { value: slug }, `${title} (${slug})`)));
}

/**
 * @param {unknown} error
 * @returns {HTMLElement}
 */
function explain(error) {
  const known = error instanceof Problem;
  if (!known) console.error(error);
  const message = known ? error.message : t("frame.broken");
  const why = known && error.code === "forbidden" ? ` ${t("review.needs-scope")}` : "";
  return element(
    "div",
    { class: "notice", role: "alert" },
    message + why,
    element("button", { class: "quiet-button", type: "button", onclick: route }, t("frame.try-again")),
  );
}

async function start() {
  connectViewing();
  await speakToReader();
  document.title = `${t("review.title")} · Quoth`;
  liveAt("/");
  byId("skip").addEventListener("click", () => found.focus());
  filter.addEventListener("submit", (event) => {
    event.preventDefault();
    const { view } = readReviewPlace(location.hash);
    const said = new URLSearchParams([...new FormData(filter)].map(([name, value]) => [name, String(value)]));
    const href = reviewHref(view === "coverage" ? "coverage" : "answers", said);
    if (href === location.hash) route();
    else location.hash = href;
  });
  addEventListener("hashchange", route);
  await route();
}

void start();
