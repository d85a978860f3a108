// @ts-check
// The conversations with the open book: one is begun, gone back to, saved as a file or deleted.

/** @import { Book } from "../schema.js" */
/** @import { Session, Sessions } from "./sessions.js" */

import { announce, byId, element, isWholePage } from "../common/dom.js";
import { dateInWords, t } from "../common/language.js";
import { printConversation } from "../common/printing.js";
import { askedInWords, exchangesOf } from "./sessions.js";
import { asMarkdown } from "./transcript.js";

export class SessionList {
  /**
   * @param {Sessions} sessions
   * @param {() => unknown} onChange What to do when another conversation is open.
   */
  constructor(sessions, onChange) {
    this.sessions = sessions;
    this.onChange = onChange;
    this.box = byId("sessions");
    /** @type {Book | null} */
    this.book = null;
    byId("new-session").addEventListener("click", () => {
      sessions.begin();
      onChange();
      byId("question").focus();
    });
    this.box.addEventListener("toggle", (event) => event.newState === "open" && this.#draw());
  }

  /**
   * Shows what there is to choose from; nothing before the first question.
   *
   * @param {Book} book
   */
  show(book) {
    this.book = book;
    const kept = this.sessions.list().length;
    byId("session-bar").hidden = !kept;
    byId("new-session").hidden = !this.sessions.current.messages.length;
    byId("session-count").textContent = t("conversations", { n: kept });
  }

  #draw() {
    const items = this.sessions.list().map((session) => this.#item(session));
    this.box.replaceChildren(element("ol", { role: "list" }, ...items));
  }

  /** @param {Session} session */
  #item(session) {
    const asked = exchangesOf(session).map((exchange) => askedInWords(exchange.asked));
    const when = new Date(session.created_at);
    const day = Number.isNaN(when.getTime()) ? "" : dateInWords(when, { dateStyle: "medium", timeStyle: "short" });
    const isOpen = session === this.sessions.current;
    return element(
      "li",
      {},
      element(
        "button",
        { class: "link", type: "button", "aria-current": isOpen, onclick: () => this.#choose(session) },
        asked[0],
      ),
      element("span", { class: "hint" }, [t("questions", { n: asked.length }), day].filter(Boolean).join(" · ")),
      element(
        "span",
        { class: "session-buttons" },
        button(t("conversation.save"), asked[0], () => this.#save(session)),
        isOpen && isWholePage() ? button(t("conversation.print"), asked[0], () => this.#print()) : null,
        button(t("conversation.delete"), asked[0], () => this.#delete(session)),
      ),
    );
  }

  /** @param {Session} session */
  #choose(session) {
    this.sessions.choose(session.session_id);
    this.box.hidePopover();
    this.onChange();
  }

  /** @param {Session} session */
  #save(session) {
    if (!this.book) return;
    const text = asMarkdown(session, this.book, new URL(location.pathname, location.href).href);
    const address = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
    const name = `${this.book.slug}-${session.created_at.slice(0, 10)}.md`;
    element("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
    announce(t("conversation.saved"));
  }

  #print() {
    this.box.hidePopover();
    printConversation(byId("conversation"));
  }

  /** @param {Session} session */
  #delete(session) {
    if (!confirm(t("conversation.confirm-delete"))) return;
    this.sessions.delete(session.session_id);
    this.onChange();
    this.#draw();
    if (!this.sessions.list().length) this.box.hidePopover();
    else this.box.querySelector("button")?.focus();
    announce(t("conversation.deleted"));
  }
}

/**
 * @param {string} words
 * @param {string} about
 * @param {() => unknown} onclick
 */
function button(words, about, onclick) {
  return element("button", { class: "quiet-button", type: "button", "aria-label": `${words}: ${about}`, onclick }, words);
}
