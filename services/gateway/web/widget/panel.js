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
        element("button", { class: "icon-button", type: "button", "data-t-aria-label": "ask.close", onclick: onClose }, "×"),
      ),
      drawBody(),
    ),
    element("button", { class: "ask-about", id: "ask-about", type: "button", "data-t": "ask.about", hidden: true }),
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
      element("button", { class: "quiet-button", id: "new-session", type: "button", "data-t": "conversation.new" }),
    ),
    element("div", { class: "popup sessions", id: "sessions", popover: "", role: "dialog", "data-t-aria-label": "conversation.all" }),
    element("div", { class: "conversation", id: "conversation", role: "log", "aria-live": "polite", "data-t-aria-label": "conversation.title" }),
    drawComposer(),
  );
}

function drawComposer() {
  const question = {
    id: "question",
    name: "question",
    rows: 1,
    maxlength: 4000,
    autocomplete: "off",
    dir: "auto",
    "data-t-placeholder": "ask.placeholder",
  };
  return element(
    "form",
    { class: "composer", id: "composer" },
    element("div", { id: "selection" }),
    element("label", { class: "visually-hidden", for: "question", "data-t": "ask.question" }),
    element("textarea", question),
    element(
      "div",
      { class: "composer-buttons" },
      element("button", { class: "quiet-button", id: "search", type: "button", "data-t": "ask.find" }),
      element("button", { class: "main-button", id: "send", type: "submit", "data-t": "ask.ask" }),
    ),
  );
}
