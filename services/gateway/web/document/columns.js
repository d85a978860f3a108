// @ts-check
// The columns of a table while its rows are drawn: which are taken from above, how they are aligned.

/** @import { Markup } from "../schema.js" */

import { element } from "../common/dom.js";

const OF_CELLS = new Set(["alignment", "column_span", "row_span", "header_cell"]);
const MOST = 999;

/**
 * Whether a markup says something of a cell as a whole.
 *
 * @param {Markup} markup
 */
export function isOfCell({ kind }) {
  return OF_CELLS.has(kind);
}

export class Columns {
  constructor() {
    /** How many rows the cell above still takes of each column, and how its cells are aligned. */
    this.columns = /** @type {{ taken: number, aligned: string | undefined }[]} */ ([]);
    this.at = 0;
    this.row = 0;
  }

  beginRow() {
    this.at = 0;
    this.row += 1;
  }

  endRow() {
    this.#skip();
  }

  /**
   * The next cell of the row, with its spans and its alignment.
   *
   * @param {Markup[]} said
   * @param {boolean} isEmpty
   */
  place(said, isEmpty) {
    this.#skip();
    const isFirst = this.row === 1;
    const scope = isFirst ? "col" : said.some(({ kind }) => kind === "header_cell") ? "row" : "";
    const cell = scope && !isEmpty ? element("th", { scope }) : element("td");
    const [wide, high] = [spanOf(said, "column_span"), spanOf(said, "row_span")];
    if (wide > 1) cell.colSpan = wide;
    if (high > 1) cell.rowSpan = high;
    const own = valueOf(said, "alignment");
    const aligned = own ?? this.columns[this.at]?.aligned;
    if (aligned) cell.classList.add(`to-${aligned}`);
    for (let left = wide; left > 0; left -= 1) {
      this.columns[this.at] = { taken: high - 1, aligned: isFirst ? own : this.columns[this.at]?.aligned };
      this.at += 1;
    }
    return cell;
  }

  /** Passes what cells of the rows above take of this one. */
  #skip() {
    while (this.columns[this.at]?.taken) {
      this.columns[this.at].taken -= 1;
      this.at += 1;
    }
  }
}

/**
 * @param {Markup[]} said
 * @param {Markup["kind"]} kind
 */
function valueOf(said, kind) {
  return said.find((one) => one.kind === kind)?.value;
}

/**
 * @param {Markup[]} said
 * @param {"column_span" | "row_span"} kind
 */
function spanOf(said, kind) {
  return Math.min(Math.max(Math.trunc(Number(valueOf(said, kind))) || 1, 1), MOST);
}
