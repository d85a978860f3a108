// @ts-check
// Lights the words of a quotation in a page, which draws them in its own way.

const NAME = "quoth";
/** What a page may draw otherwise than the book says it: space, the bars of tables, marks without a shape. */
const UNSEEN = /[\s|\u200b-\u200d\ufeff]/u;
const WAIT_MS = 5000;

/**
 * Where words stand in texts that follow one another; null where they do not.
 *
 * @param {string[]} texts
 * @param {string} words
 * @returns {{ first: [number, number], last: [number, number] } | null} The text and the place in it, of the first
 *   character and behind the last.
 */
export function locate(texts, words) {
  /** @type {[number, number][]} */
  const places = [];
  let seen = "";
  texts.forEach((text, number) => {
    for (let at = 0; at < text.length; at += 1) {
      if (UNSEEN.test(text[at])) continue;
      seen += text[at];
      places.push([number, at]);
    }
  });
  const wanted = words.replace(new RegExp(UNSEEN, "gu"), "");
  const start = wanted ? seen.indexOf(wanted) : -1;
  if (start < 0) return null;
  const [number, at] = places[start + wanted.length - 1];
  return { first: places[start], last: [number, at + 1] };
}

/** Words of the page that is being gone to. */
let expected = "";

/** @param {string} words */
export function expectWords(words) {
  expected = words;
}

/** The page that was gone to is shown. */
export function highlightExpected() {
  if (expected) highlightWhenShown(expected);
  else clearHighlight();
  expected = "";
}

/**
 * Highlights the words as soon as the page shows them, and brings them into view.
 *
 * @param {string} words
 */
export function highlightWhenShown(words) {
  if (highlight(words)) return;
  const watch = new MutationObserver(() => {
    if (highlight(words)) watch.disconnect();
  });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  setTimeout(() => watch.disconnect(), WAIT_MS);
}

export function clearHighlight() {
  if ("highlights" in CSS) CSS.highlights.delete(NAME);
}

/** @param {string} words */
function highlight(words) {
  const box = document.querySelector("main article") ?? document.querySelector("main");
  const range = box && rangeOf(words, box);
  if (!range) return false;
  // The page's own elements stay as they are: whoever drew them draws them again.
  if ("highlights" in CSS) CSS.highlights.set(NAME, new Highlight(range));
  else {
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
  }
  range.startContainer.parentElement?.scrollIntoView({ block: "center" });
  return true;
}

/**
 * @param {string} words
 * @param {Element} box
 */
function rangeOf(words, box) {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  const found = locate(
    nodes.map((node) => node.data),
    words,
  );
  if (!found) return null;
  const range = document.createRange();
  range.setStart(nodes[found.first[0]], found.first[1]);
  range.setEnd(nodes[found.last[0]], found.last[1]);
  return range;
}

/** Gives highlighted words their colour. */
export function addStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(${NAME}) { background-color: #fbe3a1; color: #25221d; }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
