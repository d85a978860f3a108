// @ts-check
// The editions of a book that are kept, as a list to choose from.

/** @import { Edition, IngestJob } from "../schema.js" */

import { deleteBook, listEditions, Problem, renameBook, rollBack } from "../common/api.js";
import { byId, element } from "../common/dom.js";
import { dateInWords, t } from "../common/language.js";
import { placeHref } from "../common/places.js";
import { failureOf, follow, shareInWords } from "./jobs.js";

/**
 * Fills the list each time it is opened: an edition may have come since.
 *
 * @param {() => { slug: string, path: string }} current
 */
export function showEditions(current) {
  const list = byId("editions");
  list.addEventListener("toggle", async (event) => {
    if (event.newState !== "open") return;
    const { slug, path } = current();
    list.replaceChildren(element("p", { class: "hint" }, t("editions.loading")));
    try {
      const { editions } = await listEditions(slug);
      const items = editions.map((edition) => itemOf(edition, slug, path, () => list.hidePopover()));
      const actions = element("div", { class: "book-actions" }, renameButton(slug), deleteButton(slug, list));
      list.replaceChildren(element("ol", { role: "list" }, ...items), actions);
    } catch (error) {
      const text = error instanceof Problem ? error.message : t("editions.failed");
      list.replaceChildren(element("p", { class: "notice" }, text));
    }
  });
}

/**
 * @param {Edition} edition
 * @param {string} slug
 * @param {string} path
 * @param {() => void} close
 */
function itemOf(edition, slug, path, close) {
  const number = edition.current ? undefined : edition.number;
  const day = dateInWords(new Date(edition.publish_time));
  const facts = [
    edition.current ? t("editions.current") : null,
    t("documents", { n: edition.document_count }),
    // Reasons are the gateway's words, which are English.
    ...edition.reasons.map((reason) => element("bdi", { lang: "en" }, reason)),
  ].filter((fact) => fact !== null);
  return element(
    "li",
    {},
    element(
      "a",
      { href: placeHref(slug, path, { edition: number }), onclick: close },
      t("edition-title-of", { edition: String(edition.number), day }),
    ),
    element("span", { class: "hint" }, ...facts.flatMap((fact, at) => (at ? [" · ", fact] : [fact]))),
    edition.current ? null : rollBackButton(edition, slug),
  );
}

/**
 * @param {Edition} edition
 * @param {string} slug
 */
function rollBackButton({ number }, slug) {
  const said = element("span", { role: "status" });
  const edition = String(number);
  const act = async () => {
    if (!confirm(t("editions.confirm-go-back", { edition }))) return;
    await tryTo(said, async () => {
      await finish(slug, await rollBack(slug, number), said);
      location.reload();
    });
  };
  return element("span", {}, actionButton(t("editions.go-back"), t("editions.go-back-to", { edition }), act), said);
}

/** @param {string} slug */
function renameButton(slug) {
  const said = element("span", { role: "status" });
  const act = async () => {
    const title = prompt(t("editions.new-title"), byId("bar-title").textContent ?? "")?.trim();
    if (!title) return;
    await tryTo(said, async () => {
      await renameBook(slug, title);
      location.reload();
    });
  };
  return element("p", {}, actionButton(t("editions.rename"), t("editions.rename"), act), said);
}

/**
 * @param {string} slug
 * @param {HTMLElement} list
 */
function deleteButton(slug, list) {
  const said = element("span", { role: "status" });
  const act = async () => {
    if (!confirm(t("editions.confirm-delete", { slug }))) return;
    await tryTo(said, async () => {
      await finish(slug, await deleteBook(slug), said);
      list.hidePopover();
      location.hash = "#/";
    });
  };
  return element("p", {}, actionButton(t("editions.delete"), t("editions.delete"), act), said);
}

/**
 * Says how far a job has come, up to its end.
 *
 * @param {string} slug
 * @param {IngestJob} job
 * @param {HTMLElement} said
 */
async function finish(slug, job, said) {
  let last = job;
  for await (const state of follow(slug, job.job_id)) {
    last = state;
    said.textContent = ` ${shareInWords(state)}`;
  }
  if (last.state !== "published") throw failureOf(last);
}

/**
 * @param {string} words
 * @param {string} label
 * @param {() => unknown} act
 */
function actionButton(words, label, act) {
  return element("button", { class: "quiet-button", type: "button", "aria-label": label, onclick: act }, words);
}

/**
 * @param {HTMLElement} said Where it is told why it did not work.
 * @param {() => Promise<unknown>} act
 */
async function tryTo(said, act) {
  try {
    said.textContent = " …";
    await act();
    said.textContent = "";
  } catch (error) {
    said.textContent = error instanceof Problem ? ` ${error.message}` : ` ${t("problem.failed")}`;
  }
}
