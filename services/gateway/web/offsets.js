// Offsets of the canonical text (code points) and of JavaScript strings (UTF-16 units), both ways.

export class Offsets {
  constructor(text) {
    this.wide = [];
    for (const match of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) this.wide.push(match.index);
  }

  // The n-th wide character stands n units further on than code points say.
  toUnits(point) {
    return point + countBelow(this.wide.length, (index) => this.wide[index] - index < point);
  }

  toPoints(unit) {
    return unit - countBelow(this.wide.length, (index) => this.wide[index] < unit);
  }
}

// How many of the first indexes satisfy a condition that never comes back once it fails.
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
