// @ts-check
// Calls to the gateway. What it refuses is a Problem; a stream that ends too early is Interrupted.

/**
 * @import {
 *   Answer, AnswerRequest, Book, BookList, Code, CodeRead, CodeRequest, Document as BookDocument, DocumentList,
 *   DocumentSummary, EditionList, Formula, FormulasDrawn, FormulasRequest, GetDocumentQuery, IngestJob, JobEnvelope, ListDocumentsQuery, PassagesFound, PlacesOnPage,
 *   Problem as ProblemBody, RenameRequest, RollBackQuery, SearchRequest, SearchResult, SentenceReleased, StartIngestQuery,
 *   Suggestions, WordsFound, WordsRequest,
 * } from "../schema.js"
 */

import { acceptedLanguages, t } from "./language.js";
import { problemInWords, unreachableInWords } from "./problemwords.js";
import { tab } from "./storage.js";

/**
 * @typedef {["passages", PassagesFound] | ["sentence", SentenceReleased] | ["done", Answer]} AnswerEvent
 */

export class Problem extends Error {
  /**
   * @param {string} code
   * @param {string} detail
   */
  constructor(code, detail) {
    super(detail);
    this.code = code;
    /** Whether a part of the answer had come before. */
    this.isMidway = false;
  }
}

export class Interrupted extends Error {}

// Kept by the tab alone: where the gateway asks for no key there is none.
const KEY = "quoth_key";

/**
 * The gateway of another site's page, and the key of that site, which may ask and no more.
 *
 * @type {{ address: string, key: string } | null}
 */
let elsewhere = null;

/**
 * @param {string} address
 * @param {string} key
 */
export function connectTo(address, key) {
  elsewhere = { address, key };
}

/** Whether documents may be read, and not only asked. */
export function mayRead() {
  return elsewhere === null;
}

/** @param {string} path */
export function encodePath(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** @returns {Promise<BookList>} */
export function listBooks() {
  return call("/v1/books");
}

/**
 * @param {string} slug
 * @returns {Promise<Book>}
 */
export function getBook(slug) {
  return call(bookPath(slug));
}

/**
 * @param {string} slug
 * @param {number} [edition]
 * @returns {Promise<DocumentList>}
 */
export function listDocuments(slug, edition) {
  return call(`${bookPath(slug)}/documents${inEdition(edition)}`);
}

/**
 * @param {string} slug
 * @param {string} path
 * @param {number} [edition]
 * @returns {Promise<BookDocument>}
 */
export function getDocument(slug, path, edition) {
  return call(`${bookPath(slug)}/documents/${encodePath(path)}${inEdition(edition)}`);
}

/**
 * The whole blocks of a document from one character on; what is asked for so may be cached for good.
 *
 * @param {string} slug
 * @param {Pick<DocumentSummary, "path" | "content_hash">} summary
 * @param {{ edition: number, start: number, length: number }} part In code points.
 * @returns {Promise<BookDocument>}
 */
export function getPart(slug, { path, content_hash }, { edition, start, length }) {
  /** @type {GetDocumentQuery} */
  const query = { edition, start, length, content_hash };
  return call(`${bookPath(slug)}/documents/${encodePath(path)}${asQuery(query)}`);
}

/**
 * Where a picture of a document is had.
 *
 * @param {BookDocument} held
 * @param {string} image
 */
export function imagePath({ book, edition }, image) {
  return `${bookPath(book)}/images/${image}${inEdition(edition)}`;
}

/**
 * A picture, for a browser that was shown a key, which an element of its own would not send.
 *
 * @param {string} path
 */
export async function getImage(path) {
  return (await send(path, {})).blob();
}

/**
 * Where a page of a document is had as it is printed.
 *
 * @param {BookDocument} held
 * @param {number} number
 */
export function pagePath({ book, edition, path }, number) {
  return `${bookPath(book)}/pages/${number}${asQuery({ document: path, edition })}`;
}

/**
 * Where on such a page a range of the text stands.
 *
 * @param {BookDocument} held
 * @param {number} number
 * @param {{ start: number, end: number }} range
 */
export async function findOnPage({ book, edition, path }, number, { start, end }) {
  const query = asQuery({ document: path, edition, start, end });
  /** @type {PlacesOnPage} */
  const { boxes } = await call(`${bookPath(book)}/pages/${number}/places${query}`);
  return boxes;
}

/**
 * @param {string} slug
 * @param {WordsRequest} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<WordsFound>}
 */
export function findWords(slug, body, signal) {
  return call(`${bookPath(slug)}/words`, asPost(body, { signal }));
}

/** @param {number} [edition] */
function inEdition(edition) {
  /** @type {ListDocumentsQuery} */
  const query = edition ? { edition } : {};
  return asQuery(query);
}

/**
 * @param {string} slug
 * @returns {Promise<EditionList>}
 */
export function listEditions(slug) {
  return call(`${bookPath(slug)}/editions`);
}

/**
 * Sends a file and returns the job that it became.
 *
 * @param {string} slug
 * @param {Blob} file
 * @param {StartIngestQuery} query
 * @returns {Promise<IngestJob>}
 */
export async function startIngest(slug, file, query) {
  /** @type {JobEnvelope} */
  const { job } = await call(`${bookPath(slug)}/ingests${asQuery(query)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return job;
}

/**
 * Begins to show an earlier edition to readers again, and returns the job.
 *
 * @param {string} slug
 * @param {number} edition
 * @returns {Promise<IngestJob>}
 */
export async function rollBack(slug, edition) {
  /** @type {RollBackQuery} */
  const query = { edition };
  /** @type {JobEnvelope} */
  const { job } = await call(`${bookPath(slug)}/rollback${asQuery(query)}`, { method: "POST" });
  return job;
}

/**
 * Gives a book another title.
 *
 * @param {string} slug
 * @param {string} title
 * @returns {Promise<Book>}
 */
export function renameBook(slug, title) {
  /** @type {RenameRequest} */
  const body = { title };
  return call(bookPath(slug), { ...asPost(body), method: "PATCH" });
}

/**
 * Begins to delete a book, and returns the job.
 *
 * @param {string} slug
 * @returns {Promise<IngestJob>}
 */
export async function deleteBook(slug) {
  /** @type {JobEnvelope} */
  const { job } = await call(bookPath(slug), { method: "DELETE" });
  return job;
}

/**
 * Yields the states of a job; may end before the job does.
 *
 * @param {string} slug
 * @param {string} id
 * @returns {AsyncGenerator<IngestJob, void>}
 */
export async function* watchIngest(slug, id) {
  const path = `${bookPath(slug)}/ingests/${encodeURIComponent(id)}`;
  const response = await send(path, { headers: { Accept: "text/event-stream" } });
  for await (const [event, data] of readEvents(response)) {
    if (event === "error") throw asProblem(data);
    /** @type {JobEnvelope} */
    const { job } = data;
    yield job;
  }
}

/**
 * @param {string} slug
 * @param {SearchRequest} body
 * @param {AbortSignal} signal
 * @returns {Promise<SearchResult>}
 */
export function searchBook(slug, body, signal) {
  return call(`${bookPath(slug)}/search`, asPost(body, { signal }));
}

/**
 * Returns questions that the edition answers, to begin with or to go on from an answer; 0 is whichever readers see.
 *
 * @param {Book} book
 * @param {string} [answerId]
 */
export async function suggestQuestions({ slug, edition }, answerId) {
  const query = answerId ? `?answer=${encodeURIComponent(answerId)}` : "";
  /** @type {Suggestions} */
  const suggested = await call(`${bookPath(slug)}/suggestions${query}`);
  return !edition || suggested.edition === edition ? suggested.questions : [];
}

/**
 * Returns the MathML of each formula, "" for what is not understood.
 *
 * @param {Formula[]} formulas
 */
export async function drawFormulas(formulas) {
  /** @type {FormulasRequest} */
  const body = { formulas };
  /** @type {FormulasDrawn} */
  const { mathml } = await call("/v1/formulas", asPost(body));
  return mathml;
}

/**
 * The parts of each piece of code that stand out.
 *
 * @param {Code[]} pieces
 */
export async function readPieces(pieces) {
  /** @type {CodeRequest} */
  const body = { pieces };
  /** @type {CodeRead} */
  const { parts } = await call("/v1/code", asPost(body));
  return parts;
}

/**
 * Yields the events up to and with `done`. Throws Interrupted when `done` never comes.
 *
 * @param {string} slug
 * @param {AnswerRequest} body
 * @param {{ signal: AbortSignal, key: string }} options The same question with the same key is answered once.
 * @returns {AsyncGenerator<AnswerEvent, void>}
 */
export async function* streamAnswer(slug, body, { signal, key }) {
  const options = asPost(body, { signal, accept: "text/event-stream" });
  options.headers = { ...options.headers, "Idempotency-Key": key };
  const response = await send(`${bookPath(slug)}/answers`, options);
  let isMidway = false;
  for await (const event of readEvents(response)) {
    if (event[0] === "error") throw Object.assign(asProblem(event[1]), { isMidway });
    yield /** @type {AnswerEvent} */ (event);
    if (event[0] === "done") return;
    isMidway = true;
  }
  throw new Interrupted();
}

/**
 * Asks a question that is answered once a day for the same key, whoever asks it.
 *
 * @param {string} slug
 * @param {string} question
 * @param {string} key
 * @returns {Promise<Answer>}
 */
export function askOnce(slug, question, key) {
  /** @type {AnswerRequest} */
  const body = { question };
  const options = asPost(body);
  options.headers = { ...options.headers, "Idempotency-Key": key };
  return call(`${bookPath(slug)}/answers`, options);
}

/**
 * Returns an answer that was given to this client before.
 *
 * @param {string} id
 * @returns {Promise<Answer>}
 */
export function getAnswer(id) {
  return call(`/v1/answers/${encodeURIComponent(id)}`);
}

/** @param {string} slug */
function bookPath(slug) {
  return `/v1/books/${encodeURIComponent(slug)}`;
}

/** @param {Record<string, string | number | boolean>} values */
export function asQuery(values) {
  const given = Object.entries(values).map(([name, value]) => [name, String(value)]);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/**
 * @param {object} body
 * @param {{ signal?: AbortSignal, accept?: string }} options
 * @returns {RequestInit}
 */
export function asPost(body, { signal, accept } = {}) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(accept && { Accept: accept }) },
    body: JSON.stringify(body),
    signal,
  };
}

/**
 * The one place that takes the gateway's word for what it sends: callers say its type.
 *
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>}
 */
export async function call(path, options = {}) {
  return (await send(path, options)).json();
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function send(path, options) {
  for (;;) {
    const key = elsewhere ? elsewhere.key : tab.read(KEY);
    const response = await fetchWith(key, path, options);
    if (response.ok) return response;
    if (response.status !== 401 || !hasAnotherKey(key)) throw await problemOf(response);
  }
}

/**
 * @param {string | null} key
 * @param {string} path
 * @param {RequestInit} options
 */
async function fetchWith(key, path, options) {
  const headers = new Headers(options.headers);
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (acceptedLanguages()) headers.set("accept-language", acceptedLanguages());
  try {
    return await fetch(new URL(path, elsewhere?.address ?? location.href), { ...options, headers });
  } catch (error) {
    throw isAbort(error) ? error : new Problem("unreachable", unreachableInWords());
  }
}

/**
 * Tells whether there is a key to try in the place of `refused`; asks the reader for one.
 *
 * @param {string | null} refused
 */
function hasAnotherKey(refused) {
  // Of several requests that were refused together, the first has asked already.
  if (elsewhere) return false;
  if (tab.read(KEY) !== refused) return true;
  const given = prompt(t("frame.key"));
  if (!given || !given.trim()) return false;
  tab.write(KEY, given.trim());
  return true;
}

/** Whether the gateway was shown a key. */
export function hasKey() {
  return tab.read(KEY) !== null;
}

/** @param {unknown} error */
export function isMissing(error) {
  return error instanceof Problem && error.code === "not_found";
}

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof Error && error.name === "AbortError";
}

/** @param {Response} response */
async function problemOf(response) {
  try {
    return asProblem(await response.json());
  } catch {
    return new Problem("internal", t("problem.internal"));
  }
}

/** @param {Pick<ProblemBody, "code" | "detail">} body */
export function asProblem({ code, detail }) {
  return new Problem(code, problemInWords(code, detail));
}

/**
 * Yields the name and the data of each event.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<[string, any], void>}
 */
async function* readEvents({ body }) {
  if (!body) throw new Interrupted();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const frames = (waiting + value).split("\n\n");
      waiting = frames.pop() ?? "";
      for (const frame of frames) {
        const event = parseFrame(frame);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw isAbort(error) ? error : new Interrupted();
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {string} frame
 * @returns {[string, any] | null}
 */
function parseFrame(frame) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return fields.event ? [fields.event, JSON.parse(fields.data)] : null;
}
