// @ts-check
// Starts the reader page and connects its parts.

import { speakToReader } from "./common/language.js";
import { connectLayout, focusQuestion, isBookShown, setSheet } from "./common/layout.js";
import { readPlace } from "./common/places.js";
import { connectViewing } from "./common/viewing.js";
import { connectCards } from "./conversation/chips.js";
import { Conversation } from "./conversation/conversation.js";
import { citeCopies } from "./conversation/copying.js";
import { keepPosition } from "./conversation/resume.js";
import { offerToAsk } from "./conversation/selection.js";
import { followScroll } from "./reader/contents.js";
import { Reader } from "./reader/reader.js";
import { Router } from "./router.js";
import { showEditions } from "./shelf/editions.js";

async function start() {
  connectViewing();
  await speakToReader();
  /** @type {Conversation} */
  const conversation = new Conversation({
    onEdition: () => reader.refresh(),
    onOpen: () => setSheet(true),
  });
  const reader = new Reader(conversation);

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
}

void start();
