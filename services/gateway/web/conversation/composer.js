// @ts-check
// Where a question is written, with the passage that it is about; both are kept until they are asked.

/** @import { TextSelection } from "../document/page.js" */

import { byId, element } from "../common/dom.js";
import { direction, t } from "../common/language.js";
import { withFormulas } from "../common/math.js";
import { recall, remember } from "./resume.js";

const MAX_SELECTION = 5000;
const SHOWN_SELECTION = 180;
const MAX_HEIGHT = 220;

export class Composer {
  /**
   * @param {object} events What to do with what was written.
   * @param {(question: string, selection: TextSelection | null) => unknown} events.onAsk
   * @param {(question: string) => unknown} events.onFind
   * @param {() => unknown} events.onStop
   */
  constructor({ onAsk, onFind, onStop }) {
    this.onAsk = onAsk;
    this.onFind = onFind;
    this.onStop = onStop;
    this.question = byId("question", HTMLTextAreaElement);
    this.send = byId("send");
    this.slug = "";
    this.isBusy = false;
    /** @type {TextSelection | null} */
    this.selection = null;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.isBusy) this.onStop();
      else this.#submit();
    });
    byId("search").addEventListener("click", () => this.#submitSearch());
    this.question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.isBusy) this.#submit();
    });
    this.question.addEventListener("input", () => {
      this.#fit();
      this.#keep();
    });
  }

  /**
   * Goes on with what was being written for a book.
   *
   * @param {string} slug
   */
  start(slug) {
    const { draft = "", selection = null } = recall(slug);
    this.slug = slug;
    this.question.value = draft;
    this.#show(selection);
    this.#fit();
  }

  /** @param {boolean} isBusy Whether a question is being answered: it can be stopped. */
  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.send.textContent = t(isBusy ? "ask.stop" : "ask.ask");
    this.send.classList.toggle("stop", isBusy);
  }

  /** @param {TextSelection | null} selection */
  select(selection) {
    this.#show(selection);
    this.#keep();
  }

  /** @param {TextSelection | null} selection */
  #show(selection) {
    this.selection = selection;
    this.question.placeholder = t(selection ? "ask.about-placeholder" : "ask.placeholder");
    byId("selection").replaceChildren(...(selection ? this.#draw(selection) : []));
  }

  /** @param {TextSelection} selection */
  #draw(selection) {
    const characters = [...selection.text];
    const text =
      characters.length > SHOWN_SELECTION
        ? `${characters.slice(0, SHOWN_SELECTION).join("")}…`
        : selection.text;
    const remove = () => {
      this.select(null);
      this.question.focus();
    };
    const figure = element(
      "figure",
      { class: "selection" },
      element("blockquote", {}, ...withFormulas(text)),
      element(
        "button",
        { class: "icon-button", type: "button", "aria-label": t("ask.remove-selection"), onclick: remove },
        "×",
      ),
    );
    if (characters.length <= MAX_SELECTION) return [figure];
    return [figure, element("p", { class: "notice" }, t("ask.too-long", { most: String(MAX_SELECTION) }))];
  }

  #submit() {
    const question = this.question.value.trim();
    const { selection } = this;
    if (!question && !selection) {
      this.question.focus();
      return;
    }
    this.#clear();
    this.onAsk(question, selection);
  }

  #submitSearch() {
    const question = this.question.value.trim();
    if (this.isBusy) return;
    if (!question) {
      this.question.focus();
      return;
    }
    this.#clear();
    this.onFind(question);
  }

  #clear() {
    this.question.value = "";
    this.#fit();
    this.select(null);
  }

  #keep() {
    remember(this.slug, { draft: this.question.value, selection: this.selection });
  }

  #fit() {
    // An empty box has no letter that says its direction.
    this.question.dir = this.question.value ? "auto" : direction();
    this.question.style.height = "auto";
    this.question.style.height = `${Math.min(this.question.scrollHeight + 2, MAX_HEIGHT)}px`;
  }
}
