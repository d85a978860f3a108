// @ts-check
// Several files as one archive, which is what a book is sent as.

/** @typedef {{ path: string, file: File }} Chosen */

const BLOCK = 512;
const MAX_NAME = 100;

/**
 * A tar archive; the files are not read before it is sent.
 *
 * @param {Chosen[]} chosen
 */
export function packFiles(chosen) {
  /** @type {BlobPart[]} */
  const parts = [];
  const add = (/** @type {Uint8Array<ArrayBuffer>} */ header, /** @type {Blob} */ body) => {
    parts.push(header, body, new Uint8Array((BLOCK - (body.size % BLOCK)) % BLOCK));
  };
  for (const { path, file } of chosen) {
    const name = new TextEncoder().encode(path);
    if (name.length > MAX_NAME) {
      const long = new Blob([longName(path)]);
      add(headerOf(new TextEncoder().encode("name"), long.size, "x"), long);
    }
    add(headerOf(name.slice(0, MAX_NAME), file.size, "0"), file);
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Blob(parts, { type: "application/x-tar" });
}

/**
 * A record says its own length in front: the digits count themselves.
 *
 * @param {string} path
 */
function longName(path) {
  const record = ` path=${path}\n`;
  const bare = new TextEncoder().encode(record).length;
  let length = bare + String(bare).length;
  length = bare + String(length).length;
  return `${length}${record}`;
}

/**
 * @param {Uint8Array} name
 * @param {number} size
 * @param {"0" | "x"} kind A file, or what is to be said of the one that follows.
 */
function headerOf(name, size, kind) {
  const header = new Uint8Array(BLOCK);
  const write = (/** @type {number} */ at, /** @type {string} */ text) => header.set(new TextEncoder().encode(text), at);
  const octal = (/** @type {number} */ number, /** @type {number} */ digits) => `${number.toString(8).padStart(digits, "0")}\0`;
  header.set(name);
  write(100, octal(0o644, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
  write(136, octal(0, 11));
  // The sum is made with spaces in its own place.
  write(148, "        ");
  write(156, kind);
  write(257, "ustar\0" + "00");
  write(148, `${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  return header;
}
