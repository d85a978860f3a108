// @ts-check
// The parts of the widget: its button, and the panel that it opens, as in index.html.

import { element } from "../common/dom.js";

/**
 * @param {() => unknown} onToggle
 * @param {() => unknown} onClose
 */
export function drawPanel(onToggle, onClose) {
  return [
    element(
      "button",
      { class: "main-button opener", id: "opener", type: "button", "aria-expanded": "false", "aria-controls": "panel", onclick: onToggle },
    ),
    element(
      "section",
      { class: "ask", id: "panel", role: "dialog", hidden: true },
      element(
        "header",
        { class: "panel-bar" },
        element("h2", { id: "panel-title" }),
        element("button", { class: "icon-button", type: "button", "aria-label": "Close", onclick: onClose }, "×"),
      ),
      drawBody(),
    ),
    element("button", { class: "ask-about", id: "ask-about", type: "button", hidden: true }, "Ask about this"),
    element("div", { class: "quotation-card", id: "quotation-card", role: "tooltip", popover: "manual" }),
    element("div", { class: "visually-hidden", id: "announcement", role: "status", "aria-live": "polite" }),
  ];
}

function drawBody() {
  return element(
    "div",
    { class: "sheet-body" },
    element(
      "div",
      { class: "session-bar", id: "session-bar", hidden: true },
      element("button", { class: "quiet-button", id: "session-count", type: "button", popovertarget: "sessions" }),
      element("button", { class: "quiet-button", id: "new-session", type: "button" }, "New conversation"),
    ),
    element("div", { class: "popup sessions", id: "sessions", popover: "", role: "dialog", "aria-label": "Conversations" }),
    element("div", { class: "conversation", id: "conversation", role: "log", "aria-live": "polite", "aria-label": "Conversation" }),
    drawComposer(),
  );
}

function drawComposer() {
  const question = {
    id: "question",
    name: "question",
    rows: 2,
    maxlength: 4000,
    autocomplete: "off",
    dir: "auto",
    placeholder: "Ask the book…",
  };
  return element(
    "form",
    { class: "composer", id: "composer" },
    element("div", { id: "selection" }),
    element("label", { class: "visually-hidden", for: "question" }, "Your question"),
    element("textarea", question),
    element(
      "div",
      { class: "composer-buttons" },
      element("button", { class: "quiet-button", id: "search", type: "button" }, "Find passages"),
      element("button", { class: "main-button", id: "send", type: "submit" }, "Ask"),
    ),
  );
}
