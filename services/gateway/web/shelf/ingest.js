// @ts-check
// Putting a book in from the page: a file goes up, its job is followed to its end.

/** @import { Chosen } from "./packing.js" */
/** @import { Book, IngestJob, StartIngestQuery } from "../schema.js" */

import { Interrupted, Problem, startIngest } from "../common/api.js";
import { announce, element } from "../common/dom.js";
import { inDigits, t } from "../common/language.js";
import { placeHref } from "../common/places.js";
import { belowFolder, droppedFiles, filesOf, wantedOf } from "./choosing.js";
import { failureOf, follow, waitInWords } from "./jobs.js";
import { packFiles } from "./packing.js";
import { reportInWords } from "./report.js";

// A file dialog knows an ending by its last part: ".tar.gz" is ".gz" to it.
const ENDINGS =
  ".zip,.tar,.gz,.tgz,.bz2,.xz,.md,.mdx,.markdown,.qmd,.rmd,.ipynb,.html,.htm,.xhtml,.rst,.adoc,.asciidoc,.docbook,.dbk,.xml,.page,.txt,.text,.epub,.pdf,.docx";

/**
 * The form below the shelf; `onPublished` is called when there is something new to show.
 *
 * @param {{ open: boolean, books: () => Book[], onPublished: () => unknown }} options
 */
export function ingestForm({ open, books, onPublished }) {
  const file = element("input", { type: "file", name: "file", id: "add-file", accept: ENDINGS, multiple: true });
  const folder = element("input", { type: "file", name: "folder", id: "add-folder", webkitdirectory: true });
  const slug = textInput("add-slug", {
    required: true,
    maxlength: "64",
    pattern: "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?",
    title: t("add.slug-title"),
  });
  const title = textInput("add-title", { maxlength: "500" });
  const language = textInput("add-language", { maxlength: "2", pattern: "[a-z]{2}", title: t("add.language-title") });
  const partial = element("input", { type: "checkbox", id: "add-partial" });
  const button = element("button", { class: "main-button", type: "submit" }, t("add.add"));
  const chosen = element("p", { class: "hint", role: "status" });
  const taken = element("div", { role: "status" });
  const outcome = element("div", { class: "outcome", "aria-live": "polite" });
  /** @type {Chosen[]} */
  let files = [];
  let proposed = "";
  const showTaken = () => taken.replaceChildren(...askEdition(slug, books(), showTaken));
  const choose = (/** @type {Chosen[]} */ given) => {
    const { folder: name, files: below } = belowFolder(given);
    files = below.length > 1 || name ? wantedOf(below, ENDINGS.split(",")) : below;
    chosen.textContent = files.length
      ? `${files.length > 1 ? t("add.files", { n: files.length }) : files[0].path}, ${sizeInWords(files)}`
      : t("add.no-document");
    if (files.length && slug.value === proposed) {
      proposed = asSlug(name ? `${name}.` : files[0].file.name);
      slug.value = proposed;
    }
    showTaken();
  };
  file.addEventListener("change", () => choose(filesOf(file.files)));
  folder.addEventListener("change", () => choose(filesOf(folder.files)));
  slug.addEventListener("input", showTaken);
  const form = element(
    "form",
    { class: "add-form" },
    field(t("add.book"), file, t("add.book-hint")),
    field(t("add.folder"), folder, t("add.folder-hint")),
    chosen,
    field(t("add.slug"), slug, t("add.slug-hint")),
    taken,
    field(t("add.book-title"), title, t("add.book-title-hint")),
    field(t("add.language"), language, t("add.language-hint")),
    element("p", { class: "check" }, partial, element("label", { for: partial.id }, t("add.partial"))),
    button,
    outcome,
  );
  acceptDrops(form, choose);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!files.length) {
      file.focus();
      chosen.textContent = t("add.choose-first");
      return;
    }
    button.disabled = true;
    try {
      const options = { title: title.value.trim(), language: language.value, partial: partial.checked };
      await ingest(files, slug.value, options, outcome);
      onPublished();
    } catch (error) {
      outcome.replaceChildren(element("p", { class: "notice", role: "alert" }, inWords(error)));
    } finally {
      button.disabled = false;
    }
  });
  return element("details", { class: "add", open }, element("summary", {}, t("add.title")), form);
}

/**
 * @param {string} id
 * @param {Record<string, string | boolean>} attributes
 */
function textInput(id, attributes) {
  return element("input", { type: "text", id, autocomplete: "off", spellcheck: "false", ...attributes });
}

/**
 * Where the name is a book's already the reader says which is meant: a new edition, or another book.
 *
 * @param {HTMLInputElement} slug
 * @param {Book[]} books
 * @param {() => unknown} showTaken
 */
function askEdition(slug, books, showTaken) {
  const book = books.find((one) => one.slug === slug.value);
  if (!book) return [];
  const names = new Set(books.map((one) => one.slug));
  let number = 2;
  while (names.has(`${book.slug}-${number}`)) number += 1;
  const another = () => {
    slug.value = `${book.slug}-${number}`;
    showTaken();
  };
  return [
    element(
      "fieldset",
      { class: "taken" },
      element("legend", {}, t("add.taken")),
      element(
        "label",
        {},
        element("input", { type: "radio", name: "edition", required: true }),
        t("add.new-edition", { title: book.title }),
      ),
      element("label", {}, element("input", { type: "radio", name: "edition", onchange: another }), t("add.new-book")),
    ),
  ];
}

/**
 * Takes what is dropped anywhere on the shelf: beside the form, the browser would leave the page for the file.
 *
 * @param {HTMLElement} form
 * @param {(chosen: Chosen[]) => unknown} choose
 */
function acceptDrops(form, choose) {
  const gone = new AbortController();
  const on = (/** @type {"dragover" | "dragleave" | "drop"} */ kind, /** @type {(event: DragEvent) => unknown} */ act) =>
    document.addEventListener(
      kind,
      (event) => {
        if (!form.isConnected) gone.abort();
        else if (event.dataTransfer?.types.includes("Files")) act(event);
      },
      { signal: gone.signal },
    );
  on("dragover", (event) => {
    event.preventDefault();
    form.closest("details")?.setAttribute("open", "");
    form.classList.add("dropping");
  });
  on("dragleave", ({ relatedTarget }) => relatedTarget || form.classList.remove("dropping"));
  on("drop", async (event) => {
    event.preventDefault();
    form.closest("details")?.setAttribute("open", "");
    form.classList.remove("dropping");
    if (event.dataTransfer) choose(await droppedFiles(event.dataTransfer));
  });
}

/** @param {Chosen[]} files */
function sizeInWords(files) {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes < 1e6) return `${inDigits(Math.ceil(bytes / 1e3))} kB`;
  return `${inDigits(bytes / 1e6, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
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
 * @param {Chosen[]} files
 * @param {string} slug
 * @param {{ title: string, language: string, partial: boolean }} options
 * @param {HTMLElement} outcome
 */
async function ingest(files, slug, { title, language, partial }, outcome) {
  const words = element("p", {}, t("add.sending"));
  const bar = element("progress", { "aria-label": t("add.progress") });
  outcome.replaceChildren(words, bar);
  const [{ file }] = files;
  /** @type {StartIngestQuery} */
  const query = { file_name: files.length > 1 ? `${slug}.tar` : file.name };
  if (title) query.title = title;
  if (language) query.language = language;
  if (partial) query.allow_partial = true;
  let job = await startIngest(slug, files.length > 1 ? packFiles(files) : file, query);
  for await (const state of follow(slug, job.job_id)) {
    job = state;
    words.textContent = progressInWords(job);
    if (job.chunks_total) Object.assign(bar, { max: job.chunks_total, value: job.chunks_done });
  }
  if (job.state !== "published") throw failureOf(job);
  const published = {
    edition: String(job.edition),
    documents: t("documents", { n: job.documents_total }),
    passages: t("passages", { n: job.chunks_total }),
  };
  outcome.replaceChildren(
    element(
      "p",
      { class: "published" },
      `${t("add.published", published)} `,
      element("a", { href: placeHref(slug) }, t("add.read-it")),
    ),
    reportInWords(job),
  );
  announce(t("add.added"));
}

/** @param {IngestJob} job */
function progressInWords(job) {
  if (job.waits_for) return waitInWords(job);
  const documents = { done: job.documents_done, n: job.documents_total };
  if (!job.chunks_total) return t("add.reading", documents);
  return [
    t("add.documents-done", documents),
    t("add.passages-done", { done: job.chunks_done, n: job.chunks_total }),
    job.left_s ? t("add.left", { seconds: Math.ceil(job.left_s) }) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** @param {unknown} error */
function inWords(error) {
  if (error instanceof Problem) return error.message;
  if (error instanceof Interrupted) return t("add.broke-off");
  console.error(error);
  return t("frame.broken");
}
