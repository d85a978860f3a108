// Calls to the gateway: paths and bodies in; objects, events and problems out.

export class Problem extends Error {
  constructor(code, detail) {
    super(detail);
    this.code = code;
  }
}

export class Interrupted extends Error {}

const UNREACHABLE = new Problem("unreachable", "Quoth does not answer. Is it still running?");

export function encodePath(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

export function listBooks() {
  return call("/v1/books");
}

export function getBook(slug) {
  return call(`/v1/books/${encodeURIComponent(slug)}`);
}

export function listDocuments(slug, edition) {
  return call(`/v1/books/${encodeURIComponent(slug)}/documents${inEdition(edition)}`);
}

export function getDocument(slug, path, edition) {
  return call(`/v1/books/${encodeURIComponent(slug)}/documents/${encodePath(path)}${inEdition(edition)}`);
}

function inEdition(edition) {
  return edition ? `?edition=${edition}` : "";
}

export function listEditions(slug) {
  return call(`/v1/books/${encodeURIComponent(slug)}/editions`);
}

// Sends a file and returns the job that it became.
export async function startIngest(slug, file, title) {
  const query = new URLSearchParams({ file_name: file.name });
  if (title) query.set("title", title);
  const { job } = await call(`/v1/books/${encodeURIComponent(slug)}/ingests?${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return job;
}

// Yields the states of a job; may end before the job does.
export async function* watchIngest(slug, id) {
  const path = `/v1/books/${encodeURIComponent(slug)}/ingests/${encodeURIComponent(id)}`;
  const response = await send(path, { headers: { Accept: "text/event-stream" } });
  for await (const [event, data] of readEvents(response.body)) {
    if (event === "error") throw new Problem(data.code, data.detail);
    yield data.job;
  }
}

export function searchBook(slug, body, signal) {
  return call(`/v1/books/${encodeURIComponent(slug)}/search`, asPost(body, signal));
}

// Returns the MathML of each formula, "" for what is not understood.
export async function drawFormulas(formulas) {
  return (await call("/v1/formulas", asPost({ formulas }))).mathml;
}

// Yields [event, data] up to and with `done`. Throws Interrupted when `done` never comes.
export async function* streamAnswer(slug, body, signal) {
  const options = asPost(body, signal);
  options.headers.Accept = "text/event-stream";
  const response = await send(`/v1/books/${encodeURIComponent(slug)}/answers`, options);
  for await (const [event, data] of readEvents(response.body)) {
    if (event === "error") throw new Problem(data.code, data.detail);
    yield [event, data];
    if (event === "done") return;
  }
  throw new Interrupted();
}

function asPost(body, signal) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
}

async function call(path, options = {}) {
  return (await send(path, options)).json();
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : UNREACHABLE;
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  try {
    const problem = await response.json();
    return new Problem(problem.code, problem.detail);
  } catch {
    return new Problem("internal", "Something went wrong inside Quoth.");
  }
}

async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      waiting += value;
      const frames = waiting.split("\n\n");
      waiting = frames.pop();
      for (const frame of frames) {
        const event = parseFrame(frame);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw error.name === "AbortError" ? error : new Interrupted();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parseFrame(frame) {
  const fields = {};
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return fields.event ? [fields.event, JSON.parse(fields.data)] : null;
}
