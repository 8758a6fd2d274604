import { isDigit } from "../word_boundary.ts";
import type { FoldedText } from "../folded_text.ts";

const MAX_DIGITS = 19;
/** Shorter groups are columns of a table or a date, except for the last one. */
const MIN_GROUP = 3;
const [SPACE, DASH, DOT] = [32, 45, 46];

/** First digits of each network, and the lengths of its numbers. */
const NETWORKS: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  // Those of 13 digits are out of use, and look like the EANs of German products.
  { prefix: /^4/, lengths: [16, 19] },
  { prefix: /^5[1-5]|^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^30[0-5]|^309|^3[689]/, lengths: [14, 16, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^6011|^64[4-9]|^65|^62|^81/, lengths: [16, 17, 18, 19] },
  { prefix: /^50(?:18|20|38)|^5893|^6304|^67(?:59|6[1-3])/, lengths: [16, 17, 18, 19] },
  { prefix: /^220[0-4]|^60|^9792/, lengths: [16] },
];

/**
 * The end of a payment card number that starts at `i`; -1 if none does. Its digits may be in groups of
 * three and more, separated by one space or dash each, or in more than two by dots.
 */
export function findCard(text: FoldedText, i: number): number {
  const first = text.at(i);
  // Networks start with 2 to 6, 8 and 9.
  if (first < 50 || first > 57 || first === 55) return -1;
  if (isDigit(text.before(i))) return -1;
  // A comma rather separates values, as in CSV, than begins a fraction of so many digits.
  const isAfterPoint = text.before(i) === DOT && isDigit(text.before(i - 1));
  const groups: number[] = [];
  let digits = "";
  let separator = 0;
  let found = -1;
  for (let j = i, start = i;; j++) {
    const code = text.at(j);
    if (isDigit(code)) {
      digits += String.fromCharCode(code);
      if (digits.length > MAX_DIGITS || (digits.length === 4 && !startsLikeCard(digits))) {
        return found;
      }
      continue;
    }
    groups.push(j - start);
    // The digits of a fraction are not in groups.
    const isGrouped = groups.length > 1 || !isAfterPoint;
    if (isGrouped && isCardNumber(digits) && areGroups(groups, separator)) found = j;
    const isKnown = code === SPACE || code === DASH || code === DOT;
    if (!isKnown || (separator !== 0 && separator !== code)) return found;
    if (groups.at(-1)! < MIN_GROUP || !isDigit(text.at(j + 1))) return found;
    separator = code;
    start = j + 1;
  }
}

function startsLikeCard(digits: string): boolean {
  return NETWORKS.some(({ prefix }) => prefix.test(digits));
}

function areGroups(groups: readonly number[], separator: number): boolean {
  if (separator === DOT && groups.length < 4) return false;
  return groups.slice(0, -1).every((length) => length >= MIN_GROUP);
}

function isCardNumber(digits: string): boolean {
  const { length } = digits;
  const isKnown = NETWORKS.some(({ prefix, lengths }) =>
    lengths.includes(length) && prefix.test(digits)
  );
  return isKnown && hasLuhnChecksum(digits);
}

/** ISO/IEC 7812-1, annex B. */
export function hasLuhnChecksum(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = digits.charCodeAt(digits.length - 1 - n) - 48;
    const doubled = digit * 2;
    sum += n % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
