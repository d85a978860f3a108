// @ts-check
// A page of the site is shown.

import { highlightExpected } from "./highlight.js";

export function onRouteDidUpdate() {
  highlightExpected();
}
