// @ts-check
// Starts the reader page and connects its parts.

import { connectCards } from "./chips.js";
import { followScroll } from "./contents.js";
import { Conversation } from "./conversation.js";
import { citeCopies } from "./copying.js";
import { showEditions } from "./editions.js";
import { connectLayout, focusQuestion, isBookShown, setSheet } from "./layout.js";
import { readPlace } from "./places.js";
import { Reader } from "./reader.js";
import { keepPosition } from "./resume.js";
import { Router } from "./router.js";
import { offerToAsk } from "./selection.js";
import { connectViewing } from "./viewing.js";

/** @type {Conversation} */
const conversation = new Conversation({
  onEdition: () => reader.refresh(),
  onOpen: () => setSheet(true),
});
const reader = new Reader(conversation);

connectViewing();
connectLayout();
connectCards();
citeCopies(conversation.box, () => conversation.book);
const keep = keepPosition(() => (isBookShown() ? reader.shownAt(readPlace(location.hash)) : null));
offerToAsk(
  () => (isBookShown() && reader.page ? reader.page.selected() : null),
  (selection) => {
    conversation.select(selection);
    focusQuestion();
  },
);
addEventListener("scroll", () => reader.page && followScroll(reader.page.article), { passive: true });
showEditions(() => ({ slug: reader.book?.slug ?? "", path: reader.path }));
new Router(reader, keep).start();
