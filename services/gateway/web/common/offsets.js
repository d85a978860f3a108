// @ts-check
// Offsets of the canonical text (code points) and of JavaScript strings (UTF-16 units), both ways.

export class Offsets {
  /** @param {string} text */
  constructor(text) {
    this.length = 0;
    /** @type {number[]} */
    this.wide = [];
    this.append(text);
  }

  /**
   * The text goes on.
   *
   * @param {string} text
   */
  append(text) {
    for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) this.wide.push(this.length + index);
    this.length += text.length;
  }

  /**
   * The n-th wide character stands n units further on than code points say.
   *
   * @param {number} point
   */
  toUnits(point) {
    return point + countBelow(this.wide.length, (index) => this.wide[index] - index < point);
  }

  /** @param {number} unit */
  toPoints(unit) {
    return unit - countBelow(this.wide.length, (index) => this.wide[index] < unit);
  }
}

/**
 * How many of the first indexes satisfy a condition that never comes back once it fails.
 *
 * @param {number} length
 * @param {(index: number) => boolean} holds
 */
function countBelow(length, holds) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
