// One answer as its events come: passages, sentences that passed, the whole with its proofs.

import { announce, count, element } from "./dom.js";
import { placeHref } from "./places.js";
import { withFormulas } from "./math.js";
import { cellsOf, isOneLine, kindOf, quoted, splitCells } from "./quoted.js";
import { receiptOf, VERDICT } from "./receipt.js";

const CONFIDENCE = {
  high: "High confidence",
  medium: "Medium confidence",
  low: "Low confidence: read the passages themselves",
};
export class AnswerView {
  // `ask` and `find` take a text; they ask it, or look for passages on it.
  constructor(exchange, book, { ask, find }) {
    this.exchange = exchange;
    this.book = book;
    this.ask = ask;
    this.find = find;
    this.passages = [];
    this.citations = new Map();
    this.text = element("div", { class: "answer" });
    this.waiting = element("p", { class: "waiting" });
    this.last = null;
    this.titled = false;
  }

  wait(text) {
    this.waiting.textContent = text;
    this.exchange.append(this.text, this.waiting);
  }

  show(event, data) {
    if (event === "passages") this.#showPassages(data.passages);
    else if (event === "sentence") this.#showSentence(data.sentence, data.citations);
    else if (event === "done") this.#showWhole(data);
  }

  #showPassages(passages) {
    this.passages = passages;
    this.waiting.textContent = `${count(passages.length, "passage")} found. Checking each sentence…`;
  }

  // Words of the book are drawn as what they are there; another place begins another paragraph.
  #showSentence(sentence, citations, edition = this.book.edition) {
    for (const citation of citations) this.citations.set(citation.n, citation);
    const cited = sentence.citations.map((n) => this.citations.get(n)).filter(Boolean);
    const first = cited[0];
    const kind = first?.quote === sentence.text ? kindOf(this.passages, first) : "paragraph";
    const chips = cited.map((citation) => this.#chip(citation, edition));
    const place = first ? placeOf(first) : this.last?.place;
    if (this.titled && first && place !== this.last?.place) {
      this.text.append(element("p", { class: "from" }, titleOf(first)));
    }
    const header = kind === "table" ? (first.table_header ?? "") : "";
    const before = this.last?.citation;
    const goesOn = kind === "list_item" && before && first && isOneLine(this.passages, before, first);
    this.#append(kind, place, sentence.text, chips, { header, goesOn });
    this.last.citation = first;
  }

  #append(kind, place, text, chips, { header, goesOn: sameItem }) {
    const same = this.last?.kind === kind && this.last.place === place;
    const goesOn = same && (!header || this.last.header === header) ? this.last.box : null;
    let box = goesOn;
    if (kind === "table") {
      box ??= this.text.appendChild(tableUnder(header)).tBodies[0];
      const cells = cellsOf(text).map((cell) =>
        cell.className === "cell-bar" ? cell : element("td", {}, cell),
      );
      // A bar belongs to the cell before it: a row holds nothing but cells.
      const row = element("tr", { class: "sentence" });
      for (const cell of cells) (cell.className === "cell-bar" ? row.lastChild : row).append(cell);
      row.append(element("td", { class: "row-chips" }, ...chips));
      box.append(row);
    } else if (kind === "list_item") {
      box ??= this.text.appendChild(element("ul"));
      const item = (sameItem && box.lastChild) || box.appendChild(element("li"));
      if (item.hasChildNodes()) item.append(" ");
      item.append(element("span", { class: "sentence" }, ...quoted(text, kind), ...chips));
    } else if (kind === "code" || kind === "math") {
      box = element("div", { class: `sentence ${kind}` }, ...quoted(text, kind), ...chips);
      this.text.append(box);
    } else {
      box ??= this.text.appendChild(element("p", { class: kind === "heading" ? "title" : null }));
      box.append(element("span", { class: "sentence" }, ...quoted(text, kind), ...chips), " ");
    }
    this.last = { kind, place, box, header: header || text };
  }

  #chip(citation, edition) {
    return element(
      "a",
      {
        class: "chip",
        href: placeHref(this.book.slug, citation.document, { range: citation, edition }),
        "aria-label": `Quotation ${citation.n}, ${citation.section_path.join(", ")}`,
      },
      String(citation.n),
    );
  }

  #showWhole(answer) {
    this.waiting.remove();
    this.text.replaceChildren();
    this.last = null;
    // What is said of another thing stands under another title: words of several are told apart by it.
    this.titled = new Set(answer.citations.map(placeOf)).size > 1;
    if (answer.refusal) {
      this.text.remove();
      this.exchange.append(this.#refusal(answer.refusal));
    } else {
      for (const sentence of answer.sentences) {
        this.#showSentence(sentence, answer.citations, answer.edition);
      }
      this.text.classList.add("whole");
      this.exchange.append(
        this.#standing(answer),
        ...unmentioned(answer.unmentioned),
        this.#proofs(answer),
        ...offer("The book says more on:", answer.suggested_questions, this.ask),
      );
    }
    if (answer.refusal) this.exchange.append(this.#standing(answer));
    this.exchange.append(receiptOf(answer, this.passages, this.book.slug));
    announce(answer.refusal?.message ?? `Answered with ${count(answer.citations.length, "quotation")}.`);
  }

  #proofs(answer) {
    const said = new Set(answer.sentences.map((sentence) => sentence.text));
    const items = answer.citations.map((citation, at) =>
      this.#proof(answer, citation, said, answer.citations[at - 1]),
    );
    return element("ol", { class: "proofs", role: "list", "aria-live": "off", "aria-label": "Quotations" }, ...items);
  }

  // What the answer says in the same words is shown in one line here; quotations that follow one another
  // from one place are drawn as one card, which names the place once.
  #proof(answer, citation, said, before) {
    const short = said.has(citation.quote);
    const href = placeHref(this.book.slug, citation.document, {
      range: citation,
      edition: answer.edition,
    });
    const where = placeInWords(citation);
    const copy = element(
      "button",
      {
        class: "icon-button copy",
        type: "button",
        title: "Copy the quotation with its place",
        "aria-label": `Copy quotation ${citation.n} with its place`,
        onclick: () => this.#copy(citation, answer.edition, href),
      },
    );
    const words = quoted(citation.quote, kindOf(this.passages, citation));
    const told = before && placeInWords(before) === where && before.verdict === citation.verdict;
    return element(
      "li",
      { class: told ? "goes-on" : null },
      element(
        "a",
        { class: short ? "proof short" : "proof", href },
        element("span", { class: "proof-number", "aria-hidden": "true" }, String(citation.n)),
        citation.table_header ? element("span", { class: "beside" }, citation.table_header) : null,
        element("q", {}, ...words),
        told ? null : element("span", { class: "where" }, where, element("span", { class: "verdict" }, VERDICT[citation.verdict])),
      ),
      copy,
    );
  }

  async #copy(citation, edition, href) {
    const address = citation.url || new URL(href, location.href).href;
    const place = `${this.book.title}, ${placeInWords(citation)}, edition ${edition}`;
    try {
      await navigator.clipboard.writeText(`“${citation.quote}”\n${place}\n${address}`);
      announce("The quotation was copied.");
    } catch {
      announce("This browser does not let the page copy.");
    }
  }

  #refusal(refusal) {
    return element(
      "div",
      { class: "refusal" },
      element("p", {}, refusal.message),
      ...offer("Ask instead:", refusal.suggested_questions, this.ask),
      ...offer("Nearest in the book:", refusal.related_sections, this.find),
    );
  }

  #standing(answer) {
    const parts = [
      CONFIDENCE[answer.confidence.level],
      answer.mode === "selection" ? "from the marked passage" : null,
      `edition ${answer.edition}`,
    ].filter(Boolean);
    return element("p", { class: `standing ${answer.confidence.level ?? ""}`, "aria-live": "off" }, parts.join(" · "));
  }
}

// A table to be filled; the header of the book's own stands above, which the answer does not say.
function tableUnder(header) {
  const cells = splitCells(header).filter((piece) => !piece.bar);
  const titles = cells.map(({ start, end }) =>
    element("th", { scope: "col" }, ...withFormulas(header.slice(start, end))),
  );
  const head = element("thead", {}, element("tr", {}, ...titles, element("td", {})));
  return element("table", {}, header ? head : null, element("tbody", {}));
}

function unmentioned(names) {
  const notes = (names ?? []).map((name) => `No passage that was found mentions “${name}”.`);
  return notes.map((note) => element("p", { class: "hint" }, note));
}

function offer(title, texts, choose) {
  return texts?.length ? [element("p", { class: "hint" }, title), choices(texts, choose)] : [];
}

function choices(texts, choose) {
  const items = texts.map((text) =>
    element(
      "li",
      {},
      element("button", { class: "link", type: "button", onclick: () => choose(text) }, text),
    ),
  );
  return element("ul", { role: "list", class: "related" }, ...items);
}

/** The innermost title; a letter of a glossary with what it is a letter of. */
function titleOf({ document, section_path: path }) {
  const title = path.at(-1) || document;
  return title.length > 1 ? title : path.slice(-2).join(" › ");
}

function placeOf({ document, section_path: path }) {
  return [document, ...path].join("\n");
}

export function placeInWords({ document, section_path: path, page }) {
  return [path.join(" › ") || document, page && `page ${page}`].filter(Boolean).join(", ");
}
