// @ts-check
// Putting a book in from the page: a file goes up, its job is followed to its end.

/** @import { IngestJob } from "./schema.js" */

import { Interrupted, Problem, startIngest, watchIngest } from "./api.js";
import { announce, count, element } from "./dom.js";
import { placeHref } from "./places.js";

// A file dialog knows an ending by its last part: ".tar.gz" is ".gz" to it.
const ENDINGS =
  ".zip,.tar,.gz,.tgz,.bz2,.xz,.md,.mdx,.markdown,.html,.htm,.xhtml,.rst,.txt,.text,.epub,.pdf,.docx";
const RECONNECTS = 20;
const PAUSE_MS = 500;
const WAITS = {
  book: "Waiting for another ingest of this book",
  worker: "Waiting: every worker is busy with other books",
  retry: "Waiting to be tried again",
};

/**
 * The form below the shelf; `onPublished` is called when there is something new to show.
 *
 * @param {{ open: boolean, onPublished: () => unknown }} options
 */
export function ingestForm({ open, onPublished }) {
  const file = element("input", { type: "file", name: "file", id: "add-file", accept: ENDINGS, required: true });
  const slug = element("input", {
    type: "text",
    name: "slug",
    id: "add-slug",
    required: true,
    maxlength: "64",
    pattern: "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?",
    title: "Lower-case letters, digits and hyphens",
    autocomplete: "off",
    spellcheck: "false",
  });
  const title = element("input", { type: "text", name: "title", id: "add-title", maxlength: "500", autocomplete: "off" });
  const button = element("button", { class: "main-button", type: "submit" }, "Add it");
  const outcome = element("div", { class: "outcome", "aria-live": "polite" });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen && !slug.value) slug.value = asSlug(chosen.name);
  });
  const form = element(
    "form",
    { class: "add-form" },
    field("The book", file, "One document, or an archive of a folder: Markdown, HTML, reStructuredText, text, EPUB, PDF, DOCX."),
    field("Name in its address", slug, "A name that is taken gets a new edition of that book."),
    field("Title", title, "Empty: the book’s own."),
    button,
    outcome,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = file.files?.[0];
    if (!chosen) return;
    button.disabled = true;
    try {
      await ingest(chosen, slug.value, title.value.trim(), outcome);
      onPublished();
    } catch (error) {
      outcome.replaceChildren(element("p", { class: "notice", role: "alert" }, inWords(error)));
    } finally {
      button.disabled = false;
    }
  });
  return element("details", { class: "add", open }, element("summary", {}, "Add a book"), form);
}

/**
 * @param {string} label
 * @param {HTMLInputElement} input
 * @param {string} hint
 */
function field(label, input, hint) {
  input.setAttribute("aria-describedby", `${input.id}-hint`);
  return element(
    "p",
    {},
    element("label", { for: input.id }, label),
    input,
    element("span", { class: "hint", id: `${input.id}-hint` }, hint),
  );
}

/** @param {string} fileName */
export function asSlug(fileName) {
  return fileName
    .toLowerCase()
    .replace(/(\.tar)?\.[a-z0-9]+$/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
    .replace(/-+$/, "");
}

/**
 * @param {File} file
 * @param {string} slug
 * @param {string} title
 * @param {HTMLElement} outcome
 */
async function ingest(file, slug, title, outcome) {
  const words = element("p", {}, "Sending…");
  const bar = element("progress", { "aria-label": "Progress of the book" });
  outcome.replaceChildren(words, bar);
  let job = await startIngest(slug, file, title);
  for await (const state of follow(slug, job.job_id)) {
    job = state;
    words.textContent = progressInWords(job);
    if (job.chunks_total) Object.assign(bar, { max: job.chunks_total, value: job.chunks_done });
  }
  if (job.state !== "published") throw new Problem("failed", job.error || `The book is ${job.state}.`);
  outcome.replaceChildren(
    element(
      "p",
      { class: "published" },
      `Edition ${job.edition} is there: ${count(job.documents_total, "document")}, ${count(job.chunks_total, "passage")}. `,
      element("a", { href: placeHref(slug) }, "Read it"),
    ),
    warnings(job.warnings),
  );
  announce("The book was added.");
}

/**
 * The states of a job up to its end, through restarts of what stands behind the page.
 *
 * @param {string} slug
 * @param {string} id
 */
async function* follow(slug, id) {
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const job of watchIngest(slug, id)) {
        failures = 0;
        yield job;
        if (!["queued", "running"].includes(job.state)) return;
      }
    } catch (error) {
      if (!passes(error) || failures >= RECONNECTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @param {unknown} error */
function passes(error) {
  if (error instanceof Interrupted) return true;
  return error instanceof Problem && ["unavailable", "unreachable", "internal"].includes(error.code);
}

/** @param {IngestJob} job */
function progressInWords(job) {
  if (job.waits_for) return WAITS[job.waits_for];
  if (!job.chunks_total) return `Reading: ${job.documents_done} of ${job.documents_total} documents`;
  const left = job.left_s ? `, about ${Math.ceil(job.left_s)} s left` : "";
  return `${job.chunks_done} of ${job.chunks_total} passages${left}`;
}

/** @param {string[]} texts */
function warnings(texts) {
  if (!texts.length) return "";
  const items = texts.map((text) => element("li", {}, text));
  return element("details", {}, element("summary", {}, count(texts.length, "warning")), element("ul", {}, ...items));
}

/** @param {unknown} error */
function inWords(error) {
  if (error instanceof Problem) return error.message;
  if (error instanceof Interrupted) return "The progress broke off. The book may still be on its way: look again.";
  console.error(error);
  return "Something went wrong on this page.";
}
