// @ts-check
// Answers as plain text: without the numbers of their chips, with their citations below.

/** @import { Answer, Book, Citation } from "../schema.js" */

import { all, selectionHere } from "../common/dom.js";
import { t } from "../common/language.js";
import { answerHref, placeHref, placeInWords } from "../common/places.js";
import { citationsOf } from "./chips.js";
import { addressOf } from "./transcript.js";

/**
 * @param {Citation} citation
 * @param {Pick<Book, "slug" | "title">} book
 * @param {number} edition
 */
export function citationAsText(citation, book, edition) {
  const href = placeHref(book.slug, citation.document, { range: citation, edition });
  const address = addressOf(citation, new URL(href, location.href).href);
  const said = { quote: citation.quote, title: book.title, place: placeInWords(citation), edition: String(edition) };
  return `${t("citation.as-text", said)}\n${address}`;
}

/**
 * @param {Answer} answer
 * @param {Pick<Book, "slug" | "title">} book
 */
export function answerAsText(answer, book) {
  const said = answer.sentences.map(({ text }) => text);
  return [...said, ...answer.citations.map((citation) => citationAsText(citation, book, answer.edition))].join("\n\n");
}

/** @param {Pick<Answer, "answer_id" | "book">} answer */
export function addressAsText({ answer_id: id, book }) {
  return new URL(answerHref(book, id), location.href).href;
}

/**
 * Puts the citations of what is copied from an answer below it. The numbers can't be selected.
 *
 * @param {HTMLElement} box Where answers stand.
 * @param {() => Pick<Book, "slug" | "title"> | null} openBook
 */
export function citeCopies(box, openBook) {
  box.addEventListener("copy", (event) => {
    const selection = selectionHere();
    const book = openBook();
    if (!book || !selection?.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    const sentences = [...all(box, ".answer .sentence")].filter((sentence) => range.intersectsNode(sentence));
    const chips = sentences.flatMap((sentence) => [...all(sentence, ".chip")]);
    const quotations = chips.flatMap((chip) => {
      const edition = Number(chip.closest("[data-edition]")?.getAttribute("data-edition"));
      return citationsOf(chip).map((citation) => citationAsText(citation, book, edition));
    });
    if (!quotations.length) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", [selection.toString().trim(), ...new Set(quotations)].join("\n\n"));
  });
}
