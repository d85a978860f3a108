// @ts-check
// What the conversation and the site know of each other: which document is shown, and where a quotation stands.

import { useHistory, useLocation } from "@docusaurus/router";
import { usePluginData } from "@docusaurus/useGlobalData";
import { Fragment, createElement, useEffect } from "react";

import { addStyle, expectWords, highlightWhenShown, clearHighlight } from "../highlight.js";
import { documentAt, routeOf } from "../routes.js";

/** @import { Documents } from "../routes.js" */

/**
 * What the plugin says of the site: see its index.js.
 *
 * @typedef {{ documents: Documents, chat: { book: string, key?: string, label?: string, lang?: string } }} Given
 */
/**
 * What the widget says of a citation that was clicked.
 *
 * @typedef {CustomEvent<{ document: string, quote: string }> & { target: HTMLElement & { close: () => void } }} Cited
 */

const NARROW = "(max-width: 32rem)";

/** @param {{ children?: unknown }} page */
export default function Root({ children }) {
  const history = useHistory();
  const { pathname } = useLocation();
  const { documents, chat } = /** @type {Given} */ (usePluginData("docusaurus-plugin-quoth"));

  useEffect(() => {
    addStyle();
    // Outside of what React draws: it stays from page to page.
    const element = document.createElement("quoth-chat");
    for (const [name, value] of Object.entries(chat)) element.setAttribute(name, value);
    document.body.append(element);
    return () => element.remove();
  }, [chat]);

  useEffect(() => {
    const path = documentAt(documents, pathname);
    const element = document.querySelector("quoth-chat");
    if (path) element?.setAttribute("document", path);
    else element?.removeAttribute("document");
  }, [documents, pathname]);

  useEffect(() => {
    const follow = (/** @type {Event} */ event) => {
      const { detail, target } = /** @type {Cited} */ (event);
      const { document: path, quote } = detail;
      const route = routeOf(documents, path);
      // What the site does not show, the widget opens itself.
      if (!route) return;
      event.preventDefault();
      clearHighlight();
      if (documentAt(documents, location.pathname) === path) highlightWhenShown(quote);
      else {
        expectWords(quote);
        history.push(route);
      }
      if (matchMedia(NARROW).matches) target.close();
    };
    document.addEventListener("quoth-cite", follow);
    return () => document.removeEventListener("quoth-cite", follow);
  }, [documents, history]);

  return createElement(Fragment, null, children);
}
