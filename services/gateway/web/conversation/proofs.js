// @ts-check
// The quotations that prove an answer, as cards that lead to their places.

/** @import { Answer, Book, Citation } from "../schema.js" */
/** @import { Source } from "../document/quotations.js" */

import { copy } from "../common/clipboard.js";
import { element } from "../common/dom.js";
import { ours, t } from "../common/language.js";
import { placeHref, placeInWords } from "../common/places.js";
import { kindOf } from "../document/quotations.js";
import { citationAsText } from "./copying.js";
import { drawWords } from "./words.js";

export class ProofList {
  /**
   * @param {Answer} answer
   * @param {Source[]} passages
   * @param {Book} book
   */
  constructor(answer, passages, book) {
    this.answer = answer;
    this.passages = passages;
    this.book = book;
    const reworded = answer.sentences.filter(({ kind }) => kind === "paraphrased");
    const beside = new Set(reworded.flatMap(({ citations }) => citations));
    const quotes = answer.citations.filter(({ n }) => beside.has(n)).map(({ quote }) => quote);
    this.said = new Set([...answer.sentences.map(({ text }) => text), ...quotes]);
  }

  draw() {
    const { citations } = this.answer;
    return element(
      "details",
      { class: "quotations", "aria-live": "off" },
      element("summary", {}, t("quotations", { n: citations.length })),
      this.drawOpen(citations, t("quotation.all")),
    );
  }

  /**
   * @param {Citation[]} citations
   * @param {string} label
   */
  drawOpen(citations, label) {
    const items = citations.map((citation, at) => this.#proof(citation, citations[at - 1]));
    return element("ol", { class: "proofs", role: "list", "aria-label": label, "aria-live": "off" }, ...items);
  }

  /**
   * What the answer says in the same words, or shows beside its own, is shown in one line here; quotations that follow one
   * another from one place are drawn as one card, which names the place once.
   *
   * @param {Citation} citation
   * @param {Citation | undefined} before
   */
  #proof(citation, before) {
    const href = placeHref(this.book.slug, citation.document, {
      range: citation,
      edition: this.answer.edition,
    });
    const where = placeInWords(citation);
    const goesOn = before && placeInWords(before) === where && before.verdict === citation.verdict;
    const words = drawWords(citation.quote, kindOf(this.passages, citation));
    const short = this.said.has(citation.quote);
    return element(
      "li",
      { class: goesOn ? "goes-on" : null },
      element(
        "a",
        { class: short ? "proof short" : "proof", href, lang: this.book.language || null },
        element("span", { class: "proof-number", "aria-hidden": "true" }, String(citation.n)),
        citation.table_header ? element("span", { class: "beside" }, citation.table_header) : null,
        element("q", {}, ...words),
        goesOn ? null : placeAndVerdict(where, citation),
      ),
      this.#copyButton(citation),
    );
  }

  /** @param {Citation} citation */
  #copyButton(citation) {
    const text = citationAsText(citation, this.book, this.answer.edition);
    return element("button", {
      class: "icon-button copy",
      type: "button",
      title: t("quotation.copy"),
      "aria-label": t("quotation.copy-number", { number: String(citation.n) }),
      onclick: () => copy(text, t("quotation.copied")),
    });
  }
}

/**
 * @param {string} where
 * @param {Citation} citation
 */
function placeAndVerdict(where, { verdict }) {
  const words = element("bdi", ours(), t(`verdict.${verdict}`));
  return element("span", { class: "where" }, where, element("span", { class: "verdict" }, words));
}
