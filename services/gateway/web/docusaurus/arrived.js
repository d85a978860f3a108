// @ts-check
// A page of the site is shown.

import { lightExpected } from "./highlight.js";

export function onRouteDidUpdate() {
  lightExpected();
}
